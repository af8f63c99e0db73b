package memory

import (
	"fmt"
	"slices"
	"testing"

	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestBulk(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for i := range 5 {
			ids = append(ids, f.add(fmt.Sprintf("fact number %d", i), importance(i+1)).ID)
		}
		bulk := func(in api.MemoryBulk, want ...int64) {
			t.Helper()
			done, err := f.Bulk(ctx, f.ann, me, in)
			if err != nil || !slices.Equal(done.IDs, want) || done.Changed != len(want) {
				t.Errorf("%s: %+v %v, want %v", in.Action, done, err, want)
			}
		}
		bulk(api.MemoryBulk{IDs: ids[:3], Action: api.BulkCategory, CategoryID: api.Some(work.ID)}, ids[:3]...)
		bulk(api.MemoryBulk{IDs: ids[:4], Action: api.BulkCategory, CategoryID: api.Some(work.ID)}, ids[3])
		bulk(api.MemoryBulk{IDs: ids, Action: api.BulkImportance, Importance: api.Ptr(3)}, ids[0], ids[1], ids[3], ids[4])
		bulk(api.MemoryBulk{All: &api.MemoryQuery{CategoryID: work.ID}, Action: api.BulkKind, Kind: api.Ptr("project"), Reason: "sorted"}, ids[:4]...)
		bulk(api.MemoryBulk{All: &api.MemoryQuery{Q: "number 2"}, Action: api.BulkKind, Kind: api.Ptr("fact")}, ids[0], ids[1], ids[2], ids[3]) // all have "number"
		bulk(api.MemoryBulk{IDs: []int64{ids[4], ids[0]}, Action: api.BulkTrash}, ids[4], ids[0])
		bulk(api.MemoryBulk{All: &api.MemoryQuery{Status: api.StatusDeleted, CategoryID: work.ID}, Action: api.BulkRestore}, ids[0])
		bulk(api.MemoryBulk{All: &api.MemoryQuery{Status: api.StatusDeleted}, Action: api.BulkPurge}, ids[4])
		bulk(api.MemoryBulk{All: &api.MemoryQuery{Kind: "nothing"}, Action: api.BulkTrash})
		if ev := f.events(ids[0]); len(ev) != 7 || ev[3].Reason != "sorted" {
			t.Errorf("audit %+v", ev)
		}
	})
}

func TestBulkAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("a"), f.add("b")
		gone := f.add("c")
		f.trash(gone.ID)
		seq := f.seq(f.ann)
		for name, c := range map[string]struct {
			in   api.MemoryBulk
			want fault.Kind
		}{
			"neither":             {api.MemoryBulk{Action: api.BulkTrash}, fault.Invalid},
			"both":                {api.MemoryBulk{IDs: []int64{a.ID}, All: &api.MemoryQuery{}, Action: api.BulkTrash}, fault.Invalid},
			"unknown action":      {api.MemoryBulk{IDs: []int64{a.ID}, Action: "shred"}, fault.Invalid},
			"one is missing":      {api.MemoryBulk{IDs: []int64{a.ID, b.ID, 4242}, Action: api.BulkTrash}, fault.NotFound},
			"one is in the trash": {api.MemoryBulk{IDs: []int64{a.ID, gone.ID}, Action: api.BulkImportance, Importance: api.Ptr(9)}, fault.Invalid},
			"one is active":       {api.MemoryBulk{IDs: []int64{gone.ID, a.ID}, Action: api.BulkPurge}, fault.Invalid},
			"no importance":       {api.MemoryBulk{IDs: []int64{a.ID}, Action: api.BulkImportance}, fault.Invalid},
			"no kind":             {api.MemoryBulk{IDs: []int64{a.ID}, Action: api.BulkKind}, fault.Invalid},
			"no category":         {api.MemoryBulk{IDs: []int64{a.ID}, Action: api.BulkCategory}, fault.Invalid},
			"unknown category":    {api.MemoryBulk{IDs: []int64{a.ID}, Action: api.BulkCategory, CategoryID: api.Some(int64(77))}, fault.NotFound},
			"by meaning":          {api.MemoryBulk{All: &api.MemoryQuery{Q: "a", Match: "meaning"}, Action: api.BulkTrash}, fault.Invalid},
		} {
			_, err := f.Bulk(ctx, f.ann, me, c.in)
			if !fault.Is(err, c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
		if f.seq(f.ann) != seq || f.get(a.ID).Revision != 1 || f.get(gone.ID).Status != api.StatusDeleted {
			t.Error("a refused change changed something")
		}
	})
}

// More than one page of rows, with every row's words in the index afterwards.
func TestBulkMany(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		n := 2*bulkPage + 3
		f.insert(carried(n, f.clock.Now()))
		extra := f.add("unmistakable")
		done, err := f.Bulk(ctx, f.ann, me, api.MemoryBulk{All: &api.MemoryQuery{}, Action: api.BulkTrash})
		if err != nil || done.Changed != n+1 {
			t.Fatalf("trashed %d %v", done.Changed, err)
		}
		if done, err = f.EmptyTrash(ctx, f.ann, me, api.EmptyTrash{}); err != nil || done.Changed != n+1 {
			t.Fatalf("purged %d %v", done.Changed, err)
		}
		if f.count("posting") != 0 || len(f.found(extra.Body)) != 0 {
			t.Errorf("%d rows left in the index", f.count("posting"))
		}
		f.view(func(tx *db.Tx) error {
			st, err := lexicon.StatsOf(tx, f.ann)
			if st.Docs != 0 || st.TotalLength != 0 {
				t.Errorf("figures of an empty index: %+v", st)
			}
			return err
		})
	})
}

func TestDeleteCategory(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work", Default: true})
		if err != nil {
			t.Fatal(err)
		}
		a, b := f.add("a"), f.add("b")
		f.trash(b.ID)
		_, err = f.DeleteCategory(ctx, f.ann, me, work.ID, work.Revision+1)
		refused(t, err, fault.Stale)
		_, err = f.DeleteCategory(ctx, f.bob, me, work.ID, 0)
		refused(t, err, fault.NotFound)
		if c, err := f.categories.Get(ctx, f.ann, work.ID); err != nil || c.Count != 1 || !c.Default {
			t.Errorf("category %+v %v", c, err)
		}
		done, err := f.DeleteCategory(ctx, f.ann, me, work.ID, work.Revision)
		slices.Sort(done.IDs)
		if err != nil || !slices.Equal(done.IDs, []int64{a.ID, b.ID}) {
			t.Fatalf("%+v %v", done, err)
		}
		_, err = f.categories.Get(ctx, f.ann, work.ID)
		refused(t, err, fault.NotFound)
		for _, id := range done.IDs {
			if m := f.get(id); m.CategoryID != nil {
				t.Errorf("still filed: %+v", m)
			}
			ev := f.events(id)
			e := ev[len(ev)-1]
			if e.Action != "category" || e.Reason != "the category “Work” was deleted" || e.Changes[0].Before != "a deleted category" {
				t.Errorf("event %+v", e)
			}
		}
		if m := f.add("c"); m.CategoryID != nil {
			t.Errorf("the default is a deleted category: %v", *m.CategoryID)
		}
		_, err = f.DeleteCategory(ctx, f.ann, me, work.ID, 0)
		refused(t, err, fault.NotFound)
	})
}
