package retention

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// pageSize is how many candidates a sweep reads at a time. It bounds memory and
// has nothing to do with the daily limit.
const pageSize = 200

// AccountSwept is what a sweep did to one account.
type AccountSwept struct {
	Owner   db.AccountID
	Due     int // eligible when it began
	Trashed int
	Kept    int // eligible when it began, and used, changed or gone since
	Refused int // eligible, but over the daily limit
}

// Swept is what a sweep did.
type Swept struct {
	At       int64 // the sweep's own clock, Unix milliseconds
	Accounts []AccountSwept
}

// Total sums over the accounts.
func (s Swept) Total() api.Sweep {
	t := api.Sweep{At: api.Time(s.At)}
	for _, a := range s.Accounts {
		t.Due += a.Due
		t.Trashed += a.Trashed
		t.Refused += a.Refused
	}
	return t
}

// Sweep sweeps every account now. It doesn't move the schedule. An account that
// fails doesn't keep the others from their turn; the first error is returned with
// what was done.
func (s *Store) Sweep(ctx context.Context) (Swept, error) { return s.sweepAt(ctx, s.db.Now()) }

// sweepAt sweeps with now as its own clock: for what is eligible, for the 24
// hours of the limit, and for the audit.
func (s *Store) sweepAt(ctx context.Context, now int64) (Swept, error) {
	out := Swept{At: now}
	var terms memory.Terms
	var owners []db.AccountID
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if terms, err = s.settings.Terms(tx); err == nil {
			owners, err = account.Owners(tx)
		}
		return err
	})
	if err != nil {
		return out, err
	}
	var first error
	for _, owner := range owners {
		one, err := s.sweepAccount(ctx, owner, terms, now)
		if err == nil {
			err = s.record(ctx, one, now)
		}
		if err != nil && ctx.Err() != nil {
			return out, err
		}
		if err != nil {
			s.log.Error("the sweep failed for an account; the others go on", "account", owner, "error", err)
			if first == nil {
				first = err
			}
			continue
		}
		out.Accounts = append(out.Accounts, one)
	}
	return out, first
}

// sweepAccount plans page by page and hands each planned memory to the guarded
// call. The limit is the one that the sweep began with.
func (s *Store) sweepAccount(ctx context.Context, owner db.AccountID, terms memory.Terms, now int64) (AccountSwept, error) {
	out := AccountSwept{Owner: owner}
	limit := terms.Policy.DailyLimit
	var left int
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if out.Due, err = s.memories.CountDue(tx, owner, terms, now); err != nil {
			return err
		}
		used, err := s.memories.Evicted(tx, owner, now)
		left = limit - used
		return err
	})
	if err != nil {
		return out, err
	}
	tried := map[int64]bool{}
	for left > 0 {
		page, err := s.page(ctx, owner, terms, now, tried)
		if err != nil || len(page) == 0 {
			return finish(out), err
		}
		plan, err := Plan(page, terms.Policy, now, left)
		if err != nil {
			return finish(out), err
		}
		for _, d := range plan {
			if d.Verdict != Trash {
				continue
			}
			tried[d.ID] = true
			outcome, err := s.memories.AutoEvict(ctx, owner, d.ID, now, limit, terms)
			switch {
			case err != nil:
				return finish(out), err
			case outcome == memory.Trashed:
				out.Trashed++
				left--
			case outcome == memory.Kept:
				out.Kept++
			default: // somebody else used the limit up
				return finish(out), nil
			}
		}
	}
	return finish(out), nil
}

func finish(a AccountSwept) AccountSwept {
	a.Refused = max(0, a.Due-a.Trashed-a.Kept)
	return a
}

// page reads the next candidates in the order of a plan. What was tried before is
// not eligible any more, so the first that are, are the next.
func (s *Store) page(ctx context.Context, owner db.AccountID, terms memory.Terms, now int64, tried map[int64]bool) ([]Candidate, error) {
	var page []Candidate
	err := s.db.View(ctx, func(tx *db.Tx) error {
		page = page[:0]
		for c, err := range s.memories.Due(tx, owner, terms, now) {
			if err != nil {
				return err
			}
			if tried[c.ID] { // used at this very moment, on a clock that stands
				continue
			}
			if page = append(page, Candidate{ID: c.ID, Memory: c.Memory}); len(page) == pageSize {
				return nil
			}
		}
		return nil
	})
	return page, err
}

// record keeps what the sweep did to an account.
func (s *Store) record(ctx context.Context, a AccountSwept, now int64) error {
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO sweep (owner_id, at, trashed, due, refused) VALUES (?, ?, ?, ?, ?)`,
			int64(a.Owner), now, a.Trashed, a.Due, a.Refused)
		tx.Emit(a.Owner, db.NounRetention, 0)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return nil // the account was erased meanwhile
	}
	return err
}

// lastSweep is the last sweep over an account; nil where there was none.
func lastSweep(tx *db.Tx, owner db.AccountID) (*api.Sweep, error) {
	var at, trashed, due, refused int64
	err := tx.Row(`SELECT at, trashed, due, refused FROM sweep WHERE owner_id = ? ORDER BY at DESC, id DESC LIMIT 1`,
		[]any{int64(owner)}, &at, &trashed, &due, &refused)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // absence is part of the answer
	}
	return &api.Sweep{At: api.Time(at), Trashed: int(trashed), Due: int(due), Refused: int(refused)}, err
}

// sweepsKept is how long the records of sweeps are kept.
const sweepsKept = 90 * dayMillis

// trim drops old records of sweeps.
func (s *Store) trim(ctx context.Context, owner db.AccountID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM sweep WHERE owner_id = ? AND at < ?`, int64(owner), tx.Now-sweepsKept)
		return err
	})
}
