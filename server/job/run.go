package job

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func (s *Store) wake() {
	select {
	case s.news <- struct{}{}:
	default: // it is told already
	}
}

// Run works on the jobs that are started, until ctx ends; those that run then are
// interrupted.
func (s *Store) Run(ctx context.Context) {
	var working sync.WaitGroup
	for ctx.Err() == nil {
		for _, r := range s.idle(ctx) {
			mine, cancel := context.WithCancel(ctx)
			s.mu.Lock()
			s.running[r.id] = cancel
			s.mu.Unlock()
			working.Go(func() {
				defer cancel()
				s.work(mine, r)
				s.mu.Lock()
				delete(s.running, r.id)
				s.mu.Unlock()
			})
		}
		select {
		case <-s.news:
		case <-ctx.Done():
		}
	}
	working.Wait()
	if _, err := s.Interrupt(context.WithoutCancel(ctx)); err != nil {
		s.o.Log.Warn("maintenance jobs could not be marked as interrupted; the next start does it", "error", err)
	}
}

// idle are the jobs that nobody works on yet. What is worked on is looked at before what
// is stored: a job that ends in between would else be read as running, and be done again.
func (s *Store) idle(ctx context.Context) (list []row) {
	s.mu.Lock()
	busy := maps.Clone(s.running)
	s.mu.Unlock()
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		list, err = scan(tx.Query(`SELECT `+columns+` FROM maintenance WHERE status = ? ORDER BY id`, api.JobRunning))
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.o.Log.Warn("maintenance jobs cannot be read", "error", err)
	}
	return slices.DeleteFunc(list, func(r row) bool { return busy[r.id] != nil })
}

// work does a job to its end, or until ctx ends.
func (s *Store) work(ctx context.Context, r row) {
	owner := db.AccountID(r.owner)
	status, why := api.JobCompleted, ""
	at := r.Progress
	for done := false; !done; {
		now, last, err := s.step(ctx, owner, r, at)
		if ctx.Err() != nil && !last {
			return // stopped, which is written already, or the program ends
		}
		done = last || err != nil
		if err != nil {
			status, why = api.JobFailed, fault.ProblemOf(err).Detail
			s.o.Log.Warn("a maintenance job failed", "account", owner, "operation", r.operation, "error", err)
			now.Note = ""
		}
		if now != at {
			err := s.db.Update(ctx, func(tx *db.Tx) error { return put(tx, owner, r.id, now) })
			if err != nil {
				if !fault.Is(err, fault.NotFound) && ctx.Err() == nil { // else somebody stopped it
					s.o.Log.Warn("a maintenance job cannot tell how far it is; it waits for the next start", "account", owner, "operation", r.operation, "error", err)
				}
				return
			}
		}
		at = now
	}
	err := s.db.Update(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		_, err := end(tx, owner, r.id, status, why)
		return err
	})
	if err != nil {
		s.o.Log.Warn("the end of a maintenance job cannot be written", "account", owner, "operation", r.operation, "error", err)
		return
	}
	s.o.Log.Info("a maintenance job ended", "account", owner, "operation", r.operation, "status", status, "succeeded", at.Succeeded, "failed", at.Failed)
}

// step is the work's. One that panics is one that failed.
func (s *Store) step(ctx context.Context, owner db.AccountID, r row, at Progress) (now Progress, done bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Log.Error("a maintenance job panicked", "operation", r.operation, "panic", p, "stack", string(debug.Stack()))
			now, done, err = at, false, fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "Something went wrong inside; the server's log has more.")
		}
	}()
	return s.o.Works[r.operation].Step(ctx, owner, r.mode, at)
}
