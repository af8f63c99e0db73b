package embedding

import (
	"encoding/base64"

	"elowen/shared/fault"
)

// Foreign tells what a question is likely to be of: of what people keep, or of the world
// at large, which is seldom in anybody's memories. The two lie apart along one direction,
// from background questions that people ask of what is theirs to questions of other
// domains: the one along which they are told apart best (package fit).
type Foreign struct {
	Axis   []float32 // of length 1; nil: nothing is told
	Middle float64   // half-way between the two, along Axis
}

// Of is how far a question lies on the side of the world at large, what is common being
// taken off; below 0 it lies on the other. 0 for one of another width than the axis.
func (f Foreign) Of(question []float32) float64 {
	if len(f.Axis) == 0 || len(f.Axis) != len(question) {
		return 0
	}
	var sum float64
	for i, x := range f.Axis {
		sum += float64(x) * float64(question[i])
	}
	return sum - f.Middle
}

// storedForeign is Foreign as it is stored; the axis is base64 of what Encode writes.
type storedForeign struct {
	Axis   string  `json:"axis,omitempty"`
	Middle float64 `json:"middle,omitempty"`
}

func (f Foreign) stored() storedForeign {
	if len(f.Axis) == 0 {
		return storedForeign{}
	}
	return storedForeign{base64.StdEncoding.EncodeToString(Encode(f.Axis)), f.Middle}
}

// foreign reads what stored writes. Errors: Corrupt.
func (s storedForeign) foreign() (Foreign, error) {
	if s.Axis == "" {
		return Foreign{}, nil
	}
	raw, err := base64.StdEncoding.DecodeString(s.Axis)
	f := Foreign{Axis: make([]float32, len(raw)/4), Middle: s.Middle}
	if err != nil || len(f.Axis) == 0 || !Decode(f.Axis, raw) {
		return Foreign{}, fault.New(fault.Corrupt, "The stored profile of a model cannot be read.")
	}
	return f, nil
}
