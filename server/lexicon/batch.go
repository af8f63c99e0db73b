package lexicon

import (
	"cmp"
	"maps"
	"slices"

	"elowen/server/db"
	"elowen/server/words"
)

// Batch collects changes of an account's index, and writes them grouped: each blob
// that changes is read and written once, however many memories are in the
// transaction. The zero value is empty, and of memories. It is not safe for concurrent use.
type Batch struct {
	Shelf Shelf // what it is of

	terms       map[string]*termChange
	docs, words int64
	from, to    int64 // chunks from..to−1 hold nothing but what is collected here
}

// termChange is what changes in a term's blobs.
type termChange struct {
	chunks []chunkChange
}

// chunkChange is what changes in one row of table posting.
type chunkChange struct {
	chunk  int64
	add    []words.Posting
	remove []int64
}

// change is the entry of a term's chunk. It is valid until the next call.
func (x *Batch) change(term string, chunk int64) *chunkChange {
	if x.terms == nil {
		x.terms = make(map[string]*termChange, 64)
	}
	t := x.terms[term]
	if t == nil {
		t = &termChange{}
		x.terms[term] = t
	}
	for i := len(t.chunks) - 1; i >= 0; i-- { // ids ascend: mostly the last
		if t.chunks[i].chunk == chunk {
			return &t.chunks[i]
		}
	}
	t.chunks = append(t.chunks, chunkChange{chunk: chunk})
	return &t.chunks[len(t.chunks)-1]
}

// Fresh notes that n new ids from first on are this transaction's. Chunks that
// hold no other ids need not be read.
func (x *Batch) Fresh(first int64, n int) {
	if len(x.terms) > 0 {
		return // of an earlier insert of the same transaction; it could be widened
	}
	x.from, x.to = words.ChunkOf(first+words.ChunkSize-1), words.ChunkOf(first+int64(n)+words.ChunkSize-1)
}

// Added notes a new memory's words: its terms and length, as words.Terms tells them.
func (x *Batch) Added(id int64, terms []words.Term, length int) {
	x.docs++
	x.words += int64(length)
	x.put(id, terms, length)
}

func (x *Batch) put(id int64, terms []words.Term, length int) {
	chunk := words.ChunkOf(id)
	for _, t := range terms {
		c := x.change(t.Text, chunk)
		c.add = append(c.add, words.Posting{ID: id, TF: t.Count, Length: length})
	}
}

// Replaced notes that a memory has other words now than those of its old body.
func (x *Batch) Replaced(id int64, old string, oldLength int, terms []words.Term, length int) {
	x.words += int64(length - oldLength)
	had, _ := words.Terms(old)
	x.take(id, had, terms)
	x.put(id, terms, length)
}

// Removed notes that the words of a memory's body are gone.
func (x *Batch) Removed(id int64, body string, length int) {
	old, _ := words.Terms(body)
	x.Withdrawn(id, old, length)
}

// Withdrawn is Removed for one who has the terms of the body already, as words.Terms
// tells them.
func (x *Batch) Withdrawn(id int64, terms []words.Term, length int) {
	x.docs--
	x.words -= int64(length)
	x.take(id, terms, nil)
}

// take removes a memory from the postings of its terms, but those it keeps.
func (x *Batch) take(id int64, old, keep []words.Term) {
	kept := make(map[string]bool, len(keep))
	for _, t := range keep {
		kept[t.Text] = true
	}
	chunk := words.ChunkOf(id)
	for _, t := range old {
		if kept[t.Text] {
			continue
		}
		c := x.change(t.Text, chunk)
		c.remove = append(c.remove, id)
		c.add = slices.DeleteFunc(c.add, func(a words.Posting) bool { return a.ID == id })
	}
}

// Flush applies what was collected and forgets it. Errors: Corrupt. Rows are written in the order
// of the table, each in a statement of its own: one for many would make SQLite
// keep a journal for it, which costs more than it saves.
func (x *Batch) Flush(tx *db.Tx, owner db.AccountID) error {
	if len(x.terms) == 0 && x.docs == 0 && x.words == 0 {
		return nil
	}
	terms := slices.Sorted(maps.Keys(x.terms))
	stored, err := x.stored(tx, owner, terms)
	if err != nil {
		return err
	}
	changed := map[int64]bool{}
	for _, term := range terms {
		chunks := x.terms[term].chunks
		slices.SortFunc(chunks, func(a, b chunkChange) int { return cmp.Compare(a.chunk, b.chunk) })
		for i := range chunks {
			changed[segmentOf(chunks[i].chunk)] = true
		}
	}
	for _, segment := range slices.Sorted(maps.Keys(changed)) {
		for _, term := range terms {
			chunks := x.terms[term].chunks
			for i := range chunks {
				c := &chunks[i]
				if segmentOf(c.chunk) != segment {
					continue
				}
				if err := c.write(tx, x.Shelf, owner, term, stored[postingKey{term, c.chunk}]); err != nil {
					return err
				}
			}
		}
	}
	_, err = tx.Exec(`INSERT INTO `+x.Shelf.stat()+` AS s (owner_id, docs, words, version) VALUES (?, ?, ?, ?)
		ON CONFLICT (owner_id) DO UPDATE SET docs = s.docs + excluded.docs, words = s.words + excluded.words`,
		int64(owner), x.docs, x.words, words.Version)
	*x = Batch{Shelf: x.Shelf}
	return err
}

// stored reads the blobs that are to change, chunk by chunk.
func (x *Batch) stored(tx *db.Tx, owner db.AccountID, terms []string) (map[postingKey][]byte, error) {
	byChunk := map[int64][]string{}
	for _, term := range terms {
		for i := range x.terms[term].chunks {
			if chunk := x.terms[term].chunks[i].chunk; chunk < x.from || chunk >= x.to {
				byChunk[chunk] = append(byChunk[chunk], term)
			}
		}
	}
	found := map[postingKey][]byte{}
	for chunk, terms := range byChunk {
		for len(terms) > 0 {
			n := min(len(terms), readPostings)
			if err := blobs(tx, x.Shelf, owner, chunk, terms[:n], found); err != nil {
				return nil, err
			}
			terms = terms[n:]
		}
	}
	return found, nil
}

// write applies the changes to one row.
func (c *chunkChange) write(tx *db.Tx, shelf Shelf, owner db.AccountID, term string, blob []byte) (err error) {
	had := len(blob) > 0
	if len(c.remove) > 0 {
		if blob, err = words.Remove(blob, c.remove...); err != nil {
			return corrupt(err)
		}
	}
	if len(c.add) > 0 {
		if blob, err = words.Merge(blob, c.add...); err != nil {
			return corrupt(err)
		}
	}
	switch {
	case len(blob) > 0 && had:
		return tx.Must(`UPDATE `+shelf.posting()+` SET body = ? WHERE owner_id = ? AND segment = ? AND term = ? AND chunk = ?`, blob, int64(owner), segmentOf(c.chunk), term, c.chunk)
	case len(blob) > 0:
		_, err = tx.Exec(`INSERT INTO `+shelf.posting()+` (owner_id, segment, term, chunk, body) VALUES (?, ?, ?, ?, ?)`, int64(owner), segmentOf(c.chunk), term, c.chunk, blob)
	case had:
		_, err = tx.Exec(`DELETE FROM `+shelf.posting()+` WHERE owner_id = ? AND segment = ? AND term = ? AND chunk = ?`, int64(owner), segmentOf(c.chunk), term, c.chunk)
	}
	return err
}
