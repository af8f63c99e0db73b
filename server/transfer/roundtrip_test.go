package transfer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// events are a memory's events as people are shown them, oldest first, without ids.
func (h *house) events(owner db.AccountID, id int64) []string {
	h.t.Helper()
	page, err := h.in.Memories.Events(context.Background(), owner, id, "", 500)
	if err != nil {
		h.t.Fatal(err)
	}
	list := make([]string, len(page.Items))
	for i, e := range page.Items {
		e.ID, e.MemoryID, e.Who = 0, 0, ""
		text, err := json.Marshal(e)
		if err != nil {
			h.t.Fatal(err)
		}
		list[len(list)-1-i] = string(text)
	}
	return list
}

// sameMemories compares two stores account by account, memory by memory.
func sameMemories(t *testing.T, a, b *house) {
	t.Helper()
	people, err := a.in.Accounts.People(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range people {
		oa, ob := db.AccountID(p.ID), b.owner(p.Name)
		was, is := a.rows(oa), b.rows(ob)
		if len(was) != len(is) {
			t.Errorf("%s: %d memories became %d", p.Name, len(was), len(is))
		}
		for body, m := range was {
			n, ok := is[body]
			if !ok {
				t.Errorf("%s: %q is missing", p.Name, body)
				continue
			}
			if m.Vitality != n.Vitality || m.AsOf != n.AsOf {
				t.Errorf("%q: vitality %v became %v", body, m.Vitality, n.Vitality)
			}
			before, after := strings.Join(a.events(oa, m.ID), "\n"), strings.Join(b.events(ob, n.ID), "\n")
			if before != after {
				t.Errorf("%q: events\n%s\nbecame\n%s", body, before, after)
			}
			m.ID, m.CategoryID, m.EvictableAt = n.ID, n.CategoryID, n.EvictableAt // compared by name in the exports
			if fmt.Sprint(m) != fmt.Sprint(n) && mustJSON(t, m) != mustJSON(t, n) {
				t.Errorf("%s became %s", mustJSON(t, m), mustJSON(t, n))
			}
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// twin is an empty store beside h, with the same clock.
func twin(t *testing.T, clock *dbtest.Clock) *house { return open(t, dbtest.Open(t, clock)) }

// From the older system into ours, out as JSONL, and into an empty store.
func TestOlderSystemThenRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		h.move(olderFile, transfer.ElowenOptions{})
		first := h.exported()
		other := twin(t, clock)
		other.person("anna")
		// The project is made first, as on a real second machine; with it come anna's
		// category of that name and her General, so these two are there already.
		other.project(api.ProjectAdd{Name: "harbor", Slug: "harbor", Roots: []string{"/srv/harbor"}}, api.ProjectMemberSet{Name: "anna", Member: api.Ptr(true)})
		report := other.importAll(first, byImport)
		if report.Refused != 0 || report.Kept != 0 || report.Existing != 2 || report.Added != report.Lines-report.Existing {
			t.Fatalf("report: %+v", report)
		}
		sameMemories(t, h, other)
		if second := other.exported(); second != first {
			t.Error("the export of the copy differs")
			showFirstDifference(t, first, second)
		}
		// And once more into the copy: nothing changes.
		report = other.importAll(first, byImport)
		if report.Added != 0 || report.Refused != 0 || report.Existing != report.Lines {
			t.Errorf("again: added %d, kept %d, refused %d of %d", report.Added, report.Kept, report.Refused, report.Lines)
		}
		// Into the store that it came from: nothing changes either.
		report = h.importAll(first, byImport)
		if report.Added != 0 || report.Refused != 0 || h.exported() != first {
			t.Errorf("home: added %d, kept %d, refused %d of %d", report.Added, report.Kept, report.Refused, report.Lines)
		}
	})
}

func showFirstDifference(t *testing.T, a, b string) {
	t.Helper()
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range la {
		if i >= len(lb) || la[i] != lb[i] {
			t.Errorf("line %d\n%s\n%s", i+1, la[i], lb[min(i, len(lb)-1)])
			return
		}
	}
}

// A life of our own: everything that can happen to memories happens to some, and
// the export holds it.
func TestRoundTripOfALife(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	h, other := open(t, dbtest.Open(t, clock)), twin(t, clock)
	ctx := context.Background()
	people := 0
	rapid.Check(t, func(rt *rapid.T) {
		people++
		anna, copied := h.person(fmt.Sprint("anna", people)), other.person(fmt.Sprint("copy", people))
		out := func(h *house, owner db.AccountID) string {
			var b strings.Builder
			if err := h.Export(ctx, owner, &b); err != nil {
				rt.Fatal(err)
			}
			return b.String()
		}
		by := audit.Actor{Name: "user:1"}
		var ids []int64
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		may := func(err error) { // what is in the trash cannot be edited
			if err != nil && !fault.Is(err, fault.Invalid) {
				rt.Fatal(err)
			}
		}
		category, err := h.in.Categories.Add(ctx, anna, api.CategoryAdd{Name: "Řeka"})
		must(err)
		for step := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			clock.Advance(rapid.Int64Range(1, 5*86_400_000).Draw(rt, "later"))
			pick := func() int64 { return rapid.SampledFrom(ids).Draw(rt, "id") }
			action := "add"
			if len(ids) > 0 {
				action = rapid.SampledFrom([]string{"add", "edit", "use", "trash", "restore", "purge", "file", "merge", "review", "rank"}).Draw(rt, "action")
			}
			var id int64
			if action != "add" {
				id = pick()
				if _, err := h.in.Memories.Get(ctx, anna, id); err != nil {
					continue // purged
				}
			}
			switch action {
			case "add":
				m, err := h.in.Memories.Add(ctx, anna, by, api.SourceAgent, api.MemoryAdd{Body: fmt.Sprintf("Step %d: <b>čočka</b> & \"hrách\" 味噌\u2028", step), Importance: api.Ptr(step%10 + 1)})
				must(err)
				ids = append(ids, m.ID)
			case "edit":
				_, err := h.in.Memories.Patch(ctx, anna, by, id, 0, api.MemoryPatch{Body: api.Ptr(fmt.Sprintf("Edited at step %d.", step)), Reason: "a correction"})
				may(err)
			case "use":
				_, err := h.in.Memories.MarkRecalled(ctx, anna, []int64{id})
				must(err)
			case "trash":
				_, _ = h.in.Memories.Trash(ctx, anna, by, id, 0, "no longer true")
			case "restore":
				_, _ = h.in.Memories.Restore(ctx, anna, by, id, 0, "")
			case "purge":
				_, _ = h.in.Memories.Trash(ctx, anna, by, id, 0, "")
				_, err := h.in.Memories.Purge(ctx, anna, by, []int64{id})
				must(err)
			case "file":
				_, err := h.in.Memories.Patch(ctx, anna, by, id, 0, api.MemoryPatch{CategoryID: api.Some(category.ID)})
				may(err)
			case "merge":
				other := pick()
				if other != id {
					m, err := h.in.Memories.Merge(ctx, anna, by, api.MemoryMerge{IDs: []int64{id, other}, Body: fmt.Sprintf("Merged at step %d.", step)})
					if err == nil {
						ids = append(ids, m.ID)
					}
				}
			case "review":
				_, err := h.in.Memories.Patch(ctx, anna, by, id, 0, api.MemoryPatch{Reviewed: api.Ptr(true)})
				may(err)
			case "rank":
				_, err := h.in.Memories.Patch(ctx, anna, by, id, 0, api.MemoryPatch{Importance: api.Ptr(step%10 + 1)})
				may(err)
			}
		}
		first := out(h, anna)
		report := other.importTo(copied, first, byImport)
		if report.Refused != 0 || report.Kept != 0 {
			rt.Fatalf("report: %+v", report)
		}
		if second := out(other, copied); second != first {
			showFirstDifference(t, first, second)
			rt.Fatal("the export of the copy differs")
		}
		if again := other.importTo(copied, first, byImport); again.Added != 0 || out(other, copied) != first {
			rt.Fatalf("again: %+v", again)
		}
		if home := h.importTo(anna, first, byImport); home.Added != 0 || out(h, anna) != first {
			rt.Fatalf("home: %+v", home)
		}
	})
}

