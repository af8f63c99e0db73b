#include "textflag.h"

// Constants are broadcast from one value.
#define CONST(name, bits) \
	DATA  name<>+0(SB)/4, bits; \
	GLOBL name<>(SB), RODATA|NOPTR, $4

CONST(log2e, $0x3FB8AA3B)    // 1/ln 2
CONST(ln2high, $0x3F317000)  // the first 12 bits of ln 2, exact times any exponent
CONST(ln2low, $0x3805FDF4)   // the rest: 3.1943e-5
CONST(lowest, $0xC2AE0000)   // −87: the exponential of less is taken as that of −87
CONST(one, $0x3F800000)
CONST(half, $0x3F000000)     // 1/2!
CONST(third, $0x3E2AAAAB)    // 1/3!
CONST(fourth, $0x3D2AAAAB)   // 1/4!
CONST(fifth, $0x3C088889)    // 1/5!
CONST(sixth, $0x3AB60B61)    // 1/6!
CONST(magnitude, $0x7FFFFFFF)

// Φ(x) for x ≥ 0 is 1 − (c1·t + … + c5·t⁵)·exp(−x²/2) with t = 1/(1 + p·x): Abramowitz
// and Stegun 26.2.17, off by less than 7.5e-8. c are its b over √(2π).
CONST(gp, $0x3E6D3389)       // p = 0.2316419
CONST(g1, $0x3E027906)
CONST(g2, $0xBE11A98E)
CONST(g3, $0x3F35F0E3)
CONST(g4, $0xBF3A00E3)
CONST(g5, $0x3F07DC22)

// EXPCONST and EXP keep e^x in Y8–Y15: Y8 = 1/ln 2, Y9 and Y10 = ln 2 in two parts,
// Y11–Y15 the coefficients from 1/6! to 1/2!.
#define EXPCONST \
	VBROADCASTSS log2e<>(SB), Y8;    \
	VBROADCASTSS ln2high<>(SB), Y9;  \
	VBROADCASTSS ln2low<>(SB), Y10;  \
	VBROADCASTSS sixth<>(SB), Y11;   \
	VBROADCASTSS fifth<>(SB), Y12;   \
	VBROADCASTSS fourth<>(SB), Y13;  \
	VBROADCASTSS third<>(SB), Y14;   \
	VBROADCASTSS half<>(SB), Y15

// EXP replaces x, at least −87, with its exponential: x = n·ln 2 + r with |r| at most
// half of ln 2, so that six terms of the series are enough, times 2ⁿ by adding to the
// exponent. ones holds 1; n and e are overwritten.
#define EXP(x, n, e, ones) \
	VMULPS       x, Y8, n;        \
	VCVTPS2DQ    n, n;            \
	VCVTDQ2PS    n, e;            \
	VFNMADD231PS Y9, e, x;        \
	VFNMADD231PS Y10, e, x;       \
	VMOVAPS      Y11, e;          \
	VFMADD213PS  Y12, x, e;       \
	VFMADD213PS  Y13, x, e;       \
	VFMADD213PS  Y14, x, e;       \
	VFMADD213PS  Y15, x, e;       \
	VFMADD213PS  ones, x, e;      \
	VFMADD213PS  ones, x, e;      \
	VPSLLD       $23, n, n;       \
	VPADDD       n, e, x

// ADDACROSS and MAXACROSS fold the eight values of y into the lowest of x, which is
// the lower half of y.
#define ADDACROSS(y, x, tmp) \
	VEXTRACTF128 $1, y, tmp; \
	VADDPS       tmp, x, x;  \
	VHADDPS      x, x, x;    \
	VHADDPS      x, x, x

#define MAXACROSS(y, x, tmp) \
	VEXTRACTF128 $1, y, tmp;    \
	VMAXPS       tmp, x, x;     \
	VSHUFPS      $0x4E, x, x, tmp; \
	VMAXPS       tmp, x, x;     \
	VSHUFPS      $0xB1, x, x, tmp; \
	VMAXPS       tmp, x, x

// func mostAsm(x *float32, n int) float32
TEXT ·mostAsm(SB), NOSPLIT, $0-20
	MOVQ         x+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS magnitude<>(SB), Y4
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1

