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

// mulPortable takes two rows at a time, as the halves of 64-bit integers: one
// multiplication gives the products of both, and a block's sums stay within 32 bits.
func mulPortable(dst []float32, m *Matrix, r *Rows) {
	for o := 0; o < m.out; o += panel {
		weights, scale := m.panelAt(o)
		for i := 0; i < r.n; i += 2 {
			j := min(i+1, r.n-1) // the last of an odd number goes with itself
			var low, high [panel]float32
			for at := 0; at < m.in; at += block {
				var rows [block]int64
				a, b := r.q[i*m.in+at:][:block], r.q[j*m.in+at:][:block]
				for k := range rows {
					rows[k] = int64(a[k]) + int64(b[k])<<32
				}
				w, s := weights[at*panel:][:panel*block], scale[at/block*panel:][:panel]
				for p := range panel {
					sum := int64(0)
					for k, v := 0, w[2*p:]; k < block; k += 2 {
						sum += int64(v[k*panel])*rows[k] + int64(v[k*panel+1])*rows[k+1]
					}
					low[p] += float32(int32(sum)) * s[p]
					high[p] += float32((sum-int64(int32(sum)))>>32) * s[p]
				}
			}
			bias := m.bias[o:][:panel]
			d, e := dst[i*m.out+o:][:panel], dst[j*m.out+o:][:panel]
			for p := range panel {
				d[p] = low[p]*r.scale[i] + bias[p]
				e[p] = high[p]*r.scale[j] + bias[p]
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
