package projection

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/fault"
)

// pace is how an account that is watched is followed, in milliseconds.
type pace struct {
	breath int64 // between two advances under a stream of changes; the first comes at once
	search int64 // between two searches for the same words
	retry  int64 // after a failure of the store
}

var calm = pace{breath: 15, search: 120, retry: 1_000}

// follow keeps the account's windows up to date with its change log until ctx ends.
func (r *resident) follow(ctx context.Context, wake <-chan struct{}) {
	last := -r.p.pace.breath
	var later <-chan time.Time
	for {
		select {
		case <-wake:
		case <-r.nudge:
		case <-later:
		case <-ctx.Done():
			return
		}
		if pause := last + r.p.pace.breath - r.p.millis(); pause > 0 {
			select {
			case <-time.After(time.Duration(pause) * time.Millisecond):
			case <-ctx.Done():
				return
			}
		}
		again, err := r.refresh(ctx, false)
		last = r.p.millis()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.p.c.Log.Warn("live windows cannot be brought up to date; they will be tried again", "error", err)
			again = r.p.pace.retry
		}
		later = nil
		if again > 0 {
			later = time.After(time.Duration(again) * time.Millisecond)
		}
	}
}

// refresh brings the account and all its windows up to date. again says in how
// many milliseconds something that was put off is due; 0 is never.
func (r *resident) refresh(ctx context.Context, ticked bool) (again int64, err error) {
	if err := r.gate.enter(ctx); err != nil {
		return 0, err
	}
	defer r.gate.leave()
	defer r.p.settle(r)
	defer func() {
		// One stored text that trips the code over must not end the server for all.
		if p := recover(); p != nil {
			r.p.c.Log.Error("live windows panicked", "panic", p, "stack", string(debug.Stack()))
			again, err = 0, fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
		}
	}()
	r.prune(restMillis)
	if ticked && len(r.windows) == 0 {
		return 0, nil
	}
	err = r.p.c.DB.View(ctx, func(tx *db.Tx) error {
		if err := r.advance(tx); err != nil {
			return err
		}
		var list []*window
		for _, w := range r.windows {
			if w.list != nil && w.list.selection != nil && w.list.selection.stale {
				if wait := w.list.selection.searchedAt + r.p.pace.search - r.p.millis(); wait > 0 {
					if again == 0 || wait < again {
						again = wait
					}
					continue
				}
			}
			list = append(list, w)
		}
		return r.project(tx, list, ticked)
	})
	if unasked := r.unasked(); len(unasked) > 0 {
		if again == 0 {
			again = r.p.pace.retry
		}
		r.p.askAgain(r.owner, unasked)
	}
	r.tellAccount()
	return again, err
}

// project makes the states of windows right at the transaction's snapshot, to
// which the catalogue has been advanced. A view that fails keeps no other window
// from the present.
func (r *resident) project(tx *db.Tx, windows []*window, ticked bool) error {
	if err := r.projectLists(tx, windows, ticked); err != nil {
		return err
	}
	var failed error
	for _, w := range windows {
		if w.view == nil {
			continue
		}
		if err := r.projectView(tx, w, ticked); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// unasked are the questions of selections by meaning that have to be asked again: the
// model was changed, or they were forgotten. Their windows are looked at again then.
func (r *resident) unasked() (list []string) {
	for _, w := range r.windows {
		if w.list != nil && w.list.selection != nil && w.list.selection.unasked {
			w.dirty = true
		}
	}
	for _, s := range r.selections {
		if s.unasked {
			list = append(list, s.query.Q)
		}
	}
	return list
}

// askAgain asks questions again, beside everything else. Windows find the answers when
// they are next brought up to date.
func (p *Projector) askAgain(owner db.AccountID, list []string) {
	if !p.asking.CompareAndSwap(false, true) {
		return
	}
	p.done.Add(1)
	go func() {
		defer p.done.Done()
		defer p.asking.Store(false)
		for _, text := range list {
			if err := p.c.Meaning.Ask(embedding.For(p.ctx, owner), text); err != nil && p.ctx.Err() == nil {
				p.c.Log.Warn("a live list cannot be searched by meaning now", "error", err)
				return
			}
		}
	}()
}
