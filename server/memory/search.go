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
// its filters. The last word may be the beginning of one. Errors: Invalid where it
// asks for meaning: what is near has no edge that a change of many could go by.
func (s *Store) hits(tx *db.Tx, owner db.AccountID, q api.MemoryQuery) ([]words.Hit, error) {
	if q.Match == api.MatchMeaning {
		return nil, fault.BadField("all.match", "oneof", api.MatchWords, "Memories that are near in meaning cannot be changed all at once. Search by words, or name their ids.")
	}
	hits, _, err := lexicon.Search(tx, owner, q.Q, true)
	return hits, err
}
