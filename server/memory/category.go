package memory

import (
	"context"

	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/shared/api"
)

// DeleteCategory deletes a category, if it still has the revision (0: whatever it
// has). Its memories, those in the trash too, are left without one, each with its
// event, in the same transaction; it answers which they are, and the number by which
// they are filed again. Errors: NotFound,
// Stale with the category as it is.
func (s *Store) DeleteCategory(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64) (api.BulkDone, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.BulkDone, error) {
		return s.deleteCategory(tx, owner, by, id, ifRevision)
	})
}

// DeleteSharedCategory is DeleteCategory of a category of a pool that the account may
// read: only an administrator may, which is for the caller to know. Its memories are
// in no category of the pool then.
func (s *Store) DeleteSharedCategory(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64) (api.BulkDone, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.BulkDone, error) {
		home, err := category.SharedHome(tx, owner, id)
		if err != nil {
			return api.BulkDone{IDs: []int64{}}, err
		}
		return s.deleteCategory(tx, home, by, id, ifRevision)
	})
}

func (s *Store) deleteCategory(tx *db.Tx, owner db.AccountID, by audit.Actor, id, ifRevision int64) (api.BulkDone, error) {
	done := api.BulkDone{IDs: []int64{}}
	name, err := s.categories.Check(tx, owner, id, ifRevision)
	if err != nil {
		return done, err
	}
	b, err := s.batch(tx, owner, by)
	if err != nil {
		return done, err
	}
	if err := b.grouped(); err != nil {
		return done, err
	}
	for {
		list, err := readSome(tx, `category_id = ? AND owner_id = ?`, []any{id, int64(owner)}, bulkPage)
		if err != nil {
			return done, err
		}
		if len(list) == 0 {
			break
		}
		for _, r := range list {
			if err := b.enter(r); err != nil {
				return done, err
			}
			was := *r
			r.category, r.filed = 0, filedByNobody
			if _, err := b.update(&was, r, audit.ActionCategory, audit.ReasonCategoryDeleted(name)); err != nil {
				return done, err
			}
			done.IDs = append(done.IDs, r.id)
		}
	}
	if done.Changed = len(done.IDs); done.Changed > 0 {
		done.Undo = b.group
	}
	if err := b.flush(); err != nil {
		return done, err
	}
	return done, s.categories.Remove(tx, owner, id)
}

// SetCategory files a memory, or takes it out of its category: Patch of that alone.
func (s *Store) SetCategory(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64, in api.CategoryChoice) (api.Memory, error) {
	return s.Patch(ctx, owner, by, id, ifRevision, api.MemoryPatch{CategoryID: api.Optional[int64]{Set: true, Value: in.CategoryID}})
}
