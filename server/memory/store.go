package memory

import (
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/vitality"
)

// Terms are what a memory's forecast depends on beside the memory.
type Terms struct {
	Policy      vitality.Policy
	NextSweepAt int64 // Unix milliseconds
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
