package retention

import (
	"context"
	"testing"
	"time"

	"elowen/server/db/dbtest"
	"elowen/server/schedule"
	"elowen/server/schedule/scheduletest"
)

// run starts a schedule with the sweep and what else recurs.
func (h *house) run(t *testing.T, clock *dbtest.Clock, more ...schedule.Task) *scheduletest.Ticker {
	t.Helper()
	return scheduletest.Run(t, h.d, clock, append([]schedule.Task{h.Daily(), h.Housekeeping()}, more...)...)
}

// boot sets the instant of the next sweep, as a server does before it is ready.
func (h *house) boot(t *testing.T) {
	t.Helper()
	if err := schedule.New(h.d, nil, nil, h.Daily()).Boot(context.Background()); err != nil {
		t.Fatal(err)
	}
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
		k := h.run(t, clock, schedule.Task{Name: "count", Every: schedule.Daily, Boot: true, Run: func(context.Context, schedule.Turn) error { ran++; return nil }})
		if _, d := h.status(anna); d != 5 || ran != 1 {
			t.Errorf("at boot: %d deleted, %d tasks", d, ran)
		}
		if at := h.nextSweep(t); at != start+day {
			t.Errorf("next sweep in %d ms", at-start)
		}
		for range 3 {
			clock.Advance(time.Minute.Milliseconds())
			k.Next(t)
		}
		if _, d := h.status(anna); d != 5 || ran != 1 {
			t.Errorf("before its time: %d deleted, %d tasks", d, ran)
		}
		// The wake comes a little late; the sweep's own clock is its instant, so the
		// next day has a whole limit again, and the grid doesn't drift.
		for n := 1; n <= 3; n++ {
			clock.Advance(start + int64(n)*day + 40_000 - clock.Now())
			k.Next(t)
			if _, d := h.status(anna); d != min(20, 5+5*n) || ran != 1+n {
				t.Errorf("day %d: %d deleted, %d tasks", n, d, ran)
			}
			if at := h.nextSweep(t); at != start+int64(n+1)*day {
				t.Errorf("day %d: next sweep at %d", n, at-start)
			}
		}
	})
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
	k.Next(t)
	if _, d := h.status(anna); d != 10 {
		t.Errorf("after a jump forward: %d deleted", d)
	}
	if at := h.nextSweep(t); at != start+11*day {
		t.Errorf("next sweep at %d", at-start)
	}
	// Back to where it was: the next sweep is within a day again, on the grid, and
	// the limit still counts what the future took.
	clock.Advance(-10 * day)
	k.Next(t)
	if at := h.nextSweep(t); at != start+day {
		t.Errorf("after a jump back: next sweep at %d", at-start)
	}
	clock.Advance(day)
	k.Next(t)
	if _, d := h.status(anna); d != 10 {
		t.Errorf("the limit forgot what a sweep took: %d deleted", d)
	}
	// Years back.
	clock.Advance(-3000 * day)
	k.Next(t)
	if at := h.nextSweep(t); at <= clock.Now() || at > clock.Now()+day || (at-start)%day != 0 {
		t.Errorf("years back: next sweep in %d", at-clock.Now())
	}
}
