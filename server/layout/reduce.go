package layout

import (
	"math"
)

// matrix is rows of width numbers, one after the other.
type matrix struct {
	width int
	data  []float32
}

func newMatrix(rows, width int) matrix {
	return matrix{width: width, data: make([]float32, 0, rows*width)}
}

func (m *matrix) add(row []float32) { m.data = append(m.data, row...) }

func (m matrix) rows() int {
	if m.width == 0 {
		return 0
	}
	return len(m.data) / m.width
}

func (m matrix) row(i int) []float32 { return m.data[i*m.width : (i+1)*m.width : (i+1)*m.width] }

// chance is a generator of pseudo-random numbers (splitmix64).
type chance uint64

func (c *chance) next() uint64 {
	*c += 0x9E3779B97F4A7C15
	z := uint64(*c)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below is a number of 0 to n−1.
func (c *chance) below(n int) int { return int(c.next() % uint64(n)) }

// unit is a number of 0 up to 1.
func (c *chance) unit() float64 { return float64(c.next()>>11) / (1 << 53) }

// basis is what vectors are reduced by: a mean, and axes through it.
type basis struct {
	mean []float32
	axes matrix // of length 1, at right angles, the widest first
}

const (
	reducedWidth = 24   // numbers of a reduced vector
	fitRows      = 4096 // rows that a basis is fitted on
	fitSteps     = 14   // of the iteration; the axes are good for a picture long before they are exact
)

// fit finds the principal axes of a matrix by orthogonal iteration.
func fit(m matrix) basis {
	n, d := m.rows(), m.width
	step := max(1, n/fitRows)
	mean := make([]float64, d)
	count := 0
	for i := 0; i < n; i += step {
		for j, v := range m.row(i) {
			mean[j] += float64(v)
		}
		count++
	}
	b := basis{mean: make([]float32, d), axes: matrix{width: d}}
	for j := range mean {
		mean[j] /= float64(max(count, 1))
		b.mean[j] = float32(mean[j])
	}
	cov := make([]float64, d*d)
	row := make([]float64, d)
	for i := 0; i < n; i += step {
		for j, v := range m.row(i) {
			row[j] = float64(v) - mean[j]
		}
		for j, x := range row {
			line := cov[j*d : j*d+d]
			for k, y := range row[:j+1] {
				line[k] += x * y
			}
		}
	}
	for j := range d {
		for k := range j {
			cov[k*d+j] = cov[j*d+k]
		}
	}
	k := min(reducedWidth, d)
	q := make([][]float64, k)
	r := chance(1)
	for i := range q {
		q[i] = make([]float64, d)
		for j := range q[i] {
			q[i][j] = r.unit() - 0.5
		}
	}
	orthogonalize(q)
	for range fitSteps {
		next := make([][]float64, k)
		for i := range q {
			next[i] = make([]float64, d)
			for j := range d {
				next[i][j] = dot(cov[j*d:j*d+d], q[i])
			}
		}
		q = next
		orthogonalize(q)
	}
	for _, axis := range q {
		largest := 0.0
		for _, v := range axis {
			if math.Abs(v) > math.Abs(largest) {
				largest = v
			}
		}
		for _, v := range axis {
			if largest < 0 {
				v = -v // an axis has no direction of its own; this one is always the same
			}
			b.axes.data = append(b.axes.data, float32(v))
		}
	}
	return b
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// orthogonalize makes vectors of length 1 at right angles (Gram–Schmidt, twice). One
// that depends on those before becomes zero.
func orthogonalize(q [][]float64) {
	for i := range q {
		for range 2 {
			for _, before := range q[:i] {
				p := dot(q[i], before)
				for j := range q[i] {
					q[i][j] -= p * before[j]
				}
			}
		}
		length := math.Sqrt(dot(q[i], q[i]))
		for j := range q[i] {
			if length < 1e-9 {
				q[i][j] = 0
			} else {
				q[i][j] /= length
			}
		}
	}
}

// reduce is the matrix on the axes of a basis.
func (b basis) reduce(m matrix) matrix {
	k := b.axes.rows()
	out := newMatrix(m.rows(), k)
	centred := make([]float32, m.width)
	for i := range m.rows() {
		for j, v := range m.row(i) {
			centred[j] = v - b.mean[j]
		}
		for a := range k {
			var sum float32
			axis := b.axes.row(a)
			for j, v := range centred {
				sum += v * axis[j]
			}
			out.data = append(out.data, sum)
		}
	}
	return out
}
