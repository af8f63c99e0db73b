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

// Found is what a question's words found.
type Found struct {
	Hits  []words.Hit // memories of any status, by ascending id
	Query words.Query
	Stats words.Stats    // of all owners together
	Docs  map[string]int // memories of theirs that have each of the question's terms; what is missing is in none
}

// Find finds the memories of several owners that have words of q, with the figures of
// all of them together: what is rare is rare among what the one who asks may read, and
// nobody else's memories move a score. background smooths how rare words are; nil is
// none. Errors: Corrupt.
func Find(tx *db.Tx, owners []db.AccountID, q string, background words.Background) (Found, error) {
	return Memories.Find(tx, owners, q, background)
}

// Find is the same of what is on the shelf.
func (s Shelf) Find(tx *db.Tx, owners []db.AccountID, q string, background words.Background) (Found, error) {
	f := Found{Query: words.ParseQuery(q)}
	if f.Query.Empty() {
		return f, nil
	}
	lists := postings{shelf: s}
	for _, owner := range owners {
		stats, err := s.StatsOf(tx, owner)
		if err != nil {
			return f, err
		}
		if stats.Docs == 0 {
			continue
		}
		f.Stats = f.Stats.Add(stats)
		if err := lists.read(tx, owner, f.Query.Terms); err != nil {
			return f, err
		}
	}
	if f.Stats.Docs == 0 {
		return f, nil
	}
	f.Docs = make(map[string]int, len(lists.list))
	for _, l := range lists.list {
		for _, c := range l.Chunks {
			n, err := words.Count(c.Blob)
			if err != nil {
				return f, corrupt(err)
			}
			f.Docs[l.Term] += n
		}
	}
	var err error
	if f.Hits, err = words.ScoreAgainst(f.Stats, f.Query, lists.list, background); err != nil {
		return f, corrupt(err)
	}
	return f, nil
}
