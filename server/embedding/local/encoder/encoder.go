// Package encoder runs BERTs: ids of tokens in, hidden states out.
//
// Concepts. A [Weights] is a model as the reader of its file describes it, each
// linear by a function that dequantizes one row. [New] packs the linears for the
// kernel of this processor (21 MB for 12 layers of 384) and leaves the word vectors,
// which are most of a multilingual model, where they are: a token's row is
// dequantized when it occurs. [Encoder.Hidden] gives the last hidden state of each
// token, [Encoder.Mean] their mean over a text.
//
// Texts of a batch are laid end to end, without padding: the linears see only a list
// of tokens, and attention looks at one text at a time. So a text's states don't
// depend on what else is in its batch, not by a bit.
//
// Invariants. An Encoder is used by any number of goroutines at once; a call works on
// its caller's goroutine alone. Between two layers a call looks at its context, which
// is how indexing makes way for a question. Working memory is reused; a call
// allocates what it returns.
//
// What it doesn't do: it knows no text and no files (packages token and weight beside
// it do), adds no special tokens, cuts nothing to length, and normalizes nothing.
package encoder

import (
	"context"
	"fmt"
	"math"
	"sync"

	"elowen/server/embedding/local/kernel"
	"elowen/shared/fault"
)

// batchTokens is how many tokens are encoded together, if single texts aren't
// longer: enough that reading the weights costs little, few enough that the working
// memory stays small and a cancelled context is noticed soon.
const batchTokens = 192

// Encoder is a model ready to run.
type Encoder struct {
	kernel  *kernel.Kernel
	weights Weights // without the linears
	start   []float32
	layers  []layer
	memory  sync.Pool // of *memory
}

// layer is a Layer with packed linears; query, key and value are one matrix.
type layer struct {
	qkv, o, up, down *kernel.Matrix
	attnNorm, ffNorm Norm
}

// memory is what one call works in.
type memory struct {
	rows             kernel.Rows
	attention        kernel.Attention
	states, qkv, sum []float32
	inner            []float32
}

// New packs the linears of w. It fails where shapes don't fit each other or a weight
// isn't finite.
func New(w Weights) (*Encoder, error) { return newWith(kernel.Best(), w) }

func newWith(k *kernel.Kernel, w Weights) (*Encoder, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	e := &Encoder{kernel: k, weights: w, start: make([]float32, len(w.Position))}
	e.memory.New = func() any { return new(memory) }
	for i := range e.start {
		e.start[i] = w.Position[i] + w.Type[i%w.Width]
	}
	e.weights.Layers, e.weights.Position, e.weights.Type = nil, nil, nil
	for i, from := range w.Layers {
		l := layer{attnNorm: from.AttnNorm, ffNorm: from.FFNorm}
		var err error
		pack := func(of Linear) *kernel.Matrix {
			m, e := kernel.Pack(of.Out, of.In, of.Row, of.Bias)
			if e != nil && err == nil {
				err = fmt.Errorf("layer %d: %w", i, e)
			}
			return m
		}
		l.qkv = pack(joined(from.Q, from.K, from.V, w.Heads))
		l.o, l.up, l.down = pack(from.O), pack(from.Up), pack(from.Down)
		if err != nil {
			return nil, err
		}
		e.layers = append(e.layers, l)
	}
	return e, nil
}

// joined is query, key and value as one linear, with the query divided by the root
// of a head's length, which attention would otherwise do to each weight.
func joined(q, k, v Linear, heads int) Linear {
	width := q.Out
	by := float32(1 / math.Sqrt(float64(width/heads)))
	bias := make([]float32, 3*width)
	for i, part := range []Linear{q, k, v} {
		copy(bias[i*width:], part.Bias)
	}
	for i := range width {
		bias[i] *= by
	}
	return Linear{Out: 3 * width, In: q.In, Bias: bias, Row: func(i int, dst []float32) {
		switch i / width {
		case 0:
			q.Row(i, dst)
			for j := range dst {
				dst[j] *= by
			}
		case 1:
			k.Row(i-width, dst)
		default:
			v.Row(i-2*width, dst)
		}
	}}
}

// Kernel names the kernel in use.
func (e *Encoder) Kernel() string { return e.kernel.Name() }

// Width is the length of a hidden state.
func (e *Encoder) Width() int { return e.weights.Width }

// MaxTokens is the length of the longest sequence.
func (e *Encoder) MaxTokens() int { return e.weights.MaxTokens }

