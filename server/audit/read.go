package audit

import (
	"encoding/base64"
	"math"
	"strconv"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// read is the entries that meet a condition and stand in an order, which where says.
func read(tx *db.Tx, where string, args ...any) ([]Entry, error) {
	rows := tx.Query(`SELECT id, memory_id, action, actor, model, reason, revision, at, before_state, after_state, carried, writer_id, change_id, scopes FROM memory_event WHERE `+where, args...)
	defer rows.Close()
	var list []Entry
	for rows.Next() {
		var e Entry
		var carried int
		if err := rows.Scan(&e.ID, &e.Memory, &e.Action, &e.By.Name, &e.By.Model, &e.Reason, &e.Revision, &e.At, &e.Before, &e.After, &carried, &e.Writer, &e.Group, &e.By.Scopes); err != nil {
			return nil, err
		}
		e.Carried = carried != 0
		list = append(list, e)
	}
	return list, rows.Err()
}

// Page is a part of an owner's audit, newest first.
type Page struct {
	Entries []Entry
	Next    string // the cursor of what follows; empty: nothing does
	Total   int
}

// Read pages the entries of one memory, or of all the owner's (memory 0), from a
// cursor that a page before gave. A limit of 0 is the setting list.limit, which
// bounds it. Errors: Invalid for a cursor that isn't one.
func Read(tx *db.Tx, owner db.AccountID, memory int64, cursor string, limit int) (Page, error) {
	var p Page
	bound := setting.Get("list.limit")
	if limit <= 0 {
		limit = int(bound.Default)
	}
	limit = min(limit, int(bound.Max))
	before, err := readCursor(cursor)
	if err != nil {
		return p, err
	}
	where, args := `owner_id = ?`, []any{int64(owner)}
	if memory != 0 {
		where, args = `owner_id = ? AND memory_id = ?`, append(args, memory)
	}
	if err := tx.Row(`SELECT COUNT(*) FROM memory_event WHERE `+where, args, &p.Total); err != nil {
		return p, err
	}
	p.Entries, err = read(tx, where+` AND id < ? ORDER BY id DESC LIMIT ?`, append(args, before, limit+1)...)
	if len(p.Entries) > limit {
		p.Entries = p.Entries[:limit]
		p.Next = makeCursor(p.Entries[limit-1].ID)
	}
	return p, err
}

// A cursor is the id of the last entry of the page before, made opaque.

func makeCursor(id int64) string {
	return base64.RawURLEncoding.EncodeToString(strconv.AppendInt(nil, id, 36))
}

func readCursor(cursor string) (int64, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err == nil {
		var id int64
		if id, err = strconv.ParseInt(string(text), 36, 64); err == nil && id > 0 {
			return id, nil
		}
	}
	return 0, fault.BadField("cursor", "cursor", "", "The cursor is not one of this list. Start again without it.")
}

// Count is how many entries an owner's audit has.
func Count(tx *db.Tx, owner db.AccountID) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM memory_event WHERE owner_id = ?`, []any{int64(owner)}, &n)
	return n, err
}

// Knows tells whether an owner's audit has an entry of the memory, which may be gone.
func Knows(tx *db.Tx, owner db.AccountID, memory int64) (bool, error) {
	var n int
	err := tx.Row(`SELECT 1 FROM memory_event WHERE owner_id = ? AND memory_id = ? LIMIT 1`, []any{int64(owner), memory}, &n)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Of is all entries of some of the owner's memories, at most db.InMost, by memory and
// in the order in which they were written.
func Of(tx *db.Tx, owner db.AccountID, memories ...int64) ([]Entry, error) {
	in, args := db.In(memories)
	return read(tx, `owner_id = ? AND memory_id IN (`+in+`) ORDER BY memory_id, id`, append([]any{int64(owner)}, args...)...)
}

// Memories are the memories after one that the owner's audit has entries of, there or
// gone, ascending.
func Memories(tx *db.Tx, owner db.AccountID, after int64, limit int) ([]int64, error) {
	return db.IDs[int64](tx.Query(`SELECT DISTINCT memory_id FROM memory_event WHERE owner_id = ? AND memory_id > ? ORDER BY memory_id LIMIT ?`, int64(owner), after, limit))
}

// Newest is the highest revision that entries of the memories led to, by memory; one
// without any entry is missing. They are at most db.InMost.
func Newest(tx *db.Tx, owner db.AccountID, memories []int64) (map[int64]int64, error) {
	in, args := db.In(memories)
	rows := tx.Query(`SELECT memory_id, MAX(revision) FROM memory_event WHERE owner_id = ? AND memory_id IN (`+in+`) GROUP BY memory_id`,
		append([]any{int64(owner)}, args...)...)
	defer rows.Close()
	found := make(map[int64]int64, len(memories))
	for rows.Next() {
		var id, revision int64
		if err := rows.Scan(&id, &revision); err != nil {
			return nil, err
		}
		found[id] = revision
	}
	return found, rows.Err()
}

// Grouped is the entries of a change of many after one of them, as they were written.
func Grouped(tx *db.Tx, owner db.AccountID, group, after int64, limit int) ([]Entry, error) {
	return read(tx, `owner_id = ? AND change_id = ? AND change_id <> 0 AND id > ? ORDER BY id LIMIT ?`, int64(owner), group, after, limit)
}

// WentToTrash is the last entry before one that says how the memory came into the
// trash; taking a change back doesn't count as that. ok is false where there is none.
func WentToTrash(tx *db.Tx, owner db.AccountID, memory, before int64) (e Entry, ok bool, err error) {
	list, err := read(tx, `owner_id = ? AND memory_id = ? AND id < ? AND action IN (?, ?)
		AND NOT (reason = ? AND change_id <> 0) ORDER BY id DESC LIMIT 1`, int64(owner), memory, before, ActionTrash, ActionEvict, ReasonUndone)
	if err != nil || len(list) == 0 {
		return e, false, err
	}
	return list[0], true, nil
}

// MergedInto tells which memory each of these groups merged others into.
func MergedInto(tx *db.Tx, owner db.AccountID, groups []int64) (map[int64]int64, error) {
	into := map[int64]int64{}
	for in, args := range db.InParts(groups) {
		list, err := read(tx, `owner_id = ? AND change_id <> 0 AND change_id IN (`+in+`) AND action = ?`,
			append(append([]any{int64(owner)}, args...), ActionMerge)...)
		if err != nil {
			return nil, err
		}
		for i := range list {
			into[list[i].Group] = list[i].Memory
		}
	}
	return into, nil
}

const evictedQuery = `SELECT (SELECT COUNT(*) FROM memory_event WHERE owner_id = ? AND action = 'auto-evict' AND at > ? AND carried = 0 AND writer_id = 0)
	+ (SELECT COUNT(*) FROM memory_event WHERE writer_id = ? AND writer_id <> 0 AND action = 'auto-evict' AND at > ? AND carried = 0)`

// Evicted is the sweep's ledger: how many memories the account lost to sweeps in
// the 24 hours before the sweep's clock (Unix milliseconds), or after it. What was
// carried over from elsewhere doesn't count. What it wrote into pools is the account's
// here, and what is nobody's in a pool the pool's.
func Evicted(tx *db.Tx, account db.AccountID, sweepNow int64) (n int, err error) {
	since := sweepNow - vitality.DayMillis
	err = tx.Row(evictedQuery, []any{int64(account), since, int64(account), since}, &n)
	return n, err
}
