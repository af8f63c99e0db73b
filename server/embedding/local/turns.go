package local

import (
	"context"
	"sync"

	"elowen/shared/fault"
)

// turns lets queries go before the background. It is of a process, not of a model:
// models share the cores.
type turns struct {
	background chan struct{} // holds a value while a background call runs

	mu      sync.Mutex
	active  int           // queries being encoded
	done    uint64        // queries that are through
	changed chan struct{} // closed, and replaced, when a query is through
}

// patience is how many queries one pause of the background lets go by at most. Where
// they come without a gap, the background goes on by a layer then: slowly, but it
// gets somewhere.
const patience = 4

func newTurns() *turns {
	return &turns{background: make(chan struct{}, 1), changed: make(chan struct{})}
}

// query begins a query's turn, which is now, and gives what ends it.
func (t *turns) query() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.active--
		t.done++
		close(t.changed)
		t.changed = make(chan struct{})
	}
}

// index begins a turn of the background once it is the only one, and gives what ends
// it. The context that comes back is for the encoder.
func (t *turns) index(ctx context.Context) (context.Context, func(), error) {
	select {
	case t.background <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, cancelled(ctx)
	}
	return yielding{ctx, t}, func() { <-t.background }, nil
}

// pause waits while queries are being encoded.
func (t *turns) pause(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for from := t.done; t.active > 0 && t.done-from < patience; {
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		t.mu.Lock()
		if ctx.Err() != nil {
			return
		}
	}
}

// yielding is the context of a background call. The encoder asks it between two
// layers whether to go on, and is kept waiting for the answer while there are
// queries: that way nothing that was computed is lost.
type yielding struct {
	context.Context
	turns *turns
}

// Err is the context's, once the queries are through.
func (y yielding) Err() error {
	y.turns.pause(y.Context)
	return y.Context.Err()
}

func cancelled(ctx context.Context) error {
	return fault.Wrap(fault.Cancelled, ctx.Err(), "The text wasn't encoded: the call was cancelled.")
}
