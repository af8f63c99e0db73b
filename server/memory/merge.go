package memory

import (
	"cmp"
	"context"
	"slices"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Merge puts active memories together under a new body, in one transaction. The
// new memory has the sources' highest importance and confidence, the sum of their
// uses, their last use, the category (kind, subject) that they have in common, or
// else that of the most used one; where that one is in no category, of the most
// used one that is in one, since what is filed nowhere is never recalled. It is
// made now: it didn't exist before, so its chart begins here, and its grace period.
// The recorded uses are copied, so that the chart goes on exactly. The sources go
// to the trash, whose reason names the new one. The answer has the number that
// undoes it. Errors: Invalid, NotFound.
func (s *Store) Merge(ctx context.Context, owner db.AccountID, by audit.Actor, in api.MemoryMerge) (api.MemoryMerged, error) {
	if err := validation.Struct(in); err != nil {
		return api.MemoryMerged{}, err
	}
	body, err := settleBody(in.Body)
	if err != nil {
		return api.MemoryMerged{}, err
	}
	return doMerged(ctx, s.db, func(tx *db.Tx) (api.MemoryMerged, error) {
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return api.MemoryMerged{}, err
		}
		if err := b.grouped(); err != nil {
			return api.MemoryMerged{}, err
		}
		sources, err := reachAll(tx, owner, in.IDs)
		if err != nil {
			return api.MemoryMerged{}, err
		}
		for _, r := range sources {
			if r.owner != sources[0].owner {
				return api.MemoryMerged{}, fault.New(fault.Invalid, "Memories of your own and of a project's pool, or of two pools, are not merged. Nothing was changed.")
			}
			if err := editable(r); err != nil {
				return api.MemoryMerged{}, err
			}
		}
		r := merged(sources)
		r.body, r.createdAt, r.updatedAt = body, tx.Now, tx.Now
		if err := b.moveTo(db.AccountID(sources[0].owner)); err != nil {
			return api.MemoryMerged{}, err
		}
		if s := sources[0].sharing; s != nil {
			b.writer = int64(owner)
			r.writer = int64(owner)
			if err := attribute(tx, owner, s.project, &r); err != nil {
				return api.MemoryMerged{}, err
			}
		}
		if err := b.merge(&r, sources, in.Reason); err != nil {
			return api.MemoryMerged{}, err
		}
		m, err := r.wire(b.terms, tx.Now)
		return api.MemoryMerged{Memory: m, Undo: b.group}, err
	})
}

// merged is what a merge keeps of its sources.
func merged(sources []*row) row {
	byUse := slices.Clone(sources)
	slices.SortStableFunc(byUse, func(a, b *row) int {
		return cmp.Or(cmp.Compare(b.useCount, a.useCount), cmp.Compare(b.lastUsedAt, a.lastUsedAt), cmp.Compare(b.id, a.id))
	})
	r := row{revision: 1, source: api.SourceMerge, status: api.StatusActive, kind: byUse[0].kind, subject: byUse[0].subject}
	for _, m := range byUse {
		if r.category == 0 {
			r.category, r.filed = m.category, m.filed
		}
		r.importance = max(r.importance, m.importance)
		r.confidence = max(r.confidence, m.confidence)
		r.useCount += max(m.useCount, 0)
		r.lastUsedAt = max(r.lastUsedAt, m.lastUsedAt)
	}
	return r
}

// merge inserts the new row and moves its sources to the trash.
func (b *batch) merge(r *row, sources []*row, reason string) error {
	if err := b.insert([]*row{r}, nil); err != nil {
		return err
	}
	ids := make([]int64, len(sources))
	for i, m := range sources {
		ids[i] = m.id
	}
	after := begin(r)
	after.Set(audit.FieldSources, ids)
	text, err := after.Text()
	if err != nil {
		return err
	}
	if err := b.record(audit.Entry{Memory: r.id, Revision: r.revision, Action: audit.ActionMerge, Reason: reason, After: text}); err != nil {
		return err
	}
	for _, m := range sources {
		if err := b.enter(m); err != nil {
			return err
		}
		if _, err := b.trash(m, audit.ActionMerge, audit.ReasonMerged(r.id)); err != nil {
			return err
		}
	}
	if err := b.copyUses(r, ids); err != nil {
		return err
	}
	return b.flush()
}

// copyUses gives a new memory the recorded uses of others. A last use that no
// record explains any more is written down as one that didn't count.
func (b *batch) copyUses(r *row, from []int64) error {
	horizon := usageHorizon(b.tx.Now)
	for in, args := range db.InParts(from) {
		args = append([]any{r.id, int64(b.owner)}, append(args, useRecall, horizon)...)
		if _, err := b.tx.Exec(`INSERT INTO usage_event (owner_id, memory_id, at, kind, times)
			SELECT owner_id, CAST(? AS BIGINT), at, kind, SUM(times) FROM usage_event
			WHERE owner_id = ? AND memory_id IN (`+in+`) AND (kind <> ? OR at >= ?) GROUP BY owner_id, at, kind
			ON CONFLICT (owner_id, memory_id, at, kind) DO UPDATE SET times = usage_event.times + excluded.times`, args...); err != nil {
			return err
		}
	}
	return b.explainLastUse(r)
}

// explainLastUse makes sure that a use is recorded at the last one.
func (b *batch) explainLastUse(r *row) error {
	if r.lastUsedAt == 0 {
		return nil
	}
	_, err := b.tx.Exec(`INSERT INTO usage_event (owner_id, memory_id, at, kind, times)
		SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), 1
		WHERE NOT EXISTS (SELECT 1 FROM usage_event WHERE owner_id = ? AND memory_id = ? AND at = ?)`,
		int64(b.owner), r.id, r.lastUsedAt, useReinforced, int64(b.owner), r.id, r.lastUsedAt)
	return err
}
