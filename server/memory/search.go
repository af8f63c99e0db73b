package memory

import (
	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Search finds the account's memories, of any status, that have words of q, as
// lexicon.Search does.
func (s *Store) Search(tx *db.Tx, owner db.AccountID, q string, prefix bool) ([]words.Hit, words.Query, error) {
	return lexicon.Search(tx, owner, q, prefix)
}

// hits are the memories that a query's free text finds, by ascending id, before
// its filters. The last word may be the beginning of one. Errors: Unavailable where
// it asks for meaning.
func (s *Store) hits(tx *db.Tx, owner db.AccountID, q api.MemoryQuery) ([]words.Hit, error) {
	if q.Match == "meaning" {
		return nil, fault.New(fault.Unavailable, "Search by meaning needs an embedding model, and none is set up. Search by words instead.")
	}
	hits, _, err := lexicon.Search(tx, owner, q.Q, true)
	return hits, err
}
