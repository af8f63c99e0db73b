package embedding

import (
	"context"
	"math"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Kind is what a text is to a model: many want to be told.
type Kind uint8

// The kinds.
const (
	Passage Kind = iota // what is stored
	Query               // what is asked
)

// Result is what became of one text: its vectors, one for each window of it and of
// length 1, or why there are none. A Query has one vector.
type Result struct {
	Vectors [][]float32
	Err     error
}

// Limits are what an Embedder takes at a time.
type Limits struct {
	Texts int // of a call; at least 1
	Bytes int // of the texts of a call together; one longer text is a call of its own
}

// Embedder turns texts into vectors. It puts before a text what its model wants
// there, and sees that vectors pass Normalize. It is safe for concurrent use.
type Embedder interface {
	// Embed answers one Result a text, in their order. An error is of the call as a
	// whole: nothing can be said of any text. One that cannot be embedded has its
	// error in its Result and leaves the others as they are.
	Embed(ctx context.Context, texts []string, kind Kind) ([]Result, error)
	// Space is where its vectors belong.
	Space() Space
	// Limits are what a call of Embed should be given.
	Limits() Limits
}

// Normalize makes a vector one of length 1, in place. Errors: Corrupt for one that
// is empty, too wide, of length 0, or has a number that is none.
func Normalize(v []float32) error {
	if len(v) == 0 {
		return fault.New(fault.Corrupt, "The model answered an empty vector.")
	}
	if most := int(setting.Get("embedding.width").Max); len(v) > most {
		return fault.Newf(fault.Corrupt, "The model answered a vector of %d numbers, more than %d.", len(v), most)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	// A number that is none, or infinite, makes the sum so too.
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fault.New(fault.Corrupt, "The model answered a vector with a number that is none.")
	}
	length := math.Sqrt(sum)
	if length < 1e-12 {
		return fault.New(fault.Corrupt, "The model answered a vector of length 0.")
	}
	if math.Abs(length-1) < 1e-7 {
		return nil
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return nil
}

// Take is where a call ends that begins with the text from: at least one text is in it.
func (l Limits) Take(texts []string, from int) (to int) {
	size := 0
	for to = from; to < len(texts) && to-from < max(l.Texts, 1); to++ {
		size += len(texts[to])
		if to > from && size > l.Bytes {
			break
		}
	}
	return to
}
