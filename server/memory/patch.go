package memory

import (
	"context"
	"fmt"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Patch changes what the patch names, if the memory still has the revision (0:
// whatever it has). A patch that changes nothing leaves the revision. Only an
// active memory is edited. Errors: NotFound (also for the category or version
// asked for), Invalid, Stale with the memory as it is.
func (s *Store) Patch(ctx context.Context, owner db.AccountID, by audit.Actor, id, ifRevision int64, in api.MemoryPatch) (api.Memory, error) {
	if err := validation.Struct(in); err != nil {
		return api.Memory{}, err
	}
	return doMemory(ctx, s.db, func(tx *db.Tx) (api.Memory, error) {
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return api.Memory{}, err
		}
		was, err := current(tx, owner, b.terms, id, ifRevision)
		if err != nil {
			return api.Memory{}, err
		}
		if err := b.enter(&was); err != nil {
			return api.Memory{}, err
		}
		r, reason, err := s.patched(tx, b.owner, was, in)
		if err != nil {
			return api.Memory{}, err
		}
		changed, err := b.update(&was, &r, patchAction(&was, &r), reason)
		if err != nil {
			return api.Memory{}, err
		}
		if !changed {
			return was.wire(b.terms, tx.Now)
		}
		if err := b.flush(); err != nil {
			return api.Memory{}, err
		}
		return r.wire(b.terms, tx.Now)
	})
}

// patched is an owner's memory as a patch wants it, and why.
func (s *Store) patched(tx *db.Tx, owner db.AccountID, was row, in api.MemoryPatch) (row, string, error) {
	r := was
	if err := editable(&r); err != nil {
		return r, "", err
	}
	reason := in.Reason
	var err error
	if in.Version != nil {
		if in.Body != nil {
			return r, "", fault.BadField("version", "excluded", "body", "A change has either a body or the version whose body comes back, not both.")
		}
		if r.body, err = versionOf(tx, owner, &r, *in.Version); err != nil {
			return r, "", err
		}
		if reason == "" {
			reason = fmt.Sprintf("revision %d put back", *in.Version)
		}
	}
	if in.Body != nil {
		if r.body, err = settleBody(*in.Body); err != nil {
			return r, "", err
		}
	}
	if in.Kind != nil {
		r.kind = *in.Kind
	}
	if in.Subject != nil {
		r.subject = *in.Subject
	}
	if in.Importance != nil {
		r.importance = *in.Importance
	}
	if in.Confidence != nil {
		r.confidence = *in.Confidence
	}
	if in.CategoryID.Set {
		r.filed = filedByHand
		if r.category, err = s.category(tx, owner, in.CategoryID); err != nil {
			return r, "", err
		}
	}
	switch {
	case in.Reviewed != nil && *in.Reviewed:
		r.reviewedAt = tx.Now
	case in.Reviewed != nil || rewritten(&was, &r): // what was reviewed is not what it says now
		r.reviewedAt = 0
	}
	return r, reason, nil
}

// editable refuses what is in the trash or was taken up into another.
func editable(r *row) error {
	switch r.status {
	case api.StatusDeleted:
		return fault.Newf(fault.Invalid, "Memory %d is in the trash. Restore it first; nothing was changed.", r.id)
	case api.StatusConsolidated:
		return fault.Newf(fault.Invalid, "Memory %d was taken up into another one. Restore it first; nothing was changed.", r.id)
	}
	return nil
}

// patchAction names a change by what it touches.
func patchAction(was, r *row) string {
	switch {
	case rewritten(was, r):
		return audit.ActionUpdate
	case r.category != was.category:
		return audit.ActionCategory
	}
	return audit.ActionReview
}

// rewritten tells a change of what a memory says from one of where it stands.
func rewritten(was, r *row) bool {
	c := *r
	c.category, c.filed, c.reviewedAt = was.category, was.filed, was.reviewedAt
	return c != *was
}

// versionOf is the body that a memory had at an earlier revision, else
// fault.NotFound.
func versionOf(tx *db.Tx, owner db.AccountID, r *row, revision int64) (string, error) {
	none := fault.Newf(fault.NotFound, "Memory %d has no text of revision %d any more.", r.id, revision)
	if revision < 1 || revision > r.revision {
		return "", none
	}
	// A version stands under the last revision that had its body.
	var body string
	err := tx.Row(`SELECT body FROM memory_version WHERE owner_id = ? AND memory_id = ? AND revision >= ? ORDER BY revision LIMIT 1`,
		[]any{int64(owner), r.id, revision}, &body)
	if fault.Is(err, fault.NotFound) {
		return r.body, nil
	}
	return body, err
}
