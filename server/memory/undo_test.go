package memory

import (
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func (f *fixture) bulk(in api.MemoryBulk) api.BulkDone {
	f.t.Helper()
	done, err := f.Bulk(ctx, f.ann, me, in)
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

func (f *fixture) undo(change int64) api.BulkDone {
	f.t.Helper()
	done, err := f.Undo(ctx, f.ann, me, api.MemoryUndo{Change: change})
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

// Each memory gets its own former value back, however many there are.
func TestUndoGivesEachItsOwn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const n = 2*bulkPage + 7
		want := map[int64]int{}
		for i := range n {
			m := f.add("number "+string(rune('a'+i%26))+" of "+string(rune('a'+i/26)), importance(i%9+1))
			want[m.ID] = m.Importance
		}
		done := f.bulk(api.MemoryBulk{All: &api.MemoryQuery{}, Action: api.BulkImportance, Importance: api.Ptr(10)})
		if done.Changed != n || done.Undo == 0 {
			t.Fatalf("changed %d of %d, undo %d", done.Changed, n, done.Undo)
		}
		later := f.patch(done.IDs[0], api.MemoryPatch{Importance: api.Ptr(4)}) // by hand, meanwhile
		kind := f.patch(done.IDs[1], api.MemoryPatch{Kind: api.Ptr("habit")})
		want[later.ID] = 4
		back := f.undo(done.Undo)
		if back.Changed != n-1 || back.Undo == 0 || back.Undo == done.Undo {
			t.Errorf("put back %d, undo %d", back.Changed, back.Undo)
		}
		for id, was := range want {
			if m := f.get(id); m.Importance != was {
				t.Errorf("memory %d has %d, had %d", id, m.Importance, was)
			}
		}
		if m := f.get(kind.ID); m.Kind != "habit" {
			t.Errorf("another field was put back too: %+v", m)
		}
		if again := f.undo(done.Undo); again.Changed != 0 || again.Undo != 0 {
			t.Errorf("undone twice: %+v", again)
		}
		f.undo(back.Undo) // and redone
		if m := f.get(done.IDs[2]); m.Importance != 10 {
			t.Errorf("redone to %d", m.Importance)
		}
		if ev := f.events(done.IDs[2]); ev[len(ev)-1].Reason != audit.ReasonUndone || ev[len(ev)-1].Action != "update" {
			t.Errorf("audit %+v", ev[len(ev)-1])
		}
	})
}

func TestUndoOfTheTrash(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b, c := f.add("first"), f.add("second"), f.add("third")
		done := f.bulk(api.MemoryBulk{IDs: []int64{a.ID, b.ID, c.ID}, Action: api.BulkTrash, Reason: "old news"})
		if m := f.get(a.ID); m.DeletedBy != api.DeletedByYou || m.DeletedWho != "You" || m.DeletedWhy != "old news" {
			t.Errorf("trashed %+v", m)
		}
		if _, err := f.Purge(ctx, f.ann, me, []int64{c.ID}); err != nil {
			t.Fatal(err)
		}
		if back := f.undo(done.Undo); back.Changed != 2 {
			t.Errorf("put back %+v", back)
		}
		if m := f.get(b.ID); m.Status != api.StatusActive || m.DeletedBy != "" || m.DeletedWho != "" || m.DeletedWhy != "" {
			t.Errorf("restored %+v", m)
		}
		f.trash(a.ID)
		before := f.get(a.ID)
		f.clock.Advance(day)
		restored := f.bulk(api.MemoryBulk{IDs: []int64{a.ID}, Action: api.BulkRestore})
		f.undo(restored.Undo)
		if m := f.get(a.ID); m.Status != api.StatusDeleted || *m.DeletedAt != *before.DeletedAt || m.DeletedBy != before.DeletedBy || m.DeletedWhy != before.DeletedWhy {
			t.Errorf("back in the trash as %+v, was %+v", m, before)
		}
		if done := f.bulk(api.MemoryBulk{IDs: []int64{a.ID}, Action: api.BulkPurge}); done.Undo != 0 {
			t.Errorf("a purge says that it can be undone: %+v", done)
		}
	})
}

