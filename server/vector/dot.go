package vector

// Dot is the sum of products of two vectors of one length, with the fastest means
// of this processor. The kernels differ in the order of rounding only.
func Dot(a, b []float32) float32 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	return dot(a, b)
}

// Kernel names what Dot is computed with: "avx2" or "portable".
func Kernel() string { return kernel }

// dotPortable is Dot in plain Go; eight sums let the processor overlap them.
func dotPortable(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s4) + (s1 + s5) + (s2 + s6) + (s3 + s7)
}
