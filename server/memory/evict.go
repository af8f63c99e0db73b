package memory

import (
	"context"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/vitality"
)

// Outcome is what became of a sweep's candidate.
type Outcome uint8

// The outcomes.
const (
	Kept    Outcome = iota // not evictable any more, or gone
	Trashed                // moved to the trash
	Refused                // evictable, but the daily limit is used up
)

// String is the outcome's word.
func (o Outcome) String() string { return [...]string{"kept", "trashed", "refused"}[o] }

// AutoEvict moves one memory to the trash, if it is evictable at the sweep's clock
// under the sweep's terms, and under the policy in force too: one who pauses
// retention is heard in the middle of a sweep. The ledger is the audit: where the
// account lost limit memories to sweeps already in the 24 hours before the sweep's
// clock, or after it (the clock was put back), this one stays. All of that is one
// transaction, so restarts and other processes count too. The event carries the
// sweep's clock, so that the next day's sweep has a whole limit again.
func (s *Store) AutoEvict(ctx context.Context, owner db.AccountID, id, sweepNow int64, limit int, t Terms) (Outcome, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (Outcome, error) {
		r, err := counted(tx, owner, id)
		if err != nil || r == nil {
			return Kept, err
		}
		b, err := s.batch(tx, owner, audit.Actor{Name: audit.ActorDaemon})
		if err != nil {
			return Kept, err
		}
		for _, p := range []vitality.Policy{t.Policy, b.terms.Policy} {
			if due, err := vitality.Evictable(r.vital(), p, sweepNow); err != nil || !due {
				return Kept, err
			}
		}
		gone, err := audit.Evicted(tx, owner, sweepNow)
		if err != nil {
			return Kept, err
		}
		if gone >= limit {
			return Refused, nil
		}
		v, err := vitality.Vitality(r.vital(), t.Policy, sweepNow)
		if err != nil {
			return Kept, err
		}
		b.at = sweepNow
		if err := b.enter(r); err != nil {
			return Kept, err
		}
		if _, err := b.trash(r, audit.ActionEvict, audit.ReasonEvicted(v, t.Policy)); err != nil {
			return Kept, err
		}
		return Trashed, b.flush()
	})
}

// counted is a memory that counts for the account in a sweep; nil: there is none.
func counted(tx *db.Tx, owner db.AccountID, id int64) (*row, error) {
	list, err := readSome(tx, `id = ? AND (owner_id = ? AND writer_id = 0 OR writer_id = ?)`, []any{id, int64(owner), int64(owner)}, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}
