package kernel

import "golang.org/x/sys/cpu"

// available are the kernels that this processor runs, the fastest last.
func available() []*Kernel {
	all := []*Kernel{portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, avx2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
			all = append(all, vnni)
		}
	}
	return all
}

var avx2 = &Kernel{
	name:     "avx2",
	mul:      tiles{{6, tile6AVX2}, {4, tile4AVX2}, {2, tile2AVX2}, {1, tile1AVX2}}.mul,
	quantize: quantizeAVX2,
	dense:    denseAVX2,
	softmax:  softmaxAVX2,
	norm:     normAVX2,
	gelu:     geluAVX2,
}

// vnni multiplies with the instructions of AVX-512 that add two products at once;
// the rest is that of avx2.
var vnni = &Kernel{
	name:     "avx512-vnni",
	mul:      tiles{{12, tile12VNNI}, {6, tile6VNNI}, {3, tile3VNNI}, {1, tile1VNNI}}.mul,
	quantize: quantizeAVX2,
	dense:    denseAVX2,
	softmax:  softmaxAVX2,
	norm:     normAVX2,
	gelu:     geluAVX2,
}

func softmaxAVX2(x []float32) { softmaxAsm(&x[0], len(x)) }

func geluAVX2(x []float32) { geluAsm(&x[0], len(x)) }

func normAVX2(x, y, gain, bias []float32, eps float32) {
	normAsm(&x[0], &y[0], &gain[0], &bias[0], len(gain), eps)
}

func quantizeAVX2(dst []int16, x []float32) float32 {
	most := mostAsm(&x[0], len(x))
	if most < tiny {
		clear(dst)
		return 0
	}
	roundAsm(&dst[0], &x[0], len(x), activationMax/most)
	return most / activationMax
}

func denseAVX2(c []float32, strideC int, a []float32, strideA int, b []float32, strideB, n, depth, cols int) {
	if n == 0 || depth == 0 {
		return
	}
	// The last values that the assembler reads and writes: it doesn't look at lengths.
	_, _, _ = c[(n-1)*strideC+cols-1], a[(n-1)*strideA+depth-1], b[(depth-1)*strideB+cols-1]
	for j := 0; j < cols; j += panel {
		i := 0
		for ; i+6 <= n; i += 6 {
			dense6AVX2(&c[i*strideC+j], 4*strideC, &a[i*strideA], 4*strideA, &b[j], 4*strideB, depth)
		}
		for ; i < n; i++ {
			dense1AVX2(&c[i*strideC+j], &a[i*strideA], &b[j], 4*strideB, depth)
		}
	}
}

//go:noescape
func tile6AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile4AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile2AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile1AVX2(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile12VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile6VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile3VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile1VNNI(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

// dense6AVX2 sets 6 rows of 16 values of c to those of a·b. Strides are in bytes.
//
//go:noescape
func dense6AVX2(c *float32, strideC int, a *float32, strideA int, b *float32, strideB, depth int)

// dense1AVX2 is dense6AVX2 for one row.
//
//go:noescape
func dense1AVX2(c, a, b *float32, strideB, depth int)

// mostAsm is the largest magnitude of n values, a multiple of 16.
//
//go:noescape
func mostAsm(x *float32, n int) float32

// roundAsm rounds n values times by to integers, n being a multiple of 16.
//
//go:noescape
func roundAsm(dst *int16, x *float32, n int, by float32)

//go:noescape
func softmaxAsm(x *float32, n int)

//go:noescape
func geluAsm(x *float32, n int)

//go:noescape
func normAsm(x, y, gain, bias *float32, n int, eps float32)
