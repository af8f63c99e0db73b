package memory

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestTrashAndRestore(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("fleeting")
		f.clock.Advance(day)
		gone, err := f.Trash(ctx, f.ann, me, m.ID, 1, "not true any more")
		if err != nil || gone.Status != api.StatusDeleted || gone.Revision != 2 || gone.DeletedWhy != "not true any more" ||
			gone.DeletedAt == nil || *gone.DeletedAt != dbtest.Start+day || gone.EvictableAt != nil {
			t.Errorf("trashed %+v %v", gone, err)
		}
		seq := f.seq(f.ann)
		again, err := f.Trash(ctx, f.ann, me, m.ID, 0, "again")
		if err != nil || again.Revision != 2 || again.DeletedWhy != gone.DeletedWhy || f.seq(f.ann) != seq {
			t.Errorf("trashed again %+v %v", again, err)
		}
		if ids := f.found("fleeting"); len(ids) != 1 {
			t.Errorf("the trash can be searched, but finds %v", ids)
		}
		f.clock.Advance(20 * day)
		back, err := f.Restore(ctx, f.ann, me, m.ID, 2, "")
		if err != nil || back.Status != api.StatusActive || back.Revision != 3 || back.DeletedAt != nil || back.DeletedWhy != "" {
			t.Errorf("restored %+v %v", back, err)
		}
		if back.Vitality >= m.Vitality || back.LastUsedAt != nil || back.CreatedAt != m.CreatedAt {
			t.Errorf("restoring refreshed it: %v after %v", back.Vitality, m.Vitality)
		}
		seq = f.seq(f.ann)
		if again, err := f.Restore(ctx, f.ann, me, m.ID, 0, ""); err != nil || again.Revision != 3 || f.seq(f.ann) != seq {
			t.Errorf("restored again %+v %v", again, err)
		}
		ev := f.events(m.ID)
		if len(ev) != 3 || ev[1].Action != "trash" || ev[1].Reason != "not true any more" || ev[2].Action != "restore" {
			t.Errorf("audit %+v", ev)
		}
		_, err = f.Trash(ctx, f.ann, me, 777, 0, "")
		refused(t, err, fault.NotFound)
		_, err = f.Restore(ctx, f.ann, me, 777, 0, "")
		refused(t, err, fault.NotFound)
		_, err = f.Trash(ctx, f.ann, me, m.ID, 0, "a\x00b")
		refused(t, err, fault.Invalid)
	})
}

func TestPurge(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		keep, one, two := f.add("keep this one"), f.add("one to go"), f.add("two to go")
		f.patch(one.ID, api.MemoryPatch{Body: api.Ptr("one to go, edited")})
		if _, err := f.MarkRecalled(ctx, f.ann, []int64{one.ID}); err != nil {
			t.Fatal(err)
		}
		_, err := f.Purge(ctx, f.ann, me, []int64{one.ID})
		refused(t, err, fault.Invalid)
		f.trash(one.ID, two.ID)
		_, err = f.Purge(ctx, f.ann, me, []int64{one.ID, keep.ID}) // one of them is active
		refused(t, err, fault.Invalid)
		_, err = f.Purge(ctx, f.ann, me, []int64{one.ID, 4242})
		refused(t, err, fault.NotFound)
		_, err = f.Purge(ctx, f.ann, me, nil)
		refused(t, err, fault.Invalid)
		if got := f.get(one.ID); got.Status != api.StatusDeleted {
			t.Errorf("a refused purge left %+v", got)
		}
		done, err := f.Purge(ctx, f.ann, me, []int64{two.ID, one.ID})
		if err != nil || done.Changed != 2 || len(done.IDs) != 2 || done.IDs[0] != two.ID {
			t.Fatalf("purged %+v %v", done, err)
		}
		for _, id := range []int64{one.ID, two.ID} {
			_, err := f.Get(ctx, f.ann, id)
			refused(t, err, fault.NotFound)
			_, err = f.Restore(ctx, f.ann, me, id, 0, "")
			refused(t, err, fault.NotFound)
			_, err = f.Patch(ctx, f.ann, me, id, 0, api.MemoryPatch{Version: api.Ptr(int64(1))})
			refused(t, err, fault.NotFound)
			_, err = f.History(ctx, f.ann, id, 0)
			refused(t, err, fault.NotFound)
			_, err = f.Purge(ctx, f.ann, me, []int64{id})
			refused(t, err, fault.NotFound)
		}
		if ids := f.found("go edited keep"); len(ids) != 1 || ids[0] != keep.ID {
			t.Errorf("found %v", ids)
		}
		ev := f.events(one.ID)
		if len(ev) != 4 || ev[3].Action != "purge" || ev[1].Changes[0].Diff != nil || len(ev[1].Changes[0].After) != 8 || ev[1].Restores || ev[0].Restores {
			t.Errorf("what is left of the audit: %+v", ev)
		}
		for table, want := range map[string]int{"memory_version": 0, "usage_event": 0, "memory": 1} {
			if n := f.count(table); n != want {
				t.Errorf("%d rows in %s, want %d", n, table, want)
			}
		}
		if next := f.add("new"); next.ID <= two.ID {
			t.Errorf("the id %d came back", next.ID)
		}
	})
}