loop:
	VANDPS (SI), Y4, Y2
	VANDPS 32(SI), Y4, Y3
	VMAXPS Y2, Y0, Y0
	VMAXPS Y3, Y1, Y1
	ADDQ   $64, SI
	SUBQ   $16, CX
	JNZ    loop

	VMAXPS Y1, Y0, Y0
	MAXACROSS(Y0, X0, X1)
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func roundAsm(dst *int16, x *float32, n int, by float32)
TEXT ·roundAsm(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS by+24(FP), Y4

loop:
	VMULPS    (SI), Y4, Y0
	VMULPS    32(SI), Y4, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xD8, Y0, Y0 // packing works in halves
	VMOVDQU   Y0, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNZ       loop
	VZEROUPPER
	RET

// func softmaxAsm(x *float32, n int)
TEXT ·softmaxAsm(SB), NOSPLIT, $0-16
	MOVQ    x+0(FP), SI
	MOVQ    n+8(FP), CX
	VMOVUPS (SI), Y0
	MOVQ    SI, DI
	MOVQ    CX, DX

most:
	VMAXPS (DI), Y0, Y0
	VMAXPS 32(DI), Y0, Y0
	ADDQ   $64, DI
	SUBQ   $16, DX
	JNZ    most

	MAXACROSS(Y0, X0, X1)
	VBROADCASTSS X0, Y0
	EXPCONST
	VBROADCASTSS one<>(SB), Y7
	VBROADCASTSS lowest<>(SB), Y6
	VXORPS       Y5, Y5, Y5
	MOVQ         SI, DI
	MOVQ         CX, DX

exp:
	VMOVUPS (DI), Y1
	VSUBPS  Y0, Y1, Y1
	VMAXPS  Y6, Y1, Y1
	EXP(Y1, Y2, Y3, Y7)
	VMOVUPS Y1, (DI)
	VADDPS  Y1, Y5, Y5
	ADDQ    $32, DI
	SUBQ    $8, DX
	JNZ     exp

	ADDACROSS(Y5, X5, X1)
	VDIVSS       X5, X7, X5
	VBROADCASTSS X5, Y5

scale:
	VMULPS  (SI), Y5, Y0
	VMULPS  32(SI), Y5, Y1
	VMOVUPS Y0, (SI)
	VMOVUPS Y1, 32(SI)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     scale
	VZEROUPPER
	RET

// func geluAsm(x *float32, n int)
TEXT ·geluAsm(SB), NOSPLIT, $160-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	EXPCONST
	VBROADCASTSS one<>(SB), Y7
	VBROADCASTSS magnitude<>(SB), Y6
	VBROADCASTSS g5<>(SB), Y0
	VMOVUPS      Y0, 0(SP)
	VBROADCASTSS g4<>(SB), Y0
	VMOVUPS      Y0, 32(SP)
	VBROADCASTSS g3<>(SB), Y0
	VMOVUPS      Y0, 64(SP)
	VBROADCASTSS g2<>(SB), Y0
	VMOVUPS      Y0, 96(SP)
	VBROADCASTSS g1<>(SB), Y0
	VMOVUPS      Y0, 128(SP)

loop:
	VANDPS       (SI), Y6, Y0     // |x|
	VMULPS       Y0, Y0, Y1
	VXORPS       Y2, Y2, Y2
	VFNMADD213PS Y2, Y15, Y1      // −x²/2
	VBROADCASTSS lowest<>(SB), Y2
	VMAXPS       Y2, Y1, Y1
	EXP(Y1, Y2, Y3, Y7)
	VBROADCASTSS gp<>(SB), Y2
	VFMADD213PS  Y7, Y0, Y2
	VDIVPS       Y2, Y7, Y2       // t
	VMOVUPS      0(SP), Y3
	VFMADD213PS  32(SP), Y2, Y3
	VFMADD213PS  64(SP), Y2, Y3
	VFMADD213PS  96(SP), Y2, Y3
	VFMADD213PS  128(SP), Y2, Y3
	VMULPS       Y2, Y3, Y3
	VMULPS       Y1, Y3, Y3       // 1 − Φ(|x|)
	VXORPS       Y2, Y2, Y2
	VMAXPS       (SI), Y2, Y2
	VFNMADD231PS Y3, Y0, Y2       // max(x, 0) − |x|·(1 − Φ(|x|))
	VMOVUPS      Y2, (SI)
	ADDQ         $32, SI
	SUBQ         $8, CX
	JNZ          loop
	VZEROUPPER
	RET

// func normAsm(x, y, gain, bias *float32, n int, eps float32)
TEXT ·normAsm(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ n+32(FP), CX
	VCVTSI2SSQ CX, X15, X15
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORQ   DX, DX

add:
	VMOVUPS (DI)(DX*4), Y2
	VMOVUPS 32(DI)(DX*4), Y3
	VADDPS  (SI)(DX*4), Y2, Y2
	VADDPS  32(SI)(DX*4), Y3, Y3
	VMOVUPS Y2, (DI)(DX*4)
	VMOVUPS Y3, 32(DI)(DX*4)
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $16, DX
	CMPQ    DX, CX
	JNE     add

	VADDPS       Y1, Y0, Y0
	ADDACROSS(Y0, X0, X1)
	VDIVSS       X15, X0, X0
	VBROADCASTSS X0, Y4           // mean
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1
	XORQ         DX, DX

square:
	VMOVUPS     (DI)(DX*4), Y2
	VMOVUPS     32(DI)(DX*4), Y3
	VSUBPS      Y4, Y2, Y2
	VSUBPS      Y4, Y3, Y3
	VFMADD231PS Y2, Y2, Y0
	VFMADD231PS Y3, Y3, Y1
	ADDQ        $16, DX
	CMPQ        DX, CX
	JNE         square

	VADDPS       Y1, Y0, Y0
	ADDACROSS(Y0, X0, X1)
	VDIVSS       X15, X0, X0
	VADDSS       eps+40(FP), X0, X0
	VSQRTSS      X0, X0, X0
	VMOVSS       one<>(SB), X1
	VDIVSS       X0, X1, X0
	VBROADCASTSS X0, Y5           // 1 / deviation
	MOVQ         gain+16(FP), R8
	MOVQ         bias+24(FP), R9
	XORQ         DX, DX

scale:
	VMOVUPS     (DI)(DX*4), Y2
	VMOVUPS     32(DI)(DX*4), Y3
	VSUBPS      Y4, Y2, Y2
	VSUBPS      Y4, Y3, Y3
	VMULPS      Y5, Y2, Y2
	VMULPS      Y5, Y3, Y3
	VMOVUPS     (R8)(DX*4), Y0
	VMOVUPS     32(R8)(DX*4), Y1
	VFMADD213PS (R9)(DX*4), Y0, Y2
	VFMADD213PS 32(R9)(DX*4), Y1, Y3
	VMOVUPS     Y2, (DI)(DX*4)
	VMOVUPS     Y3, 32(DI)(DX*4)
	ADDQ        $16, DX
	CMPQ        DX, CX
	JNE         scale
	VZEROUPPER
	RET

// FROW adds the product of a row's value with the 16 in Y12 and Y13.
#define FROW(value, lo, hi) \
	VBROADCASTSS value, Y14;    \
	VFMADD231PS  Y12, Y14, lo;  \
	VFMADD231PS  Y13, Y14, hi

#define FOUT(lo, hi) \
	VMOVUPS lo, (DI);   \
	VMOVUPS hi, 32(DI); \
	ADDQ    DX, DI

// func dense6AVX2(c *float32, strideC int, a *float32, strideA int, b *float32, strideB, depth int)
TEXT ·dense6AVX2(SB), NOSPLIT, $0-56
	MOVQ   c+0(FP), DI
	MOVQ   strideC+8(FP), DX
	MOVQ   a+16(FP), R8
	MOVQ   strideA+24(FP), R10
	MOVQ   b+32(FP), SI
	MOVQ   strideB+40(FP), BX
	MOVQ   depth+48(FP), CX
	LEAQ   (R8)(R10*2), R9
	ADDQ   R10, R9
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

loop:
	VMOVUPS (SI), Y12
	VMOVUPS 32(SI), Y13
	FROW((R8), Y0, Y1)
	FROW((R8)(R10*1), Y2, Y3)
	FROW((R8)(R10*2), Y4, Y5)
	FROW((R9), Y6, Y7)
	FROW((R9)(R10*1), Y8, Y9)
	FROW((R9)(R10*2), Y10, Y11)
	ADDQ    BX, SI
	ADDQ    $4, R8
	ADDQ    $4, R9
	DECQ    CX
	JNZ     loop

	FOUT(Y0, Y1)
	FOUT(Y2, Y3)
	FOUT(Y4, Y5)
	FOUT(Y6, Y7)
	FOUT(Y8, Y9)
	FOUT(Y10, Y11)
	VZEROUPPER
	RET

// func dense1AVX2(c, a, b *float32, strideB, depth int)
TEXT ·dense1AVX2(SB), NOSPLIT, $0-40
	MOVQ   c+0(FP), DI
	MOVQ   a+8(FP), R8
	MOVQ   b+16(FP), SI
	MOVQ   strideB+24(FP), BX
	MOVQ   depth+32(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VMOVUPS (SI), Y12
	VMOVUPS 32(SI), Y13
	FROW((R8), Y0, Y1)
	ADDQ    BX, SI
	ADDQ    $4, R8
	DECQ    CX
	JNZ     loop

	FOUT(Y0, Y1)
	VZEROUPPER
	RET
