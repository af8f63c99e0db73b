#include "textflag.h"

// Registers of the tiles, each of the 16 outputs of a row:
//   Z0–Z11  sums of a block, one a row
//   Z12–Z23 sums over the blocks, as floats
//   Z24–Z25 pairs of weights
//   DI weights, SI scales, R10 stride of the rows; R8, R9, R12 and R13 are the first
//   row and each third from there

// ROWS3 multiplies the weights in w with a pair of activations of three rows, and adds.
#define ROWS3(at, first, w, a, b, c) \
	VPDPWSSD.BCST at(first), w, a;        \
	VPDPWSSD.BCST at(first)(R10*1), w, b; \
	VPDPWSSD.BCST at(first)(R10*2), w, c

// CLOSE adds the sums of a block, times the scales in Z24, to those over the blocks.
#define CLOSE(sum, total) \
	VCVTDQ2PS   sum, sum;        \
	VFMADD231PS Z24, sum, total; \
	VPXORD      sum, sum, sum

// OUT writes a row: sums · scale of the row + bias, which is in Z24.
#define OUT(total, row) \
	VBROADCASTSS row(AX), Z25;      \
	VFMADD213PS  Z24, Z25, total;   \
	VMOVUPS      total, (DX);       \
	ADDQ         R11, DX

#define ARGUMENTS \
	MOVQ w+0(FP), DI;         \
	MOVQ scale+8(FP), SI;     \
	MOVQ a+16(FP), R8;        \
	MOVQ strideA+24(FP), R10; \
	MOVQ blocks+32(FP), BX

#define RESULTS \
	MOVQ    out+48(FP), DX;        \
	MOVQ    strideOut+56(FP), R11; \
	MOVQ    rowScale+64(FP), AX;   \
	MOVQ    bias+72(FP), CX;       \
	VMOVUPS (CX), Z24

#define CLEAR2(a, b) \
	VPXORD a, a, a; \
	VPXORD b, b, b

// func tile12VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile12VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	LEAQ (R8)(R10*2), R9
	ADDQ R10, R9
	LEAQ (R9)(R10*2), R12
	ADDQ R10, R12
	LEAQ (R12)(R10*2), R13
	ADDQ R10, R13
	CLEAR2(Z0, Z12)
	CLEAR2(Z1, Z13)
	CLEAR2(Z2, Z14)
	CLEAR2(Z3, Z15)
	CLEAR2(Z4, Z16)
	CLEAR2(Z5, Z17)
	CLEAR2(Z6, Z18)
	CLEAR2(Z7, Z19)
	CLEAR2(Z8, Z20)
	CLEAR2(Z9, Z21)
	CLEAR2(Z10, Z22)
	CLEAR2(Z11, Z23)

block:
	MOVQ pairs+40(FP), CX

pair:
	VPMOVSXBW (DI), Z24
	VPMOVSXBW 32(DI), Z25
	ROWS3(0, R8, Z24, Z0, Z1, Z2)
	ROWS3(0, R9, Z24, Z3, Z4, Z5)
	ROWS3(0, R12, Z24, Z6, Z7, Z8)
	ROWS3(0, R13, Z24, Z9, Z10, Z11)
	ROWS3(4, R8, Z25, Z0, Z1, Z2)
	ROWS3(4, R9, Z25, Z3, Z4, Z5)
	ROWS3(4, R12, Z25, Z6, Z7, Z8)
	ROWS3(4, R13, Z25, Z9, Z10, Z11)
	ADDQ $64, DI
	ADDQ $8, R8
	ADDQ $8, R9
	ADDQ $8, R12
	ADDQ $8, R13
	SUBQ $2, CX
	JNZ  pair

	VMOVUPS (SI), Z24
	ADDQ    $64, SI
	CLOSE(Z0, Z12)
	CLOSE(Z1, Z13)
	CLOSE(Z2, Z14)
	CLOSE(Z3, Z15)
	CLOSE(Z4, Z16)
	CLOSE(Z5, Z17)
	CLOSE(Z6, Z18)
	CLOSE(Z7, Z19)
	CLOSE(Z8, Z20)
	CLOSE(Z9, Z21)
	CLOSE(Z10, Z22)
	CLOSE(Z11, Z23)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(Z12, 0)
	OUT(Z13, 4)
	OUT(Z14, 8)
	OUT(Z15, 12)
	OUT(Z16, 16)
	OUT(Z17, 20)
	OUT(Z18, 24)
	OUT(Z19, 28)
	OUT(Z20, 32)
	OUT(Z21, 36)
	OUT(Z22, 40)
	OUT(Z23, 44)
	VZEROUPPER
	RET