func (f *fixture) count(table string) (n int) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error { return tx.Row(`SELECT COUNT(*) FROM `+table, nil, &n) })
	return n
}

func TestEmptyTrash(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		keep := f.add("keep")
		var gone []int64
		for i := range 5 {
			gone = append(gone, f.add(fmt.Sprintf("number %d", i)).ID)
		}
		his, err := f.Add(ctx, f.bob, audit.Actor{Name: "user:2"}, api.SourceUser, api.MemoryAdd{Body: "his"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Trash(ctx, f.bob, audit.Actor{Name: "user:2"}, his.ID, 0, ""); err != nil {
			t.Fatal(err)
		}
		f.trash(gone...)
		done, err := f.EmptyTrash(ctx, f.ann, me, api.EmptyTrash{})
		if err != nil || done.Changed != 5 || len(done.IDs) != 5 {
			t.Errorf("emptied %+v %v", done, err)
		}
		if done, err = f.EmptyTrash(ctx, f.ann, me, api.EmptyTrash{}); err != nil || done.Changed != 0 || done.IDs == nil {
			t.Errorf("emptied again %+v %v", done, err)
		}
		if f.get(keep.ID).Body != "keep" {
			t.Error("an active memory went with the trash")
		}
		if m, err := f.Get(ctx, f.bob, his.ID); err != nil || m.Status != api.StatusDeleted {
			t.Errorf("another account's trash was emptied: %v", err)
		}
	})
}

// What came into the trash, or left it, since somebody counted is not purged unseen.
func TestPurgeOfAnotherNumber(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("first"), f.add("second")
		f.trash(a.ID)
		saw := api.Ptr(1)
		f.trash(b.ID) // by a sweep, or in another window
		seq := f.seq(f.ann)
		trash := &api.MemoryQuery{Status: api.StatusDeleted}
		for what, purge := range map[string]func(n *int) (api.BulkDone, error){
			"empty": func(n *int) (api.BulkDone, error) { return f.EmptyTrash(ctx, f.ann, me, api.EmptyTrash{Expect: n}) },
			"all": func(n *int) (api.BulkDone, error) {
				return f.Bulk(ctx, f.ann, me, api.MemoryBulk{All: trash, Action: api.BulkPurge, Expect: n})
			},
		} {
			_, err := purge(saw)
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != fault.Stale || e.Current != (api.Matching{Count: 2}) || e.Detail != "There are 2 now, not 1. Nothing was purged." {
				t.Errorf("%s: %v", what, err)
			}
			_, err = purge(api.Ptr(-1))
			refused(t, err, fault.Invalid)
		}
		_, err := f.Bulk(ctx, f.ann, me, api.MemoryBulk{All: trash, Action: api.BulkRestore, Expect: api.Ptr(3)})
		refused(t, err, fault.Stale)
		if f.seq(f.ann) != seq || f.get(a.ID).Body != "first" || f.get(b.ID).Body != "second" {
			t.Error("a refused purge changed something")
		}
		if done, err := f.Bulk(ctx, f.ann, me, api.MemoryBulk{All: trash, Action: api.BulkPurge, Expect: api.Ptr(2)}); err != nil || done.Changed != 2 {
			t.Errorf("the number as it is: %+v %v", done, err)
		}
		if done, err := f.EmptyTrash(ctx, f.ann, me, api.EmptyTrash{Expect: api.Ptr(0)}); err != nil || done.Changed != 0 {
			t.Errorf("none, as it is: %+v %v", done, err)
		}
	})
}

