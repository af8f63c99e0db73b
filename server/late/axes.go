package late

import (
	"encoding/binary"
	"math"

	"elowen/shared/fault"
)

// States are as wide as the model; token vectors are Width numbers.
const (
	stateWidth = 384
	Width      = 128
)

// Axes say what becomes of a last hidden state: what is common to all tokens is taken
// off, and of the rest the part along the principal axes of background tokens stays.
type Axes struct {
	mean []float32 // stateWidth
	rows []float32 // Width rows of stateWidth, the axis of most variance first
}

// NewAxes makes axes of a mean and Width rows of as many numbers as it has.
func NewAxes(mean []float32, rows [][]float32) (*Axes, error) {
	if len(mean) != stateWidth || len(rows) != Width {
		return nil, fault.Newf(fault.Invalid, "%d axes of %d numbers are not %d of %d.", len(rows), len(mean), Width, stateWidth)
	}
	a := &Axes{mean: mean}
	for _, row := range rows {
		if len(row) != stateWidth {
			return nil, fault.Newf(fault.Invalid, "An axis of %d numbers is not one of %d.", len(row), stateWidth)
		}
		a.rows = append(a.rows, row...)
	}
	return a, nil
}

// Project gives the token vectors of states, Width numbers each and of length 1.
// Where nothing is left of a state, its vector is 0: it is like no other.
func (a *Axes) Project(states []float32) []float32 {
	n := len(states) / stateWidth
	out := make([]float32, n*Width)
	var centred [stateWidth]float32
	for t := range n {
		for i, x := range states[t*stateWidth : (t+1)*stateWidth] {
			centred[i] = x - a.mean[i]
		}
		v := out[t*Width : (t+1)*Width]
		sum := 0.0
		for j := range v {
			row := a.rows[j*stateWidth : (j+1)*stateWidth]
			var s0, s1, s2, s3 float32
			for i := 0; i < stateWidth; i += 4 {
				s0 += row[i] * centred[i]
				s1 += row[i+1] * centred[i+1]
				s2 += row[i+2] * centred[i+2]
				s3 += row[i+3] * centred[i+3]
			}
			v[j] = s0 + s1 + (s2 + s3)
			sum += float64(v[j]) * float64(v[j])
		}
		if sum < 1e-12 {
			clear(v)
			continue
		}
		by := float32(1 / math.Sqrt(sum))
		for j := range v {
			v[j] *= by
		}
	}
	return out
}

// Pack is Project, packed: TokenBytes each.
func (a *Axes) Pack(states []float32) []byte { return pack(nil, a.Project(states)) }

// MarshalBinary is the mean and the rows, little-endian float32.
func (a *Axes) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, 4*(len(a.mean)+len(a.rows)))
	for _, list := range [][]float32{a.mean, a.rows} {
		for _, x := range list {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary writes. Errors: Corrupt.
func (a *Axes) UnmarshalBinary(data []byte) error {
	if len(data) != 4*stateWidth*(Width+1) {
		return fault.Newf(fault.Corrupt, "The file of axes has %d bytes.", len(data))
	}
	all := make([]float32, len(data)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if all[i] != all[i] || all[i] < -1e4 || all[i] > 1e4 {
			return fault.New(fault.Corrupt, "The file of axes has a number that is none.")
		}
	}
	a.mean, a.rows = all[:stateWidth:stateWidth], all[stateWidth:]
	return nil
}
