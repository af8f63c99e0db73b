package weight

import (
	"encoding/binary"
	"math"
)

// Q4_0, as in GGML: 32 values share a half-precision scale; byte j of the 16 that
// follow it has value j in its low half and value j+16 in its high half, each eight
// more than the value's multiple of the scale.
const (
	q4Values = 32
	q4Bytes  = 18
)

// dequantizeQ4 widens blocks into dst, whose length is a multiple of 32.
func dequantizeQ4(blocks []byte, dst []float32) {
	for len(dst) > 0 {
		scale := half(binary.LittleEndian.Uint16(blocks))
		for j, b := range blocks[2:q4Bytes] {
			dst[j] = float32(int(b&15)-8) * scale
			dst[j+q4Values/2] = float32(int(b>>4)-8) * scale
		}
		blocks, dst = blocks[q4Bytes:], dst[q4Values:]
	}
}

// half is a half-precision number.
func half(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10&31), uint32(h&0x3ff)
	switch exponent {
	case 0: // subnormal: a multiple of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
	case 31: // infinite or not a number
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
