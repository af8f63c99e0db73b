package late

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"elowen/server/embedding"
	"elowen/shared/fault"
)

// Model makes states of texts; *local.Model is one.
type Model interface {
	Available() bool
	// Hash names the model's file.
	Hash() string
	// Tokens gives the pieces of a text's first window and, of each, the last hidden
	// state, without prefix and frame.
	Tokens(ctx context.Context, text string, query bool) (pieces []int32, states []float32, err error)
	// Pieces gives the numbers of the pieces of all of a text.
	Pieces(text string) ([]int32, error)
}

// Reranker is a model with its axes. It is safe for concurrent use.
type Reranker struct {
	model      Model
	axes       *Axes
	background [][]byte // packed token vectors of passages that are about nothing asked
	hash       string
}

// New puts a model on axes, with the packed token vectors of background passages.
func New(m Model, axes *Axes, background [][]byte) *Reranker {
	h := sha256.New()
	h.Write([]byte(m.Hash()))
	file, _ := axes.MarshalBinary() // it doesn't fail
	h.Write(file)
	return &Reranker{model: m, axes: axes, background: background, hash: hex.EncodeToString(h.Sum(nil)[:8])}
}

// Ready tells whether the model's weights are there.
func (r *Reranker) Ready() bool { return r.model.Available() }

// Hash stands for the model and the axes: token vectors of one hash compare.
func (r *Reranker) Hash() string { return r.hash }

// Passage gives the packed token vectors of what is stored, none for a text that is
// not English. It runs in the background. Errors: Unavailable without weights,
// Cancelled.
func (r *Reranker) Passage(ctx context.Context, text string) ([]byte, error) {
	if !embedding.English(text) {
		return nil, nil
	}
	_, states, err := r.model.Tokens(ctx, text, false)
	if err != nil {
		return nil, err
	}
	return r.axes.Pack(states), nil
}

// Known is the Reranker over a model with the axes that are shipped. Errors: Corrupt.
func Known(m Model) (*Reranker, error) {
	axes := new(Axes)
	if err := axes.UnmarshalBinary(knownAxes); err != nil {
		return nil, err
	}
	background, err := readBackground(knownBackground)
	if err != nil {
		return nil, err
	}
	return New(m, axes, background), nil
}

// WriteBackground is packed token vectors of passages as they are shipped: before
// each, how many tokens it has (two bytes, little-endian).
func WriteBackground(list [][]byte) []byte {
	var out []byte
	for _, packed := range list {
		n := len(packed) / TokenBytes
		out = append(append(out, byte(n), byte(n>>8)), packed...)
	}
	return out
}

func readBackground(file []byte) ([][]byte, error) {
	var list [][]byte
	for len(file) > 0 {
		if len(file) < 2 {
			return nil, fault.New(fault.Corrupt, "The file of background token vectors is cut off.")
		}
		n := (int(file[0]) | int(file[1])<<8) * TokenBytes
		if n == 0 || len(file) < 2+n {
			return nil, fault.New(fault.Corrupt, "The file of background token vectors is cut off.")
		}
		list = append(list, file[2:2+n:2+n])
		file = file[2+n:]
	}
	return list, nil
}
