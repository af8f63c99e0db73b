package memory

import (
	"context"
	"fmt"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Bulk makes one change to many memories, all of them or none: to those with the
// ids, or to all that a query matches as the list shows it. Memories that are what
// the change wants already are left out of the answer, which has the number that
// undoes it. Errors: Invalid, also for
// an action that one of the memories can't take (editing or purging, see Patch and
// Purge), NotFound for one that is not there or a category that is not the
// account's, Unavailable for a query by meaning, Stale with api.Matching where
// they are not as many as the caller expects.
func (s *Store) Bulk(ctx context.Context, owner db.AccountID, by audit.Actor, in api.MemoryBulk) (api.BulkDone, error) {
	if err := validation.Struct(in); err != nil {
		return api.BulkDone{}, err
	}
	if err := checkBulk(in); err != nil {
		return api.BulkDone{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.BulkDone, error) {
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return api.BulkDone{}, err
		}
		change, err := s.bulkChange(tx, owner, in)
		if err != nil {
			return api.BulkDone{}, err
		}
		ids := in.IDs
		if in.All != nil {
			if ids, err = s.matching(tx, owner, *in.All, b.terms); err != nil {
				return api.BulkDone{}, err
			}
			if most := setting.Get("memory.bulk"); float64(len(ids)) > most.Max {
				return api.BulkDone{}, fault.Newf(fault.TooLarge, "%d memories match; at most %s are changed at once. Nothing was changed.", len(ids), setting.Format(most.Max))
			}
		}
		if err := expected(in.Expect, len(ids), in.Action == api.BulkPurge); err != nil {
			return api.BulkDone{}, err
		}
		if in.Action != api.BulkPurge && len(ids) > 0 {
			if err := b.grouped(); err != nil {
				return api.BulkDone{}, err
			}
		}
		done := api.BulkDone{IDs: []int64{}}
		for len(ids) > 0 {
			n := min(len(ids), bulkPage)
			list, err := reachAll(tx, owner, ids[:n])
			if err != nil {
				return done, err
			}
			ids = ids[n:]
			some, err := change(b, list)
			if err != nil {
				return done, err
			}
			done.IDs = append(done.IDs, some...)
		}
		if done.Changed = len(done.IDs); done.Changed > 0 {
			done.Undo = b.group
		}
		return done, b.flush()
	})
}

// expected refuses a change of another number of memories than the caller saw:
// what came into a list or the trash meanwhile was never shown to whoever decided.
func expected(want *int, have int, purging bool) error {
	if want == nil || *want == have {
		return nil
	}
	kept := "changed"
	if purging {
		kept = "purged"
	}
	return &fault.Error{
		Kind: fault.Stale, Current: api.Matching{Count: have},
		Detail: fmt.Sprintf("There are %d now, not %d. Nothing was %s.", have, *want, kept),
	}
}

// checkBulk refuses a request that names no memories, names them twice, or says
// not what the action needs.
func checkBulk(in api.MemoryBulk) error {
	if (in.All != nil) == (len(in.IDs) > 0) {
		return fault.BadField("ids", "either", "all", "Name the memories by ids or by all, one of the two.")
	}
	missing := func(field string) error {
		return fault.BadField(field, "required", "", "The action "+in.Action+" needs "+field+".")
	}
	switch {
	case in.Action == api.BulkCategory && !in.CategoryID.Set:
		return missing("categoryId")
	case in.Action == api.BulkImportance && in.Importance == nil:
		return missing("importance")
	case in.Action == api.BulkKind && in.Kind == nil:
		return missing("kind")
	}
	return nil
}

// bulkChange is what an action does to a page of memories; it answers the ids of
// those that were changed.
func (s *Store) bulkChange(tx *db.Tx, owner db.AccountID, in api.MemoryBulk) (func(*batch, []*row) ([]int64, error), error) {
	each := func(change func(*batch, *row) (bool, error)) func(*batch, []*row) ([]int64, error) {
		return func(b *batch, list []*row) (ids []int64, err error) {
			for _, r := range list {
				if err := b.enter(r); err != nil {
					return ids, err
				}
				changed, err := change(b, r)
				if err != nil {
					return ids, err
				}
				if changed {
					ids = append(ids, r.id)
				}
			}
			return ids, nil
		}
	}
	edit := func(set func(*row)) func(*batch, []*row) ([]int64, error) {
		return each(func(b *batch, r *row) (bool, error) {
			if err := editable(r); err != nil {
				return false, err
			}
			was := *r
			set(r)
			if rewritten(&was, r) {
				r.reviewedAt = 0
			}
			return b.update(&was, r, patchAction(&was, r), in.Reason)
		})
	}
	switch in.Action {
	case api.BulkCategory:
		return s.filing(tx, in, edit), nil
	case api.BulkImportance:
		return edit(func(r *row) { r.importance = *in.Importance }), nil
	case api.BulkKind:
		return edit(func(r *row) { r.kind = *in.Kind }), nil
	case api.BulkTrash:
		return each(func(b *batch, r *row) (bool, error) { return b.trash(r, audit.ActionTrash, in.Reason) }), nil
	case api.BulkRestore:
		return each(func(b *batch, r *row) (bool, error) { return b.restore(r, in.Reason) }), nil
	case api.BulkPurge:
		return func(b *batch, list []*row) ([]int64, error) {
			done, err := b.purge(list)
			return done.IDs, err
		}, nil
	}
	return nil, fault.BadField("action", "oneof", "", "There is no such action.")
}

// filing files memories of one or more owners: the category has to be each one's own.
func (s *Store) filing(tx *db.Tx, in api.MemoryBulk, edit func(func(*row)) func(*batch, []*row) ([]int64, error)) func(*batch, []*row) ([]int64, error) {
	of := map[int64]int64{}
	file := edit(func(r *row) { r.category, r.filed = of[r.owner], filedByHand })
	return func(b *batch, list []*row) ([]int64, error) {
		for _, r := range list {
			if _, known := of[r.owner]; known {
				continue
			}
			id, err := s.category(tx, db.AccountID(r.owner), in.CategoryID)
			if err != nil {
				return nil, err
			}
			of[r.owner] = id
		}
		return file(b, list)
	}
}

// matching are the ids of the memories that a query matches, ascending.
func (s *Store) matching(tx *db.Tx, owner db.AccountID, q api.MemoryQuery, t Terms) ([]int64, error) {
	var found map[int64]bool
	places, err := s.Places(tx, owner)
	if err != nil {
		return nil, err
	}
	if owner = places.Home(q); owner == 0 {
		return nil, nil
	}
	if q = q.Normal(); q.Q != "" {
		hits, err := s.hits(tx, owner, q)
		if err != nil {
			return nil, err
		}
		found = make(map[int64]bool, len(hits))
		for _, h := range hits {
			found[h.ID] = true
		}
	}
	where, args := PredicateIn(q, places, t, tx.Now).SQL()
	rows := tx.Query(`SELECT id FROM memory WHERE owner_id = ? AND `+where+` ORDER BY id`, append([]any{int64(owner)}, args...)...)
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		if found == nil || found[id] {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}
