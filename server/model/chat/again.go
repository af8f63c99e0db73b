package chat

import (
	"context"
	"iter"
	"time"

	"elowen/shared/fault"
)

// Patience says how often and how long Again waits.
type Patience struct {
	Tries int           // in all
	Most  time.Duration // that it waits before a try; who is told to wait longer gives up
	Sleep func(ctx context.Context, d time.Duration)
}

// firstWait is how long is waited where the provider doesn't say, before the second
// try; twice as long before each further one.
const firstWait = 500 * time.Millisecond

// Again streams what once does, and does it again where that fails for a reason that
// passes before anything was handed out.
func (p Patience) Again(ctx context.Context, once func() iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for try := 1; ; try++ {
			begun := false
			var failed error
			for e, err := range once() {
				if err != nil && !begun {
					failed = err
					break
				}
				begun = true
				if !yield(e, err) {
					return
				}
			}
			if failed == nil {
				return
			}
			wait, ok := p.wait(failed, try)
			if ok {
				p.Sleep(ctx, wait)
			}
			if !ok || ctx.Err() != nil {
				yield(Event{}, failed)
				return
			}
		}
	}
}

// wait is how long to wait after a failed try, and whether to.
func (p Patience) wait(err error, try int) (time.Duration, bool) {
	if try >= p.Tries || !Passes(err) {
		return 0, false
	}
	wait := firstWait << (try - 1)
	if f, ok := fault.As(err); ok && f.RetryAfterMillis > 0 {
		wait = time.Duration(f.RetryAfterMillis) * time.Millisecond
	}
	return wait, wait <= p.Most
}