// A purged body is in no file of the data directory: not after edits, not in the
// log, not in what pages once held.
func TestPurgeLeavesNoBytes(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	dir := t.TempDir()
	d, err := db.Open(ctx, db.Config{Dir: dir, Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f := newFixture(t, d, clock)
	r := rand.New(rand.NewPCG(11, 12))
	secrets := map[string][]string{}
	secret := func(owner string) string {
		b := make([]byte, 8)
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
		s := "s" + hex.EncodeToString(b)
		secrets[owner] = append(secrets[owner], s)
		return s
	}
	body := func(owner string) string {
		words := make([]byte, 0, 4096)
		for n := 1 + r.IntN(30)*r.IntN(8); n > 0; n-- {
			words = append(append(words, ' '), secret(owner)...)
		}
		return string(words)
	}
	var gone, kept []int64
	for i := range 180 {
		owner := "gone"
		if i%3 == 0 {
			owner = "kept"
		}
		c, _ := db.WithIdempotency(ctx, f.ann, fmt.Sprint("key", i), []byte("x"))
		out, err := f.Add(c, f.ann, me, api.SourceUser, api.MemoryAdd{Body: body(owner)})
		if err != nil {
			t.Fatal(err)
		}
		for range r.IntN(4) {
			f.patch(out.ID, api.MemoryPatch{Body: api.Ptr(body(owner))})
		}
		if owner == "gone" {
			gone = append(gone, out.ID)
		} else {
			kept = append(kept, out.ID)
		}
	}
	f.trash(gone...)
	for len(gone) > 0 {
		n := min(len(gone), 1+r.IntN(30))
		if _, err := f.Purge(ctx, f.ann, me, gone[:n]); err != nil {
			t.Fatal(err)
		}
		gone = gone[n:]
	}
	check := func(when string) {
		t.Helper()
		in := wordsIn(t, dir)
		found := func(owner string) (n int) {
			for _, s := range secrets[owner] {
				if in[s[:wordPart]] {
					n++
				}
			}
			return n
		}
		if n := found("gone"); n != 0 {
			t.Errorf("%s, %d of %d purged words are in the files", when, n, len(secrets["gone"]))
		}
		// Where a text goes over to its next page it is cut in two.
		if n := found("kept"); n < len(secrets["kept"])*99/100 {
			t.Errorf("%s, only %d of %d kept words are in the files: the search sees too little", when, n, len(secrets["kept"]))
		}
	}
	check("after the purge")
	for _, id := range kept { // pages that held purged rows are written again, to the log
		f.patch(id, api.MemoryPatch{Body: api.Ptr(body("kept"))})
	}
	check("after more writes")
	if len(kept) == 0 {
		t.Error("nothing was kept")
	}
}

// wordPart is how much of a word is looked for: a damaged copy counts too.
const wordPart = 13

// wordsIn are the beginnings of all that may be a word in any file of a directory.
func wordsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v %v", files, err)
	}
	in := map[string]bool{}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := range content {
			if content[at] == 's' && at+wordPart <= len(content) {
				in[string(content[at:at+wordPart])] = true
			}
		}
	}
	return in
}
