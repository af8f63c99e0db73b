package memory

import (
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/vitality"
)

// Terms are what a memory's forecast depends on beside the memory.
type Terms struct {
	Policy      vitality.Policy
	NextSweepAt int64  // Unix milliseconds
	Tokens      string // the Reranker in use, by late.Reranker.Hash; empty: none, or nobody said
}

// Rules tells the terms in force, inside whatever transaction asks.
type Rules interface {
	Terms(tx *db.Tx) (Terms, error)
}

// Store is the memories of an instance. It is safe for concurrent use.
type Store struct {
	db         *db.DB
	categories *category.Store
	rules      Rules
	meaning    Meaning // nil: what is similar is found by words alone
}

// New makes the store over an open database.
func New(d *db.DB, categories *category.Store, rules Rules) *Store {
	return &Store{db: d, categories: categories, rules: rules}
}

// SetTokens names the Reranker in use (late.Reranker.Hash), by which memories are told to
// have fresh token vectors. It comes before the first use.
func (s *Store) SetTokens(source string) { s.rules = tokenRules{s.rules, source} }

// tokenRules adds the Reranker in use to the terms.
type tokenRules struct {
	Rules
	source string
}

func (r tokenRules) Terms(tx *db.Tx) (Terms, error) {
	t, err := r.Rules.Terms(tx)
	t.Tokens = r.source
	return t, err
}
