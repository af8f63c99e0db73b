package late

import (
	"encoding/binary"
	"math"
)

// TokenBytes is what one token vector takes: 4 bits a number, and a scale.
const TokenBytes = Width/2 + 2

// A number is one of the 16 odd ones from −15 to 15, times the scale, which makes
// the vector of length 1 again. The number k of the first half of a vector is the low
// half of byte k, that of the second half its high half. The scale is the upper half
// of a float32.

// pack appends vectors as they are stored.
func pack(to []byte, vectors []float32) []byte {
	for ; len(vectors) >= Width; vectors = vectors[Width:] {
		to = packOne(to, vectors[:Width])
	}
	return to
}

// steps are how many parts of the largest number the largest level is tried to be:
// what is clipped at the top is won for the many small ones.
var steps = [...]float32{1, 0.93, 0.86, 0.8, 0.74, 0.68, 0.62, 0.56, 0.5}

func packOne(to []byte, v []float32) []byte {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	if most == 0 {
		return append(to, make([]byte, TokenBytes)...)
	}
	var best, levels [Width]int8
	var bestCosine, bestNorm float64
	for _, step := range steps {
		by := 7.5 / (most * step)
		var product, norm float64
		for i, x := range v {
			k := int8(min(max(int(math.Floor(float64(x*by))), -8), 7)) // level k stands for 2k+1
			levels[i] = k
			l := float64(2*int(k) + 1)
			product += l * float64(x)
			norm += l * l
		}
		if cosine := product / math.Sqrt(norm); cosine > bestCosine {
			bestCosine, bestNorm, best = cosine, norm, levels
		}
	}
	for i := range Width / 2 {
		to = append(to, byte(best[i]+8)|byte(best[i+Width/2]+8)<<4)
	}
	scale := math.Float32bits(float32(1/math.Sqrt(bestNorm))) + 1<<15
	return binary.LittleEndian.AppendUint16(to, uint16(scale>>16))
}

// scaleOf is a packed vector's scale.
func scaleOf(token []byte) float32 {
	return math.Float32frombits(uint32(binary.LittleEndian.Uint16(token[Width/2:])) << 16)
}

// unpack appends packed vectors as numbers.
func unpack(to []float32, packed []byte) []float32 {
	for ; len(packed) >= TokenBytes; packed = packed[TokenBytes:] {
		scale := scaleOf(packed)
		for _, b := range packed[:Width/2] {
			to = append(to, float32(2*int(b&15)-15)*scale)
		}
		for _, b := range packed[:Width/2] {
			to = append(to, float32(2*int(b>>4)-15)*scale)
		}
	}
	return to
}
