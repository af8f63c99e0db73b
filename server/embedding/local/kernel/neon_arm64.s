#include "textflag.h"

// Registers of the tiles:
//   V16–V31 sums of a block, four a row, of four outputs each
//   V0–V3   eight activations of each row
//   V4–V5   a pair of weights of 16 outputs, first and second; V6–V9 the same, wider
//   R0 weights, R1 scales, R2–R5 rows, R12 the sums over the blocks, as floats

// What the assembler has no names for. The numbers are those of the registers.
// SXTL and SXTL2 widen the lower and the upper eight bytes of n to 16 bits.
#define SXTL(d, n)  WORD $(0x0F08A400 | (n)<<5 | (d))
#define SXTL2(d, n) WORD $(0x4F08A400 | (n)<<5 | (d))

// SMLAL and SMLAL2 add the lower and the upper four values of n, times value i of m,
// to d.
#define LANE(i) (((i)>>2)<<11 | (((i)>>1)&1)<<21 | ((i)&1)<<20)
#define SMLAL(d, n, m, i)  WORD $(0x0F402000 | LANE(i) | (m)<<16 | (n)<<5 | (d))
#define SMLAL2(d, n, m, i) WORD $(0x4F402000 | LANE(i) | (m)<<16 | (n)<<5 | (d))

// SCVTF makes floats of four integers.
#define SCVTF(d, n) WORD $(0x4E21D800 | (n)<<5 | (d))

// WEIGHTS takes the next pair of weights.
#define WEIGHTS \
	VLD2.P 32(R0), [V4.B16, V5.B16]; \
	SXTL(6, 4);  \
	SXTL2(7, 4); \
	SXTL(8, 5);  \
	SXTL2(9, 5)

// ROW multiplies them with activations i and i + 1 of the row in m; its sums begin
// at d.
#define ROW(d, m, i) \
	SMLAL(d, 6, m, i);           \
	SMLAL2(d+1, 6, m, i);        \
	SMLAL(d+2, 7, m, i);         \
	SMLAL2(d+3, 7, m, i);        \
	SMLAL(d, 8, m, i+1);         \
	SMLAL2(d+1, 8, m, i+1);      \
	SMLAL(d+2, 9, m, i+1);       \
	SMLAL2(d+3, 9, m, i+1)

#define ROWS4(i) \
	WEIGHTS;       \
	ROW(16, 0, i); \
	ROW(20, 1, i); \
	ROW(24, 2, i); \
	ROW(28, 3, i)

#define ROWS1(i) \
	WEIGHTS; \
	ROW(16, 0, i)

#define CLEAR(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// CLOSE adds a row's sums of a block (n and the names of the registers), times the
// scales in V4–V7, to those over the blocks, and goes on to the next row.
#define CLOSE(n, a, b, c, d) \
	SCVTF(n, n);     \
	SCVTF(n+1, n+1); \
	SCVTF(n+2, n+2); \
	SCVTF(n+3, n+3); \
	VLD1    (R13), [V0.S4, V1.S4, V2.S4, V3.S4];   \
	VFMLA   V4.S4, a.S4, V0.S4;                    \
	VFMLA   V5.S4, b.S4, V1.S4;                    \
	VFMLA   V6.S4, c.S4, V2.S4;                    \
	VFMLA   V7.S4, d.S4, V3.S4;                    \
	VST1.P  [V0.S4, V1.S4, V2.S4, V3.S4], 64(R13)

// OUT writes a row: sums · scale of the row + bias, which is in V4–V7.
#define OUT \
	VLD1.P  64(R13), [V0.S4, V1.S4, V2.S4, V3.S4]; \
	VLD1R.P 4(R8), [V8.S4];                        \
	VMOV    V4.B16, V16.B16;                       \
	VMOV    V5.B16, V17.B16;                       \
	VMOV    V6.B16, V18.B16;                       \
	VMOV    V7.B16, V19.B16;                       \
	VFMLA   V8.S4, V0.S4, V16.S4;                  \
	VFMLA   V8.S4, V1.S4, V17.S4;                  \
	VFMLA   V8.S4, V2.S4, V18.S4;                  \
	VFMLA   V8.S4, V3.S4, V19.S4;                  \
	VST1    [V16.S4, V17.S4, V18.S4, V19.S4], (R6); \
	ADD     R7, R6, R6

#define RESULTS \
	MOVD out+48(FP), R6;       \
	MOVD strideOut+56(FP), R7; \
	MOVD rowScale+64(FP), R8;  \
	MOVD bias+72(FP), R9;      \
	MOVD R12, R13;             \
	VLD1 (R9), [V4.S4, V5.S4, V6.S4, V7.S4]

