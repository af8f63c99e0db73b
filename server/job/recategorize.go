package job

import (
	"context"
	"log/slog"
	"time"

	"elowen/server/account"
	"elowen/server/categorizer"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Recategorize sorts an account's own memories again: those that nobody has put
// anywhere, or every one. The newest come first; its place is the id below which it
// goes on.
type Recategorize struct {
	DB          *db.DB
	Memories    *memory.Store
	Categorizer *categorizer.Categorizer
	Log         *slog.Logger
	// Wait waits between two tries where nobody answers; nil waits.
	Wait func(ctx context.Context, d time.Duration)
}

// Where nobody answers, a memory is tried so often, with these pauses between; then
// the job fails, and the next start goes on with that memory.
const (
	answerTries = 4
	firstWait   = time.Second
	longestWait = 30 * time.Second
)

// sorting is what a mode looks at.
func (w *Recategorize) sorting(tx *db.Tx, owner db.AccountID, mode string) (memory.Sorting, error) {
	general, _, err := account.DefaultCategory(tx, owner)
	return memory.Sorting{All: mode == api.RecategorizeAll, Default: general, Upto: 1<<62 - 1}, err
}

// Begin implements Work.
func (w *Recategorize) Begin(tx *db.Tx, owner db.AccountID, mode string) (Progress, error) {
	at := Progress{Place: 1 << 62}
	if err := w.Categorizer.Ready(tx, mode == api.RecategorizeAll); err != nil {
		return at, err
	}
	q, err := w.sorting(tx, owner, mode)
	if err == nil {
		at.Total, err = w.Memories.CountFilings(tx, owner, q)
	}
	return at, err
}

// Step implements Work: it sorts one memory.
func (w *Recategorize) Step(ctx context.Context, owner db.AccountID, mode string, at Progress) (Progress, bool, error) {
	var list []memory.Filing
	err := w.DB.View(ctx, func(tx *db.Tx) error {
		if err := w.Categorizer.Ready(tx, mode == api.RecategorizeAll); err != nil {
			return err
		}
		q, err := w.sorting(tx, owner, mode)
		if err == nil {
			list, err = w.Memories.Filings(tx, owner, q, at.Place, 1)
		}
		return err
	})
	if err != nil {
		return at, false, err
	}
	if len(list) == 0 {
		at.Total = at.Succeeded + at.Failed // some may have gone, or been filed, meanwhile
		return at, true, nil
	}
	f := list[0]
	err = w.sort(ctx, owner, f)
	switch {
	case fault.Is(err, fault.Invalid):
		w.Log.Warn("a memory cannot be sorted", "account", owner, "memory", f.ID, "error", err)
		at.Failed++
	case err != nil:
		return at, false, err
	default:
		at.Succeeded++
	}
	at.Place, at.Total = f.ID, max(at.Total, at.Succeeded+at.Failed)
	return at, false, nil
}

// sort is the categorizer's, tried again while nobody answers.
func (w *Recategorize) sort(ctx context.Context, owner db.AccountID, f memory.Filing) error {
	pause := firstWait
	for try := 1; ; try++ {
		_, err := w.Categorizer.Sort(ctx, owner, f, true)
		if err == nil || fault.Is(err, fault.Invalid) || try == answerTries || ctx.Err() != nil {
			return err
		}
		wait := pause
		if f, ok := fault.As(err); ok && f.RetryAfterMillis > 0 {
			wait = time.Duration(f.RetryAfterMillis) * time.Millisecond
		}
		w.wait(ctx, min(wait, longestWait))
		pause *= 2
	}
}

func (w *Recategorize) wait(ctx context.Context, d time.Duration) {
	if w.Wait != nil {
		w.Wait(ctx, d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
