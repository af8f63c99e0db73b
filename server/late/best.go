package late

import (
	"math"
	"slices"
)

// group is how many tokens of a question the kernels take at a time.
const group = 4

// asked is the token vectors of a question as the kernels want them: 8 bits a number.
type asked struct {
	tokens int
	query  []int8    // Width for each token; to a multiple of group filled with zeros
	bias   []float32 // of each: half of what the offset of the levels adds
	scale  []float32 // of each: makes the kernel's number the cosine
}

// newAsked makes vectors of length 1, Width numbers each, ready.
func newAsked(vectors []float32) *asked {
	n := len(vectors) / Width
	padded := (n + group - 1) / group * group
	a := &asked{tokens: n, query: make([]int8, padded*Width), bias: make([]float32, padded), scale: make([]float32, padded)}
	for t := range n {
		v := vectors[t*Width : (t+1)*Width]
		most := max(slices.Max(v), -slices.Min(v))
		if most == 0 {
			continue
		}
		sum := 0
		for i, x := range v {
			k := int8(math.RoundToEven(float64(x / most * 127)))
			a.query[t*Width+i] = k
			sum += int(k)
		}
		a.bias[t] = 7.5 * float32(sum)
		a.scale[t] = 2 * most / 127
	}
	return a
}

// only is some of the tokens.
func (a *asked) only(tokens []int) *asked {
	padded := (len(tokens) + group - 1) / group * group
	o := &asked{tokens: len(tokens), query: make([]int8, padded*Width), bias: make([]float32, padded), scale: make([]float32, padded)}
	for i, t := range tokens {
		copy(o.query[i*Width:(i+1)*Width], a.query[t*Width:])
		o.bias[i], o.scale[i] = a.bias[t], a.scale[t]
	}
	return o
}

// best gives, for each of the question's tokens, the largest cosine with any of the
// packed ones. Of no tokens it is −1.
func (a *asked) best(packed []byte) []float32 {
	out := make([]float32, len(a.bias))
	for i := range out {
		out[i] = -math.MaxFloat32
	}
	n := len(packed) / TokenBytes
	if n == 0 || a.tokens == 0 {
		for i := range out {
			out[i] = -1
		}
		return out[:a.tokens]
	}
	best(out, a.query, a.bias, packed[:n*TokenBytes])
	for i := range out {
		out[i] *= a.scale[i]
	}
	return out[:a.tokens]
}

// bestPortable raises out to the products of the question's tokens with packed ones,
// in whole numbers: Σ query · level, less the bias, times the packed token's scale.
func bestPortable(out []float32, query []int8, bias []float32, packed []byte) {
	var levels [Width]int32
	for ; len(packed) >= TokenBytes; packed = packed[TokenBytes:] {
		for i, b := range packed[:Width/2] {
			levels[i], levels[i+Width/2] = int32(b&15), int32(b>>4)
		}
		scale := scaleOf(packed)
		for t := range out {
			q := query[t*Width : (t+1)*Width]
			var s0, s1, s2, s3 int32
			for i := 0; i < Width; i += 4 {
				s0 += int32(q[i]) * levels[i]
				s1 += int32(q[i+1]) * levels[i+1]
				s2 += int32(q[i+2]) * levels[i+2]
				s3 += int32(q[i+3]) * levels[i+3]
			}
			difference := float32(s0+s1+s2+s3) - bias[t]
			out[t] = max(out[t], difference*scale)
		}
	}
}
