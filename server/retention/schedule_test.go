package retention

import (
	"context"
	"sync"
	"testing"
	"time"

	"elowen/server/db/dbtest"
)

// ticker hands the schedule its wakes one by one: next returns once the schedule
// sleeps again, so what the wake did is done.
type ticker struct {
	clock  *dbtest.Clock
	sleeps chan time.Duration
	wakes  chan time.Time
}

func (k *ticker) wake(at int64) <-chan time.Time {
	k.sleeps <- time.Duration(at-k.clock.Now()) * time.Millisecond
	return k.wakes
}

func (k *ticker) asleep(t *testing.T) {
	t.Helper()
	select {
	case d := <-k.sleeps:
		if d > time.Minute {
			t.Errorf("it sleeps for %v: a jump of the clock would go unnoticed", d)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the schedule hangs")
	}
}

func (k *ticker) next(t *testing.T) {
	t.Helper()
	k.wakes <- time.Time{}
	k.asleep(t)
}

// run starts a schedule; it is stopped with the test.
func (h *house) run(t *testing.T, clock *dbtest.Clock, tasks ...Task) *ticker {
	t.Helper()
	k := &ticker{clock, make(chan time.Duration), make(chan time.Time)}
	s := NewSchedule(h.Store, clock.Now, k.wake, tasks...)
	if err := s.Boot(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	clock.Advance(5) // a server has more to do between the two
	done.Go(func() { s.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		for {
			select {
			case <-k.sleeps:
			case <-time.After(10 * time.Millisecond):
				done.Wait()
				return
			}
		}
	})
	k.asleep(t)
	return k
}

func (h *house) nextSweep(t *testing.T) int64 {
	t.Helper()
	at, ok, err := h.NextSweep(context.Background())
	if err != nil || !ok {
		t.Fatalf("next sweep: %v %v", ok, err)
	}
	return at
}

func TestScheduleSweepsAtBootAndEachDay(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		anna := h.person("anna")
		h.old(anna, 20, 300, 5)
		ran := 0
		start := clock.Now()
		k := h.run(t, clock, Task{"count", func(context.Context) error { ran++; return nil }})
		if _, d := h.status(anna); d != 5 || ran != 1 {
			t.Errorf("at boot: %d deleted, %d tasks", d, ran)
		}
		if at := h.nextSweep(t); at != start+day {
			t.Errorf("next sweep in %d ms", at-start)
		}
		for range 3 {
			clock.Advance(time.Minute.Milliseconds())
			k.next(t)
		}
		if _, d := h.status(anna); d != 5 || ran != 1 {
			t.Errorf("before its time: %d deleted, %d tasks", d, ran)
		}
		// The wake comes a little late; the sweep's own clock is its instant, so the
		// next day has a whole limit again, and the grid doesn't drift.
		for n := 1; n <= 3; n++ {
			clock.Advance(start + int64(n)*day + 40_000 - clock.Now())
			k.next(t)
			if _, d := h.status(anna); d != min(20, 5+5*n) || ran != 1+n {
				t.Errorf("day %d: %d deleted, %d tasks", n, d, ran)
			}
			if at := h.nextSweep(t); at != start+int64(n+1)*day {
				t.Errorf("day %d: next sweep at %d", n, at-start)
			}
		}
	})
}

func TestScheduleSurvivesAPanic(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	h := open(t, dbtest.Open(t, clock))
	ran := 0
	k := h.run(t, clock, Task{"trips", func(context.Context) error { ran++; panic("over a stored text") }})
	clock.Advance(day + time.Minute.Milliseconds())
	k.next(t)
	if ran != 2 {
		t.Errorf("the task ran %d times", ran)
	}
}

func TestScheduleSurvivesClockJumps(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	h := open(t, dbtest.Open(t, clock))
	anna := h.person("anna")
	h.old(anna, 30, 300, 5)
	start := clock.Now()
	k := h.run(t, clock)

	// Ten days and an hour forward (or asleep): one sweep at once, the grid stays.
	clock.Advance(10*day + 3_600_000)
	k.next(t)
	if _, d := h.status(anna); d != 10 {
		t.Errorf("after a jump forward: %d deleted", d)
	}
	if at := h.nextSweep(t); at != start+11*day {
		t.Errorf("next sweep at %d", at-start)
	}
	// Back to where it was: the next sweep is within a day again, on the grid, and
	// the limit still counts what the future took.
	clock.Advance(-10 * day)
	k.next(t)
	if at := h.nextSweep(t); at != start+day {
		t.Errorf("after a jump back: next sweep at %d", at-start)
	}
	clock.Advance(day)
	k.next(t)
	if _, d := h.status(anna); d != 10 {
		t.Errorf("the limit forgot what a sweep took: %d deleted", d)
	}
	// Years back.
	clock.Advance(-3000 * day)
	k.next(t)
	if at := h.nextSweep(t); at <= clock.Now() || at > clock.Now()+day || (at-start)%day != 0 {
		t.Errorf("years back: next sweep in %d", at-clock.Now())
	}
}

func TestOneOfManySchedulesSweeps(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		if err := NewSchedule(h.Store, clock.Now, nil).Boot(ctx); err != nil {
			t.Fatal(err)
		}
		clock.Advance(day)
		var mu sync.Mutex
		claimed := 0
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				at, due, err := h.claim(ctx)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if due {
					claimed++
					if at != clock.Now() {
						t.Errorf("its clock is %d off", clock.Now()-at)
					}
				}
			})
		}
		all.Wait()
		if claimed != 1 {
			t.Errorf("%d claimed the sweep", claimed)
		}
	})
}

func TestFailingTaskDoesNotStopTheDay(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	h := open(t, dbtest.Open(t, clock))
	ran := false
	h.run(t, clock, Task{"broken", func(context.Context) error { return context.DeadlineExceeded }},
		Task{"next", func(context.Context) error { ran = true; return nil }})
	if !ran {
		t.Error("the task after a broken one did not run")
	}
}
