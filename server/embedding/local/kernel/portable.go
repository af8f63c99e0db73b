package kernel

import "math"

var portable = &Kernel{
	name:     "portable",
	mul:      mulPortable,
	quantize: quantizePortable,
	dense:    densePortable,
	softmax:  softmaxPortable,
	norm:     normPortable,
	gelu:     geluPortable,
}

func mulPortable(dst []float32, m *Matrix, r *Rows) {
	for o := 0; o < m.out; o += panel {
		weights, scale := m.panelAt(o)
		for i := range r.n {
			var sum [panel]float32
			a := r.q[i*m.in:][:m.in]
			for b := 0; b < m.in/block; b++ {
				var acc [panel]int32
				for k := b * block; k < (b+1)*block; k += 2 {
					a0, a1 := int32(a[k]), int32(a[k+1])
					w := weights[k*panel:][:2*panel]
					for j := range panel {
						acc[j] += int32(w[2*j])*a0 + int32(w[2*j+1])*a1
					}
				}
				s := scale[b*panel:][:panel]
				for j := range panel {
					sum[j] += float32(acc[j]) * s[j]
				}
			}
			d, bias := dst[i*m.out+o:][:panel], m.bias[o:][:panel]
			for j := range panel {
				d[j] = sum[j]*r.scale[i] + bias[j]
			}
		}
	}
}

func quantizePortable(dst []int16, x []float32) float32 {
	most := float32(0)
	for _, v := range x {
		most = max(most, abs(v))
	}
	if most < tiny {
		clear(dst)
		return 0
	}
	by := activationMax / most
	for i, v := range x {
		dst[i] = int16(nearest(v * by))
	}
	return most / activationMax
}

// tiny is what counts as zero: below it the inverse of a scale isn't finite.
const tiny = 1e-30

func densePortable(c []float32, strideC int, a []float32, strideA int, b []float32, strideB, n, depth, cols int) {
	for i := range n {
		row := c[i*strideC:][:cols]
		clear(row)
		for k := range depth {
			x, y := a[i*strideA+k], b[k*strideB:][:cols]
			for j := range row {
				row[j] += x * y[j]
			}
		}
	}
}

func softmaxPortable(x []float32) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	sum := float32(0)
	for i, v := range x {
		e := float32(math.Exp(float64(v - most)))
		x[i], sum = e, sum+e
	}
	for i := range x {
		x[i] /= sum
	}
}

func normPortable(x, y, gain, bias []float32, eps float32) {
	mean, variance := float32(0), float32(0)
	for i := range x {
		x[i] += y[i]
		mean += x[i]
	}
	mean /= float32(len(x))
	for i := range x {
		x[i] -= mean
		variance += x[i] * x[i]
	}
	by := float32(1 / math.Sqrt(float64(variance/float32(len(x))+eps)))
	for i := range x {
		x[i] = x[i]*by*gain[i] + bias[i]
	}
}

func geluPortable(x []float32) {
	for i, v := range x {
		x[i] = float32(0.5 * float64(v) * math.Erfc(-float64(v)*(1/math.Sqrt2)))
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
