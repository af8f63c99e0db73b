package memory

import (
	"fmt"
	"sync"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// faded imports memories of ann's that are long due.
func (f *fixture) faded(n int) (ids []int64) {
	f.t.Helper()
	list := make([]Carried, n)
	for i := range list {
		list[i] = Carried{Body: fmt.Sprintf("faded %d", i), Importance: 1, CreatedAt: f.clock.Now() - int64(100+i)*day}
	}
	f.update(func(tx *db.Tx) (err error) {
		ids, err = f.Insert(tx, f.ann, audit.Actor{Name: audit.ActorImport}, "", list)
		return err
	})
	return ids
}

// sweep tries to evict memories at the clock's instant, and counts what became of them.
func (f *fixture) sweep(ids []int64, limit int) map[Outcome]int {
	f.t.Helper()
	counts := map[Outcome]int{}
	terms := f.rules.set(func(*Terms) {})
	for _, id := range ids {
		o, err := f.AutoEvict(ctx, f.ann, id, f.clock.Now(), limit, terms)
		if err != nil {
			f.t.Fatal(err)
		}
		counts[o]++
	}
	return counts
}

func TestAutoEvict(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.faded(20)
		if got := f.sweep(ids, 5); got[Trashed] != 5 || got[Refused] != 15 {
			t.Errorf("the first sweep: %v", got)
		}
		m := f.get(ids[0])
		v, _ := vitality.Vitality(vitality.Memory{Importance: 1, CreatedAt: int64(m.CreatedAt)}, vitality.DefaultPolicy(), f.clock.Now())
		if m.Status != api.StatusDeleted || m.DeletedWhy != "vitality 0.0 < 10" || m.DeletedBy != api.DeletedBySweep || m.DeletedWho != "Daily sweep" || v >= 0.05 || *m.DeletedAt != api.Time(f.clock.Now()) || m.Revision != 2 {
			t.Errorf("evicted %+v", m)
		}
		ev := f.events(ids[0])
		if e := ev[len(ev)-1]; e.Action != "auto-evict" || e.Actor != "daemon" || e.Who != "Daily sweep" || e.Reason != "auto-evict: "+m.DeletedWhy {
			t.Errorf("event %+v", e)
		}
		if got := f.sweep(ids, 5); got[Trashed] != 0 || got[Refused] != 15 || got[Kept] != 5 {
			t.Errorf("at once again: %v", got)
		}
		if got := f.sweep(ids, 3); got[Trashed] != 0 {
			t.Errorf("a lower limit: %v", got)
		}
		if got := f.sweep(ids, 7); got[Trashed] != 2 {
			t.Errorf("a higher limit: %v", got)
		}
		f.clock.Advance(day - 1)
		if got := f.sweep(ids, 7); got[Trashed] != 0 {
			t.Errorf("a millisecond too early: %v", got)
		}
		f.clock.Advance(1)
		if got := f.sweep(ids, 7); got[Trashed] != 7 {
			t.Errorf("a day later: %v", got)
		}
		f.clock.Advance(-3 * day) // the clock is put back: what went "later" counts all the same
		if got := f.sweep(ids, 7); got[Trashed] != 0 {
			t.Errorf("with the clock put back: %v", got)
		}
	})
}

func TestAutoEvictLooksAgain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.faded(4)
		f.recall(ids[0]) // between plan and sweep
		f.trash(ids[1])
		terms := f.rules.set(func(*Terms) {})
		f.rules.set(func(t *Terms) { t.Policy.Enabled = false })
		if o, err := f.AutoEvict(ctx, f.ann, ids[2], f.clock.Now(), 5, terms); err != nil || o != Kept {
			t.Errorf("paused in the middle of a sweep: %v %v", o, err)
		}
		f.rules.set(func(t *Terms) { t.Policy.Enabled = true })
		if got := f.sweep(append(ids[:2:2], 4242), 5); got[Kept] != 3 {
			t.Errorf("used, trashed and gone: %v", got)
		}
		if o, err := f.AutoEvict(ctx, f.bob, ids[2], f.clock.Now(), 5, terms); err != nil || o != Kept {
			t.Errorf("another's: %v %v", o, err)
		}
		if got := f.sweep(ids[2:], 5); got[Trashed] != 2 {
			t.Errorf("the others: %v", got)
		}
		if _, err := f.Restore(ctx, f.ann, me, ids[2], 0, ""); err != nil {
			t.Fatal(err)
		}
		if got := f.sweep(ids[2:3], 5); got[Trashed] != 1 {
			t.Errorf("restored, it is due as before: %v", got)
		}
	})
}

// What other accounts lost, and what was lost elsewhere, is not in the ledger.
func TestLedgerIsOnesOwn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.faded(3)
		f.update(func(tx *db.Tx) error {
			for _, owner := range []db.AccountID{f.ann, f.bob} {
				if _, err := f.Insert(tx, owner, me, "", []Carried{{Body: "gone", Importance: 1, Status: api.StatusDeleted, Events: []api.LineEvent{
					{Action: "auto-evict", Actor: "daemon", At: api.Time(f.clock.Now()), Foreign: owner == f.ann},
				}}}); err != nil {
					return err
				}
			}
			return nil
		})
		if got := f.sweep(ids, 2); got[Trashed] != 2 || got[Refused] != 1 {
			t.Errorf("%v", got)
		}
		f.view(func(tx *db.Tx) error {
			n, err := audit.Evicted(tx, f.bob, f.clock.Now())
			if n != 1 {
				t.Errorf("an own event that was carried along counts, but %d do", n)
			}
			return err
		})
	})
}

// Many programs that sweep at once over the same memories take the limit, no more.
func TestAutoEvictTogether(t *testing.T) {
	dir := t.TempDir()
	clock := dbtest.NewClock(dbtest.Start)
	var f *fixture
	var stores []*fixture
	for i := range 6 {
		d, err := db.Open(ctx, db.Config{Dir: dir, Clock: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if i == 0 {
			f = newFixture(t, d, clock)
			stores = append(stores, f)
			continue
		}
		other := *f
		other.d = d
		other.Store = New(d, f.categories, f.rules)
		stores = append(stores, &other)
	}
	ids := f.faded(40)
	terms := f.rules.set(func(*Terms) {})
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := map[Outcome]int{}
	for _, s := range stores {
		wg.Go(func() {
			for _, id := range ids {
				o, err := s.AutoEvict(ctx, f.ann, id, clock.Now(), 5, terms)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				total[o]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if total[Trashed] != 5 {
		t.Errorf("%v", total)
	}
}
