package db

import (
	"context"
	"maps"
	"slices"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Noun is what kind of row a change is about.
type Noun string

// The nouns of the change log.
const (
	NounMemory       Noun = "memory"
	NounCategory     Noun = "category"
	NounAccount      Noun = "account"   // the account itself, its switches, its sessions and tokens
	NounRetention    Noun = "retention" // policy or sweep; concerns every memory's forecast
	NounUsage        Noun = "usage"     // a memory was used
	NounProject      Noun = "project"
	NounJob          Noun = "job"          // long work that somebody asked for
	NounConversation Noun = "conversation" // it, or what is in it
	NounToken        Noun = "token"        // a token was used; at most once a minute each
)

// Change is one entry of an account's log: this row is not what it was. What it
// is now is read from the row.
type Change struct {
	Seq  int64
	At   int64 // Unix milliseconds
	Noun Noun
	ID   int64 // of the row; 0 where the whole noun changed
}

// Head is where an account's log stands.
type Head struct {
	Seq   int64  // of the last entry
	Floor int64  // entries up to it have been dropped
	Epoch string // changes when a backup is restored
}

type pending struct {
	noun Noun
	id   int64
}

type head struct {
	list []pending
	seen map[pending]bool
}

// Emit notes that a row of the account changed. The same row twice in one
// decision is one entry.
func (tx *Tx) Emit(owner AccountID, noun Noun, id int64) {
	if tx.heads == nil {
		tx.heads = map[AccountID]*head{}
	}
	h := tx.heads[owner]
	if h == nil {
		h = &head{seen: map[pending]bool{}}
		tx.heads[owner] = h
	}
	p := pending{noun, id}
	if !h.seen[p] {
		h.seen[p] = true
		h.list = append(h.list, p)
	}
}

// flush writes the entries that Emit collected. The counter row is locked by its
// update, so numbers are given out in commit order on either engine. A statement
// an entry: SQLite keeps a journal for a statement of many rows, and to end that
// costs the more the longer the decision is.
func (tx *Tx) flush() error {
	if err := tx.tellAudience(); err != nil {
		return err
	}
	for owner, h := range tx.heads {
		var last int64
		err := tx.Row(`INSERT INTO change_head (owner_id, seq, floor) VALUES (?, ?, 0)
			ON CONFLICT (owner_id) DO UPDATE SET seq = change_head.seq + excluded.seq RETURNING seq`,
			[]any{int64(owner), int64(len(h.list))}, &last)
		if err != nil {
			return err
		}
		seq := last - int64(len(h.list))
		for _, p := range h.list {
			seq++
			if _, err := tx.Exec(`INSERT INTO change (owner_id, seq, at, noun, ref_id) VALUES (?, ?, ?, ?, ?)`,
				int64(owner), seq, tx.Now, string(p.noun), p.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellAudience gives what changed in a pool to everyone who sees it, each in the
// log of their own: whoever follows one log misses nothing.
func (tx *Tx) tellAudience() error {
	audience := tx.db.audience.Load()
	if audience == nil || len(tx.heads) == 0 {
		return nil
	}
	owners := slices.Collect(maps.Keys(tx.heads))
	of, err := (*audience)(tx, owners)
	if err != nil {
		return err
	}
	for owner, readers := range of {
		list := tx.heads[owner].list
		for _, reader := range readers {
			for _, p := range list {
				tx.Emit(reader, p.noun, p.id)
			}
		}
	}
	return nil
}

// Head reads where the account's log stands. An account without changes has Seq 0.
func (tx *Tx) Head(owner AccountID) (Head, error) {
	var h Head
	err := tx.Row(`SELECT seq, floor FROM change_head WHERE owner_id = ?`, []any{int64(owner)}, &h.Seq, &h.Floor)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return h, err
	}
	h.Epoch, err = tx.Meta("epoch")
	return h, err
}

// Heads is Head of many accounts at once. Accounts without changes have Seq 0.
func (tx *Tx) Heads(owners []AccountID) (map[AccountID]Head, error) {
	epoch, err := tx.Meta("epoch")
	if err != nil {
		return nil, err
	}
	heads := make(map[AccountID]Head, len(owners))
	for _, owner := range owners {
		heads[owner] = Head{Epoch: epoch}
	}
	for len(owners) > 0 {
		n := min(len(owners), InMost)
		in, args := In(owners[:n])
		owners = owners[n:]
		rows := tx.Query(`SELECT owner_id, seq, floor FROM change_head WHERE owner_id IN (`+in+`)`, args...)
		for rows.Next() {
			var owner AccountID
			h := Head{Epoch: epoch}
			if err := rows.Scan((*int64)(&owner), &h.Seq, &h.Floor); err != nil {
				rows.Close()
				return nil, err
			}
			heads[owner] = h
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// Changes reads the account's entries after since, in order, at most limit. It
// answers fault.Gone where the log no longer reaches back that far, or never
// reached that far: the reader needs a new snapshot.
func (tx *Tx) Changes(owner AccountID, since int64, limit int) ([]Change, Head, error) {
	h, err := tx.Head(owner)
	if err != nil {
		return nil, h, err
	}
	if since < h.Floor || since > h.Seq {
		return nil, h, fault.New(fault.Gone, "The change log does not reach back that far.")
	}
	rows := tx.Query(`SELECT seq, at, noun, ref_id FROM change WHERE owner_id = ? AND seq > ? ORDER BY seq LIMIT ?`, int64(owner), since, limit)
	defer rows.Close()
	var list []Change
	for rows.Next() {
		var c Change
		if err := rows.Scan(&c.Seq, &c.At, (*string)(&c.Noun), &c.ID); err != nil {
			return nil, h, err
		}
		list = append(list, c)
	}
	return list, h, rows.Err()
}

// Trim drops the account's log entries and remembered keys that are past their
// days. It returns how many entries went.
func (d *DB) Trim(ctx context.Context, owner AccountID) (int64, error) {
	const day = 86_400_000
	var dropped int64
	err := d.Update(ctx, func(tx *Tx) error {
		before := tx.Now - int64(setting.Int("db.changeDays"))*day
		var floor int64
		err := tx.Row(`SELECT COALESCE(MAX(seq), 0) FROM change WHERE owner_id = ? AND at < ?`, []any{int64(owner), before}, &floor)
		if err != nil {
			return err
		}
		if floor > 0 {
			if dropped, err = tx.Exec(`DELETE FROM change WHERE owner_id = ? AND seq <= ?`, int64(owner), floor); err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE change_head SET floor = ? WHERE owner_id = ?`, floor, int64(owner)); err != nil {
				return err
			}
		}
		before = tx.Now - int64(setting.Int("db.idempotencyDays"))*day
		if _, err = tx.Exec(`DELETE FROM idempotency_ref WHERE owner_id = ? AND key IN (SELECT key FROM idempotency WHERE owner_id = ? AND at < ?)`, int64(owner), int64(owner), before); err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM idempotency WHERE owner_id = ? AND at < ?`, int64(owner), before)
		return err
	})
	return dropped, err
}

// Meta reads an instance-wide value; one that was never set is empty.
func (tx *Tx) Meta(name string) (string, error) {
	var v string
	err := tx.Row(`SELECT value FROM meta WHERE name = ?`, []any{name}, &v)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return v, err
}

// SetMeta stores an instance-wide value.
func (tx *Tx) SetMeta(name, value string) error {
	_, err := tx.Exec(`INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}

// EraseAccountLog removes what this package keeps for an account.
func (tx *Tx) EraseAccountLog(owner AccountID) error {
	for _, q := range []string{
		`DELETE FROM change WHERE owner_id = ?`,
		`DELETE FROM change_head WHERE owner_id = ?`,
		`DELETE FROM idempotency_ref WHERE owner_id = ?`,
		`DELETE FROM idempotency WHERE owner_id = ?`,
	} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	delete(tx.heads, owner)
	return nil
}