func TestUndoOfAMerge(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("The door code is 4711"), f.add("Door: 4711")
		m, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: []int64{a.ID, b.ID}, Body: "The door's code is 4711"})
		if err != nil || m.Undo == 0 {
			t.Fatalf("%+v %v", m, err)
		}
		if got := f.get(a.ID); got.DeletedBy != api.DeletedByMerge {
			t.Errorf("a source %+v", got)
		}
		if ev := f.events(a.ID); len(ev) != 2 || len(ev[1].Others) != 1 || ev[1].Others[0] != (api.Other{ID: m.ID, Body: m.Body}) {
			t.Errorf("a source's audit %+v", ev)
		}
		if ev := f.events(m.ID); len(ev[0].Others) != 2 || ev[0].Others[1].Body != b.Body {
			t.Errorf("what it was made of %+v", ev[0].Others)
		}
		if back := f.undo(m.Undo); back.Changed != 3 {
			t.Errorf("undone %+v", back)
		}
		if f.get(a.ID).Status != api.StatusActive || f.get(b.ID).Status != api.StatusActive || f.get(m.ID).Status != api.StatusDeleted {
			t.Error("the merge was not taken back")
		}
		// What is left of it counts as merged, not as what people threw away.
		st, err := f.Stats(ctx, f.ann)
		if left := f.get(m.ID); err != nil || left.DeletedBy != api.DeletedByMerge || left.DeletedWhy != api.WhyMergeTakenBack || st.Deleted != 1 || st.Merged != 1 {
			t.Errorf("what is left: %+v, %d of %d merged, %v", left, st.Merged, st.Deleted, err)
		}
		f.undo(m.Undo)
		if f.get(a.ID).Status != api.StatusActive {
			t.Error("undoing twice did something")
		}
	})
}

func TestUndoOfACategoryThatIsGone(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		m, n := f.add("filed", inCategory(work.ID)), f.add("not filed", uncategorized)
		done := f.bulk(api.MemoryBulk{IDs: []int64{m.ID, n.ID}, Action: api.BulkCategory, CategoryID: api.Null[int64]()})
		if done.Changed != 1 {
			t.Errorf("%+v", done)
		}
		if _, err := f.DeleteCategory(ctx, f.ann, me, work.ID, 0); err != nil {
			t.Fatal(err)
		}
		if back := f.undo(done.Undo); back.Changed != 0 || f.get(m.ID).CategoryID != nil {
			t.Errorf("%+v %+v", back, f.get(m.ID))
		}
	})
}

// A category that was made anew takes what was in the deleted one, the trash too.
func TestUndoIntoAnotherCategory(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		m, gone := f.add("filed", inCategory(work.ID)), f.add("thrown away", inCategory(work.ID))
		f.trash(gone.ID)
		done, err := f.DeleteCategory(ctx, f.ann, me, work.ID, 0)
		if err != nil || done.Changed != 2 || done.Undo == 0 {
			t.Fatalf("%+v %v", done, err)
		}
		again, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Undo(ctx, f.ann, me, api.MemoryUndo{Change: done.Undo, CategoryID: again.ID + 99})
		refused(t, err, fault.NotFound)
		back, err := f.Undo(ctx, f.ann, me, api.MemoryUndo{Change: done.Undo, CategoryID: again.ID})
		if err != nil || back.Changed != 2 {
			t.Fatalf("%+v %v", back, err)
		}
		for _, id := range []int64{m.ID, gone.ID} {
			if got := f.get(id); got.CategoryID == nil || *got.CategoryID != again.ID {
				t.Errorf("%+v", got)
			}
		}
		if f.get(gone.ID).Status != api.StatusDeleted {
			t.Error("it left the trash")
		}
	})
}

