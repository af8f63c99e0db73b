package lexicon

import (
	"elowen/server/db"
	"elowen/server/words"
)

// prefixMost bounds the posting rows that are read for words that only begin with
// the last one of a search: a single letter begins half of the index.
const (
	prefixMost  = 4096
	prefixLeast = 256 // of a segment
)

// Search finds the account's memories, of any status, that have words of q, by
// ascending id, as the index stands in this very transaction. prefix also takes
// words that only begin with the last one, as lists do while one types. Any text
// is a valid question. Who wants one status or category filters what is found. Errors: Corrupt.
func Search(tx *db.Tx, owner db.AccountID, q string, prefix bool) ([]words.Hit, words.Query, error) {
	query := words.ParseQuery(q)
	if query.Empty() {
		return nil, query, nil
	}
	stats, err := StatsOf(tx, owner)
	if err != nil || stats.Docs == 0 {
		return nil, query, err
	}
	terms := query.Terms
	if prefix && query.Prefix != "" {
		terms = append(terms[:len(terms):len(terms)], query.Completions...)
	}
	var lists postings
	if err := lists.read(tx, owner, terms); err != nil {
		return nil, query, err
	}
	if prefix && query.Prefix != "" {
		if err := lists.readPrefix(tx, owner, query.Prefix, query.PrefixEnd()); err != nil {
			return nil, query, err
		}
	}
	hits, err := words.Score(stats, query, lists.list)
	if err != nil {
		return nil, query, corrupt(err)
	}
	return hits, query, nil
}
