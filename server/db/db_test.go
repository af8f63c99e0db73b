package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/fault"
)

var ctx = context.Background()

func setMeta(name, value string) func(*db.Tx) error {
	return func(tx *db.Tx) error { return tx.SetMeta(name, value) }
}

func meta(t *testing.T, d *db.DB, name string) string {
	t.Helper()
	var v string
	if err := d.View(ctx, func(tx *db.Tx) (err error) { v, err = tx.Meta(name); return }); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDecisionsAreAllOrNothing(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		boom := errors.New("boom")
		cases := map[string]struct {
			fn   func(*db.Tx) error
			kind fault.Kind
		}{
			"error":  {func(tx *db.Tx) error { tx.SetMeta("a", "1"); return boom }, fault.Internal},
			"panic":  {func(tx *db.Tx) error { tx.SetMeta("a", "1"); panic("x") }, fault.Internal},
			"syntax": {func(tx *db.Tx) error { tx.SetMeta("a", "1"); _, err := tx.Exec("NOT SQL"); return err }, fault.Internal},
			"unique": {func(tx *db.Tx) error {
				tx.SetMeta("a", "1")
				_, err := tx.Exec("INSERT INTO meta (name, value) VALUES ('a', '2')")
				return err
			}, fault.Taken},
			"swallowed": {func(tx *db.Tx) error {
				tx.SetMeta("a", "1")
				rows := tx.Query("SELECT name FROM meta") // forgotten, not closed
				rows.Next()
				return boom
			}, fault.Internal},
		}
		for name, c := range cases {
			err := d.Update(ctx, c.fn)
			if fault.KindOf(err) != c.kind || err == nil {
				t.Errorf("%s: %v", name, err)
			}
			if v := meta(t, d, "a"); v != "" {
				t.Errorf("%s: kept %q", name, v)
			}
		}
		if err := d.Update(ctx, setMeta("a", "2")); err != nil || meta(t, d, "a") != "2" {
			t.Errorf("after failures: %v, %q", err, meta(t, d, "a"))
		}
	})
}

func TestGroupKeepsNeighboursOfAFailure(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		var wg sync.WaitGroup
		const callers, each = 16, 20
		for i := range callers {
			wg.Go(func() {
				for j := range each {
					owner := db.AccountID(1 + i%3)
					err := d.Update(ctx, func(tx *db.Tx) error {
						tx.Emit(owner, db.NounMemory, int64(i*each+j))
						if err := tx.SetMeta(fmt.Sprintf("k%d-%d", i, j), "v"); err != nil {
							return err
						}
						if j%4 == 3 {
							return fault.New(fault.Invalid, "no")
						}
						return nil
					})
					if (err != nil) != (j%4 == 3) {
						t.Errorf("%d/%d: %v", i, j, err)
					}
				}
			})
		}
		wg.Wait()
		decisions, groups := d.Counts()
		if want := int64(callers * each * 3 / 4); decisions != want {
			t.Errorf("%d decisions, want %d", decisions, want)
		}
		if groups >= decisions {
			t.Errorf("%d commits for %d decisions: nothing was shared", groups, decisions)
		}
		seen := map[int64]bool{}
		for owner := db.AccountID(1); owner <= 3; owner++ {
			err := d.View(ctx, func(tx *db.Tx) error {
				list, h, err := tx.Changes(owner, 0, 10_000)
				if err != nil {
					return err
				}
				for n, c := range list {
					if c.Seq != int64(n+1) {
						t.Errorf("owner %d: entry %d has seq %d", owner, n, c.Seq)
					}
					if seen[c.ID] || c.ID%each%4 == 3 {
						t.Errorf("owner %d: stray entry %d", owner, c.ID)
					}
					seen[c.ID] = true
				}
				if h.Seq != int64(len(list)) || h.Epoch == "" {
					t.Errorf("owner %d: head %+v for %d entries", owner, h, len(list))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) != int(decisions) {
			t.Errorf("%d entries for %d decisions", len(seen), decisions)
		}
	})
}

func TestIdempotency(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		runs := 0
		do := func(owner db.AccountID, key, body string) (counted, error) {
			c, i := db.WithIdempotency(ctx, owner, key, []byte(body))
			before := runs
			v, err := db.Do(c, d, func(tx *db.Tx) (counted, error) {
				runs++
				return counted{runs}, nil
			})
			if err == nil && i.Replayed() == (runs > before) {
				t.Errorf("replayed %v though it ran %d times", i.Replayed(), runs-before)
			}
			return v, err
		}
		first, err := do(1, "k", "a")
		if err != nil || first.N != 1 {
			t.Fatalf("%v %v", first, err)
		}
		if again, err := do(1, "k", "a"); err != nil || again != first || runs != 1 {
			t.Errorf("again: %v %v, %d runs", again, err, runs)
		}
		if _, err := do(1, "k", "b"); !fault.Is(err, fault.Taken) {
			t.Errorf("another request under the key: %v", err)
		}
		if other, err := do(2, "k", "a"); err != nil || other.N != 2 {
			t.Errorf("another account's key: %v %v", other, err)
		}
		if err := d.Update(ctx, func(tx *db.Tx) error { return tx.ForgetResults([]int64{7}) }); err != nil {
			t.Fatal(err)
		}
		for owner := range db.AccountID(2) {
			if _, err := do(owner+1, "k", "a"); !fault.Is(err, fault.Gone) {
				t.Errorf("account %d after a purge: %v", owner+1, err)
			}
		}
		clock.Advance(8 * 86_400_000)
		if _, err := d.Trim(ctx, 1); err != nil {
			t.Fatal(err)
		}
		if v, err := do(1, "k", "b"); err != nil || v.N != 3 {
			t.Errorf("after its days: %v %v", v, err)
		}
	})
}

