package journal

import (
	"encoding/json"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Fork copies the branch that ends with an entry into a new conversation of the same
// kind, with times and all; what its entries refer to are the copies. The first
// conversation stays as it is. Errors: NotFound.
func Fork(tx *db.Tx, owner db.AccountID, conversation, entry int64, title string) (Conversation, error) {
	from, err := Get(tx, owner, conversation)
	if err != nil {
		return from, err
	}
	if entry == 0 {
		return from, errNoParent
	}
	branch, err := path(tx, owner, conversation, entry)
	if err != nil {
		return from, err
	}
	to, err := Begin(tx, owner, from.Kind, title, from.StartedAt)
	if err != nil {
		return to, err
	}
	first, err := tx.NewIDs(owner, "journal_entry", len(branch))
	if err != nil {
		return to, err
	}
	copies := make(map[int64]int64, len(branch))
	for i, e := range branch {
		id := first + int64(i)
		p, err := again(e.Payload)
		if err != nil {
			return to, err
		}
		p.refers(func(ref *int64) { *ref = copies[*ref] })
		if err := insert(tx, owner, to.ID, Entry{ID: id, Parent: copies[e.Parent], At: e.At, Payload: p}); err != nil {
			return to, err
		}
		copies[e.ID], to.Leaf = id, id
	}
	return to, Go(tx, owner, to.ID, to.Leaf)
}

// again is a copy of a payload.
func again(p Payload) (Payload, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "")
	}
	return decode(p.Type(), text)
}
