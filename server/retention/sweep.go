package retention

import (
	"context"
	"errors"

	"elowen/server/account"
	"elowen/server/audit"
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

	// Plan is of a dry run: the decisions on the first eligible memories, those that
	// would go first. A sweep has none; its audit says what it did.
	Plan []Decision `json:"-"`
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
func (s *Store) Sweep(ctx context.Context) (Swept, error) {
	return s.sweepAt(ctx, s.db.Now(), s.sweepAccount)
}

// DryRun answers what Sweep would do now, and does nothing.
func (s *Store) DryRun(ctx context.Context) (Swept, error) {
	return s.sweepAt(ctx, s.db.Now(), s.planAccount)
}

// sweepAt goes over every account with now as the sweep's own clock: for what is
// eligible, for the 24 hours of the limit, and for the audit.
func (s *Store) sweepAt(ctx context.Context, now int64, one accountSweep) (Swept, error) {
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
		swept, err := one(ctx, owner, terms, now)
		if err == nil || swept.Trashed > 0 {
			out.Accounts = append(out.Accounts, swept)
		}
		if err != nil && ctx.Err() != nil {
			return out, err
		}
		if err != nil {
			s.log.Error("the sweep failed for an account; the others go on", "account", owner, "error", err)
			if first == nil {
				first = err
			}
		}
	}
	return out, first
}

// accountSweep does one account's part of a sweep.
type accountSweep func(ctx context.Context, owner db.AccountID, terms memory.Terms, now int64) (AccountSwept, error)

// planAccount is the part of a dry run. The limit is never larger than a page, so
// the first page holds all that would go.
func (s *Store) planAccount(ctx context.Context, owner db.AccountID, terms memory.Terms, now int64) (AccountSwept, error) {
	due, left, err := s.begin(ctx, owner, terms, now)
	if err != nil {
		return AccountSwept{}, err
	}
	out := AccountSwept{Owner: owner, Due: due}
	page, err := s.page(ctx, owner, terms, now, nil)
	if err != nil {
		return out, err
	}
	if out.Plan, err = Plan(page, terms.Policy, now, left); err != nil {
		return out, err
	}
	for _, d := range out.Plan {
		if d.Verdict == Trash {
			out.Trashed++
		}
	}
	return out.finish(), nil
}

// sweepAccount is the part of a sweep; what it did is kept, also of one that broke
// off: then nothing is known of the rest, and none counts as refused.
func (s *Store) sweepAccount(ctx context.Context, owner db.AccountID, terms memory.Terms, now int64) (AccountSwept, error) {
	due, left, err := s.begin(ctx, owner, terms, now)
	if err != nil {
		return AccountSwept{}, err
	}
	out := AccountSwept{Owner: owner, Due: due}
	if err = s.evict(ctx, &out, left, terms, now); err == nil {
		out = out.finish()
	}
	recorded := s.record(context.WithoutCancel(ctx), out, now)
	return out, errors.Join(err, recorded)
}

// begin counts what is due, and what is left of the limit.
func (s *Store) begin(ctx context.Context, owner db.AccountID, terms memory.Terms, now int64) (due, left int, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if due, err = s.memories.CountDue(tx, owner, terms, now); err != nil {
			return err
		}
		used, err := audit.Evicted(tx, owner, now)
		left = terms.Policy.DailyLimit - used
		return err
	})
	return due, left, err
}

// evict plans page by page and hands each planned memory to the guarded call. The
// limit is the one that the sweep began with.
func (s *Store) evict(ctx context.Context, out *AccountSwept, left int, terms memory.Terms, now int64) error {
	tried := map[int64]bool{}
	for left > 0 {
		page, err := s.page(ctx, out.Owner, terms, now, tried)
		if err != nil || len(page) == 0 {
			return err
		}
		plan, err := Plan(page, terms.Policy, now, left)
		if err != nil {
			return err
		}
		for _, d := range plan {
			if d.Verdict != Trash {
				continue
			}
			tried[d.ID] = true
			outcome, err := s.memories.AutoEvict(ctx, out.Owner, d.ID, now, terms.Policy.DailyLimit, terms)
			switch {
			case err != nil:
				return err
			case outcome == memory.Trashed:
				out.Trashed++
				left--
			case outcome == memory.Kept:
				out.Kept++
			default: // somebody else used the limit up
				return nil
			}
		}
	}
	return nil
}

func (a AccountSwept) finish() AccountSwept {
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

// lastSweep is the last sweep over an account; ok tells whether there was one.
func lastSweep(tx *db.Tx, owner db.AccountID) (last api.Sweep, ok bool, err error) {
	var at, trashed, due, refused int64
	err = tx.Row(`SELECT at, trashed, due, refused FROM sweep WHERE owner_id = ? ORDER BY at DESC, id DESC LIMIT 1`,
		[]any{int64(owner)}, &at, &trashed, &due, &refused)
	if fault.Is(err, fault.NotFound) {
		return last, false, nil
	}
	return api.Sweep{At: api.Time(at), Trashed: int(trashed), Due: int(due), Refused: int(refused)}, err == nil, err
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

// EraseAccount removes what the account has here.
func (s *Store) EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM sweep WHERE owner_id = ?`, int64(owner))
	return err
}
