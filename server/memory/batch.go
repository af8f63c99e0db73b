package memory

import (
	"fmt"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/server/words"
	"elowen/shared/fault"
)

// batch is the changes of one transaction to an account's memories. What belongs
// to a change (row, version, change log) is written at once, events and the index
// of words are collected and written by flush, many rows at a time.
type batch struct {
	tx      *db.Tx
	owner   db.AccountID // of the rows that are changed
	writer  int64        // of the row that is changed: whom its events count for
	by      audit.Actor
	terms   Terms
	at      int64 // the instant of the changes
	group   int64 // the number by which they are undone together; 0: none
	instead int64 // of an undo: the category that stands for a deleted one; 0: none

	events []audit.Entry
	index  lexicon.Batch
	text   settled // of the one memory that is to be added, if it was looked at before
}

// settled is a body with what is computed from it alone.
type settled struct {
	body, hash, lang string
	terms            []words.Term
	length           int
}

func settledOf(body string) settled {
	t := settled{body: body, hash: audit.Hash(body), lang: langOf(body)}
	t.terms, t.length = words.Terms(body)
	return t
}

// batchMost is how many changes are collected before they are written, so that a
// change of very many stays flat.
const batchMost = 4096

func (s *Store) batch(tx *db.Tx, owner db.AccountID, by audit.Actor) (*batch, error) {
	terms, err := s.rules.Terms(tx)
	return &batch{tx: tx, owner: owner, by: by, terms: terms, at: tx.Now}, err
}

// flush writes what was collected. Every user of a batch ends with it.
func (b *batch) flush() error {
	if err := audit.Write(b.tx, b.owner, b.events...); err != nil {
		return err
	}
	b.events = b.events[:0]
	return b.index.Flush(b.tx, b.owner)
}

// record collects an event.
func (b *batch) record(e audit.Entry) error {
	if e.At == 0 {
		e.At = b.at
	}
	if e.By.Name == "" {
		e.By = b.by
	}
	if !e.Carried {
		e.Group = b.group
	}
	e.Writer = db.AccountID(b.writer)
	b.events = append(b.events, e)
	if len(b.events) < batchMost {
		return nil
	}
	return b.flush()
}

const insertQuery = `INSERT INTO memory (id, owner_id, revision, subject, body, body_hash, lang, kind, importance, confidence, category_id, source, status,
	use_count, last_used_at, created_at, updated_at, reviewed_at, deleted_at, deleted_why, order_key, fades_at, words, deleted_by, deleted_how, writer_id, category_by)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insert adds rows, gives them their ids, ascending in the order of the rows, and
// indexes their words. What else is to be known of them (hash, language, order
// key) is computed here. A statement a row: one for many would make SQLite keep
// a journal for it, which costs more than it saves. also, if not nil, is called
// for each row once all of that is known of it, maybe on another goroutine, but
// before insert returns.
func (b *batch) insert(list []*row, also func(i int) error) error {
	first, err := b.tx.NewIDs(b.owner, "memory", len(list))
	if err != nil {
		return err
	}
	b.index.Fresh(first, len(list))
	for i, r := range list {
		r.id, r.owner = first+int64(i), int64(b.owner)
		if r.writer == 0 {
			r.writer = b.writer
		}
	}
	prepared := b.prepare(list, also)
	defer func() {
		for range prepared { // it must have ended before the index is used again
		}
	}()
	done := 0
	for step := range prepared {
		if step.err != nil {
			return step.err
		}
		for _, r := range list[done:step.until] {
			if _, err := b.tx.Exec(insertQuery, r.id, int64(b.owner), r.revision, r.subject, r.body, r.hash, r.lang, r.kind, r.importance, r.confidence, nullable(r.category),
				r.source, r.status, r.useCount, r.lastUsedAt, r.createdAt, r.updatedAt, r.reviewedAt, r.deletedAt, r.deletedWhy, r.orderKey, r.fadesAt, r.words, r.deletedBy, r.deletedHow, r.writer, r.filed); err != nil {
				return err
			}
			b.tx.Emit(b.owner, db.NounMemory, r.id)
		}
		done = step.until
	}
	return nil
}

// prepared says how far the rows of a list are prepared.
type prepared struct {
	until int
	err   error
}

// prepareStep is how many rows are prepared between two words about it.
const prepareStep = 64

// prepare computes what is to be known of new rows and collects their words, a
// little ahead of the one who writes them. Until the channel is closed the index
// is prepare's alone.
func (b *batch) prepare(list []*row, also func(i int) error) <-chan prepared {
	some := func(from, to int) (err error) {
		defer func() {
			if p := recover(); p != nil { // on a goroutine of our own nobody else would
				err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
			}
		}()
		for i, r := range list[from:to] {
			text := b.text
			if text.body != r.body || text.hash == "" {
				text = settledOf(r.body)
			}
			r.hash, r.lang, r.words = text.hash, text.lang, int64(text.length)
			b.index.Added(r.id, text.terms, text.length)
			if err := r.rekey(b.terms.Policy); err != nil {
				return err
			}
			if also != nil {
				if err := also(from + i); err != nil {
					return err
				}
			}
		}
		return nil
	}
	out := make(chan prepared, 8)
	if len(list) <= prepareStep {
		out <- prepared{len(list), some(0, len(list))}
		close(out)
		return out
	}
	go func() {
		defer close(out)
		for from := 0; from < len(list); from += prepareStep {
			to := min(from+prepareStep, len(list))
			err := some(from, to)
			out <- prepared{to, err}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// update writes what differs between two states of a memory as its next revision
// and records it. It tells whether anything differed. Only what follows from a
// changed body, importance or use is computed here.
func (b *batch) update(was, r *row, action, reason string) (bool, error) {
	if r.body != was.body {
		r.hash, r.lang = audit.Hash(r.body), langOf(r.body)
		terms, length := words.Terms(r.body)
		r.words = int64(length)
		b.index.Replaced(r.id, was.body, int(was.words), terms, length)
	}
	if err := r.rekey(b.terms.Policy); err != nil {
		return false, err
	}
	var before, after audit.State
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
		before.Set(f.name, old)
		after.Set(f.name, now)
	}
	if !audited {
		// Somebody has confirmed what was decided without them: nothing to see, but
		// sorting must know.
		if r.filed != was.filed {
			return false, b.tx.Must(`UPDATE memory SET category_by = ? WHERE id = ? AND owner_id = ? AND revision = ?`, r.filed, r.id, int64(b.owner), was.revision)
		}
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
	e := audit.Entry{Memory: r.id, Revision: r.revision, Action: action, Reason: reason}
	var err error
	if e.Before, err = before.Text(); err == nil {
		e.After, err = after.Text()
	}
	if err != nil {
		return false, err
	}
	return true, b.record(e)
}
