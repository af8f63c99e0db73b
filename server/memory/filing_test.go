package memory

import (
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// filing reads what sorting would see of a memory of ann's.
func (f *fixture) filing(id int64) (out Filing) {
	f.t.Helper()
	f.view(func(tx *db.Tx) (err error) { out, err = f.Filing(tx, f.ann, id); return err })
	return out
}

func (f *fixture) file(was Filing, to int64) (moved bool) {
	f.t.Helper()
	f.update(func(tx *db.Tx) (err error) {
		moved, err = f.File(tx, f.ann, audit.Actor{Name: audit.ActorDaemon, Model: "sorter"}, was, to, "sorted")
		return err
	})
	return moved
}

func TestFileWritesOnlyWhatStillHolds(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		travel, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Travel"})
		if err != nil {
			t.Fatal(err)
		}
		m := f.add("The ferry leaves at 07:40.")
		was := f.filing(m.ID)
		if was.ByHand || was.CategoryID == 0 {
			t.Fatalf("%+v", was)
		}
		for name, change := range map[string]func(Filing) Filing{
			"revision": func(x Filing) Filing { x.Revision++; return x },
			"body":     func(x Filing) Filing { x.Hash = audit.Hash("another"); return x },
			"category": func(x Filing) Filing { x.CategoryID = 0; return x },
			"hand":     func(x Filing) Filing { x.ByHand = true; return x },
			"gone":     func(x Filing) Filing { x.ID += 1000; return x },
		} {
			if f.file(change(was), travel.ID) {
				t.Errorf("%s: it was filed though it was another", name)
			}
		}
		if !f.file(was, travel.ID) {
			t.Fatal("it was not filed")
		}
		now, err := f.Get(ctx, f.ann, m.ID)
		if err != nil || *now.CategoryID != travel.ID || now.Revision != was.Revision+1 {
			t.Fatalf("%+v %v", now, err)
		}
		events, err := f.Events(ctx, f.ann, m.ID, "", 10)
		if e := events.Items[0]; err != nil || e.Action != "category" || e.Model != "sorter" || e.Actor != audit.ActorDaemon || len(e.Changes) != 1 {
			t.Errorf("%+v %v", e, err)
		}
		if f.file(was, travel.ID) {
			t.Error("an old answer was taken")
		}
	})
}

// What nobody has chosen counts as uncategorized; what somebody confirmed where it
// stood does not, though nothing of it changed to the eye.
func TestWhatIsToBeSorted(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m, n := f.add("One."), f.add("Two.")
		general := *m.CategoryID
		none := f.add("Three.", func(in *api.MemoryAdd) { in.CategoryID = api.Null[int64]() })
		chosen := f.add("Four.", func(in *api.MemoryAdd) { in.CategoryID = api.Some(general) })
		sorted := func(q Sorting) (ids []int64) {
			q.Default, q.Upto = general, 1<<60
			f.view(func(tx *db.Tx) error {
				list, err := f.Filings(tx, f.ann, q, 1<<60, 10)
				for _, x := range list {
					ids = append(ids, x.ID)
				}
				if count, err := f.CountFilings(tx, f.ann, q); err != nil || count != len(list) {
					t.Errorf("%d counted, %d read: %v", count, len(list), err)
				}
				return err
			})
			return ids
		}
		unfiled := func() (n int) {
			f.view(func(tx *db.Tx) error { list, err := f.Unfiled(tx, f.ann, 0, 0, 10); n = len(list); return err })
			return n
		}
		if got := sorted(Sorting{}); len(got) != 3 || got[0] != none.ID {
			t.Errorf("uncategorized: %v", got)
		}
		if got := sorted(Sorting{All: true}); len(got) != 4 || got[0] != chosen.ID {
			t.Errorf("all: %v", got)
		}
		if unfiled() != 2 { // m and n; none was made without one on purpose
			t.Errorf("%d are unfiled", unfiled())
		}
		// It was looked at and left: nobody is asked again by himself, a job asks again.
		if f.file(f.filing(n.ID), 0) || unfiled() != 1 || len(sorted(Sorting{})) != 3 {
			t.Error("what was left where it is")
		}
		if _, err := f.SetCategory(ctx, f.ann, me, m.ID, 0, api.CategoryChoice{CategoryID: &general}); err != nil {
			t.Fatal(err)
		}
		if x := f.filing(m.ID); !x.ByHand || x.Revision != m.Revision {
			t.Errorf("a confirmed category: %+v", x)
		}
		if got := sorted(Sorting{}); len(got) != 2 || unfiled() != 0 {
			t.Errorf("after a choice: %v", got)
		}
		f.update(func(tx *db.Tx) error {
			_, err := f.File(tx, f.ann, me, Filing{ID: n.ID, Revision: n.Revision, Hash: audit.Hash("Two."), CategoryID: general}, 1<<40, "")
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("filed where there is nothing: %v", err)
			}
			return nil
		})
	})
}
