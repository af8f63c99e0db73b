// Package kernel is the arithmetic of the built-in models: products with packed
// weights, attention, norms and activations, for one processor core.
//
// Concepts. A [Kernel] is one implementation of these steps. [Portable] is plain
// Go and runs anywhere; [Best] is the fastest that the processor at hand can run,
// chosen when it is first asked for. They differ in speed and in the order of
// rounding only.
//
// A [Matrix] is the weights of a linear layer: 8-bit integers with a scale for each
// output and each block of 32 inputs, which keeps the weights of 4-bit and 8-bit files
// exactly as they are. [Rows] are activations as 16-bit integers with a scale a row. The
// activations of BERTs have a few columns a hundred times larger than the rest:
// 8 bits would leave nothing of the others, 16 lose less than the weights do, and
// the multiplication that takes them costs no more. A product is summed in 32-bit
// integers within a block, which can't overflow (32 · 127 · 32767 < 2³¹) and is
// therefore equal in every kernel, and in float32 over the blocks.
//
// Layout. All kernels read one layout, made for the widest loads: 16 outputs form a
// panel, in it pairs of inputs follow each other, and a pair holds two weights of
// each of the 16 outputs. A panel is multiplied with a few rows at a time, whose
// sums stay in registers.
//
// Invariants. Weights are not changed after [Pack]; everything else lives in memory
// that the caller passes, so one kernel serves any number of goroutines and no step
// allocates once its buffers have grown.
//
// What it doesn't do: it starts no goroutines, knows no model and no tokens (package
// encoder does), and is no general linear algebra: widths are multiples of 16 or 32.
package kernel

import "sync"

// Kernel is one implementation of the steps of an encoder.
type Kernel struct {
	name string

	// mul sets dst, r.n rows of m.out, to the product.
	mul func(dst []float32, m *Matrix, r *Rows)
	// quantize rounds x to dst and returns the scale.
	quantize func(dst []int16, x []float32) float32
	// dense sets c, n rows of cols (a multiple of 16), to a·b, where a has n rows of
	// depth and b depth rows of cols; each is apart from the next by its stride.
	dense func(c []float32, strideC int, a []float32, strideA int, b []float32, strideB, n, depth, cols int)
	// softmax works on a row whose length is a multiple of 16.
	softmax func(x []float32)
	norm    func(x, y, gain, bias []float32, eps float32)
	gelu    func(x []float32)
}

// Name is "portable", or the instruction set that the kernel is written for: "avx2",
// "avx512-vnni", "neon".
func (k *Kernel) Name() string { return k.name }

var best = sync.OnceValue(func() *Kernel {
	all := All()
	return all[len(all)-1]
})

// Best is the fastest kernel that this processor runs.
func Best() *Kernel { return best() }

// Name is the name of the best kernel.
func Name() string { return Best().name }

// All are the kernels that this processor runs: Portable first, Best last.
func All() []*Kernel { return available() }

// Portable is the kernel without assembler.
func Portable() *Kernel { return portable }

// Norm adds y to x, a row of as many values as gain and bias have (a multiple of 16),
// and normalizes the sum in place: (x − mean) / √(variance + eps) · gain + bias.
func (k *Kernel) Norm(x, y, gain, bias []float32, eps float32) {
	n := len(gain)
	checkWidth(n)
	k.norm(x[:n:n], y[:n:n], gain, bias[:n:n], eps)
}

// GELU replaces each value x, a multiple of 16 of them, with x·Φ(x), Φ being the
// normal distribution function.
func (k *Kernel) GELU(x []float32) {
	checkWidth(len(x))
	k.gelu(x)
}

func checkWidth(n int) {
	if n == 0 || n%16 != 0 {
		panic("kernel: a width that isn't a multiple of 16")
	}
}
