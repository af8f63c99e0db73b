package local

import (
	"context"

	"elowen/server/embedding"
	"elowen/shared/api"
)

// Embedder is a model as the embedding of a space.
type Embedder struct{ *Model }

var (
	_ embedding.Embedder = Embedder{}
	_ embedding.Loader   = Embedder{}
)

// Embed implements embedding.Embedder.
func (e Embedder) Embed(ctx context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	results := make([]embedding.Result, len(texts))
	if kind == embedding.Query {
		rows, err := e.Queries(ctx, texts)
		for i, row := range rows {
			results[i].Vectors = [][]float32{row}
		}
		return results, err
	}
	lists, err := e.Passages(ctx, texts)
	for i, rows := range lists {
		results[i].Vectors = rows
	}
	return results, err
}

// Space is the model's: no address, no width that is asked for, the file's hash.
func (e Embedder) Space() embedding.Space {
	return embedding.Space{Kind: api.ProviderLocal, Model: e.Name(), File: e.Hash()}
}

// Limits are small: what is computed here gains nothing from many texts at once, and
// what a call has done is only kept when all of it is done.
func (e Embedder) Limits() embedding.Limits {
	return embedding.Limits{Texts: together, Bytes: 1 << 16}
}
