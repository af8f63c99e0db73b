package retention

import (
	"context"
	"errors"
	"fmt"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/schedule"
	"elowen/server/vitality"
)

// sweepTask names the sweep in the schedule.
const sweepTask = "sweep"

// dayMillis is the distance of two sweeps.
const dayMillis = vitality.DayMillis

// Daily is the sweep as a recurring task. Each memory's date of eligibility follows
// the instant of the next one, so every account is told when that moves.
func (s *Store) Daily() schedule.Task {
	return schedule.Task{
		Name: sweepTask, Every: schedule.Daily, Boot: true,
		Run: func(ctx context.Context, turn schedule.Turn) error {
			swept, err := s.sweepAt(ctx, turn.At, s.sweepAccount)
			if ctx.Err() == nil {
				t := swept.Total()
				s.log.Info("swept", "trashed", t.Trashed, "due", t.Due, "refused", t.Refused)
			}
			return err
		},
		Moved: func(tx *db.Tx, _ db.AccountID, _ int64) error {
			owners, err := account.Owners(tx)
			for _, owner := range owners {
				tx.Emit(owner, db.NounRetention, 0)
			}
			return err
		},
	}
}

// Housekeeping drops what is past its days, as a recurring task.
func (s *Store) Housekeeping() schedule.Task {
	return schedule.Task{
		Name: "housekeeping", Every: schedule.Daily, Boot: true,
		Run: func(ctx context.Context, _ schedule.Turn) error { return s.housekeeping(ctx) },
	}
}

// nextSweep is the stored instant of the next sweep; 0 where none was set.
func nextSweep(tx *db.Tx) (int64, error) { return schedule.Next(tx, sweepTask, 0) }

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