// func tile4NEON(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile4NEON(SB), NOSPLIT, $256-80
	MOVD w+0(FP), R0
	MOVD scale+8(FP), R1
	MOVD a+16(FP), R2
	MOVD strideA+24(FP), R6
	MOVD blocks+32(FP), R10
	ADD  R6, R2, R3
	ADD  R6, R3, R4
	ADD  R6, R4, R5
	MOVD $sums-256(SP), R12
	MOVD R12, R13
	CLEAR(V0, V1, V2, V3)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R13)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R13)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R13)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R13)

block:
	CLEAR(V16, V17, V18, V19)
	CLEAR(V20, V21, V22, V23)
	CLEAR(V24, V25, V26, V27)
	CLEAR(V28, V29, V30, V31)
	MOVD pairs+40(FP), R11

pairs:
	VLD1.P 16(R2), [V0.H8]
	VLD1.P 16(R3), [V1.H8]
	VLD1.P 16(R4), [V2.H8]
	VLD1.P 16(R5), [V3.H8]
	ROWS4(0)
	ROWS4(2)
	ROWS4(4)
	ROWS4(6)
	SUBS   $4, R11, R11
	BNE    pairs

	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	MOVD   R12, R13
	CLOSE(16, V16, V17, V18, V19)
	CLOSE(20, V20, V21, V22, V23)
	CLOSE(24, V24, V25, V26, V27)
	CLOSE(28, V28, V29, V30, V31)
	SUBS   $1, R10, R10
	BNE    block

	RESULTS
	OUT
	OUT
	OUT
	OUT
	RET

// func tile1NEON(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile1NEON(SB), NOSPLIT, $64-80
	MOVD w+0(FP), R0
	MOVD scale+8(FP), R1
	MOVD a+16(FP), R2
	MOVD blocks+32(FP), R10
	MOVD $sums-64(SP), R12
	CLEAR(V0, V1, V2, V3)
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R12)

block:
	CLEAR(V16, V17, V18, V19)
	MOVD pairs+40(FP), R11

pairs:
	VLD1.P 16(R2), [V0.H8]
	ROWS1(0)
	ROWS1(2)
	ROWS1(4)
	ROWS1(6)
	SUBS   $4, R11, R11
	BNE    pairs

	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	MOVD   R12, R13
	CLOSE(16, V16, V17, V18, V19)
	SUBS   $1, R10, R10
	BNE    block

	RESULTS
	OUT
	RET

// FROW adds the product of a row's next value with the 16 in V0–V3.
#define FROW(row, a, b, c, d) \
	VLD1R.P 4(row), [V4.S4];      \
	VFMLA   V4.S4, V0.S4, a.S4;   \
	VFMLA   V4.S4, V1.S4, b.S4;   \
	VFMLA   V4.S4, V2.S4, c.S4;   \
	VFMLA   V4.S4, V3.S4, d.S4

// func dense4NEON(c *float32, strideC int, a *float32, strideA int, b *float32, strideB, depth int)
TEXT ·dense4NEON(SB), NOSPLIT, $0-56
	MOVD c+0(FP), R0
	MOVD strideC+8(FP), R1
	MOVD a+16(FP), R2
	MOVD strideA+24(FP), R6
	MOVD b+32(FP), R8
	MOVD strideB+40(FP), R9
	MOVD depth+48(FP), R10
	ADD  R6, R2, R3
	ADD  R6, R3, R4
	ADD  R6, R4, R5
	CLEAR(V16, V17, V18, V19)
	CLEAR(V20, V21, V22, V23)
	CLEAR(V24, V25, V26, V27)
	CLEAR(V28, V29, V30, V31)

loop:
	VLD1 (R8), [V0.S4, V1.S4, V2.S4, V3.S4]
	ADD  R9, R8, R8
	FROW(R2, V16, V17, V18, V19)
	FROW(R3, V20, V21, V22, V23)
	FROW(R4, V24, V25, V26, V27)
	FROW(R5, V28, V29, V30, V31)
	SUBS $1, R10, R10
	BNE  loop

	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R0)
	ADD  R1, R0, R0
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R0)
	ADD  R1, R0, R0
	VST1 [V24.S4, V25.S4, V26.S4, V27.S4], (R0)
	ADD  R1, R0, R0
	VST1 [V28.S4, V29.S4, V30.S4, V31.S4], (R0)
	RET

// func dense1NEON(c, a, b *float32, strideB, depth int)
TEXT ·dense1NEON(SB), NOSPLIT, $0-40
	MOVD c+0(FP), R0
	MOVD a+8(FP), R2
	MOVD b+16(FP), R8
	MOVD strideB+24(FP), R9
	MOVD depth+32(FP), R10
	CLEAR(V16, V17, V18, V19)

loop:
	VLD1 (R8), [V0.S4, V1.S4, V2.S4, V3.S4]
	ADD  R9, R8, R8
	FROW(R2, V16, V17, V18, V19)
	SUBS $1, R10, R10
	BNE  loop

	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R0)
	RET
