package memory

import (
	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
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
// is a valid question. Who wants one status or category filters what is found.
func (s *Store) Search(tx *db.Tx, owner db.AccountID, q string, prefix bool) ([]words.Hit, words.Query, error) {
	query := words.ParseQuery(q)
	if query.Empty() {
		return nil, query, nil
	}
	stats, err := wordStats(tx, owner)
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

// wordStats are the account's own figures; nobody else's memories move a score.
func wordStats(tx *db.Tx, owner db.AccountID) (words.Stats, error) {
	var st words.Stats
	err := tx.Row(`SELECT docs, words FROM word_stat WHERE owner_id = ?`, []any{int64(owner)}, &st.Docs, &st.TotalLength)
	if fault.Is(err, fault.NotFound) {
		return st, nil
	}
	return st, err
}

// postings collects stored postings by term.
type postings struct {
	list []words.TermPostings
	at   map[string]int
}

func (p *postings) read(tx *db.Tx, owner db.AccountID, terms []string) error {
	places, err := segments(tx, owner)
	if err != nil {
		return err
	}
	for len(terms) > 0 {
		n := min(len(terms), readPostings)
		in, args := inTexts(terms[:n])
		terms = terms[n:]
		for rest := places; len(rest) > 0; {
			n := min(len(rest), db.InMost)
			where, which := db.In(rest[:n])
			rest = rest[n:]
			rows := tx.Query(`SELECT term, chunk, body FROM posting WHERE owner_id = ? AND segment IN (`+where+`) AND term IN (`+in+`)`,
				append(append([]any{int64(owner)}, which...), args...)...)
			if err := p.scan(rows, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// readPrefix reads the terms of a range that aren't there yet, of each segment the
// same number of rows at most.
func (p *postings) readPrefix(tx *db.Tx, owner db.AccountID, from, to string) error {
	places, err := segments(tx, owner)
	if err != nil {
		return err
	}
	skip := make(map[string]bool, len(p.at))
	for t := range p.at {
		skip[t] = true
	}
	for _, segment := range places {
		rows := tx.Query(`SELECT term, chunk, body FROM posting WHERE owner_id = ? AND segment = ? AND term >= ? AND term < ? ORDER BY term, chunk LIMIT ?`,
			int64(owner), segment, from, to, max(prefixMost/len(places), prefixLeast))
		if err := p.scan(rows, skip); err != nil {
			return err
		}
	}
	return nil
}

func (p *postings) scan(rows *db.Rows, skip map[string]bool) error {
	defer rows.Close()
	if p.at == nil {
		p.at = make(map[string]int, 32)
	}
	for rows.Next() {
		var term string
		var c words.Chunk
		if err := rows.Scan(&term, &c.Number, &c.Blob); err != nil {
			return err
		}
		if skip[term] {
			continue
		}
		i, ok := p.at[term]
		if !ok {
			i = len(p.list)
			p.at[term] = i
			p.list = append(p.list, words.TermPostings{Term: term})
		}
		p.list[i].Chunks = append(p.list[i].Chunks, c)
	}
	return rows.Err()
}