func TestUndoRefused(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("mine")
		done := f.bulk(api.MemoryBulk{IDs: []int64{m.ID}, Action: api.BulkTrash})
		_, err := f.Undo(ctx, f.bob, audit.Actor{Name: "user:2"}, api.MemoryUndo{Change: done.Undo})
		refused(t, err, fault.NotFound)
		_, err = f.Undo(ctx, f.ann, me, api.MemoryUndo{Change: done.Undo + 1000})
		refused(t, err, fault.NotFound)
		_, err = f.Undo(ctx, f.ann, me, api.MemoryUndo{})
		refused(t, err, fault.Invalid)
	})
}

// The trash is filtered by who threw what away, and counted.
func TestTheTrashByWho(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b, c, d := f.add("one"), f.add("two"), f.add("three"), f.add("four")
		if _, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: []int64{a.ID, b.ID}, Body: "one and two"}); err != nil {
			t.Fatal(err)
		}
		f.trash(c.ID)
		f.clock.Advance(400 * day)
		if out, err := f.AutoEvict(ctx, f.ann, d.ID, f.clock.Now(), 5, f.rules.set(func(*Terms) {})); err != nil || out != Trashed {
			t.Fatalf("%v %v", out, err)
		}
		st, err := f.Stats(ctx, f.ann)
		if err != nil || st.Deleted != 4 || st.Faded != 1 || st.Merged != 2 {
			t.Errorf("%+v %v", st, err)
		}
		for by, want := range map[string]int{api.DeletedBySweep: 1, api.DeletedByMerge: 2, api.DeletedByPeople: 1, "": 4} {
			done := f.bulk(api.MemoryBulk{All: &api.MemoryQuery{Status: api.StatusDeleted, DeletedBy: by}, Action: api.BulkRestore})
			if done.Changed != want {
				t.Errorf("%q: %d, want %d", by, done.Changed, want)
			}
			f.undo(done.Undo)
		}
		if st, _ := f.Stats(ctx, f.ann); st.Faded != 1 || st.Merged != 2 {
			t.Errorf("after restoring and undoing that: %+v", st)
		}
	})
}

// Who moved a memory to the trash travels with it, and is nobody's name elsewhere.
func TestWhoTravels(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		list := []Carried{
			{Body: "faded", Status: api.StatusDeleted, DeletedBy: audit.ActorDaemon, DeletedHow: "auto-evict", DeletedWhy: "auto-evict: vitality 3.1 < 10"},
			{Body: "by a program", Status: api.StatusDeleted, DeletedBy: "token:7", DeletedHow: "trash"},
			{Body: "by somebody there", Status: api.StatusDeleted, DeletedBy: "user", DeletedHow: "trash", DeletedWhy: "old"},
			{Body: "nobody knows", Status: api.StatusDeleted},
			{Body: "not in the trash", DeletedBy: "user", DeletedHow: "trash"},
		}
		var ids []int64
		f.update(func(tx *db.Tx) (err error) {
			ids, err = f.Insert(tx, f.ann, audit.Actor{Name: audit.ActorImport}, "", list)
			return err
		})
		for i, want := range []struct{ by, who, why string }{
			{api.DeletedBySweep, "Daily sweep", "vitality 3.1 < 10"}, {api.DeletedByAgent, "A program with your token", ""},
			{api.DeletedByPerson, "A person", "old"}, {"", "Somebody", ""}, {"", "", ""},
		} {
			if m := f.get(ids[i]); m.DeletedBy != want.by || m.DeletedWho != want.who || m.DeletedWhy != want.why {
				t.Errorf("%s: %q %q %q", m.Body, m.DeletedBy, m.DeletedWho, m.DeletedWhy)
			}
		}
		for i, c := range f.export(f.ann) {
			if want := list[i]; i < 4 && (c.DeletedBy != want.DeletedBy || c.DeletedHow != want.DeletedHow || c.DeletedWhy != want.DeletedWhy) {
				t.Errorf("out again: %+v", c)
			}
		}
		bad := Carried{Body: "x", Status: api.StatusDeleted, DeletedHow: "magic"}
		refused(t, bad.Check(0), fault.Invalid)
	})
}
