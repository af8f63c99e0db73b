package schedule_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/schedule"
	"elowen/server/schedule/scheduletest"
	"elowen/shared/api"
)

const (
	minute = int64(time.Minute / time.Millisecond)
	day    = 24 * 60 * minute
)

// diary is what tasks did, in order.
type diary []string

// task is one that writes its turns down: its name, the account and how many days
// after the start its clock shows.
func (d *diary) task(name string, boot bool) schedule.Task {
	return schedule.Task{Name: name, Every: schedule.Daily, Boot: boot, Run: func(_ context.Context, turn schedule.Turn) error {
		*d = append(*d, fmt.Sprintf("%s %d %v", name, turn.Owner, float64(turn.At-dbtest.Start)/float64(day)))
		return nil
	}}
}

// did compares what was done since the last time.
func (d *diary) did(t *testing.T, when string, want ...string) {
	t.Helper()
	if !slices.Equal(*d, want) {
		t.Errorf("%s: %q, not %q", when, *d, want)
	}
	*d = nil
}

// next is the stored instant, in days after the start.
func next(t *testing.T, d *db.DB, task string, owner db.AccountID) float64 {
	t.Helper()
	var at int64
	err := d.View(context.Background(), func(tx *db.Tx) (err error) { at, err = schedule.Next(tx, task, owner); return err })
	if err != nil {
		t.Fatal(err)
	}
	return float64(at-dbtest.Start) / float64(day)
}

func TestTasksRecur(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		var list diary
		k := scheduletest.Run(t, d, clock, list.task("first", true), list.task("second", true), list.task("later", false))
		list.did(t, "at boot", "first 0 0", "second 0 0")
		clock.Advance(day - 5 - minute)
		k.Next(t)
		list.did(t, "before its time")
		// The wake comes a little late: the turn's clock is its instant, and the grid
		// doesn't drift. What wasn't begun with comes a day after it was heard of.
		for n := range int64(3) {
			clock.Advance(dbtest.Start + (n+1)*day + minute - clock.Now())
			k.Next(t)
			list.did(t, "day", fmt.Sprintf("first 0 %d", n+1), fmt.Sprintf("second 0 %d", n+1), fmt.Sprintf("later 0 %v", float64((n+1)*day+5)/float64(day)))
			if at := next(t, d, "first", 0); at != float64(n+2) {
				t.Errorf("the turn after is at day %v", at)
			}
		}
	})
}

func TestClockJumps(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	d := dbtest.Open(t, clock)
	var list diary
	k := scheduletest.Run(t, d, clock, list.task("sweep", true))
	list.did(t, "at boot", "sweep 0 0")
	// Ten days and a quarter forward, or asleep: one turn at once, by the clock as it is.
	clock.Advance(10*day + day/4 - 5)
	k.Next(t)
	list.did(t, "ahead", "sweep 0 10.25")
	if at := next(t, d, "sweep", 0); at != 11 {
		t.Errorf("the next is at day %v", at)
	}
	clock.Advance(-9 * day)
	k.Next(t)
	list.did(t, "back")
	if at := next(t, d, "sweep", 0); at != 2 {
		t.Errorf("after a jump back the next is at day %v", at)
	}
	clock.Advance(-3000 * day)
	k.Next(t)
	list.did(t, "years back")
	if at := next(t, d, "sweep", 0); at != -2998 {
		t.Errorf("years back the next is at day %v", at)
	}
}

// One that fails or panics keeps nothing else from its turn, nor itself from the next.
func TestOthersGoOn(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	var list diary
	broken, trips := list.task("broken", true), list.task("trips", true)
	broken.Run = func(context.Context, schedule.Turn) error {
		list = append(list, "broken")
		return context.DeadlineExceeded
	}
	trips.Run = func(context.Context, schedule.Turn) error { list = append(list, "trips"); panic("over a stored text") }
	k := scheduletest.Run(t, dbtest.Open(t, clock), clock, broken, trips, list.task("well", true))
	list.did(t, "at boot", "broken", "trips", "well 0 0")
	clock.Advance(day)
	k.Next(t)
	list.did(t, "a day later", "broken", "trips", "well 0 1")
}

