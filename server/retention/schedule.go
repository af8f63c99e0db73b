package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/vitality"
)

// dayMillis is the distance of two sweeps.
const dayMillis = vitality.DayMillis

// checkEvery is how often the schedule looks at the clock: a timer for a whole
// day would sleep through a suspended machine or a clock that was set.
const checkEvery = time.Minute

// late is how long after its instant a scheduled sweep still counts as on time.
// Its own clock is then the instant itself, so that the limit's 24 hours fit
// between two sweeps, and a memory goes at exactly the date that people saw.
const late = int64(2 * checkEvery / time.Millisecond)

// Task is something that is done once a day, after the sweep.
type Task struct {
	Name string
	Run  func(context.Context) error
}

// Schedule runs the sweep at boot and every 24 hours, and the day's other tasks
// after it.
type Schedule struct {
	store *Store
	tasks []Task
	clock db.Clock
	wake  func(at int64) <-chan time.Time
	log   *slog.Logger

	booted int64 // from when the next sweep's day counts; 0 before Boot
}

// NewSchedule makes the schedule of a store. clock is the store's clock, and wake
// fires when it shows an instant (Unix milliseconds): Wake, or a test's.
func NewSchedule(s *Store, clock db.Clock, wake func(at int64) <-chan time.Time, tasks ...Task) *Schedule {
	return &Schedule{store: s, tasks: tasks, clock: clock, wake: wake, log: s.log}
}

// Wake fires when the system's clock shows an instant, and at the latest after as
// long as the schedule may sleep: the clock may be set meanwhile.
func Wake(at int64) <-chan time.Time {
	return time.After(min(time.Until(time.UnixMilli(at)), checkEvery))
}

// Boot sets the instant of the next sweep: a day from now, because Run begins
// with one. A server calls it before it reports ready, so that no date of
// eligibility is ever served without its grid.
func (c *Schedule) Boot(ctx context.Context) error {
	return c.store.db.Update(ctx, func(tx *db.Tx) error {
		c.booted = tx.Now
		return c.store.moveNext(tx, tx.Now+dayMillis)
	})
}

// Run sweeps at once, then whenever the stored instant has come, until ctx ends.
func (c *Schedule) Run(ctx context.Context) {
	last := c.clock()
	first := last
	if c.booted > 0 && last-c.booted >= 0 && last-c.booted <= late {
		// The sweep's clock is the instant from which the next one is a day away: a
		// moment later, and what it trashed would still count against tomorrow's limit.
		first = c.booted
	}
	c.day(ctx, first)
	for {
		now := c.clock()
		if moved := now - last; moved > 2*late || moved < 0 {
			c.log.Warn("the clock jumped, or the machine slept or was very busy", "by", (time.Duration(moved) * time.Millisecond).String())
		}
		last = now
		at, due, err := c.store.claim(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			c.log.Error("cannot read when the next sweep is", "error", err)
		case due:
			c.day(ctx, at)
			continue // a day's work may take its time
		}
		select {
		case <-ctx.Done():
			return
		case <-c.wake(now + checkEvery.Milliseconds()):
		}
	}
}

// day is one sweep and the tasks after it. A panic in one of them ends the day,
// not the server.
func (c *Schedule) day(ctx context.Context, at int64) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("the day's work panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	swept, err := c.store.sweepAt(ctx, at, c.store.sweepAccount)
	if ctx.Err() != nil {
		return
	}
	t := swept.Total()
	if err != nil {
		c.log.Error("the sweep did not get through", "error", err)
	}
	c.log.Info("swept", "trashed", t.Trashed, "due", t.Due, "refused", t.Refused)
	for _, task := range append([]Task{{"housekeeping", c.store.housekeeping}}, c.tasks...) {
		if err := task.Run(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("a daily task failed", "task", task.Name, "error", err)
		}
	}
}

// claim tells whether a sweep is due, and its own clock. Whoever claims it moves
// the instant on, in the same transaction: of several programs on one store only
// one sweeps. An instant further away than a day means that the clock was put
// back; it is moved along its grid to within a day.
func (s *Store) claim(ctx context.Context) (at int64, due bool, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		due = false
		next, err := nextSweep(tx)
		switch {
		case err != nil:
			return err
		case next == 0:
			return s.moveNext(tx, tx.Now+dayMillis)
		case next > tx.Now+dayMillis:
			s.log.Warn("the clock was put back; the next sweep moves with it")
			return s.moveNext(tx, next-(next-tx.Now-1)/dayMillis*dayMillis)
		case next > tx.Now:
			return nil
		}
		at, due = next, true
		if tx.Now-next > late {
			at = tx.Now
		}
		return s.moveNext(tx, next+((tx.Now-next)/dayMillis+1)*dayMillis)
	})
	return at, due, err
}

// moveNext stores the instant of the next sweep and tells every account: each
// memory's date of eligibility follows it.
func (s *Store) moveNext(tx *db.Tx, at int64) error {
	if err := setNextSweep(tx, at); err != nil {
		return err
	}
	owners, err := account.Owners(tx)
	for _, owner := range owners {
		tx.Emit(owner, db.NounRetention, 0)
	}
	return err
}

// housekeeping drops what is past its days, account by account. One that fails keeps
// nothing from being done for the others; the error tells of all of them.
func (s *Store) housekeeping(ctx context.Context) error {
	var owners []db.AccountID
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		owners, err = account.Owners(tx)
		return err
	})
	if err != nil {
		return err
	}
	steps := []struct {
		name string
		trim func(context.Context, db.AccountID) error
	}{
		{"the change log", func(ctx context.Context, owner db.AccountID) error { _, err := s.db.Trim(ctx, owner); return err }},
		{"uses", func(ctx context.Context, owner db.AccountID) error {
			_, err := s.memories.TrimUsage(ctx, owner)
			return err
		}},
		{"sweeps", s.trim},
	}
	var failed []error
	for _, owner := range owners {
		for _, step := range steps {
			err := step.trim(ctx, owner)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("%s of account %d: %w", step.name, owner, err))
			}
		}
	}
	return errors.Join(failed...)
}
