package memory

import (
	"strings"

	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
)

// batch is the changes of one transaction to an account's memories. What belongs
// to a change (row, version, change log) is written at once, events and the index
// of words are collected and written by flush, many rows at a time.
type batch struct {
	tx    *db.Tx
	owner db.AccountID
	by    Actor
	terms Terms
	at    int64 // the instant of the changes

	events []event
	index  index
}

// batchMost is how many changes are collected before they are written, so that a
// change of very many stays flat.
const batchMost = 4096

func (s *Store) batch(tx *db.Tx, owner db.AccountID, by Actor) (*batch, error) {
	terms, err := s.rules.Terms(tx)
	return &batch{tx: tx, owner: owner, by: by, terms: terms, at: tx.Now}, err
}

// flush writes what was collected. Every user of a batch ends with it.
func (b *batch) flush() error {
	if err := writeEvents(b.tx, b.owner, b.events); err != nil {
		return err
	}
	b.events = b.events[:0]
	return b.index.write(b.tx, b.owner)
}

// record collects an event.
func (b *batch) record(e event) error {
	if e.at == 0 {
		e.at = b.at
	}
	if e.by.Name == "" {
		e.by = b.by
	}
	b.events = append(b.events, e)
	if len(b.events) < batchMost {
		return nil
	}
	return b.flush()
}

const insertColumns = `owner_id, revision, subject, body, body_hash, lang, kind, importance, confidence, category_id, source, status,
	use_count, last_used_at, created_at, updated_at, reviewed_at, deleted_at, deleted_why, order_key, fades_at, words`

const insertRow = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

var insertSizes = [...]int{16, 4, 1}

// insert adds rows, gives them their ids, ascending in the order of the rows, and
// indexes their words. What else is to be known of them (hash, language, order
// key) is computed here.
func (b *batch) insert(list []*row) error {
	for len(list) > 0 {
		n := sizeOf(insertSizes[:], len(list))
		if err := b.insertSome(list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (b *batch) insertSome(list []*row) error {
	args := make([]any, 0, 22*len(list))
	terms := make([][]words.Term, len(list))
	for i, r := range list {
		r.hash, r.lang = hashOf(r.body), langOf(r.body)
		var length int
		terms[i], length = words.Terms(r.body)
		r.words = int64(length)
		if err := r.rekey(b.terms.Policy); err != nil {
			return err
		}
		args = append(args, int64(b.owner), r.revision, r.subject, r.body, r.hash, r.lang, r.kind, r.importance, r.confidence, nullable(r.category), r.source, r.status,
			r.useCount, r.lastUsedAt, r.createdAt, r.updatedAt, r.reviewedAt, r.deletedAt, r.deletedWhy, r.orderKey, r.fadesAt, r.words)
	}
	rows := b.tx.Query(`INSERT INTO memory (`+insertColumns+`) VALUES `+insertRow+strings.Repeat(`, `+insertRow, len(list)-1)+` RETURNING id`, args...)
	defer rows.Close()
	last := int64(0)
	for _, r := range list {
		if !rows.Next() {
			break
		}
		if err := rows.Scan(&r.id); err != nil {
			return err
		}
		if r.id <= last {
			return fault.Wrap(fault.Internal, errOrder, "")
		}
		last = r.id
	}
	rows.Next() // to the end
	if err := rows.Err(); err != nil {
		return err
	}
	rows.Close()
	for i, r := range list {
		if r.id == 0 {
			return fault.Wrap(fault.Internal, errOrder, "")
		}
		b.index.added(r.id, terms[i], int(r.words))
		b.tx.Emit(b.owner, db.NounMemory, r.id)
	}
	return nil
}

// update writes what differs between two states of a memory as its next revision
// and records it. It tells whether anything differed. Only what follows from a
// changed body, importance or use is computed here.
func (b *batch) update(was, r *row, action, reason string) (bool, error) {
	if r.body != was.body {
		r.hash, r.lang = hashOf(r.body), langOf(r.body)
		terms, length := words.Terms(r.body)
		r.words = int64(length)
		b.index.replaced(r.id, was.body, int(was.words), terms, length)
	}
	if err := r.rekey(b.terms.Policy); err != nil {
		return false, err
	}
	var before, after state
	set := make([]byte, 0, 128)
	args := make([]any, 0, len(fields)+4)
	audited := false
	for i := range fields {
		f := &fields[i]
		old, now := f.value(was), f.value(r)
		if old == now {
			continue
		}
		set = append(append(set, ", "...), f.column...)
		set = append(set, " = ?"...)
		args = append(args, now)
		if f.name == "" {
			continue
		}
		audited = true
		if f.audited != nil {
			old, now = f.audited(was), f.audited(r)
		}
		before.set(f.name, old)
		after.set(f.name, now)
	}
	if !audited {
		return false, nil
	}
	r.revision, r.updatedAt = was.revision+1, b.at
	args = append([]any{r.revision, r.updatedAt}, append(args, r.id, int64(b.owner), was.revision)...)
	if err := b.tx.Must(`UPDATE memory SET revision = ?, updated_at = ?`+string(set)+` WHERE id = ? AND owner_id = ? AND revision = ?`, args...); err != nil {
		return false, err
	}
	if r.body != was.body {
		if _, err := b.tx.Exec(`INSERT INTO memory_version (owner_id, memory_id, revision, body, at) VALUES (?, ?, ?, ?, ?)`,
			int64(b.owner), r.id, was.revision, was.body, b.at); err != nil {
			return false, err
		}
	}
	b.tx.Emit(b.owner, db.NounMemory, r.id)
	e := event{memory: r.id, revision: r.revision, action: action, reason: reason}
	var err error
	if e.before, err = before.text(); err == nil {
		e.after, err = after.text()
	}
	if err != nil {
		return false, err
	}
	return true, b.record(e)
}
