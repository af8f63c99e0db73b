package local

import (
	"context"
	"testing"
	"testing/synctest"

	"elowen/shared/fault"
)

func TestTheBackgroundWaitsForQueries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		ctx, end, err := turns.index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		if ctx.Err() != nil {
			t.Fatal("it waits for nobody")
		}
		first, second := turns.query(), turns.query()
		on := false
		go func() {
			if ctx.Err() == nil {
				on = true
			}
		}()
		synctest.Wait()
		if on {
			t.Fatal("it went on beside two queries")
		}
		first()
		synctest.Wait()
		if on {
			t.Fatal("it went on beside a query")
		}
		second()
		synctest.Wait()
		if !on {
			t.Fatal("it didn't go on after the queries")
		}
	})
}

func TestQueriesWithoutAGapDoNotStopTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		ctx, end, err := turns.index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		running := turns.query()
		on := false
		go func() { on = ctx.Err() == nil }()
		for range patience {
			synctest.Wait()
			if on {
				t.Fatal("it went on too soon")
			}
			next := turns.query()
			running()
			running = next
		}
		synctest.Wait()
		if !on {
			t.Fatal("it never went on")
		}
		running()
	})
}

func TestOneBackgroundCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		_, end, err := turns.index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithCancel(t.Context())
		entered := make(chan func())
		go func() {
			_, end, err := turns.index(t.Context())
			if err != nil {
				t.Error(err)
			}
			entered <- end
		}()
		refused := make(chan error)
		go func() {
			_, _, err := turns.index(short)
			refused <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-refused; !fault.Is(err, fault.Cancelled) {
			t.Fatal(err)
		}
		select {
		case <-entered:
			t.Fatal("two at a time")
		default:
		}
		end()
		(<-entered)()
	})
}

func TestACancelledBackgroundDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		parent, cancel := context.WithCancel(t.Context())
		ctx, end, err := turns.index(parent)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		defer turns.query()()
		through := make(chan error, 1)
		go func() { through <- ctx.Err() }()
		synctest.Wait()
		cancel()
		if err := <-through; err == nil {
			t.Fatal("it goes on")
		}
	})
}
