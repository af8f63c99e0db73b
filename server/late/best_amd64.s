#include "textflag.h"

// What one token of the question, 128 bytes at off(R10), sums up with the levels in
// Y0 to Y3. No sum of 16 bits overflows: 8 · 15 · 127 is below 32768.
#define PRODUCT(off, to) \
	VPMADDUBSW off(R10), Y0, to    \
	VPMADDUBSW off+32(R10), Y1, Y11 \
	VPMADDUBSW off+64(R10), Y2, Y12 \
	VPMADDUBSW off+96(R10), Y3, Y13 \
	VPADDW     Y11, to, to         \
	VPADDW     Y12, Y13, Y12       \
	VPADDW     Y12, to, to         \
	VPMADDWD   Y8, to, to

// func bestAVX2(out *float32, query *int8, bias *float32, groups int, packed *byte, n int)
TEXT ·bestAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ query+8(FP), SI
	MOVQ bias+16(FP), DX
	MOVQ groups+24(FP), CX
	MOVQ packed+32(FP), R8
	MOVQ n+40(FP), R9

	VPCMPEQW  Y8, Y8, Y8
	VPSRLW    $12, Y8, Y9
	VPACKUSWB Y9, Y9, Y9 // 15 in each byte
	VPSRLW    $15, Y8, Y8 // 1 in each word

token:
	VMOVDQU (R8), Y0
	VMOVDQU 32(R8), Y1
	VPSRLW  $4, Y0, Y2
	VPSRLW  $4, Y1, Y3
	VPAND   Y9, Y0, Y0
	VPAND   Y9, Y1, Y1
	VPAND   Y9, Y2, Y2
	VPAND   Y9, Y3, Y3

	MOVWLZX      64(R8), AX
	SHLL         $16, AX
	VMOVD        AX, X10
	VBROADCASTSS X10, X10

	MOVQ SI, R10
	MOVQ DX, R11
	MOVQ DI, R12
	MOVQ CX, R13

group:
	PRODUCT(0, Y4)
	PRODUCT(128, Y5)
	PRODUCT(256, Y6)
	PRODUCT(384, Y7)
	VPHADDD      Y5, Y4, Y4
	VPHADDD      Y7, Y6, Y6
	VPHADDD      Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VCVTDQ2PS    X4, X4
	VSUBPS       (R11), X4, X4
	VMULPS       X10, X4, X4
	VMAXPS       (R12), X4, X4
	VMOVUPS      X4, (R12)

	ADDQ $512, R10
	ADDQ $16, R11
	ADDQ $16, R12
	DECQ R13
	JNZ  group

	ADDQ $66, R8
	DECQ R9
	JNZ  token
	VZEROUPPER
	RET
