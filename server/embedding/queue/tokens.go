package queue

import (
	"context"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/server/memory"
)

// TokensName is the name of Tokens.
const TokensName = "tokens"

// Tokens is the kind of late interaction: token vectors, whatever the embedding is.
type Tokens struct {
	reranker *late.Reranker
	on       func() bool
	news     <-chan struct{}
}

// NewTokens makes it over a Reranker. on tells whether late interaction is on; news
// receives when that has changed. Without weights it is off.
func NewTokens(r *late.Reranker, on func() bool, news <-chan struct{}) *Tokens {
	return &Tokens{r, on, news}
}

// Name implements Kind.
func (t *Tokens) Name() string { return TokensName }

// News implements Kind.
func (t *Tokens) News() <-chan struct{} { return t.news }

// Run implements Kind.
func (t *Tokens) Run() (Run, bool) { return tokensRun{t.reranker}, t.on() && t.reranker.Ready() }

type tokensRun struct{ *late.Reranker }

func (r tokensRun) Source() string { return r.Hash() }

// Limits are small: the model is a local one, and what a call has done is only kept
// when all of it is done.
func (r tokensRun) Limits() embedding.Limits { return embedding.Limits{Texts: 16, Bytes: 1 << 16} }

func (r tokensRun) State() embedding.State { return embedding.State{} }

func (r tokensRun) InUse(*db.Tx) (bool, error) { return true, nil }

func (r tokensRun) MissingOf(tx *db.Tx, owner db.AccountID, bodies []embedding.Body) ([]int64, error) {
	return late.MissingOf(tx, owner, r.Hash(), bodies)
}

func (r tokensRun) Derive(ctx context.Context, texts []memory.Text) (Batch, error) {
	b := Batch{Errs: make([]error, len(texts))}
	items := make([]late.Item, len(texts))
	for i, t := range texts {
		packed, err := r.Passage(ctx, t.Text)
		if err != nil {
			return Batch{}, err
		}
		items[i] = late.Item{Memory: t.Memory, BodyHash: t.Hash, Vectors: packed}
	}
	b.Put = func(tx *db.Tx, owner db.AccountID, still []bool) (int, error) {
		var list []late.Item
		for i := range items {
			if still[i] {
				list = append(list, items[i])
			}
		}
		return late.Put(tx, owner, r.Hash(), list)
	}
	return b, nil
}
