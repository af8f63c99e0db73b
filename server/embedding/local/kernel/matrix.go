package kernel

import (
	"math"

	"elowen/shared/fault"
)

const (
	// panel is the number of outputs that are computed together.
	panel = 16
	// block is the number of inputs with one scale.
	block = 32
	// weightMax and activationMax are the largest integers; −128 and −32768 aren't
	// used, so that no product of a pair leaves 32 bits.
	weightMax, activationMax = 127, 32767
)

// Matrix is the packed weights of a linear layer, and its biases.
type Matrix struct {
	out, in int
	weights []int8    // panels of in/2 pairs of panel outputs of 2 inputs
	scale   []float32 // panels of in/block blocks of panel outputs
	bias    []float32
}

// Pack reads each of out rows of in weights once and packs them. out is a multiple
// of 16 and in of 32. bias has out values, or is nil for zeros. A weight that isn't
// finite is an error.
//
// Weights that are small multiples of one number within each 32, as those of 4-bit
// and 8-bit files are, are kept exactly.
func Pack(out, in int, row func(i int, dst []float32), bias []float32) (*Matrix, error) {
	if out <= 0 || out%panel != 0 || in <= 0 || in%block != 0 || bias != nil && len(bias) != out {
		return nil, fault.Newf(fault.Internal, "weights: can't pack %d × %d with %d biases", out, in, len(bias))
	}
	m := &Matrix{out: out, in: in, weights: make([]int8, out*in), bias: make([]float32, out), scale: make([]float32, out*in/block)}
	copy(m.bias, bias)
	buf := make([]float32, in)
	for i := range out {
		row(i, buf)
		weights, scale := m.panelAt(i / panel * panel)
		for at := 0; at < in; at += block {
			part := buf[at:][:block]
			most := float32(0)
			for _, x := range part {
				if x-x != 0 {
					return nil, fault.Newf(fault.Internal, "weights: output %d has %v", i, x)
				}
				most = max(most, abs(x))
			}
			if most < tiny {
				continue
			}
			steps := grid(part, most)
			scale[at/block*panel+i%panel] = most / steps
			by := steps / most
			for j := 0; j < block; j += 2 {
				pair := weights[(at+j)*panel+i%panel*2:][:2]
				pair[0], pair[1] = int8(nearest(part[j]*by)), int8(nearest(part[j+1]*by))
			}
		}
	}
	return m, nil
}

// grid is into how many steps the largest weight is best divided: if all weights are
// whole multiples of a part of it, into a multiple of as many parts.
func grid(part []float32, most float32) float32 {
	parts := 1
	for _, x := range part {
		if x = abs(x) / most; fits(x, parts) {
			continue
		}
		d := denominator(x)
		if d == 0 {
			return weightMax
		}
		if parts = parts / gcd(parts, d) * d; parts > weightMax {
			return weightMax
		}
	}
	return float32(weightMax / parts * parts)
}

// denominator is that of the fraction that x, between 0 and 1, is within the precision
// of a float32, or 0 if it is none with so small a denominator. It is found among the
// convergents of the continued fraction.
func denominator(x float32) int {
	before, d, rest := 0, 1, float64(x)
	for d <= weightMax {
		if fits(x, d) {
			return d
		}
		rest = 1 / (rest - math.Floor(rest))
		if rest > weightMax {
			break
		}
		before, d = d, int(rest)*d+before
	}
	return 0
}

// fits tells whether x is a multiple of 1/parts. Fractions with denominators up to
// 127 are at least 1/127² = 6e-5 apart.
func fits(x float32, parts int) bool {
	y := x * float32(parts)
	return abs(y-float32(nearest(y))) <= 8e-6*float32(parts)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// nearest rounds x, whose magnitude is below 2²², to the even of two equally near
// integers: in a float of that size plus 1.5 · 2²³ the last bit counts ones.
func nearest(x float32) int32 {
	return int32(math.Float32bits(x+3<<22)) - int32(math.Float32bits(3<<22))
}

// Out and In are the numbers of outputs and inputs.
func (m *Matrix) Out() int { return m.out }
func (m *Matrix) In() int  { return m.in }

// panelAt are the weights and scales of the panel whose first output is o.
func (m *Matrix) panelAt(o int) (weights []int8, scale []float32) {
	return m.weights[o*m.in:][:panel*m.in], m.scale[o*(m.in/block):][:panel*(m.in/block)]
}

// Rows are activations, rounded to integers. The zero value is ready; a Rows that
// is used again keeps its memory.
type Rows struct {
	n, width int
	q        []int16
	scale    []float32
}

// Quantize rounds the rows of x, each width long (a multiple of 32).
func (k *Kernel) Quantize(r *Rows, x []float32, width int) {
	if width <= 0 || width%block != 0 || len(x)%width != 0 {
		panic("kernel: rows that don't fit their width")
	}
	r.n, r.width = len(x)/width, width
	r.q, r.scale = grow(r.q, len(x)), grow(r.scale, r.n)
	for i := range r.n {
		at := i * width
		r.scale[i] = k.quantize(r.q[at:at+width], x[at:at+width])
	}
}

// Mul sets dst to r·Wᵀ + b: a row of Out values for each row of r.
func (k *Kernel) Mul(dst []float32, m *Matrix, r *Rows) {
	if r.width != m.in || len(dst) != r.n*m.out {
		panic("kernel: rows that don't fit the matrix")
	}
	if r.n > 0 {
		k.mul(dst, m, r)
	}
}

// grow is a slice of n values, the old one if it holds as many. Contents are lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