// Hidden gives the last hidden states of each sequence, one token after the other:
// Width values a token, the tokens of a sequence after all of those before it. An
// empty or over-long sequence or an unknown id is refused with Invalid, a context
// that ends with Cancelled.
func (e *Encoder) Hidden(ctx context.Context, ids [][]int32) ([]float32, error) {
	tokens := 0
	for _, seq := range ids {
		tokens += len(seq)
	}
	all := make([]float32, 0, tokens*e.weights.Width)
	err := e.each(ctx, ids, func(_ int, states []float32) { all = append(all, states...) })
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Mean gives for each sequence the mean of its tokens' last hidden states, not
// normalized. Errors are those of Hidden.
func (e *Encoder) Mean(ctx context.Context, ids [][]int32) ([][]float32, error) {
	width := e.weights.Width
	means, flat := make([][]float32, len(ids)), make([]float32, len(ids)*width)
	err := e.each(ctx, ids, func(i int, states []float32) {
		mean := flat[i*width : (i+1)*width : (i+1)*width]
		for ; len(states) > 0; states = states[width:] {
			for j, x := range states[:width] {
				mean[j] += x
			}
		}
		by := 1 / float32(len(ids[i]))
		for j := range mean {
			mean[j] *= by
		}
		means[i] = mean
	})
	if err != nil {
		return nil, err
	}
	return means, nil
}

// each encodes all sequences, in batches, and hands over the states of one after the
// other. They are overwritten afterwards.
func (e *Encoder) each(ctx context.Context, ids [][]int32, f func(i int, states []float32)) error {
	for i, seq := range ids {
		if len(seq) == 0 || len(seq) > e.weights.MaxTokens {
			return fault.Newf(fault.Invalid, "text %d has %d tokens, not 1 to %d", i, len(seq), e.weights.MaxTokens)
		}
		for _, id := range seq {
			if id < 0 || int(id) >= e.weights.Vocab {
				return fault.Newf(fault.Invalid, "text %d has token %d of %d", i, id, e.weights.Vocab)
			}
		}
	}
	mem := e.memory.Get().(*memory)
	defer e.memory.Put(mem)
	for from := 0; from < len(ids); {
		to, tokens := from, 0
		for to < len(ids) && (to == from || tokens+len(ids[to]) <= batchTokens) {
			tokens += len(ids[to])
			to++
		}
		if err := e.encode(ctx, mem, ids[from:to], tokens); err != nil {
			return err
		}
		for at := 0; from < to; from++ {
			n := len(ids[from]) * e.weights.Width
			f(from, mem.states[at:at+n])
			at += n
		}
	}
	return nil
}

// encode leaves the last hidden states of a batch in mem.states.
func (e *Encoder) encode(ctx context.Context, mem *memory, ids [][]int32, tokens int) error {
	k, w := e.kernel, &e.weights
	mem.grow(tokens, w.Width, w.Inner)
	t := 0
	for _, seq := range ids {
		for pos, id := range seq {
			x := mem.states[t*w.Width:][:w.Width]
			w.Word(id, x)
			k.Norm(x, e.start[pos*w.Width:], w.EmbNorm.Gain, w.EmbNorm.Bias, w.Eps)
			t++
		}
	}
	for i := range e.layers {
		if err := ctx.Err(); err != nil {
			return fault.Wrap(fault.Cancelled, err, "encoding was cancelled")
		}
		l := &e.layers[i]
		k.Quantize(&mem.rows, mem.states, w.Width)
		k.Mul(mem.qkv, l.qkv, &mem.rows)
		at := 0
		for _, seq := range ids {
			end := at + len(seq)*w.Width
			k.Attend(mem.sum[at:end], mem.qkv[3*at:3*end], len(seq), w.Width, w.Heads, &mem.attention)
			at = end
		}
		k.Quantize(&mem.rows, mem.sum, w.Width)
		k.Mul(mem.sum, l.o, &mem.rows)
		e.norm(mem, l.attnNorm)
		k.Quantize(&mem.rows, mem.states, w.Width)
		k.Mul(mem.inner, l.up, &mem.rows)
		k.GELU(mem.inner)
		k.Quantize(&mem.rows, mem.inner, w.Inner)
		k.Mul(mem.sum, l.down, &mem.rows)
		e.norm(mem, l.ffNorm)
	}
	return nil
}

// norm adds what a step made of the states to them.
func (e *Encoder) norm(mem *memory, n Norm) {
	width := e.weights.Width
	for at := 0; at < len(mem.states); at += width {
		e.kernel.Norm(mem.states[at:], mem.sum[at:], n.Gain, n.Bias, e.weights.Eps)
	}
}

func (m *memory) grow(tokens, width, inner int) {
	m.states, m.sum = room(m.states, tokens*width), room(m.sum, tokens*width)
	m.qkv, m.inner = room(m.qkv, 3*tokens*width), room(m.inner, tokens*inner)
}

func room(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n, n+n/8)
	}
	return s[:n]
}
