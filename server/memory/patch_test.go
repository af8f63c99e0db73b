package memory

import (
	"errors"
	"testing"

	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestPatch(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("The archive is backed up at two", importance(5))
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(day)
		got := f.patch(m.ID, api.MemoryPatch{
			Body: api.Ptr(" The archive is backed up at three "), Kind: api.Ptr("decision"), Importance: api.Ptr(8), Confidence: api.Ptr(1.0),
			CategoryID: api.Some(work.ID), Subject: api.Ptr("ops"), Reason: "asked Jan",
		})
		if got.Revision != 2 || got.Body != "The archive is backed up at three" || got.Kind != "decision" || got.Importance != 8 || got.Confidence != 1 ||
			*got.CategoryID != work.ID || got.Subject != "ops" || got.CreatedAt != dbtest.Start || got.UpdatedAt != dbtest.Start+day {
			t.Errorf("patched %+v", got)
		}
		if *got.EvictableAt <= *m.EvictableAt {
			t.Error("more important, and not later to go")
		}
		ev := f.events(m.ID)
		e := ev[len(ev)-1]
		if e.Action != "update" || e.Reason != "asked Jan" || e.Revision != 2 || len(e.Changes) != 6 {
			t.Fatalf("event %+v", e)
		}
		if c := e.Changes[0]; c.Field != "body" || len(c.Before) != 8 || len(c.After) != 8 || len(c.Diff) != 3 {
			t.Errorf("the body's change %+v", c)
		}
		if c := e.Changes[4]; c.Field != "categoryId" || c.Before != "General" || c.After != "Work" {
			t.Errorf("the category's change %+v", c)
		}
		if ids := f.found("two"); len(ids) != 0 {
			t.Errorf("the old words still find it: %v", ids)
		}
		if ids := f.found("three"); len(ids) != 1 {
			t.Errorf("the new words find %v", ids)
		}

		seq := f.seq(f.ann)
		same := f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("The archive is backed up at three"), Importance: api.Ptr(8)})
		if same.Revision != 2 || f.seq(f.ann) != seq || len(f.events(m.ID)) != 2 {
			t.Error("a patch that changes nothing was a change")
		}
		out := f.patch(m.ID, api.MemoryPatch{CategoryID: api.Null[int64]()})
		if out.CategoryID != nil || out.Revision != 3 {
			t.Errorf("out of its category: %+v", out)
		}
		ev = f.events(m.ID)
		if e := ev[2]; e.Action != "category" || e.Changes[0].Before != "Work" || e.Changes[0].After != "" {
			t.Errorf("event %+v", e)
		}
	})
}

func TestPatchStale(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("one")
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("two")})
		seq := f.seq(f.ann)
		for name, write := range map[string]func() error{
			"patch": func() error {
				_, err := f.Patch(ctx, f.ann, me, m.ID, 1, api.MemoryPatch{Body: api.Ptr("three")})
				return err
			},
			"trash":   func() error { _, err := f.Trash(ctx, f.ann, me, m.ID, 1, ""); return err },
			"restore": func() error { _, err := f.Restore(ctx, f.ann, me, m.ID, 1, ""); return err },
			"file":    func() error { _, err := f.SetCategory(ctx, f.ann, me, m.ID, 1, api.CategoryChoice{}); return err },
			"newer": func() error {
				_, err := f.Patch(ctx, f.ann, me, m.ID, 3, api.MemoryPatch{Body: api.Ptr("three")})
				return err
			},
		} {
			err := write()
			refused(t, err, fault.Stale)
			var e *fault.Error
			if errors.As(err, &e) {
				if now, ok := e.Current.(api.Memory); !ok || now.Body != "two" || now.Revision != 2 {
					t.Errorf("%s: the current row is %+v", name, e.Current)
				}
			}
		}
		if got := f.get(m.ID); got.Body != "two" || got.Revision != 2 || got.Status != "active" || f.seq(f.ann) != seq {
			t.Errorf("a refused write changed something: %+v", got)
		}
		if _, err := f.Patch(ctx, f.ann, me, m.ID, 2, api.MemoryPatch{Body: api.Ptr("three")}); err != nil {
			t.Errorf("the revision it has: %v", err)
		}
	})
}

func TestVersions(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("red")                                         // 1
		f.patch(m.ID, api.MemoryPatch{Importance: api.Ptr(9)})    // 2, still red
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("green")})    // 3
		f.patch(m.ID, api.MemoryPatch{Kind: api.Ptr("feedback")}) // 4
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("blue")})     // 5
		restorable := func() (revisions []int64) {
			for _, e := range f.events(m.ID) {
				if e.Restores {
					revisions = append(revisions, e.Revision)
				}
			}
			return revisions
		}
		if got := restorable(); len(got) != 2 || got[0] != 1 || got[1] != 3 {
			t.Errorf("can be put back: %v", got)
		}
		for version, want := range map[int64]string{1: "red", 2: "red", 3: "green", 4: "green", 5: "blue"} {
			got := f.patch(m.ID, api.MemoryPatch{Version: &version})
			if got.Body != want {
				t.Errorf("version %d is %q, want %q", version, got.Body, want)
			}
			if ids := f.found(want); len(ids) != 1 {
				t.Errorf("%q is not found after it was put back", want)
			}
		}
		for _, version := range []int64{0, -1, 1000} {
			_, err := f.Patch(ctx, f.ann, me, m.ID, 0, api.MemoryPatch{Version: &version})
			refused(t, err, fault.NotFound)
		}
		_, err := f.Patch(ctx, f.ann, me, m.ID, 0, api.MemoryPatch{Version: api.Ptr(int64(1)), Body: api.Ptr("x")})
		refused(t, err, fault.Invalid)
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("black")})
		back := f.patch(m.ID, api.MemoryPatch{Version: api.Ptr(int64(1))})
		ev := f.events(m.ID)
		if e := ev[len(ev)-1]; back.Body != "red" || e.Reason != "revision 1 put back" {
			t.Errorf("%q, event %+v", back.Body, e)
		}
	})
}

func TestReviewed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x")
		got := f.patch(m.ID, api.MemoryPatch{Reviewed: api.Ptr(true)})
		if got.ReviewedAt == nil || *got.ReviewedAt != dbtest.Start {
			t.Errorf("reviewed at %v", got.ReviewedAt)
		}
		if ev := f.events(m.ID); ev[1].Action != "review" {
			t.Errorf("event %+v", ev[1])
		}
		if got = f.patch(m.ID, api.MemoryPatch{CategoryID: api.Null[int64]()}); got.ReviewedAt == nil {
			t.Error("filing it elsewhere made it unreviewed")
		}
		if got = f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("y")}); got.ReviewedAt != nil {
			t.Error("what was reviewed is not what it says now")
		}
	})
}

func TestPatchOnlyActive(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x")
		f.trash(m.ID)
		_, err := f.Patch(ctx, f.ann, me, m.ID, 0, api.MemoryPatch{Body: api.Ptr("y")})
		refused(t, err, fault.Invalid)
		_, err = f.Patch(ctx, f.ann, me, 12345, 0, api.MemoryPatch{Body: api.Ptr("y")})
		refused(t, err, fault.NotFound)
	})
}
