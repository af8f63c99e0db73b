package memory

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// grouped gives the changes of a batch a number, by which Undo finds them.
func (b *batch) grouped() (err error) {
	b.group, err = audit.NewGroup(b.tx, b.owner)
	return err
}

// Undo takes a change of many back: each memory gets the values again that the
// change replaced in it. A field that was changed once more since stays as it is
// now, and so does a memory that is gone, or one in the place of a deleted category,
// unless another is named for that; what returns to the trash is there for the
// reason that it was. Undoing is a change of many too, which can be undone. It
// answers which memories changed. In a pool, too, it is for whoever made the change:
// numbers are counted for each account, and those of another that can be taken back
// would tell how much they do. Errors: NotFound for a number that isn't of a change
// of the account's, or a category that isn't the account's, Invalid.
func (s *Store) Undo(ctx context.Context, owner db.AccountID, by audit.Actor, in api.MemoryUndo) (api.BulkDone, error) {
	if err := validation.Struct(in); err != nil {
		return api.BulkDone{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.BulkDone, error) {
		done := api.BulkDone{IDs: []int64{}}
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return done, err
		}
		if err := b.grouped(); err != nil {
			return done, err
		}
		places, err := s.Places(tx, owner)
		if err != nil {
			return done, err
		}
		if in.CategoryID != 0 {
			if _, err := category.Home(tx, owner, in.CategoryID); err != nil {
				return done, err
			}
		}
		seen := false
		mine := func(*audit.Entry) bool { return true }
		for _, home := range append([]project.Pool{{Owner: owner}}, places.Pools()...) {
			if home.Owner != owner {
				mine = func(e *audit.Entry) bool {
					return owner.Gave(in.Change) || audit.Account(e.By.Name) == owner || e.By.Name == by.Name
				}
			}
			here, ids, err := s.undoIn(b, home.Owner, in, mine)
			if err != nil {
				return done, err
			}
			seen = seen || here
			done.IDs = append(done.IDs, ids...)
		}
		if !seen {
			return done, fault.New(fault.NotFound, "There is no such change.")
		}
		if done.Changed = len(done.IDs); done.Changed > 0 {
			done.Undo = b.group
		}
		return done, b.flush()
	})
}

// undoIn takes back what a change did to one owner's memories, as far as it is for the
// caller to take back, and tells whether there was anything.
func (s *Store) undoIn(b *batch, owner db.AccountID, in api.MemoryUndo, mine func(*audit.Entry) bool) (seen bool, changed []int64, err error) {
	if err := b.moveTo(owner); err != nil {
		return false, nil, err
	}
	names, err := s.categories.Names(b.tx, owner)
	if err != nil {
		return false, nil, err
	}
	b.instead = 0
	if _, there := names[in.CategoryID]; there {
		b.instead = in.CategoryID
	}
	for last := int64(0); ; {
		list, err := audit.Grouped(b.tx, owner, in.Change, last, bulkPage)
		if err != nil || len(list) == 0 {
			return seen, changed, err
		}
		last = list[len(list)-1].ID
		list = slices.DeleteFunc(list, func(e audit.Entry) bool { return !mine(&e) })
		seen = seen || len(list) > 0
		ids, err := b.undo(list, names)
		if err != nil {
			return seen, changed, err
		}
		changed = append(changed, ids...)
	}
}

// undo takes a page of events back; each is about another memory. names are the
// account's categories.
func (b *batch) undo(list []audit.Entry, names map[int64]string) (changed []int64, err error) {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].Memory
	}
	rows, err := readMany(b.tx, b.owner, ids)
	if err != nil {
		return nil, err
	}
	for i := range list {
		e := &list[i]
		r := rows[e.Memory]
		if r == nil {
			continue // purged since
		}
		did, err := b.undone(r, e, names)
		if err != nil {
			return changed, err
		}
		if did {
			changed = append(changed, r.id)
		}
	}
	return changed, nil
}

// undone takes one event back.
func (b *batch) undone(r *row, e *audit.Entry, names map[int64]string) (bool, error) {
	if err := b.enter(r); err != nil {
		return false, err
	}
	if e.Action == audit.ActionMerge {
		if r.status != api.StatusActive {
			return false, nil
		}
		was := *r
		r.status, r.deletedAt, r.deletedWhy, r.deletedBy, r.deletedHow = api.StatusDeleted, b.at, api.WhyMergeTakenBack, b.by.Name, audit.ActionMerge
		return b.update(&was, r, audit.ActionTrash, audit.ReasonUndone)
	}
	was := *r
	before, after := audit.Fields(e.Before), audit.Fields(e.After)
	for name, now := range after {
		old, ok := before[name]
		if !ok || !r.holds(name, now) {
			continue
		}
		if err := b.putBack(r, e, name, old, names); err != nil {
			return false, err
		}
	}
	action := patchAction(&was, r)
	switch {
	case r.status == api.StatusActive && was.status != api.StatusActive:
		action = audit.ActionRestore
	case r.status == api.StatusDeleted && was.status != api.StatusDeleted:
		action = audit.ActionTrash
	}
	return b.update(&was, r, action, audit.ReasonUndone)
}

// holds tells whether a field has the value that the audit has for it.
func (r *row) holds(name string, value json.RawMessage) bool {
	for i := range fields {
		f := &fields[i]
		if f.name != name {
			continue
		}
		now, err := json.Marshal(f.value(r))
		return err == nil && string(now) == strings.TrimSpace(string(value))
	}
	return false
}

// putBack gives a field the value that the audit has for it. Bodies are no change
// of many, and are left to their versions.
func (b *batch) putBack(r *row, e *audit.Entry, name string, value json.RawMessage, names map[int64]string) error {
	var err error
	switch name {
	case "kind":
		err = json.Unmarshal(value, &r.kind)
	case "importance":
		err = json.Unmarshal(value, &r.importance)
	case "reviewedAt":
		err = json.Unmarshal(value, &r.reviewedAt)
	case "categoryId":
		var id int64 // null leaves it 0
		if err = json.Unmarshal(value, &id); err == nil {
			if _, there := names[id]; there || id == 0 {
				r.category, r.filed = id, filedByHand // whoever undoes it wants it there
			} else if b.instead != 0 {
				r.category, r.filed = b.instead, filedByHand
			}
		}
	case "status":
		var status string
		if err = json.Unmarshal(value, &status); err == nil {
			err = b.returns(r, e, status)
		}
	}
	if err != nil {
		return fault.Wrap(fault.Corrupt, err, "The record of this change could not be read. Nothing was changed.")
	}
	return nil
}

// returns gives a memory the status that it had before an event. One that returns
// to the trash is there again as it was when somebody, or a sweep, moved it there.
func (b *batch) returns(r *row, e *audit.Entry, status string) error {
	r.status, r.deletedAt, r.deletedWhy, r.deletedBy, r.deletedHow = status, 0, "", "", ""
	if status != api.StatusDeleted {
		return nil
	}
	r.deletedAt, r.deletedBy, r.deletedHow = b.at, b.by.Name, audit.ActionTrash
	went, ok, err := audit.WentToTrash(b.tx, b.owner, r.id, e.ID)
	if err != nil || !ok {
		return err
	}
	r.deletedAt, r.deletedWhy, r.deletedBy, r.deletedHow = went.At, went.Reason, went.By.Name, went.Action
	into, err := audit.MergedInto(b.tx, b.owner, []int64{went.Group})
	if into[went.Group] != 0 {
		r.deletedHow = audit.ActionMerge
	}
	return err
}
