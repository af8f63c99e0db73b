package memory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
)

// index collects changes of an account's index of words, and writes them grouped:
// each blob that changes is read and written once, however many memories are in
// the transaction. Memories of every status are in the index, so the trash can be
// searched and a restore costs nothing; a purge takes them out.
type index struct {
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
func (x *index) change(term string, chunk int64) *chunkChange {
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

// fresh notes that n new ids from first on are this transaction's. Chunks that
// hold no other ids need not be read.
func (x *index) fresh(first int64, n int) {
	if len(x.terms) > 0 {
		return // of an earlier insert of the same transaction; it could be widened
	}
	x.from, x.to = words.ChunkOf(first+words.ChunkSize-1), words.ChunkOf(first+int64(n)+words.ChunkSize-1)
}

// added notes a new memory's words.
func (x *index) added(id int64, terms []words.Term, length int) {
	x.docs++
	x.words += int64(length)
	x.put(id, terms, length)
}

func (x *index) put(id int64, terms []words.Term, length int) {
	chunk := words.ChunkOf(id)
	for _, t := range terms {
		c := x.change(t.Text, chunk)
		c.add = append(c.add, words.Posting{ID: id, TF: t.Count, Length: length})
	}
}

// replaced notes that a memory has other words now.
func (x *index) replaced(id int64, old string, oldLength int, terms []words.Term, length int) {
	x.words += int64(length - oldLength)
	x.take(id, old, terms)
	x.put(id, terms, length)
}

// removed notes that a memory's words are gone.
func (x *index) removed(id int64, body string, length int) {
	x.docs--
	x.words -= int64(length)
	x.take(id, body, nil)
}

// take removes a memory from the postings of a body's terms, but those it keeps.
func (x *index) take(id int64, body string, keep []words.Term) {
	kept := make(map[string]bool, len(keep))
	for _, t := range keep {
		kept[t.Text] = true
	}
	old, _ := words.Terms(body)
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

// segments are those that an account's memories may be in, ascending.
func segments(tx *db.Tx, owner db.AccountID) ([]int64, error) {
	var first, last int64
	if err := tx.Row(`SELECT COALESCE(MIN(id), 0) FROM memory WHERE owner_id = ?`, []any{int64(owner)}, &first); err != nil {
		return nil, err
	}
	if err := tx.Row(`SELECT COALESCE(MAX(id), 0) FROM memory WHERE owner_id = ?`, []any{int64(owner)}, &last); err != nil {
		return nil, err
	}
	var list []int64
	for s := segmentOf(words.ChunkOf(first)); s <= segmentOf(words.ChunkOf(last)); s++ {
		list = append(list, s)
	}
	return list, nil
}

// write applies what was collected and forgets it. Rows are written in the order
// of the table, each in a statement of its own: one for many would make SQLite
// keep a journal for it, which costs more than it saves.
func (x *index) write(tx *db.Tx, owner db.AccountID) error {
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
				if err := c.write(tx, owner, term, stored[postingKey{term, c.chunk}]); err != nil {
					return err
				}
			}
		}
	}
	_, err = tx.Exec(`INSERT INTO word_stat (owner_id, docs, words, version) VALUES (?, ?, ?, ?)
		ON CONFLICT (owner_id) DO UPDATE SET docs = word_stat.docs + excluded.docs, words = word_stat.words + excluded.words`,
		int64(owner), x.docs, x.words, words.Version)
	*x = index{}
	return err
}

// stored reads the blobs that are to change, chunk by chunk.
func (x *index) stored(tx *db.Tx, owner db.AccountID, terms []string) (map[postingKey][]byte, error) {
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
			if err := blobs(tx, owner, chunk, terms[:n], found); err != nil {
				return nil, err
			}
			terms = terms[n:]
		}
	}
	return found, nil
}

// write applies the changes to one row.
func (c *chunkChange) write(tx *db.Tx, owner db.AccountID, term string, blob []byte) (err error) {
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
		return tx.Must(`UPDATE posting SET body = ? WHERE owner_id = ? AND segment = ? AND term = ? AND chunk = ?`, blob, int64(owner), segmentOf(c.chunk), term, c.chunk)
	case len(blob) > 0:
		_, err = tx.Exec(`INSERT INTO posting (owner_id, segment, term, chunk, body) VALUES (?, ?, ?, ?, ?)`, int64(owner), segmentOf(c.chunk), term, c.chunk, blob)
	case had:
		_, err = tx.Exec(`DELETE FROM posting WHERE owner_id = ? AND segment = ? AND term = ? AND chunk = ?`, int64(owner), segmentOf(c.chunk), term, c.chunk)
	}
	return err
}

// blobs reads the stored postings of terms in one chunk into found.
func blobs(tx *db.Tx, owner db.AccountID, chunk int64, terms []string, found map[postingKey][]byte) error {
	in, args := inTexts(terms)
	rows := tx.Query(`SELECT term, body FROM posting WHERE owner_id = ? AND segment = ? AND term IN (`+in+`) AND chunk = ?`,
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

// inTexts makes the placeholders of `IN (…)` for texts, padded as db.In does it.
func inTexts(list []string) (placeholders string, args []any) {
	n := 1
	for n < len(list) {
		n *= 2
	}
	args = make([]any, n)
	for i := range n {
		args[i] = list[min(i, len(list)-1)]
	}
	return "?" + strings.Repeat(",?", n-1), args
}

func corrupt(err error) error {
	return fault.Wrap(fault.Corrupt, err, "The index of words is damaged. Build it again with `elowen admin reindex`.")
}
