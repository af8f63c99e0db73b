package feed_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/feed"
)

const patience = 10 * time.Second

func write(t *testing.T, d *db.DB, owner db.AccountID, ids ...int64) {
	t.Helper()
	err := d.Update(context.Background(), func(tx *db.Tx) error {
		for _, id := range ids {
			tx.Emit(owner, db.NounMemory, id)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func woken(t *testing.T, wake <-chan struct{}) {
	t.Helper()
	select {
	case <-wake:
	case <-time.After(patience):
		t.Fatal("not woken")
	}
}

func asleep(t *testing.T, wake <-chan struct{}) {
	t.Helper()
	select {
	case <-wake:
		t.Fatal("woken without a reason")
	default:
	}
}

// look makes the feed look at the heads, as it does after anybody's write: the
// first look at a new subscription wakes it once.
func look(t *testing.T, d *db.DB, wakes ...<-chan struct{}) {
	t.Helper()
	write(t, d, 99, 1)
	for _, w := range wakes {
		woken(t, w)
	}
}

// settle lets the looks of earlier writes pass.
func settle(wake <-chan struct{}) {
	for {
		select {
		case <-wake:
		case <-time.After(450 * time.Millisecond):
			return
		}
	}
}

// read is what a subscriber does after a wake.
func read(ctx context.Context, d *db.DB, owner db.AccountID, since int64, limit int) (list []db.Change, head db.Head, err error) {
	err = d.View(ctx, func(tx *db.Tx) error {
		list, head, err = tx.Changes(owner, since, limit)
		return err
	})
	return list, head, err
}

func TestWakesAreTheAccountsOwnAndCoalesce(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		f := feed.New(d)
		defer f.Close()
		one, cancel := f.Subscribe(1)
		again, cancelAgain := f.Subscribe(1)
		two, cancelTwo := f.Subscribe(2)
		defer cancelAgain()
		defer cancelTwo()
		look(t, d, one, again, two)
		write(t, d, 1, 1)
		write(t, d, 1, 2)
		woken(t, one)
		woken(t, again)
		asleep(t, two)
		settle(one) // the writes count as possibly foreign too, which may wake once more
		cancel()
		write(t, d, 1, 3)
		woken(t, again)
		settle(again)
		asleep(t, one)
		asleep(t, two)
	})
}

func TestARefusedDecisionWakesNobody(t *testing.T) {
	d := dbtest.Open(t, nil)
	f := feed.New(d)
	defer f.Close()
	wake, cancel := f.Subscribe(1)
	defer cancel()
	look(t, d, wake)
	no := errors.New("no")
	err := d.Update(context.Background(), func(tx *db.Tx) error {
		tx.Emit(1, db.NounMemory, 1)
		return no
	})
	if !errors.Is(err, no) {
		t.Fatal(err)
	}
	settle(wake)
	asleep(t, wake)
}

// A second process, here a second open store on the same file.
func TestForeignWritesWake(t *testing.T) {
	dir := t.TempDir()
	open := func() *db.DB {
		d, err := db.Open(context.Background(), db.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	ours, theirs := open(), open()
	f := feed.New(ours)
	defer f.Close()
	one, cancel := f.Subscribe(1)
	two, cancelTwo := f.Subscribe(2)
	defer cancel()
	defer cancelTwo()
	look(t, ours, one, two)
	write(t, theirs, 1, 5)
	woken(t, one)
	list, _, err := read(context.Background(), ours, 1, 0, 10)
	if err != nil || len(list) != 1 || list[0].ID != 5 {
		t.Fatalf("%v %v", list, err)
	}
	settle(two)
	asleep(t, two)
}

// Many writers and readers at once: every reader sees every entry once, in order.
func TestNobodyMissesAnything(t *testing.T) {
	d := dbtest.Open(t, nil)
	f := feed.New(d)
	defer f.Close()
	const writers, each, readers = 4, 50, 3
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for range readers {
		all.Add(1)
		go func() {
			defer all.Done()
			wake, stop := f.Subscribe(1)
			defer stop()
			var at int64
			for at < writers*each {
				list, _, err := read(ctx, d, 1, at, 7)
				if err != nil {
					t.Error(err)
					return
				}
				for _, c := range list {
					if c.Seq != at+1 {
						t.Errorf("%d after %d", c.Seq, at)
						return
					}
					at = c.Seq
				}
				if len(list) == 0 {
					select {
					case <-wake:
					case <-ctx.Done():
						t.Errorf("stuck at %d", at)
						return
					}
				}
			}
		}()
	}
	for w := range writers {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range each {
				write(t, d, 1, int64(w*each+i))
			}
		}()
	}
	all.Wait()
}

// The heads of many accounts are read at once, as each alone.
func TestHeads(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		var owners []db.AccountID
		for i := range db.AccountID(db.InMost + 3) {
			owners = append(owners, i+1)
		}
		for _, owner := range []db.AccountID{1, 2, db.InMost + 3} {
			write(t, d, owner, 1, 2)
		}
		err := d.View(context.Background(), func(tx *db.Tx) error {
			heads, err := tx.Heads(owners)
			if err != nil || len(heads) != len(owners) {
				t.Fatalf("%d heads, %v", len(heads), err)
			}
			for _, owner := range owners {
				want, err := tx.Head(owner)
				if err != nil {
					return err
				}
				if heads[owner] != want {
					t.Errorf("account %d: %+v, want %+v", owner, heads[owner], want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