type counted struct{ N int }

func (counted) References() []int64 { return []int64{7} }

func TestTrimMakesAGap(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		emit := func(n int64) {
			if err := d.Update(ctx, func(tx *db.Tx) error { tx.Emit(1, db.NounMemory, n); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		emit(1)
		clock.Advance(7*86_400_000 + 1)
		emit(2)
		if n, err := d.Trim(ctx, 1); err != nil || n != 1 {
			t.Fatalf("trim: %d %v", n, err)
		}
		d.View(ctx, func(tx *db.Tx) error {
			if _, _, err := tx.Changes(1, 0, 10); !fault.Is(err, fault.Gone) {
				t.Errorf("from before the floor: %v", err)
			}
			if list, _, err := tx.Changes(1, 1, 10); err != nil || len(list) != 1 || list[0].ID != 2 {
				t.Errorf("from the floor: %v %v", list, err)
			}
			if _, _, err := tx.Changes(1, 3, 10); !fault.Is(err, fault.Gone) {
				t.Errorf("from the future: %v", err)
			}
			return nil
		})
	})
}

func TestChangesAreReadInParts(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		for _, c := range [][2]int64{{1, 10}, {1, 11}, {2, 20}, {1, 12}, {1, 13}} {
			if err := d.Update(ctx, func(tx *db.Tx) error { tx.Emit(db.AccountID(c[0]), db.NounMemory, c[1]); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		err := d.View(ctx, func(tx *db.Tx) error {
			list, head, err := tx.Changes(1, 0, 3)
			if err != nil || head.Seq != 4 || head.Epoch == "" || len(list) != 3 {
				t.Fatalf("%v %v %v", list, head, err)
			}
			rest, _, err := tx.Changes(1, list[2].Seq, 3)
			if err != nil || len(rest) != 1 || rest[0].ID != 13 || rest[0].Seq != 4 {
				t.Errorf("%v %v", rest, err)
			}
			none, head, err := tx.Changes(3, 0, 3)
			if err != nil || len(none) != 0 || head.Seq != 0 {
				t.Errorf("an account without changes: %v %v %v", none, head, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestCancelledBeforeItRan(t *testing.T) {
	d := dbtest.Open(t, nil)
	c, cancel := context.WithCancel(ctx)
	cancel()
	if err := d.Update(c, setMeta("x", "1")); !fault.Is(err, fault.Cancelled) {
		t.Errorf("Update: %v", err)
	}
	if err := d.View(c, func(tx *db.Tx) error { return nil }); !fault.Is(err, fault.Cancelled) {
		t.Errorf("View: %v", err)
	}
	c, cancel = context.WithCancel(ctx)
	err := d.Update(c, func(tx *db.Tx) error {
		if err := tx.SetMeta("x", "1"); err != nil {
			return err
		}
		cancel()
		return tx.SetMeta("x", "2")
	})
	if !fault.Is(err, fault.Cancelled) || meta(t, d, "x") != "" {
		t.Errorf("in the middle: %v, %q", err, meta(t, d, "x"))
	}
}

func TestForeignWriteIsHinted(t *testing.T) {
	dir := t.TempDir()
	a, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	hints := make(chan []db.AccountID, 16)
	a.Notify(func(o []db.AccountID) { hints <- o })
	b, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Update(ctx, func(tx *db.Tx) error { tx.Emit(5, db.NounMemory, 1); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := <-hints; got != nil {
		t.Errorf("hint %v", got)
	}
	if err := a.Update(ctx, func(tx *db.Tx) error { tx.Emit(5, db.NounMemory, 2); return nil }); err != nil {
		t.Fatal(err)
	}
	for got := range hints {
		if len(got) == 1 && got[0] == 5 {
			break
		}
	}
}

// otherProgram is a SQLite file that a statement made, and nobody marked as theirs.
func otherProgram(t *testing.T, statement string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "other.sqlite")
	pool, err := sql.Open("sqlite3", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(statement); err != nil {
		t.Fatal(err)
	}
	pool.Close()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestRefusedFilesAreLeftAlone(t *testing.T) {
	good := t.TempDir()
	d, err := db.Open(ctx, db.Config{Dir: good})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Update(ctx, setMeta("x", "1")); err != nil {
		t.Fatal(err)
	}
	d.Close()
	ours, err := os.ReadFile(filepath.Join(good, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	patch := func(at int, b ...byte) []byte {
		c := append([]byte(nil), ours...)
		copy(c[at:], b)
		return c
	}
	// withoutLog is a file as a copy is that was never opened: its changes go to a
	// rollback journal.
	withoutLog := func(c []byte) []byte {
		c[18], c[19] = 1, 1
		return c
	}
	cases := map[string][]byte{
		"text":      []byte("these are my notes, not a database, please keep them"),
		"cut":       ours[:len(ours)/2/4096*4096],
		"foreign":   patch(68, 0, 0, 0, 9),
		"newer":     patch(60, 0, 0, 255, 0),
		"scrambled": patch(0, 'S', 'Q', 'L', 'i', 't', 'e', 0, 0),

		"newer, without a log":       withoutLog(patch(60, 0, 0, 255, 0)),
		"foreign, without a log":     withoutLog(patch(68, 0, 0, 0, 9)),
		"foreign, of one empty page": otherProgram(t, "PRAGMA user_version = 7"),
		"foreign, of one view":       otherProgram(t, "CREATE VIEW v AS SELECT 1"),
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, db.FileName)
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := db.Open(ctx, db.Config{Dir: dir})
			if err == nil {
				d.Close()
			}
			if !fault.Is(err, fault.Corrupt) {
				t.Errorf("opened with %v", err)
			}
			after, err := os.ReadFile(file)
			if err != nil || string(after) != string(content) {
				t.Errorf("the file was changed (%v)", err)
			}
			if beside, _ := os.ReadDir(dir); len(beside) != 1 {
				t.Errorf("something is beside the file: %v", beside)
			}
		})
	}
}

func TestManyProgramsStartTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			d, err := db.Open(ctx, db.Config{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			if err := d.Update(ctx, func(tx *db.Tx) error { tx.Emit(1, db.NounMemory, int64(i)); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.View(ctx, func(tx *db.Tx) error {
		if h, err := tx.Head(1); err != nil || h.Seq != 6 {
			t.Errorf("head %+v %v", h, err)
		}
		return nil
	})
}

func TestIn(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 4, 5: 8, 512: 512} {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(i + 1)
		}
		in, args := db.In(ids)
		if len(args) != want || len(in) != 2*want-1 {
			t.Errorf("In(%d): %d arguments, %q", n, len(args), in)
		}
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprint(i + 1)
		}
		if holders, list := db.InTexts(texts); holders != in || len(list) != want || n == 0 && list[0] != nil || n > 0 && list[want-1] != texts[n-1] {
			t.Errorf("InTexts(%d): %v, %q", n, list, holders)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			d := dbtest.Open(b, nil)
			b.SetParallelism(max(1, callers/2))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := d.Update(ctx, func(tx *db.Tx) error { tx.Emit(1, db.NounMemory, 1); return nil }); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
