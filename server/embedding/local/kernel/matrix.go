package kernel

import (
	"math"

	"elowen/shared/fault"
)

const (
	// panel is the number of outputs that are computed together.
	panel = 16
	// longBlock is the number of inputs with one scale; where it doesn't divide a
	// row, shortBlock does.
	longBlock, shortBlock = 64, 32
	// weightMax and activationMax are the largest integers; −128 and −32768 aren't
	// used, so that no product of a pair leaves 32 bits.
	weightMax, activationMax = 127, 32767
)

// Matrix is the packed weights of a linear layer, and its biases.
type Matrix struct {
	out, in, block int
	weights        []int8    // panels of in/2 pairs of panel outputs of 2 inputs
	scale          []float32 // panels of in/block blocks of panel outputs
	bias           []float32
}

// Pack reads each of out rows of in weights once and packs them. out is a multiple
// of 16 and in of 32. bias has out values, or is nil for zeros. A weight that isn't
// finite is an error.
func Pack(out, in int, row func(i int, dst []float32), bias []float32) (*Matrix, error) {
	if out <= 0 || out%panel != 0 || in <= 0 || in%shortBlock != 0 || bias != nil && len(bias) != out {
		return nil, fault.Newf(fault.Internal, "weights: can't pack %d × %d with %d biases", out, in, len(bias))
	}
	m := &Matrix{out: out, in: in, block: longBlock, weights: make([]int8, out*in), bias: make([]float32, out)}
	if in%longBlock != 0 {
		m.block = shortBlock
	}
	copy(m.bias, bias)
	m.scale = make([]float32, out*(in/m.block))
	buf := make([]float32, in)
	for i := range out {
		row(i, buf)
		weights := m.weights[i/panel*panel*in:]
		for b := range in / m.block {
			part := buf[b*m.block:][:m.block]
			most := float32(0)
			for _, x := range part {
				if x-x != 0 {
					return nil, fault.Newf(fault.Internal, "weights: output %d has %v", i, x)
				}
				most = max(most, abs(x))
			}
			if most == 0 {
				continue
			}
			m.scale[(i/panel*(in/m.block)+b)*panel+i%panel] = most / weightMax
			for j, x := range part {
				k := b*m.block + j
				weights[k/2*2*panel+i%panel*2+k%2] = int8(math.RoundToEven(float64(x) * weightMax / float64(most)))
			}
		}
	}
	return m, nil
}

// Out and In are the numbers of outputs and inputs.
func (m *Matrix) Out() int { return m.out }
func (m *Matrix) In() int  { return m.in }

// panelAt are the weights and scales of the panel whose first output is o.
func (m *Matrix) panelAt(o int) (weights []int8, scale []float32) {
	return m.weights[o*m.in:][:panel*m.in], m.scale[o*(m.in/m.block):][:panel*(m.in/m.block)]
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
	if width <= 0 || width%shortBlock != 0 || len(x)%width != 0 {
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
