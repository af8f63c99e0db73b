package lexicon

import (
	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
)

// readPostings bounds the terms of a statement.
const readPostings = 128

// postingKey names a row of table posting.
type postingKey struct {
	term  string
	chunk int64
}

// segmentChunks is how many chunks are one segment. New memories write to the last
// segment only, so this bounds the pages that a decision touches; a search looks
// once for each term in each segment, so it bounds that too.
const segmentChunks = 16

func segmentOf(chunk int64) int64 { return chunk / segmentChunks }

// segments are those from the first to the last that an account has postings in,
// ascending; where it has none, the one that they begin with.
func segments(tx *db.Tx, shelf Shelf, owner db.AccountID) ([]int64, error) {
	var first, last int64
	if err := tx.Row(`SELECT COALESCE(MIN(segment), 0) FROM `+shelf.posting()+` WHERE owner_id = ?`, []any{int64(owner)}, &first); err != nil {
		return nil, err
	}
	if err := tx.Row(`SELECT COALESCE(MAX(segment), 0) FROM `+shelf.posting()+` WHERE owner_id = ?`, []any{int64(owner)}, &last); err != nil {
		return nil, err
	}
	var list []int64
	for s := first; s <= last; s++ {
		list = append(list, s)
	}
	return list, nil
}

// StatsOf are the account's own figures of memories; nobody else's memories move a score.
func StatsOf(tx *db.Tx, owner db.AccountID) (words.Stats, error) { return Memories.StatsOf(tx, owner) }

// StatsOf are the account's own figures on the shelf.
func (s Shelf) StatsOf(tx *db.Tx, owner db.AccountID) (words.Stats, error) {
	var st words.Stats
	err := tx.Row(`SELECT docs, words FROM `+s.stat()+` WHERE owner_id = ?`, []any{int64(owner)}, &st.Docs, &st.TotalLength)
	if fault.Is(err, fault.NotFound) {
		return st, nil
	}
	return st, err
}

// blobs reads the stored postings of terms in one chunk into found.
func blobs(tx *db.Tx, shelf Shelf, owner db.AccountID, chunk int64, terms []string, found map[postingKey][]byte) error {
	in, args := db.InTexts(terms)
	rows := tx.Query(`SELECT term, body FROM `+shelf.posting()+` WHERE owner_id = ? AND segment = ? AND term IN (`+in+`) AND chunk = ?`,
		append(append([]any{int64(owner), segmentOf(chunk)}, args...), chunk)...)
	defer rows.Close()
	for rows.Next() {
		k := postingKey{chunk: chunk}
		var blob []byte
		if err := rows.Scan(&k.term, &blob); err != nil {
			return err
		}
		found[k] = blob
	}
	return rows.Err()
}

// postings collects stored postings by term.
type postings struct {
	shelf Shelf
	list  []words.TermPostings
	at    map[string]int
}

func (p *postings) read(tx *db.Tx, owner db.AccountID, terms []string) error {
	places, err := segments(tx, p.shelf, owner)
	if err != nil {
		return err
	}
	for len(terms) > 0 {
		n := min(len(terms), readPostings)
		in, args := db.InTexts(terms[:n])
		terms = terms[n:]
		for rest := places; len(rest) > 0; {
			n := min(len(rest), db.InMost)
			where, which := db.In(rest[:n])
			rest = rest[n:]
			rows := tx.Query(`SELECT term, chunk, body FROM `+p.shelf.posting()+` WHERE owner_id = ? AND segment IN (`+where+`) AND term IN (`+in+`)`,
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
	places, err := segments(tx, p.shelf, owner)
	if err != nil {
		return err
	}
	skip := make(map[string]bool, len(p.at))
	for t := range p.at {
		skip[t] = true
	}
	for _, segment := range places {
		rows := tx.Query(`SELECT term, chunk, body FROM `+p.shelf.posting()+` WHERE owner_id = ? AND segment = ? AND term >= ? AND term < ? ORDER BY term, chunk LIMIT ?`,
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

func corrupt(err error) error {
	return fault.Wrap(fault.Corrupt, err, "The index of words is damaged. Build it again with `elowen admin reindex`.")
}
