package kernel

// available are the kernels that this processor runs, the fastest last. Every arm64
// has NEON.
func available() []*Kernel { return []*Kernel{portable, neon} }

// neon has the two products in assembler, which are nearly all of the work.
var neon = &Kernel{
	name:     "neon",
	mul:      tiles{{4, tile4NEON}, {1, tile1NEON}}.mul,
	quantize: quantizePortable,
	dense:    denseNEON,
	softmax:  softmaxPortable,
	norm:     normPortable,
	gelu:     geluPortable,
}

func denseNEON(c []float32, strideC int, a []float32, strideA int, b []float32, strideB, n, depth, cols int) {
	if n == 0 || depth == 0 {
		return
	}
	// The last values that the assembler reads and writes: it doesn't look at lengths.
	_, _, _ = c[(n-1)*strideC+cols-1], a[(n-1)*strideA+depth-1], b[(depth-1)*strideB+cols-1]
	for j := 0; j < cols; j += panel {
		i := 0
		for ; i+4 <= n; i += 4 {
			dense4NEON(&c[i*strideC+j], 4*strideC, &a[i*strideA], 4*strideA, &b[j], 4*strideB, depth)
		}
		for ; i < n; i++ {
			dense1NEON(&c[i*strideC+j], &a[i*strideA], &b[j], 4*strideB, depth)
		}
	}
}

//go:noescape
func tile4NEON(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

//go:noescape
func tile1NEON(w *int8, scale *float32, a *int16, strideA, blocks, pairs int, out *float32, strideOut int, rowScale, bias *float32)

// dense4NEON sets 4 rows of 16 values of c to those of a·b. Strides are in bytes.
//
//go:noescape
func dense4NEON(c *float32, strideC int, a *float32, strideA int, b *float32, strideB, depth int)

// dense1NEON is dense4NEON for one row.
//
//go:noescape
func dense1NEON(c, a, b *float32, strideB, depth int)
