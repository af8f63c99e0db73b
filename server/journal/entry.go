package journal

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Draft is an entry that is to be.
type Draft struct {
	At      int64 // Unix milliseconds; 0: now
	Payload Payload
}

// Append adds entries one below the other, the first below parent (0: as the first of a
// branch), and makes the last one the conversation's leaf. Errors: NotFound where the
// conversation is not the account's, or the parent not in it; Invalid for a payload that
// refers to what is not on its branch, or can't be.
func Append(tx *db.Tx, owner db.AccountID, conversation, parent int64, drafts ...Draft) ([]Entry, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	if _, err := Get(tx, owner, conversation); err != nil {
		return nil, err
	}
	if err := hang(tx, owner, conversation, parent, drafts); err != nil {
		return nil, err
	}
	first, err := tx.NewIDs(owner, "journal_entry", len(drafts))
	if err != nil {
		return nil, err
	}
	list := make([]Entry, len(drafts))
	for i, d := range drafts {
		e := Entry{ID: first + int64(i), Parent: parent, At: d.At, Payload: d.Payload}
		if e.At == 0 {
			e.At = tx.Now
		}
		if err := insert(tx, owner, conversation, e); err != nil {
			return nil, err
		}
		list[i], parent = e, e.ID
	}
	if err := tx.Must(`UPDATE conversation SET leaf_id = ?, updated_at = ? WHERE id = ? AND owner_id = ?`, parent, tx.Now, conversation, int64(owner)); err != nil {
		return nil, err
	}
	tx.Emit(owner, db.NounConversation, conversation)
	return list, nil
}

