#include "textflag.h"

// Registers of the tiles:
//   Y0–Y11  sums of a block, two a row: outputs 0–7 and 8–15
//   Y12–Y13 a pair of weights of these outputs; Y14–Y15 in between
//   DI weights, SI scales, R8 first row, R9 fourth row, R10 stride of the rows
//   0(SP)   sums over the blocks, as floats, in the order of Y0–Y11

// WEIGHTS widens the pair of weights at an offset to 16 bits.
#define WEIGHTS(at) \
	VPMOVSXBW at(DI), Y12;    \
	VPMOVSXBW (at+16)(DI), Y13

// ROW multiplies them with a row's pair of activations, and adds.
#define ROW(pair, lo, hi) \
	VPBROADCASTD pair, Y14; \
	VPMADDWD Y12, Y14, Y15; \
	VPADDD   Y15, lo, lo;   \
	VPMADDWD Y13, Y14, Y14; \
	VPADDD   Y14, hi, hi

// CLOSE adds the sums of a block, times the scales in Y12 and Y13, to those over the
// blocks.
#define CLOSE(at, lo, hi) \
	VCVTDQ2PS   lo, lo;              \
	VCVTDQ2PS   hi, hi;              \
	VFMADD213PS at(SP), Y12, lo;     \
	VFMADD213PS (at+32)(SP), Y13, hi; \
	VMOVUPS     lo, at(SP);          \
	VMOVUPS     hi, (at+32)(SP)

// ZERO begins a row's sums over the blocks; Y14 is zero.
#define ZERO(at) \
	VMOVUPS Y14, at(SP);     \
	VMOVUPS Y14, (at+32)(SP)

// OUT writes a row: sums · scale of the row + bias, which is in Y12 and Y13.
#define OUT(at, row) \
	VBROADCASTSS row(AX), Y14;       \
	VMOVUPS      at(SP), Y0;         \
	VMOVUPS      (at+32)(SP), Y1;    \
	VFMADD213PS  Y12, Y14, Y0;       \
	VFMADD213PS  Y13, Y14, Y1;       \
	VMOVUPS      Y0, (DX);           \
	VMOVUPS      Y1, 32(DX);         \
	ADDQ         R11, DX

#define SCALES \
	VMOVUPS (SI), Y12;   \
	VMOVUPS 32(SI), Y13; \
	ADDQ    $64, SI

#define ARGUMENTS \
	MOVQ w+0(FP), DI;            \
	MOVQ scale+8(FP), SI;        \
	MOVQ a+16(FP), R8;           \
	MOVQ strideA+24(FP), R10;    \
	MOVQ blocks+32(FP), BX;      \
	LEAQ (R8)(R10*2), R9;        \
	ADDQ R10, R9;                \
	VPXOR Y14, Y14, Y14

#define RESULTS \
	MOVQ    out+48(FP), DX;       \
	MOVQ    strideOut+56(FP), R11; \
	MOVQ    rowScale+64(FP), AX;  \
	MOVQ    bias+72(FP), CX;      \
	VMOVUPS (CX), Y12;            \
	VMOVUPS 32(CX), Y13

// func tile6AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile6AVX2(SB), NOSPLIT, $384-80
	ARGUMENTS
	ZERO(0)
	ZERO(64)
	ZERO(128)
	ZERO(192)
	ZERO(256)
	ZERO(320)

block:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	MOVQ  pairs+40(FP), CX

pair:
	WEIGHTS(0)
	ROW((R8), Y0, Y1)
	ROW((R8)(R10*1), Y2, Y3)
	ROW((R8)(R10*2), Y4, Y5)
	ROW((R9), Y6, Y7)
	ROW((R9)(R10*1), Y8, Y9)
	ROW((R9)(R10*2), Y10, Y11)
	WEIGHTS(32)
	ROW(4(R8), Y0, Y1)
	ROW(4(R8)(R10*1), Y2, Y3)
	ROW(4(R8)(R10*2), Y4, Y5)
	ROW(4(R9), Y6, Y7)
	ROW(4(R9)(R10*1), Y8, Y9)
	ROW(4(R9)(R10*2), Y10, Y11)
	ADDQ $64, DI
	ADDQ $8, R8
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  pair

	SCALES
	CLOSE(0, Y0, Y1)
	CLOSE(64, Y2, Y3)
	CLOSE(128, Y4, Y5)
	CLOSE(192, Y6, Y7)
	CLOSE(256, Y8, Y9)
	CLOSE(320, Y10, Y11)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(0, 0)
	OUT(64, 4)
	OUT(128, 8)
	OUT(192, 12)
	OUT(256, 16)
	OUT(320, 20)
	VZEROUPPER
	RET

// func tile4AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile4AVX2(SB), NOSPLIT, $256-80
	ARGUMENTS
	ZERO(0)
	ZERO(64)
	ZERO(128)
	ZERO(192)

block:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  pairs+40(FP), CX

pair:
	WEIGHTS(0)
	ROW((R8), Y0, Y1)
	ROW((R8)(R10*1), Y2, Y3)
	ROW((R8)(R10*2), Y4, Y5)
	ROW((R9), Y6, Y7)
	WEIGHTS(32)
	ROW(4(R8), Y0, Y1)
	ROW(4(R8)(R10*1), Y2, Y3)
	ROW(4(R8)(R10*2), Y4, Y5)
	ROW(4(R9), Y6, Y7)
	ADDQ $64, DI
	ADDQ $8, R8
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  pair

	SCALES
	CLOSE(0, Y0, Y1)
	CLOSE(64, Y2, Y3)
	CLOSE(128, Y4, Y5)
	CLOSE(192, Y6, Y7)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(0, 0)
	OUT(64, 4)
	OUT(128, 8)
	OUT(192, 12)
	VZEROUPPER
	RET

// func tile2AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile2AVX2(SB), NOSPLIT, $128-80
	ARGUMENTS
	ZERO(0)
	ZERO(64)

block:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  pairs+40(FP), CX

pair:
	WEIGHTS(0)
	ROW((R8), Y0, Y1)
	ROW((R8)(R10*1), Y2, Y3)
	WEIGHTS(32)
	ROW(4(R8), Y0, Y1)
	ROW(4(R8)(R10*1), Y2, Y3)
	ADDQ $64, DI
	ADDQ $8, R8
	SUBQ $2, CX
	JNZ  pair

	SCALES
	CLOSE(0, Y0, Y1)
	CLOSE(64, Y2, Y3)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(0, 0)
	OUT(64, 4)
	VZEROUPPER
	RET

// func tile1AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile1AVX2(SB), NOSPLIT, $64-80
	ARGUMENTS
	ZERO(0)

block:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  pairs+40(FP), CX

pair:
	WEIGHTS(0)
	ROW((R8), Y0, Y1)
	WEIGHTS(32)
	ROW(4(R8), Y0, Y1)
	ADDQ $64, DI
	ADDQ $8, R8
	SUBQ $2, CX
	JNZ  pair

	SCALES
	CLOSE(0, Y0, Y1)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(0, 0)
	VZEROUPPER
	RET
