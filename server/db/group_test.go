package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/fault"
)

// Whatever way the first decision of a transaction fails, nothing of it is kept,
// and those that waited behind it are as if it had not been there. The first has
// no savepoint, so it is tried at every place of a queue.
func TestFailureAtEveryPlace(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		refuse := func(tx *db.Tx) error {
			_, err := tx.Exec("INSERT INTO meta (name, value) VALUES ('there', '2')")
			return err
		}
		if err := d.Update(ctx, setMeta("there", "1")); err != nil {
			t.Fatal(err)
		}
		ways := []struct {
			name string
			fn   func(*db.Tx) error // nil: its caller gives up meanwhile
		}{
			{"refused", func(*db.Tx) error { return fault.New(fault.Invalid, "no") }},
			{"constraint", refuse},
			{"panic", func(*db.Tx) error { panic("x") }},
			{"panic with open rows", func(tx *db.Tx) error { tx.Query("SELECT name FROM meta").Next(); panic("x") }},
			{"cancelled", nil},
			{"ends the transaction", func(tx *db.Tx) error { tx.Exec("ROLLBACK"); return errors.New("boom") }},
			{"cannot be taken back alone", func(tx *db.Tx) error { tx.Exec("RELEASE decision"); return errors.New("boom") }},
			{"ends the transaction in silence", func(tx *db.Tx) error { _, err := tx.Exec("ROLLBACK"); return err }},
		}
		for n, way := range ways {
			for place := range 3 {
				name := fmt.Sprintf("%s, place %d", way.name, place)
				key := func(i int) string { return fmt.Sprintf("%d-%d-%d", n, place, i) }
				// The one that holds the writer up ends its own transaction's time.
				held, release := make(chan struct{}), make(chan struct{})
				var wg sync.WaitGroup
				wg.Go(func() {
					if err := d.Update(ctx, func(*db.Tx) error { close(held); <-release; time.Sleep(25 * time.Millisecond); return nil }); err != nil {
						t.Errorf("%s: the one before: %v", name, err)
					}
				})
				<-held
				var errs [3]error
				for i := range errs {
					queued := make(chan struct{})
					wg.Go(func() {
						c, fn := ctx, func(*db.Tx) error { return nil }
						if i == place {
							fn = way.fn
						}
						if fn == nil {
							gone, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
							defer cancel()
							c = gone
						}
						close(queued)
						errs[i] = d.Update(c, func(tx *db.Tx) error {
							tx.Emit(1, db.NounMemory, int64(n*100+place*10+i))
							if err := tx.SetMeta(key(i), "kept"); err != nil {
								return err
							}
							return fn(tx)
						})
					})
					<-queued
					time.Sleep(time.Millisecond) // in this order, or another
				}
				close(release)
				wg.Wait()
				if errs[place] == nil {
					t.Errorf("%s: it was acknowledged", name)
				}
				ended := n >= 5 // takes the transaction along that it is in, and says so
				for i, err := range errs {
					if v := meta(t, d, key(i)); (v == "kept") != (err == nil) || v == "" && i != place && !ended {
						t.Errorf("%s: decision %d is %q and was told %v", name, i, v, err)
					}
				}
			}
		}
		if v := meta(t, d, "there"); v != "1" {
			t.Errorf("it is %q", v)
		}
		err := d.View(ctx, func(tx *db.Tx) error {
			list, h, err := tx.Changes(1, 0, 1000)
			if err == nil && (len(list) == 0 || list[len(list)-1].Seq != h.Seq || h.Seq != int64(len(list))) {
				t.Errorf("%d changes, head %+v", len(list), h)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// What a decision keeps to itself must not be acknowledged without being kept:
// SQLite goes on after a statement that failed, PostgreSQL doesn't.
func TestSwallowedErrors(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		if err := d.Update(ctx, setMeta("there", "1")); err != nil {
			t.Fatal(err)
		}
		err := d.Update(ctx, func(tx *db.Tx) error {
			if err := tx.SetMeta("a", "1"); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT INTO meta (name, value) VALUES ('there', '2')"); err == nil {
				t.Error("two rows of one name")
			}
			return nil
		})
		if v := meta(t, d, "a"); (v == "1") != (err == nil) {
			t.Errorf("it is %q and was told %v", v, err)
		}
		if err := d.Update(ctx, setMeta("b", "2")); err != nil || meta(t, d, "b") != "2" {
			t.Errorf("the next one: %v", err)
		}
	})
}
