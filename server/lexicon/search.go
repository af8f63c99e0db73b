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

// Weigh tells, for each memory that has any of some terms, the sum of the weights
// of those that it has. Errors: Corrupt.
func Weigh(tx *db.Tx, owner db.AccountID, terms []string, weight map[string]float64) (map[int64]float64, error) {
	var lists postings
	if err := lists.read(tx, owner, terms); err != nil {
		return nil, err
	}
	sums := map[int64]float64{}
	for _, p := range lists.list {
		w := weight[p.Term]
		for _, c := range p.Chunks {
			r := words.Decode(c.Number, c.Blob)
			for r.Next() {
				sums[r.Posting().ID] += w
			}
			if r.Err() != nil {
				return nil, corrupt(r.Err())
			}
		}
	}
	return sums, nil
}

// Counts tells how many memories of one chunk have each of some terms, in their
// order. Errors: Corrupt.
func Counts(tx *db.Tx, owner db.AccountID, chunk int64, terms []string) ([]int, error) {
	found := make(map[postingKey][]byte, len(terms))
	for rest := terms; len(rest) > 0; {
		n := min(len(rest), readPostings)
		if err := blobs(tx, owner, chunk, rest[:n], found); err != nil {
			return nil, err
		}
		rest = rest[n:]
	}
	counts := make([]int, len(terms))
	for i, t := range terms {
		var err error
		if counts[i], err = words.Count(found[postingKey{t, chunk}]); err != nil {
			return nil, corrupt(err)
		}
	}
	return counts, nil
}