// func tile6VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile6VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	LEAQ (R8)(R10*2), R9
	ADDQ R10, R9
	CLEAR2(Z0, Z12)
	CLEAR2(Z1, Z13)
	CLEAR2(Z2, Z14)
	CLEAR2(Z3, Z15)
	CLEAR2(Z4, Z16)
	CLEAR2(Z5, Z17)

block:
	MOVQ pairs+40(FP), CX

pair:
	VPMOVSXBW (DI), Z24
	VPMOVSXBW 32(DI), Z25
	ROWS3(0, R8, Z24, Z0, Z1, Z2)
	ROWS3(0, R9, Z24, Z3, Z4, Z5)
	ROWS3(4, R8, Z25, Z0, Z1, Z2)
	ROWS3(4, R9, Z25, Z3, Z4, Z5)
	ADDQ $64, DI
	ADDQ $8, R8
	ADDQ $8, R9
	SUBQ $2, CX
	JNZ  pair

	VMOVUPS (SI), Z24
	ADDQ    $64, SI
	CLOSE(Z0, Z12)
	CLOSE(Z1, Z13)
	CLOSE(Z2, Z14)
	CLOSE(Z3, Z15)
	CLOSE(Z4, Z16)
	CLOSE(Z5, Z17)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(Z12, 0)
	OUT(Z13, 4)
	OUT(Z14, 8)
	OUT(Z15, 12)
	OUT(Z16, 16)
	OUT(Z17, 20)
	VZEROUPPER
	RET

// func tile3VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile3VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	CLEAR2(Z0, Z12)
	CLEAR2(Z1, Z13)
	CLEAR2(Z2, Z14)

block:
	MOVQ pairs+40(FP), CX

pair:
	VPMOVSXBW (DI), Z24
	VPMOVSXBW 32(DI), Z25
	ROWS3(0, R8, Z24, Z0, Z1, Z2)
	ROWS3(4, R8, Z25, Z0, Z1, Z2)
	ADDQ $64, DI
	ADDQ $8, R8
	SUBQ $2, CX
	JNZ  pair

	VMOVUPS (SI), Z24
	ADDQ    $64, SI
	CLOSE(Z0, Z12)
	CLOSE(Z1, Z13)
	CLOSE(Z2, Z14)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(Z12, 0)
	OUT(Z13, 4)
	OUT(Z14, 8)
	VZEROUPPER
	RET

// func tile1VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)
TEXT ·tile1VNNI(SB), NOSPLIT, $0-80
	ARGUMENTS
	CLEAR2(Z0, Z12)

block:
	MOVQ pairs+40(FP), CX

pair:
	VPMOVSXBW     (DI), Z24
	VPMOVSXBW     32(DI), Z25
	VPDPWSSD.BCST (R8), Z24, Z0
	VPDPWSSD.BCST 4(R8), Z25, Z0
	ADDQ          $64, DI
	ADDQ          $8, R8
	SUBQ          $2, CX
	JNZ           pair

	VMOVUPS (SI), Z24
	ADDQ    $64, SI
	CLOSE(Z0, Z12)
	DECQ BX
	JNZ  block

	RESULTS
	OUT(Z12, 0)
	VZEROUPPER
	RET
