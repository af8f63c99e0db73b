package encoder

import (
	"fmt"

	"elowen/shared/fault"
)

// Linear is a layer y = x·Wᵀ + b as its file has it.
type Linear struct {
	// Out and In are the numbers of outputs and of inputs.
	Out, In int
	// Row dequantizes the weights of output i, In of them, into dst. It is called
	// once an output, by [New].
	Row func(i int, dst []float32)
	// Bias has Out values; nil means zeros.
	Bias []float32
}

// Norm is a layer normalization: Width gains and as many biases.
type Norm struct{ Gain, Bias []float32 }

// Layer is one layer of a BERT: attention, a norm over its output and what went
// in, two linears with a GELU between, and a norm again.
type Layer struct {
	Q, K, V, O Linear
	AttnNorm   Norm
	Up, Down   Linear
	FFNorm     Norm
}

// Weights is a model as its file has it. The linears are read once, the word
// vectors for as long as the encoder lives; the rest is kept as it is.
type Weights struct {
	// Width is the length of a hidden state, Inner that between Up and Down. Both
	// are multiples of 32.
	Width, Inner int
	// Heads divides Width into parts whose length is a multiple of 16.
	Heads int
	// MaxTokens is the number of positions: a longer sequence is refused.
	MaxTokens int
	// Vocab is the number of word vectors: ids are below it.
	Vocab int
	// Eps is what the norms add to the variance.
	Eps float32
	// Word dequantizes the vector of a token into dst, Width values. It is called by
	// many goroutines at once, for each token of each text, so that the table may
	// stay as it is in its file.
	Word func(id int32, dst []float32)
	// Position has MaxTokens rows of Width, one after the other.
	Position []float32
	// Type is the row of the first segment, which is what a text alone is.
	Type []float32
	// EmbNorm is over the sum of word, position and type.
	EmbNorm Norm
	Layers  []Layer
}

// check tells whether the shapes fit each other.
func (w *Weights) check() error {
	bad := func(format string, args ...any) error {
		return fault.Newf(fault.Internal, "weights: "+format, args...)
	}
	switch {
	case w.Width <= 0 || w.Width%32 != 0 || w.Inner <= 0 || w.Inner%32 != 0:
		return bad("width %d and inner width %d aren't multiples of 32", w.Width, w.Inner)
	case w.Heads <= 0 || w.Width%w.Heads != 0 || w.Width/w.Heads%16 != 0:
		return bad("%d heads don't divide %d into multiples of 16", w.Heads, w.Width)
	case w.MaxTokens <= 0 || len(w.Position) != w.MaxTokens*w.Width:
		return bad("%d values of position for %d of %d", len(w.Position), w.MaxTokens, w.Width)
	case w.Vocab <= 0 || w.Word == nil:
		return bad("no word vectors")
	case len(w.Type) != w.Width:
		return bad("%d values of type for %d", len(w.Type), w.Width)
	case !(w.Eps > 0):
		return bad("epsilon %v", w.Eps)
	case len(w.Layers) == 0:
		return bad("no layers")
	}
	norm := func(name string, n Norm) error {
		if len(n.Gain) != w.Width || len(n.Bias) != w.Width {
			return bad("%s has %d gains and %d biases for %d", name, len(n.Gain), len(n.Bias), w.Width)
		}
		return nil
	}
	if err := norm("embedding norm", w.EmbNorm); err != nil {
		return err
	}
	for i, l := range w.Layers {
		for _, part := range []struct {
			name    string
			linear  Linear
			out, in int
		}{
			{"query", l.Q, w.Width, w.Width},
			{"key", l.K, w.Width, w.Width},
			{"value", l.V, w.Width, w.Width},
			{"attention output", l.O, w.Width, w.Width},
			{"up", l.Up, w.Inner, w.Width},
			{"down", l.Down, w.Width, w.Inner},
		} {
			p := part.linear
			if p.Out != part.out || p.In != part.in || p.Row == nil || p.Bias != nil && len(p.Bias) != part.out {
				return bad("layer %d: %s is %d × %d with %d biases, not %d × %d", i, part.name, p.Out, p.In, len(p.Bias), part.out, part.in)
			}
		}
		if err := norm(fmt.Sprintf("layer %d: attention norm", i), l.AttnNorm); err != nil {
			return err
		}
		if err := norm(fmt.Sprintf("layer %d: norm", i), l.FFNorm); err != nil {
			return err
		}
	}
	return nil
}
