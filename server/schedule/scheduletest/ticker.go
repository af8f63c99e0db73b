// Package scheduletest runs a schedule in a test that moves its clock: the schedule
// wakes only when the test says so, and what a wake did is done when the test goes on.
package scheduletest

import (
	"context"
	"sync"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/schedule"
)

// longest is what a schedule may sleep.
const longest = time.Minute

// Ticker hands a schedule its wakes one by one.
type Ticker struct {
	clock  *dbtest.Clock
	sleeps chan time.Duration
	wakes  chan time.Time
}

func (k *Ticker) wake(at int64) <-chan time.Time {
	k.sleeps <- time.Duration(at-k.clock.Now()) * time.Millisecond
	return k.wakes
}

// Run boots a schedule of the tasks and runs it until the test ends. It returns when
// the schedule sleeps: what it begins with is done.
func Run(t *testing.T, d *db.DB, clock *dbtest.Clock, tasks ...schedule.Task) *Ticker {
	t.Helper()
	k := &Ticker{clock, make(chan time.Duration), make(chan time.Time)}
	s := schedule.New(d, k.wake, nil, tasks...)
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

func (k *Ticker) asleep(t *testing.T) {
	t.Helper()
	select {
	case d := <-k.sleeps:
		if d > longest {
			t.Errorf("it sleeps for %v: a jump of the clock would go unnoticed", d)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the schedule hangs")
	}
}

// Next wakes the schedule and returns when it sleeps again.
func (k *Ticker) Next(t *testing.T) {
	t.Helper()
	k.wakes <- time.Time{}
	k.asleep(t)
}