func insert(tx *db.Tx, owner db.AccountID, conversation int64, e Entry) error {
	text, err := json.Marshal(e.Payload)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	var above any
	if e.Parent != 0 {
		above = e.Parent
	}
	_, err = tx.Exec(`INSERT INTO journal_entry (id, owner_id, conversation_id, parent_id, type, payload, at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.ID, int64(owner), conversation, above, string(e.Payload.Type()), string(text), e.At)
	return err
}

// hang sees that drafts may hang below parent.
func hang(tx *db.Tx, owner db.AccountID, conversation, parent int64, drafts []Draft) error {
	oldest := int64(0) // that a draft refers to
	for _, d := range drafts {
		if d.Payload == nil {
			return fault.Wrap(fault.Internal, errors.New("an entry without a payload"), "")
		}
		if err := d.Payload.check(); err != nil {
			return fault.Wrap(fault.Invalid, err, "This can't be an entry of a conversation.")
		}
		d.Payload.refers(func(id *int64) {
			if oldest == 0 || *id < oldest {
				oldest = max(*id, 1)
			}
		})
	}
	if parent == 0 && oldest == 0 {
		return nil
	}
	if oldest == 0 {
		found, err := Entries(tx, owner, []int64{parent})
		if err != nil {
			return err
		}
		if e, ok := found[parent]; !ok || e.Conversation != conversation {
			return errNoParent
		}
		return nil
	}
	// The branch as far as they refer; the parent itself in any case.
	branch, _, err := pathTo(tx, owner, conversation, parent, min(oldest, max(parent, 1))-1)
	if err != nil {
		return err
	}
	if len(branch) == 0 && parent != 0 {
		return errNoParent
	}
	types := make(map[int64]Type, len(branch))
	for _, e := range branch {
		types[e.ID] = e.Payload.Type()
	}
	for _, d := range drafts {
		bad := int64(0)
		_, clears := d.Payload.(*ContextCleared)
		d.Payload.refers(func(id *int64) {
			if t, there := types[*id]; !there || clears && t != TypeTurnContext {
				bad = *id
			}
		})
		if bad != 0 || hasZero(d.Payload) {
			return fault.Newf(fault.Invalid, "An entry refers to %d, which is not on its branch.", bad)
		}
	}
	return nil
}

func hasZero(p Payload) bool {
	zero := false
	p.refers(func(id *int64) { zero = zero || *id == 0 })
	return zero
}

var errNoParent = fault.New(fault.NotFound, "There is no such entry in this conversation.")

// Branch is the active branch of a conversation, from its first entry to its leaf.
// Errors: NotFound.
func Branch(tx *db.Tx, owner db.AccountID, conversation int64) ([]Entry, error) {
	c, err := Get(tx, owner, conversation)
	if err != nil || c.Leaf == 0 {
		return []Entry{}, err
	}
	return path(tx, owner, conversation, c.Leaf)
}

// path is the branch that ends with an entry.
func path(tx *db.Tx, owner db.AccountID, conversation, leaf int64) ([]Entry, error) {
	if leaf == 0 {
		return []Entry{}, nil
	}
	list, whole, err := pathTo(tx, owner, conversation, leaf, 0)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errNoParent
	case !whole:
		return nil, fault.Wrap(fault.Corrupt, fmt.Errorf("conversation %d: an entry before %d is missing", conversation, list[0].ID), "A conversation is damaged.")
	}
	return list, nil
}

// pathTo is the end of the branch that ends with leaf: what is below the entry from (0:
// all of it). joins tells whether from is what it hangs below. A parent is older than
// its children, so one look from the leaf down finds them all. (The sign keeps SQLite
// from the owner's index, by which it would go through all of the account's.)
func pathTo(tx *db.Tx, owner db.AccountID, conversation, leaf, from int64) (list []Entry, joins bool, err error) {
	rows := tx.Query(`SELECT id, COALESCE(parent_id, 0), type, payload, at FROM journal_entry WHERE conversation_id = ? AND id <= ? AND id > ? AND +owner_id = ? ORDER BY id DESC`,
		conversation, leaf, from, int64(owner))
	defer rows.Close()
	list, want := []Entry{}, leaf
	var t Type
	var text sql.RawBytes
	for want > from && rows.Next() {
		var e Entry
		if err := rows.Scan(&e.ID, &e.Parent, (*string)(&t), &text, &e.At); err != nil {
			return nil, false, err
		}
		if e.ID != want {
			continue // on another branch
		}
		if e.Payload, err = decode(t, text); err != nil {
			return nil, false, err
		}
		list, want = append(list, e), e.Parent
	}
	if err := rows.Err(); err != nil {
		return nil, false, err
	}
	slices.Reverse(list)
	return list, want == from && len(list) > 0, nil
}

// Placed is an entry with the conversation that it is in.
type Placed struct {
	Entry
	Conversation int64
}

// Entries are those of ids that are the account's.
func Entries(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]Placed, error) {
	found := make(map[int64]Placed, len(ids))
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		in, args := db.In(ids[:n])
		ids = ids[n:]
		if err := placed(tx.Query(`SELECT id, conversation_id, COALESCE(parent_id, 0), type, payload, at FROM journal_entry WHERE id IN (`+in+`) AND owner_id = ?`,
			append(args, int64(owner))...), found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Below tells what hangs directly below each of the account's entries, the first where
// there are several.
func Below(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]int64, error) {
	found := make(map[int64]int64, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(below(in), append(args, int64(owner))...)
		err := rows.Each(func() error {
			var parent, id int64
			if err := rows.Scan(&parent, &id); err != nil {
				return err
			}
			found[parent] = id
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// below asks for it; the sign is for the same reason as path's.
func below(in string) string {
	return `SELECT parent_id, MIN(id) FROM journal_entry WHERE parent_id IN (` + in + `) AND +owner_id = ? GROUP BY parent_id`
}

// Messages are the account's entries of that type below an id, the newest first: before
// 0 begins with the newest. The conversation of each is told, too.
func Messages(tx *db.Tx, owner db.AccountID, before int64, limit int) (ids, conversations []int64, err error) {
	if before == 0 {
		before = 1 << 62
	}
	rows := tx.Query(`SELECT id, conversation_id FROM journal_entry WHERE owner_id = ? AND id < ? AND type = ? ORDER BY id DESC LIMIT ?`,
		int64(owner), before, string(TypeMessage), limit)
	defer rows.Close()
	for rows.Next() {
		var id, conversation int64
		if err := rows.Scan(&id, &conversation); err != nil {
			return nil, nil, err
		}
		ids, conversations = append(ids, id), append(conversations, conversation)
	}
	return ids, conversations, rows.Err()
}

// MessagesIn are the ids of the account's entries of that type in conversations, in no
// particular order.
func MessagesIn(tx *db.Tx, owner db.AccountID, conversations []int64) ([]int64, error) {
	var ids []int64
	for in, args := range db.InParts(conversations) {
		some, err := tx.Column(`SELECT id AS v FROM journal_entry WHERE conversation_id IN (`+in+`) AND +owner_id = ? AND type = ?`,
			append(args, int64(owner), string(TypeMessage))...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	return ids, nil
}

// Gone are those of ids that are not, or no longer, entries of the account's.
func Gone(tx *db.Tx, owner db.AccountID, ids []int64) ([]int64, error) {
	there := make(map[int64]bool, len(ids))
	for in, args := range db.InParts(ids) {
		some, err := tx.Column(`SELECT id AS v FROM journal_entry WHERE id IN (`+in+`) AND owner_id = ?`, append(args, int64(owner))...)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			there[id] = true
		}
	}
	var gone []int64
	for _, id := range ids {
		if !there[id] {
			gone = append(gone, id)
		}
	}
	return gone, nil
}

func placed(rows *db.Rows, found map[int64]Placed) error {
	defer rows.Close()
	for rows.Next() {
		var e Placed
		var t Type
		var text []byte
		if err := rows.Scan(&e.ID, &e.Conversation, &e.Parent, (*string)(&t), &text, &e.At); err != nil {
			return err
		}
		var err error
		if e.Payload, err = decode(t, text); err != nil {
			return err
		}
		found[e.ID] = e
	}
	return rows.Err()
}
