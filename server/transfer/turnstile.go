package transfer

import (
	"context"
	"sync"

	"elowen/server/db"
	"elowen/shared/fault"
)

// exportsMost is how many exports read at a time. Each holds one of the store's
// few readers from its first row to its last.
const exportsMost = 2

// turnstile lets exports through: one an account, a few in all. Whoever waits
// holds nothing of the store.
type turnstile struct {
	all chan struct{}
	mu  sync.Mutex
	own map[db.AccountID]*ownTurn
}

// ownTurn is an account's place, as long as somebody has it or waits for it.
type ownTurn struct {
	place chan struct{}
	users int
}

func newTurnstile() *turnstile {
	return &turnstile{all: make(chan struct{}, exportsMost), own: map[db.AccountID]*ownTurn{}}
}

// enter waits for a place; leave gives it back. owner 0 is all accounts at once. If ctx ends first it answers fault.Cancelled.
func (t *turnstile) enter(ctx context.Context, owner db.AccountID) (leave func(), err error) {
	t.mu.Lock()
	own, ok := t.own[owner]
	if !ok {
		own = &ownTurn{place: make(chan struct{}, 1)}
		t.own[owner] = own
	}
	own.users++
	t.mu.Unlock()
	done := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(t.own, owner)
		}
	}
	// One's own place first: a person with many requests waits behind oneself, and
	// not in the place of others.
	select {
	case own.place <- struct{}{}:
	case <-ctx.Done():
		done()
		return nil, waitedInVain(ctx)
	}
	select {
	case t.all <- struct{}{}:
	case <-ctx.Done():
		<-own.place
		done()
		return nil, waitedInVain(ctx)
	}
	return func() {
		<-t.all
		<-own.place
		done()
	}, nil
}

func waitedInVain(ctx context.Context) error {
	return fault.Wrap(fault.Cancelled, context.Cause(ctx), "The request was cancelled while other exports were under way.")
}
