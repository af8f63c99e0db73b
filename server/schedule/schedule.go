package schedule

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"elowen/server/db"
)

// checkEvery is how often the schedule looks at the clock: a timer for a whole
// day would sleep through a suspended machine or a clock that was set.
const checkEvery = time.Minute

// late is how long after its instant (milliseconds) a turn still counts as on time.
// Its own clock is then the instant itself, so that a daily limit's 24 hours fit
// between two turns, and what is announced for an instant happens at exactly that.
const late = int64(2 * checkEvery / time.Millisecond)

// Schedule does tasks when their turns come, one after the other, in their order.
type Schedule struct {
	db    *db.DB
	wake  func(at int64) <-chan time.Time
	log   *slog.Logger
	tasks []Task

	booted int64 // from when the next turns are counted; 0 before Boot
}

// New makes the schedule of a store. wake fires when the store's clock shows an
// instant (Unix milliseconds): Wake, or a test's. A nil log is silent.
func New(d *db.DB, wake func(at int64) <-chan time.Time, log *slog.Logger, tasks ...Task) *Schedule {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Schedule{db: d, wake: wake, log: log, tasks: tasks}
}

// Wake fires when the system's clock shows an instant, and at the latest after as
// long as the schedule may sleep: the clock may be set meanwhile.
func Wake(at int64) <-chan time.Time {
	return time.After(min(time.Until(time.UnixMilli(at)), checkEvery))
}

// Boot stores the next turns of what Run begins with: a distance from now. A server
// calls it before it reports ready, so that nothing is ever served that depends on an
// instant which isn't there yet.
func (s *Schedule) Boot(ctx context.Context) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		s.booted = tx.Now
		for i := range s.tasks {
			t := &s.tasks[i]
			if !t.Boot {
				continue
			}
			owners, err := t.owners(tx)
			if err != nil {
				return err
			}
			for _, owner := range owners {
				if err := t.move(tx, owner, tx.Now+t.every()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Run does at once what a server begins with, then each task whenever its stored
// instant has come, until ctx ends.
func (s *Schedule) Run(ctx context.Context) {
	last := s.db.Now()
	first := last
	if s.booted > 0 && last-s.booted >= 0 && last-s.booted <= late {
		// The turn's clock is the instant from which the next one is counted: a moment
		// later, and a daily limit would still count what it did against tomorrow.
		first = s.booted
	}
	s.begin(ctx, first)
	for ctx.Err() == nil {
		now := s.db.Now()
		if moved := now - last; moved > 2*late || moved < 0 {
			s.log.Warn("the clock jumped, or the machine slept or was very busy", "by", (time.Duration(moved) * time.Millisecond).String())
		}
		last = now
		if s.round(ctx) {
			continue // the work may have taken its time
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake(now + checkEvery.Milliseconds()):
		}
	}
}

// begin does the tasks that a server begins with.
func (s *Schedule) begin(ctx context.Context, at int64) {
	for i := range s.tasks {
		t := &s.tasks[i]
		if !t.Boot {
			continue
		}
		var owners []db.AccountID
		err := s.db.View(ctx, func(tx *db.Tx) (err error) { owners, err = t.owners(tx); return err })
		s.complain(ctx, "cannot read whose turn it is", t, err)
		for _, owner := range owners {
			s.turn(ctx, t, Turn{owner, at})
		}
	}
}

// round does what is due, and tells whether anything was.
func (s *Schedule) round(ctx context.Context) (did bool) {
	for i := range s.tasks {
		t := &s.tasks[i]
		var owners []db.AccountID
		err := s.db.View(ctx, func(tx *db.Tx) (err error) { owners, err = t.touchy(tx); return err })
		s.complain(ctx, "cannot read when the next turn is", t, err)
		for _, owner := range owners {
			at, due, err := s.claim(ctx, t, owner)
			s.complain(ctx, "cannot claim a turn", t, err)
			if err == nil && due {
				did = true
				s.turn(ctx, t, Turn{owner, at})
			}
			if ctx.Err() != nil {
				return did
			}
		}
	}
	return did
}

func (s *Schedule) claim(ctx context.Context, t *Task, owner db.AccountID) (at int64, due bool, err error) {
	putBack := false
	err = s.db.Update(ctx, func(tx *db.Tx) (err error) {
		at, due, putBack, err = t.claim(tx, owner)
		return err
	})
	if err == nil && putBack {
		s.log.Warn("the clock was put back; the next turn moves with it", "task", t.Name, "account", owner)
	}
	return at, due, err
}

// turn does one turn. A panic ends the turn, not the server.
func (s *Schedule) turn(ctx context.Context, t *Task, turn Turn) {
	if ctx.Err() != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("recurring work panicked", "task", t.Name, "account", turn.Owner, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	s.complain(ctx, "recurring work failed", t, t.Run(ctx, turn))
}

// complain tells the log of an error, unless it is that the server ends.
func (s *Schedule) complain(ctx context.Context, what string, t *Task, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.Error(what, "task", t.Name, "error", err)
	}
}
