package turn

import (
	"context"
	"fmt"
	"time"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/recall"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// retrieval is one search for memories, that goes on beside the turn.
type retrieval struct {
	account db.AccountID
	request recall.Request
	since   int64 // when it was begun, in Unix milliseconds
	again   bool  // it may be run once more, where what it found is shortened
	stop    context.CancelFunc

	done   chan struct{} // closed at its end; then:
	result recall.Result
	err    error
	took   int64 // milliseconds
}

// over tells whether it has ended.
func (r *retrieval) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// retrieve begins a search, which passes over what stands in the conversation when it
// begins. It goes on when the turn ends, until it is stopped.
func (t *turn) retrieve(account db.AccountID, request recall.Request, again bool) *retrieval {
	s := t.s
	ctx, stop := context.WithCancel(s.ctx)
	r := &retrieval{account: account, request: request, since: s.db.Now(), again: again, stop: stop, done: make(chan struct{})}
	s.searching.Add(1)
	s.work.Go(func() {
		defer s.searching.Add(-1)
		defer close(r.done)
		defer stop()
		if panicked := fault.Guarded(func() { r.err = r.run(ctx, t) }); panicked != nil {
			r.err = panicked
			s.o.Log.Error("a recall panicked", "error", panicked)
		}
		r.took = s.db.Now() - r.since
	})
	return r
}

func (r *retrieval) run(ctx context.Context, t *turn) error {
	c, err := t.context(ctx)
	if err != nil {
		return err
	}
	request := r.request
	request.Exclude = c
	r.result, err = t.s.o.Recall.Recall(ctx, r.account, request)
	return err
}

// within gives a search so long, by the clock; then it is given up.
func (r *retrieval) within(s *Store, limit time.Duration) {
	wake := s.o.Wake(r.since + limit.Milliseconds())
	s.work.Go(func() {
		select {
		case <-r.done:
		case <-s.ctx.Done():
		case <-wake:
			r.stop()
		}
	})
}

// recall begins the search for the message that begins the turn; nil: there is none to
// be made.
func (t *turn) recall() *retrieval {
	who, ok := t.whose()
	if !ok || !t.set.switches.SearchAfterMessage || t.message == "" || t.recalled {
		return nil
	}
	return t.retrieve(who, recall.Request{Query: cut(t.message, queryMost), Project: t.project, Limit: t.set.limits.RecallCount, Bytes: t.set.limits.RecallBytes}, true)
}

// wait waits for a search as long as the settings say.
func (t *turn) wait(ctx context.Context, r *retrieval) {
	if r == nil || t.set.limits.RecallWaitMs == 0 {
		return
	}
	t.phase(api.PhaseRecalling, "")
	select {
	case <-r.done:
	case <-ctx.Done():
	case <-t.s.o.Wake(r.since + int64(t.set.limits.RecallWaitMs)):
	}
}

// takeIn has recall for messages come in, as far as it is there: this turn's, and what
// came too late for earlier ones.
func (t *turn) takeIn(ctx context.Context) error {
	var left []*retrieval
	list := t.ss.late
	t.ss.late = nil
	for i, r := range list {
		if !r.over() {
			left = append(left, r)
			continue
		}
		if r.err != nil {
			t.s.o.Log.Warn("memories could not be recalled for a message", "conversation", t.id, "error", r.err)
			continue
		}
		out, err := t.attach(ctx, block{account: r.account, via: journal.ViaStart, found: r.result.Memories, bodies: r.request.Bytes, whole: r.again})
		if err != nil {
			t.ss.late = append(left, list[i:]...)
			return fmt.Errorf("recall could not come in: %w", err)
		}
		if out.waits {
			// Once more, by what stands there now; for a later round, and not again after it.
			left = append(left, t.retrieve(r.account, r.request, false))
		}
	}
	t.ss.late = left
	return nil
}
