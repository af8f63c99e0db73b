package weight

import (
	"math"
	"testing"
)

func TestHalf(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want := math.Ldexp(float64(h&0x3ff), -24)
		switch e := int(h >> 10 & 31); {
		case e == 31 && h&0x3ff != 0:
			want = math.NaN()
		case e == 31:
			want = math.Inf(1)
		case e > 0:
			want = math.Ldexp(float64(h&0x3ff|0x400), e-25)
		}
		if h&0x8000 != 0 {
			want = -want
		}
		got := float64(half(h))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(want) {
			t.Fatalf("%#04x is %v, not %v", h, got, want)
		}
	}
}

func TestDequantizeQ4(t *testing.T) {
	block := make([]byte, 2*q4Bytes)
	block[1] = 0x40                  // 2
	block[2], block[17] = 0x0f, 0xf0 // values 0 and 16; 15 and 31
	block[q4Bytes+1] = 0xb8          // -0.5
	block[q4Bytes+2] = 0x18          // 0 and 1
	dst := make([]float32, 2*q4Values)
	dequantizeQ4(block, dst)
	for i, want := range map[int]float32{
		0: 14, 16: -16, 15: -16, 31: 14, 1: -16,
		32: 0, 48: 3.5, 33: 4,
	} {
		if dst[i] != want {
			t.Errorf("value %d is %v, not %v", i, dst[i], want)
		}
	}
}
