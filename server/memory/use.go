package memory

import (
	"context"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// The kinds of use, as stored and as they travel.
const (
	useRecall     = "recall"     // moves the use count and the last use
	useReinforced = "reinforced" // moves the last use only
)

// MarkRecalled counts one use now of each of the memories that are the account's
// and active, and answers their ids in the order given. A use is no edit: the
// revision stays, so nobody's open editor is refused for it. Ids that are not the
// account's, or not active, count nothing and say nothing.
func (s *Store) MarkRecalled(ctx context.Context, owner db.AccountID, ids []int64) ([]int64, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) ([]int64, error) { return s.Recalled(tx, owner, ids) })
}

// Recalled is MarkRecalled in the transaction of those who note what they delivered.
func (s *Store) Recalled(tx *db.Tx, owner db.AccountID, ids []int64) ([]int64, error) {
	counted := []int64{}
	found, err := reachMany(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	b, err := s.batch(tx, owner, audit.Actor{})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		r := found[id]
		if r == nil || r.status != api.StatusActive {
			continue
		}
		found[id] = nil // once, however often it is named
		r.useCount++
		if err := b.enter(r); err != nil {
			return nil, err
		}
		if err := b.used(r, useRecall); err != nil {
			return nil, err
		}
		counted = append(counted, id)
	}
	return counted, nil
}

// used writes a use of a row, now, whose count the caller has moved already. The
// last use never goes back, though the clock may.
func (b *batch) used(r *row, kind string) error {
	r.lastUsedAt = max(r.lastUsedAt, b.at)
	if err := r.rekey(b.terms.Policy); err != nil {
		return err
	}
	if err := b.tx.Must(`UPDATE memory SET use_count = ?, last_used_at = ?, order_key = ?, fades_at = ? WHERE id = ? AND owner_id = ?`,
		r.useCount, r.lastUsedAt, r.orderKey, r.fadesAt, r.id, int64(b.owner)); err != nil {
		return err
	}
	b.tx.Emit(b.owner, db.NounUsage, r.id)
	return b.writeUses([]use{{r.id, b.at, kind, 1}})
}

// use is a row of table usage_event.
type use struct {
	memory, at int64
	kind       string
	times      int64
}

// writeUses adds to the recorded uses.
func (b *batch) writeUses(list []use) error {
	for _, u := range list {
		if _, err := b.tx.Exec(`INSERT INTO usage_event (owner_id, memory_id, at, kind, times) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (owner_id, memory_id, at, kind) DO UPDATE SET times = usage_event.times + excluded.times`,
			int64(b.owner), u.memory, u.at, u.kind, u.times); err != nil {
			return err
		}
	}
	return nil
}

// Reinforce notes that a memory was heard again: its importance becomes the larger
// of the two, its last use is now, its use count stays. This is an edit, audited
// with both. Errors: NotFound, Invalid where it isn't active or the importance is
// off the scale.
func (s *Store) Reinforce(ctx context.Context, owner db.AccountID, by audit.Actor, id int64, importance int, reason string) (api.Memory, error) {
	if scale := setting.Get("memory.importance"); !scale.Contains(float64(importance)) {
		return api.Memory{}, fault.BadField("importance", "setting", scale.Range(), scale.Label+": "+scale.Range())
	}
	return s.move(ctx, owner, by, id, 0, reason, func(b *batch, r *row) (bool, error) {
		if err := editable(r); err != nil {
			return false, err
		}
		was := *r
		r.importance = max(r.importance, importance)
		r.lastUsedAt = max(r.lastUsedAt, b.at)
		b.tx.Emit(b.owner, db.NounUsage, r.id)
		if _, err := b.update(&was, r, audit.ActionUpdate, reason); err != nil {
			return false, err
		}
		return true, b.writeUses([]use{{r.id, b.at, useReinforced, 1}})
	})
}

// TrimUsage drops the account's recalls that are older than the setting
// memory.usageDays, and tells how many. What moved a last use without counting is
// in the audit anyway and stays, as the chart needs it.
func (s *Store) TrimUsage(ctx context.Context, owner db.AccountID) (int64, error) {
	var dropped int64
	err := s.db.Update(ctx, func(tx *db.Tx) (err error) {
		dropped, err = tx.Exec(`DELETE FROM usage_event WHERE owner_id = ? AND kind = ? AND at < ?`, int64(owner), useRecall, usageHorizon(tx.Now))
		return err
	})
	return dropped, err
}

// usageHorizon is the instant before which recalls are forgotten.
func usageHorizon(now int64) int64 {
	return now - int64(setting.Int("memory.usageDays"))*vitality.DayMillis
}
