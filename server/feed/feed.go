// Package feed follows the accounts' change logs: it tells who waits that a log
// has grown.
//
// Concepts. A wake is a hint without content: after it, the subscriber reads the
// log from where it stands. Wakes that nobody has taken yet are one wake. The
// rows are the truth: a reader that was slow, away or new loses nothing, it reads
// further, until the log no longer reaches back (fault.Gone) and a snapshot is due.
//
// Own commits name the accounts they wrote for. After a commit that another
// process may have made, the heads of the accounts that somebody waits for are
// looked at, and those that moved are woken.
//
// Invariants. The writer never waits for a subscriber, and no subscriber for
// another one. Nothing is held for a slow reader but one bit. A wake may come
// without a new entry; a new entry never stays without a wake.
//
// It has no table of its own: change and change_head are package db's. It knows
// nothing of what the entries are about.
package feed

import (
	"context"
	"sync"

	"elowen/server/db"
)

// Feed is the change logs of one store. It is safe for concurrent use.
type Feed struct {
	d *db.DB

	look chan struct{} // somebody else may have written
	stop context.CancelFunc
	done sync.WaitGroup

	mu   sync.Mutex
	subs map[db.AccountID]map[*subscription]struct{}
	any  map[*subscription]struct{}
}

type subscription struct {
	wake chan struct{}
	seen db.Head // where the log stood when it was last looked at
}

func (s *subscription) hint() {
	select {
	case s.wake <- struct{}{}:
	default: // there is one already
	}
}

// New follows the store's logs; it takes the store's Notify for itself. Close ends it.
func New(d *db.DB) *Feed {
	ctx, stop := context.WithCancel(context.Background())
	f := &Feed{
		d: d, stop: stop,
		look: make(chan struct{}, 1),
		subs: map[db.AccountID]map[*subscription]struct{}{},
		any:  map[*subscription]struct{}{},
	}
	d.Notify(f.hint)
	f.done.Add(1)
	go func() {
		defer f.done.Done()
		f.watch(ctx)
	}()
	return f
}

// Close ends the following. Subscriptions are woken no more.
func (f *Feed) Close() {
	f.d.Notify(func([]db.AccountID) {})
	f.stop()
	f.done.Wait()
}

// Subscribe gives a channel that receives after each growth of the account's log
// from now on; what was written before is in the log. cancel ends it; the channel
// is never closed.
func (f *Feed) Subscribe(owner db.AccountID) (wake <-chan struct{}, cancel func()) {
	s := &subscription{wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs[owner] == nil {
		f.subs[owner] = map[*subscription]struct{}{}
	}
	f.subs[owner][s] = struct{}{}
	return s.wake, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.subs[owner], s)
		if len(f.subs[owner]) == 0 {
			delete(f.subs, owner)
		}
	}
}

// Any is Subscribe for all accounts, those to come too: it also receives when no log
// has grown.
func (f *Feed) Any() (wake <-chan struct{}, cancel func()) {
	s := &subscription{wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.any[s] = struct{}{}
	return s.wake, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.any, s)
	}
}

// hint runs on the store's goroutines and must not wait.
func (f *Feed) hint(owners []db.AccountID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.any {
		s.hint()
	}
	if owners == nil {
		select {
		case f.look <- struct{}{}:
		default:
		}
		return
	}
	for _, owner := range owners {
		for s := range f.subs[owner] {
			s.hint()
		}
	}
}

// watch wakes those whose log moved without a hint.
func (f *Feed) watch(ctx context.Context) {
	for {
		select {
		case <-f.look:
			f.compare(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// compare looks at the head of every log that somebody waits for. Where they
// cannot be read everybody is woken: they will see what is the matter.
func (f *Feed) compare(ctx context.Context) {
	f.mu.Lock()
	owners := make([]db.AccountID, 0, len(f.subs))
	for owner := range f.subs {
		owners = append(owners, owner)
	}
	f.mu.Unlock()
	if len(owners) == 0 {
		return
	}
	var heads map[db.AccountID]db.Head
	err := f.d.View(ctx, func(tx *db.Tx) (err error) {
		heads, err = tx.Heads(owners)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, owner := range owners {
		head := heads[owner]
		for s := range f.subs[owner] {
			if err != nil || s.seen.Seq != head.Seq || s.seen.Epoch != head.Epoch {
				s.seen = head
				s.hint()
			}
		}
	}
}