// Each account has turns of its own; one that comes gets its first a distance later,
// and one that was erased none.
func TestAccountsHaveTurns(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		ctx := context.Background()
		person := func(name string) (id db.AccountID) {
			err := d.Update(ctx, func(tx *db.Tx) (err error) {
				id, err = account.InsertLocked(tx, name, "", api.RoleMember, 0)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		ann := person("ann")
		var list diary
		task := list.task("dream", false)
		task.Owners, task.Owns = account.Owners, account.Owns
		moved := map[db.AccountID]int{}
		task.Moved = func(_ *db.Tx, owner db.AccountID, _ int64) error { moved[owner]++; return nil }
		k := scheduletest.Run(t, d, clock, task)
		clock.Advance(day/2 - 5)
		bob := person("bob")
		k.Next(t)
		clock.Advance(day / 2)
		k.Next(t)
		list.did(t, "ann's first")
		clock.Advance(5)
		k.Next(t)
		list.did(t, "ann's first", fmt.Sprintf("dream %d %v", ann, float64(day+5)/float64(day)))
		clock.Advance(day / 2)
		k.Next(t)
		list.did(t, "bob's first", fmt.Sprintf("dream %d 1.5", bob))
		if moved[ann] != 2 || moved[bob] != 2 {
			t.Errorf("the task was told of %v", moved)
		}
		err := d.Update(ctx, func(tx *db.Tx) error {
			if _, err := tx.Exec(`DELETE FROM account WHERE id = ?`, int64(bob)); err != nil {
				return err
			}
			return schedule.EraseAccount(tx, bob)
		})
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(3 * day)
		k.Next(t)
		list.did(t, "without bob", fmt.Sprintf("dream %d %v", ann, float64(clock.Now()-dbtest.Start)/float64(day)))
		if at := next(t, d, "dream", bob); at >= 0 {
			t.Errorf("bob has a turn at day %v", at)
		}
	})
}

// However many accounts there are, they are listed once in a look; each claim asks for
// the one account alone.
func TestClaimsAskForOne(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		const many = 40
		err := d.Update(context.Background(), func(tx *db.Tx) error {
			for i := range many {
				if _, err := account.InsertLocked(tx, fmt.Sprintf("person%d", i), "", api.RoleMember, 0); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var list diary
		var listed, asked atomic.Int64
		task := list.task("dream", false)
		task.Owners = func(tx *db.Tx) ([]db.AccountID, error) { listed.Add(1); return account.Owners(tx) }
		task.Owns = func(tx *db.Tx, owner db.AccountID) (bool, error) { asked.Add(1); return account.Owns(tx, owner) }
		k := scheduletest.Run(t, d, clock, task)
		k.Next(t)
		if l, a := listed.Load(), asked.Load(); l > 4 || a < many {
			t.Errorf("%d accounts were listed %d times, and %d asked for one", many, l, a)
		}
	})
}

// Of many programs on one store one does the turn.
func TestOneOfManyDoesIt(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var mu sync.Mutex
		var turns []int64
		task := schedule.Task{Name: "sweep", Every: schedule.Daily, Run: func(_ context.Context, turn schedule.Turn) error {
			mu.Lock()
			defer mu.Unlock()
			turns = append(turns, turn.At)
			return nil
		}}
		var asleep sync.WaitGroup
		wakes := make(chan time.Time)
		var all sync.WaitGroup
		const programs = 8
		round := func(do func()) {
			asleep.Add(programs)
			do()
			asleep.Wait()
		}
		round(func() {
			for range programs {
				s := schedule.New(d, func(int64) <-chan time.Time { asleep.Done(); return wakes }, nil, task)
				all.Go(func() { s.Run(ctx) })
			}
		})
		clock.Advance(day)
		round(func() {
			for range programs {
				wakes <- time.Time{}
			}
		})
		if !slices.Equal(turns, []int64{clock.Now()}) {
			t.Errorf("turns at %v", turns)
		}
		cancel()
		all.Wait()
	})
}
