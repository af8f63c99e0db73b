package memory

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
)

var errOrder = errors.New("the ids of new rows don't ascend")

// index collects changes of an account's index of words, and writes them grouped:
// each blob that changes is read and written once, however many memories are in
// the transaction. Memories of every status are in the index, so the trash can be
// searched and a restore costs nothing; a purge takes them out.
type index struct {
	entries     map[postingKey]*posting
	docs, words int64
}

// postingKey names a row of table posting.
type postingKey struct {
	term  string
	chunk int64
}

// posting is what changes in one row.
type posting struct {
	add    []words.Posting
	remove []int64
}

func (x *index) entry(term string, chunk int64) *posting {
	if x.entries == nil {
		x.entries = make(map[postingKey]*posting, 64)
	}
	k := postingKey{term, chunk}
	p := x.entries[k]
	if p == nil {
		p = &posting{}
		x.entries[k] = p
	}
	return p
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
		p := x.entry(t.Text, chunk)
		p.add = append(p.add, words.Posting{ID: id, TF: t.Count, Length: length})
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
		p := x.entry(t.Text, chunk)
		p.remove = append(p.remove, id)
		p.add = slices.DeleteFunc(p.add, func(a words.Posting) bool { return a.ID == id })
	}
}

// The sizes of the statements that read, write and delete postings.
const readPostings = 64

var writeSizes = [...]int{32, 8, 2, 1}

// write applies what was collected and forgets it.
func (x *index) write(tx *db.Tx, owner db.AccountID) error {
	if len(x.entries) == 0 && x.docs == 0 && x.words == 0 {
		return nil
	}
	keys := make([]postingKey, 0, len(x.entries))
	for k := range x.entries {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b postingKey) int {
		return cmp.Or(cmp.Compare(a.chunk, b.chunk), strings.Compare(a.term, b.term))
	})
	for len(keys) > 0 {
		n := 1
		for n < len(keys) && n < readPostings && keys[n].chunk == keys[0].chunk {
			n++
		}
		if err := x.writeSome(tx, owner, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	_, err := tx.Exec(`INSERT INTO word_stat (owner_id, docs, words, version) VALUES (?, ?, ?, ?)
		ON CONFLICT (owner_id) DO UPDATE SET docs = word_stat.docs + excluded.docs, words = word_stat.words + excluded.words`,
		int64(owner), x.docs, x.words, words.Version)
	*x = index{}
	return err
}

// writeSome applies the changes to rows of one chunk.
func (x *index) writeSome(tx *db.Tx, owner db.AccountID, keys []postingKey) error {
	chunk := keys[0].chunk
	stored, err := blobs(tx, owner, chunk, keys)
	if err != nil {
		return err
	}
	writes := make([]any, 0, 4*len(keys))
	var gone []string
	for _, k := range keys {
		p, blob := x.entries[k], stored[k.term]
		had := len(blob) > 0
		if len(p.remove) > 0 {
			if blob, err = words.Remove(blob, p.remove...); err != nil {
				return corrupt(err)
			}
		}
		if len(p.add) > 0 {
			if blob, err = words.Merge(blob, p.add...); err != nil {
				return corrupt(err)
			}
		}
		switch {
		case len(blob) > 0:
			writes = append(writes, int64(owner), k.term, chunk, blob)
		case had:
			gone = append(gone, k.term)
		}
	}
	const one = `(?, ?, ?, ?)`
	for len(writes) > 0 {
		n := sizeOf(writeSizes[:], len(writes)/4)
		if _, err := tx.Exec(`INSERT INTO posting (owner_id, term, chunk, body) VALUES `+one+strings.Repeat(`, `+one, n-1)+
			` ON CONFLICT (owner_id, term, chunk) DO UPDATE SET body = excluded.body`, writes[:4*n]...); err != nil {
			return err
		}
		writes = writes[4*n:]
	}
	for len(gone) > 0 {
		n := min(len(gone), readPostings)
		in, args := inTexts(gone[:n])
		if _, err := tx.Exec(`DELETE FROM posting WHERE owner_id = ? AND chunk = ? AND term IN (`+in+`)`, append([]any{int64(owner), chunk}, args...)...); err != nil {
			return err
		}
		gone = gone[n:]
	}
	return nil
}

// blobs reads the stored postings of terms in one chunk.
func blobs(tx *db.Tx, owner db.AccountID, chunk int64, keys []postingKey) (map[string][]byte, error) {
	terms := make([]string, len(keys))
	for i, k := range keys {
		terms[i] = k.term
	}
	in, args := inTexts(terms)
	rows := tx.Query(`SELECT term, body FROM posting WHERE owner_id = ? AND chunk = ? AND term IN (`+in+`)`, append([]any{int64(owner), chunk}, args...)...)
	defer rows.Close()
	found := make(map[string][]byte, len(keys))
	for rows.Next() {
		var term string
		var blob []byte
		if err := rows.Scan(&term, &blob); err != nil {
			return nil, err
		}
		found[term] = blob
	}
	return found, rows.Err()
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
