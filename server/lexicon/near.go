package lexicon

import (
	"slices"

	"elowen/server/db"
	"elowen/server/words"
)

// Sample is how an account's index knows the terms of a text: completely in one
// chunk, whose blobs it holds, and about in all.
type Sample struct {
	Stats  words.Stats // of the account
	Counts []int       // how many memories of the chunk have each of the terms, in their order

	chunk    int64
	segments []int64 // where there may be more than the chunk, the newest first
	blobs    map[postingKey][]byte
}

// SampleOf reads the terms of a text in one chunk. An account without an index has
// Stats of 0. Errors: Corrupt.
func SampleOf(tx *db.Tx, owner db.AccountID, chunk int64, terms []string) (*Sample, error) {
	s := &Sample{Counts: make([]int, len(terms)), chunk: chunk}
	var first, last int64
	rows := tx.Query(`SELECT docs, words, COALESCE((SELECT MIN(segment) FROM posting WHERE owner_id = ?), 0), COALESCE((SELECT MAX(segment) FROM posting WHERE owner_id = ?), 0)
		FROM word_stat WHERE owner_id = ?`, int64(owner), int64(owner), int64(owner))
	for rows.Next() {
		if err := rows.Scan(&s.Stats.Docs, &s.Stats.TotalLength, &first, &last); err != nil {
			rows.Close()
			return nil, err
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil || s.Stats.Docs == 0 {
		return s, err
	}
	for n := last; n >= first; n-- {
		s.segments = append(s.segments, n)
	}
	s.blobs = make(map[postingKey][]byte, len(terms))
	for rest := terms; len(rest) > 0; {
		n := min(len(rest), readPostings)
		if err := blobs(tx, Memories, owner, chunk, rest[:n], s.blobs); err != nil {
			return nil, err
		}
		rest = rest[n:]
	}
	for i, t := range terms {
		var err error
		if s.Counts[i], err = words.Count(s.blobs[postingKey{t, chunk}]); err != nil {
			return nil, corrupt(err)
		}
	}
	return s, nil
}

// Rows is about how many rows are looked for to read a term everywhere, of which
// count memories of the sample have it.
func (s *Sample) Rows(count int) int {
	rows := len(s.segments)
	if count > 0 {
		rows += s.Stats.Docs / words.ChunkSize
	}
	return rows
}

// Overlap is what a memory has of the terms of a text.
type Overlap struct {
	ID     int64
	Weight float64 // the sum of the weights of those that it is known to have
	Whole  bool    // all of the text's terms were looked at, not only the keys
}

// searchSegments is how many segments are looked at in one statement, and
// segmentsMost how many at most.
const (
	searchSegments = 8
	segmentsMost   = 64
)

// Overlaps tells of the memories that have any of the terms: in the chunk of the
// sample, any of those with a weight; elsewhere, any of the keys. The newest come
// first into account, and after about most rows, or a million memories or so, older
// ones don't any more. Errors: Corrupt.
func (s *Sample) Overlaps(tx *db.Tx, owner db.AccountID, keys []string, weight map[string]float64, most int) ([]Overlap, error) {
	list, err := s.overlapsHere(weight)
	if err != nil {
		return nil, err
	}
	sums := map[int64]float64{}
	in, args := db.InTexts(keys)
	read := 0
	for rest := s.segments[:min(len(s.segments), segmentsMost)]; len(rest) > 0 && read < most; {
		n := min(len(rest), searchSegments)
		where, which := db.In(rest[:n])
		rest = rest[n:]
		rows := tx.Query(`SELECT term, chunk, body FROM posting WHERE owner_id = ? AND segment IN (`+where+`) AND term IN (`+in+`) AND chunk <> ?`,
			append(append(append([]any{int64(owner)}, which...), args...), s.chunk)...)
		n, err := sumUp(rows, weight, sums)
		if err != nil {
			return nil, err
		}
		read += n
	}
	list = slices.Grow(list, len(sums))
	for id, w := range sums {
		list = append(list, Overlap{ID: id, Weight: w})
	}
	return list, nil
}

// overlapsHere is Overlaps in the chunk of the sample.
func (s *Sample) overlapsHere(weight map[string]float64) ([]Overlap, error) {
	var sums [words.ChunkSize]float64
	most := 0
	for k, blob := range s.blobs {
		w := weight[k.term]
		r := words.Decode(0, blob)
		for r.Next() {
			sums[r.Posting().ID] += w
			most++
		}
		if r.Err() != nil {
			return nil, corrupt(r.Err())
		}
	}
	list := make([]Overlap, 0, min(most, len(sums)))
	for place, w := range sums {
		if w > 0 {
			list = append(list, Overlap{ID: s.chunk*words.ChunkSize + int64(place), Weight: w, Whole: true})
		}
	}
	return list, nil
}

// sumUp adds the weights of the terms of rows to those of their memories.
func sumUp(rows *db.Rows, weight map[string]float64, sums map[int64]float64) (n int, err error) {
	defer rows.Close()
	for rows.Next() {
		var term string
		var c words.Chunk
		if err := rows.Scan(&term, &c.Number, &c.Blob); err != nil {
			return n, err
		}
		n++
		w := weight[term]
		r := words.Decode(c.Number, c.Blob)
		for r.Next() {
			sums[r.Posting().ID] += w
		}
		if r.Err() != nil {
			return n, corrupt(r.Err())
		}
	}
	return n, rows.Err()
}
