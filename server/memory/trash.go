package memory

import (
	"context"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
)

// Trash moves a memory to the trash, if it still has the revision (0: whatever it
// has). One that is there already stays as it is. Errors: NotFound, Stale with the
// memory as it is.
func (s *Store) Trash(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64, reason string) (api.Memory, error) {
	return s.move(ctx, owner, by, id, ifRevision, reason, func(b *batch, r *row) (bool, error) { return b.trash(r, audit.ActionTrash, reason) })
}

// Restore brings a memory back from the trash, or from having been consolidated,
// if it still has the revision (0: whatever it has). It counts as no use: a
// memory that was due is due again. One that is active stays as it is. Errors:
// NotFound, Stale with the memory as it is.
func (s *Store) Restore(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64, reason string) (api.Memory, error) {
	return s.move(ctx, owner, by, id, ifRevision, reason, func(b *batch, r *row) (bool, error) { return b.restore(r, reason) })
}

func (s *Store) move(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64, reason string, change func(*batch, *row) (bool, error)) (api.Memory, error) {
	if err := checkReason(reason); err != nil {
		return api.Memory{}, err
	}
	return doMemory(ctx, s.db, func(tx *db.Tx) (api.Memory, error) {
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return api.Memory{}, err
		}
		r, err := current(tx, owner, b.terms, id, ifRevision)
		if err != nil {
			return api.Memory{}, err
		}
		if err := b.enter(&r); err != nil {
			return api.Memory{}, err
		}
		if _, err := change(b, &r); err != nil {
			return api.Memory{}, err
		}
		if err := b.flush(); err != nil {
			return api.Memory{}, err
		}
		return r.wire(b.terms, tx.Now)
	})
}

// trash moves a row to the trash, by one of audit.ActionTrash, audit.ActionEvict and
// audit.ActionMerge; false where it is there already. What a merge does to its sources
// is told as any other move to the trash.
func (b *batch) trash(r *row, how, reason string) (bool, error) {
	if r.status == api.StatusDeleted {
		return false, nil
	}
	was := *r
	r.status, r.deletedAt, r.deletedWhy, r.deletedBy, r.deletedHow = api.StatusDeleted, b.at, reason, b.by.Name, how
	action := how
	if how == audit.ActionMerge {
		action = audit.ActionTrash
	}
	return b.update(&was, r, action, reason)
}

// restore makes a row active again; false where it is.
func (b *batch) restore(r *row, reason string) (bool, error) {
	if r.status == api.StatusActive {
		return false, nil
	}
	was := *r
	r.status, r.deletedAt, r.deletedWhy, r.deletedBy, r.deletedHow = api.StatusActive, 0, "", "", ""
	return b.update(&was, r, audit.ActionRestore, reason)
}

// checkReason judges a reason that comes without a request around it.
func checkReason(reason string) error {
	return validation.Struct(struct {
		Reason string `json:"reason" validate:"line=memory.reason"`
	}{reason})
}
