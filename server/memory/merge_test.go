package memory

import (
	"fmt"
	"slices"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"
)

func (f *fixture) recall(ids ...int64) {
	f.t.Helper()
	counted, err := f.MarkRecalled(ctx, f.ann, ids)
	if err != nil || !slices.Equal(counted, ids) {
		f.t.Fatalf("recalled %v of %v: %v", counted, ids, err)
	}
}

func TestMerge(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		a := f.add("The door code is 4711", importance(3))
		b := f.add("Door: 4711", importance(9), inCategory(work.ID))
		c := f.add("code 4711", importance(1), uncategorized)
		f.clock.Advance(day)
		f.recall(a.ID, b.ID, c.ID)
		f.clock.Advance(day)
		f.recall(c.ID, b.ID)
		f.clock.Advance(day)
		f.recall(c.ID) // the most used one, but filed nowhere
		last := f.clock.Now()
		f.clock.Advance(day)
		m, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: []int64{a.ID, b.ID, c.ID}, Body: " The door's code is 4711 ", Reason: "the same"})
		if err != nil {
			t.Fatal(err)
		}
		if m.ID <= c.ID || m.Body != "The door's code is 4711" || m.Importance != 9 || m.UseCount != 6 || *m.LastUsedAt != api.Time(last) ||
			*m.CategoryID != work.ID || m.Source != api.SourceMerge || m.CreatedAt != api.Time(f.clock.Now()) || m.Revision != 1 || m.Status != api.StatusActive {
			t.Errorf("merged %+v", m)
		}
		for _, id := range []int64{a.ID, b.ID, c.ID} {
			if got := f.get(id); got.Status != api.StatusDeleted || got.DeletedWhy != fmt.Sprintf("merged into %d", m.ID) {
				t.Errorf("source %+v", got)
			}
		}
		ev := f.events(m.ID)
		if len(ev) != 1 || ev[0].Action != "merge" || ev[0].Reason != "the same" || len(ev[0].Changes) != 1 ||
			ev[0].Changes[0].After != fmt.Sprintf("%d, %d, %d", a.ID, b.ID, c.ID) {
			t.Errorf("audit %+v", ev)
		}
		h, err := f.History(ctx, f.ann, m.ID, 30)
		if err != nil || h.HistoryFrom != m.CreatedAt || h.Points[len(h.Points)-1].Vitality != m.Vitality {
			t.Errorf("history from %v: %v", h.HistoryFrom, err)
		}
		f.clock.Advance(day)
		f.recall(m.ID)
		if h, err = f.History(ctx, f.ann, m.ID, 30); err != nil || len(h.Recalls) != 1 || h.HistoryFrom != m.CreatedAt || h.Points[0].Vitality != m.Vitality {
			t.Errorf("with all uses known it begins with the merge, at %v: %+v %v", m.Vitality, h.Points[0], err)
		}
		if _, err := f.Restore(ctx, f.ann, me, a.ID, 0, ""); err != nil {
			t.Error(err)
		}
	})
}

func TestMergeKeepsLastUseWithoutRecord(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("one", importance(10)), f.add("two")
		f.recall(a.ID)
		f.clock.Advance(120 * day)
		if n, err := f.TrimUsage(ctx, f.ann); err != nil || n != 1 {
			t.Fatalf("trimmed %d %v", n, err)
		}
		m, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: []int64{a.ID, b.ID}, Body: "one and two"})
		if err != nil || m.UseCount != 1 || *m.LastUsedAt != *f.get(a.ID).LastUsedAt {
			t.Fatalf("merged %+v %v", m, err)
		}
		f.clock.Advance(10 * day)
		f.recall(m.ID)
		h, err := f.History(ctx, f.ann, m.ID, 30)
		if err != nil || h.Points[len(h.Points)-1].Vitality != f.get(m.ID).Vitality {
			t.Errorf("history %+v %v", h.Points, err)
		}
	})
}

func TestMergeRefused(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("one"), f.add("two")
		gone := f.add("three")
		f.trash(gone.ID)
		his, err := f.Add(ctx, f.bob, me, api.SourceUser, api.MemoryAdd{Body: "his"})
		if err != nil {
			t.Fatal(err)
		}
		seq := f.seq(f.ann)
		for name, c := range map[string]struct {
			in   api.MemoryMerge
			want fault.Kind
		}{
			"one":          {api.MemoryMerge{IDs: []int64{a.ID}, Body: "x"}, fault.Invalid},
			"twice":        {api.MemoryMerge{IDs: []int64{a.ID, a.ID}, Body: "x"}, fault.Invalid},
			"no body":      {api.MemoryMerge{IDs: []int64{a.ID, b.ID}, Body: " "}, fault.Invalid},
			"of the trash": {api.MemoryMerge{IDs: []int64{a.ID, gone.ID}, Body: "x"}, fault.Invalid},
			"unknown":      {api.MemoryMerge{IDs: []int64{a.ID, 9_999}, Body: "x"}, fault.NotFound},
			"another's":    {api.MemoryMerge{IDs: []int64{a.ID, his.ID}, Body: "x"}, fault.NotFound},
		} {
			_, err := f.Merge(ctx, f.ann, me, c.in)
			if !fault.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if f.seq(f.ann) != seq || f.get(a.ID).Status != api.StatusActive {
			t.Error("a refused merge changed something")
		}
	})
}