// A download of one's own and an upload into another account: everything stays,
// but what others decided counts for nothing there.
func TestRoundTripThroughREST(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	h := open(t, dbtest.Open(t, clock))
	ctx := context.Background()
	anna, bela := h.person("anna"), h.person("bela")
	var lines []string
	for i := range 8 {
		lines = append(lines, fmt.Sprintf(`{"type":"memory","body":"Old %d.","createdAt":"2026-01-0%dT00:00:00Z"}`, i, i+1))
	}
	h.importTo(anna, strings.Join(lines, "\n"), byImport)
	if _, err := h.in.Retention.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := h.Export(ctx, anna, &b); err != nil {
		t.Fatal(err)
	}
	report := h.importTo(bela, b.String(), transfer.Options{By: audit.Actor{Name: "user:2"}, Foreign: true})
	if report.Refused != 0 || report.Added != 8 {
		t.Fatalf("report: %+v", report)
	}
	for body, m := range h.rows(bela) {
		for _, e := range h.events(bela, m.ID) {
			if !strings.Contains(e, `"foreign":true`) {
				t.Errorf("%q: %s", body, e)
			}
		}
	}
	// Five were swept from anna; bela's ledger is empty.
	swept, err := h.in.Retention.Sweep(ctx)
	if err != nil || swept.Total().Trashed != 3 {
		t.Errorf("bela's sweep: %+v %v", swept, err)
	}
}
