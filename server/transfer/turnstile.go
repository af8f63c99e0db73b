package transfer

import (
	"context"
	"sync"

	"elowen/server/db"
	"elowen/shared/fault"
)

// How many exports and imports are under way at a time. Each holds one of the store's
// few readers (there are four at least) from its first row to its last, an import in a
// dry run; together they leave one to everybody else. An import holds what it found in
// its files in memory, too.
const (
	exportsMost = 2
	importsMost = 1
)

// turnstile lets exports or imports through: one an account, a few in all. Whoever
// waits holds nothing of the store.
type turnstile struct {
	what string // it lets through, in the plural
	all  chan struct{}
	mu   sync.Mutex
	own  map[db.AccountID]*ownTurn
}

// ownTurn is an account's place, as long as somebody has it or waits for it.
type ownTurn struct {
	place chan struct{}
	users int
}

func newTurnstile(what string, most int) *turnstile {
	return &turnstile{what: what, all: make(chan struct{}, most), own: map[db.AccountID]*ownTurn{}}
}

// enter waits for a place; leave gives it back. owner 0 is all accounts at once. If ctx ends first it answers fault.Cancelled.
func (t *turnstile) enter(ctx context.Context, owner db.AccountID) (leave func(), err error) {
	// One's own place first: a person with many requests waits behind oneself, and
	// not in the place of others.
	back, err := t.queue(ctx, owner)
	if err != nil {
		return nil, err
	}
	out, err := t.pass(ctx)
	if err != nil {
		back()
		return nil, err
	}
	return func() {
		out()
		back()
	}, nil
}

// queue waits for an account's own place alone.
func (t *turnstile) queue(ctx context.Context, owner db.AccountID) (leave func(), err error) {
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
	select {
	case own.place <- struct{}{}:
	case <-ctx.Done():
		done()
		return nil, t.waitedInVain(ctx)
	}
	return func() {
		<-own.place
		done()
	}, nil
}

// pass waits for one of the places of all, for somebody who has their own.
func (t *turnstile) pass(ctx context.Context) (leave func(), err error) {
	select {
	case t.all <- struct{}{}:
		return func() { <-t.all }, nil
	case <-ctx.Done():
		return nil, t.waitedInVain(ctx)
	}
}

func (t *turnstile) waitedInVain(ctx context.Context) error {
	return fault.Wrap(fault.Cancelled, context.Cause(ctx), "The request was cancelled while other "+t.what+" were under way.")
}

// Turn is an account's place among the imports. Who stages files for an import takes
// it before: what waits in files is bounded as what is read is, and a body that comes
// slowly holds up its own account alone. It is for one import at a time.
type Turn struct {
	owner db.AccountID
	leave func()
}

// Turn waits until no other import of the account is under way. Leave gives the place
// back. If ctx ends first it answers fault.Cancelled.
func (s *Store) Turn(ctx context.Context, owner db.AccountID) (*Turn, error) {
	leave, err := s.imports.queue(ctx, owner)
	if err != nil {
		return nil, err
	}
	return &Turn{owner, leave}, nil
}

// Leave gives the place back. It is called once.
func (t *Turn) Leave() { t.leave() }

// enter waits for the place of an import; with a turn of the account taken before, only
// for that among all.
func (s *Store) enter(ctx context.Context, owner db.AccountID, turn *Turn) (leave func(), err error) {
	if turn != nil && turn.owner == owner {
		return s.imports.pass(ctx)
	}
	return s.imports.enter(ctx, owner)
}
