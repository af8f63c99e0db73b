package transfer_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/shared/api"
)

const olderFile = "testdata/elowen-older.sqlite"

func (h *house) move(file string, o transfer.ElowenOptions) api.ImportReport {
	h.t.Helper()
	r, err := h.ImportElowen(context.Background(), file, o)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// olderRow is what the test itself reads of the older file.
type olderRow struct {
	user, category, source, kind, status string
	importance                           int
	useCount                             int64
	confidence                           float64
	created, updated, used               string
	events                               int
}

func readOlderRows(t *testing.T, file string) (map[string]olderRow, int) {
	t.Helper()
	f, err := db.OpenForeign(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.Query(context.Background(), `SELECT m.body, u.username, COALESCE(c.name, ''), m.source, m.kind, m.status, m.importance, m.use_count, m.confidence,
		m.created_at, m.updated_at, COALESCE(m.last_used_at, ''), (SELECT COUNT(*) FROM memory_events e WHERE e.memory_id = m.id)
		FROM memories m JOIN users u ON u.id = m.user_id LEFT JOIN memory_categories c ON c.id = m.category_id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]olderRow{}
	events := 0
	for rows.Next() {
		var r olderRow
		var body string
		if err := rows.Scan(&body, &r.user, &r.category, &r.source, &r.kind, &r.status, &r.importance, &r.useCount, &r.confidence, &r.created, &r.updated, &r.used, &r.events); err != nil {
			t.Fatal(err)
		}
		out[r.user+"/"+body] = r
		events += r.events
	}
	return out, events
}

func older(at *api.Time) string {
	if at == nil {
		return ""
	}
	return strings.TrimSuffix(strings.Replace(at.String(), "T", " ", 1), ".000Z")
}

func TestElowenKeepsEverything(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		want, _ := readOlderRows(t, olderFile)
		before := fileSum(t, olderFile)
		report := h.move(olderFile, transfer.ElowenOptions{})
		if report.Added != 119 || report.Refused != 0 || report.Lines != 119 {
			t.Errorf("added %d, refused %d of %d lines", report.Added, report.Refused, report.Lines)
		}
		if fileSum(t, olderFile) != before {
			t.Error("the older file was written")
		}
		for _, part := range []string{"-wal", "-shm", "-journal"} {
			if _, err := os.Stat(olderFile + part); err == nil {
				t.Errorf("%s was left beside the older file", part)
			}
		}
		people, err := h.in.Accounts.People(context.Background())
		if err != nil || len(people) != 2 {
			t.Fatalf("people: %v %v", people, err)
		}
		if p := people[0]; p.Name != "anna" || p.DisplayName != "Anna" || p.Role != api.RoleAdmin || !p.Locked {
			t.Errorf("anna: %+v", p)
		}
		if p := people[1]; p.Name != "bela" || p.DisplayName != "Béla" || p.Role != api.RoleMember || !p.Locked {
			t.Errorf("bela: %+v", p)
		}
		events, migrated, seen := 0, 0, 0
		for _, p := range people {
			owner := db.AccountID(p.ID)
			names := map[int64]string{}
			list, err := h.in.Categories.List(context.Background(), owner)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				names[c.ID] = c.Name
			}
			for _, name := range map[string][]string{"anna": {"Engineering", "People", "harbor"}, "bela": {"Engineering", "People"}}[p.Name] {
				if !slices.Contains(slices.Collect(maps.Values(names)), name) {
					t.Errorf("%s has no category %s", p.Name, name)
				}
			}
			for body, m := range h.rows(owner) {
				w, ok := want[p.Name+"/"+body]
				if !ok {
					t.Errorf("%s: %q is not theirs", p.Name, body)
					continue
				}
				seen++
				category := ""
				if m.CategoryID != nil {
					category = names[*m.CategoryID]
				}
				got := fmt.Sprint(m.Importance, category, m.Source, m.Kind, m.Status, m.UseCount, m.Confidence, older(&m.CreatedAt), older(&m.UpdatedAt), older(m.LastUsedAt))
				if expect := fmt.Sprint(2*w.importance-1, w.category, w.source, w.kind, w.status, w.useCount, w.confidence, w.created, w.updated, w.used); got != expect {
					t.Errorf("%q is\n%s, was\n%s", body, got, expect)
				}
				page, err := h.in.Memories.Events(context.Background(), owner, m.ID, "", 100)
				if err != nil {
					t.Fatal(err)
				}
				own := 0
				for _, e := range page.Items {
					if e.Actor != audit.ActorMigration {
						own++
						if !e.Foreign {
							t.Errorf("%q: a carried event counts as our own: %+v", body, e)
						}
						continue
					}
					migrated++
					change := fmt.Sprintln(e.Action, len(e.Changes), e.Changes[0].Field, e.Changes[0].Before, e.Changes[0].After, e.Foreign)
					if expect := fmt.Sprintln("update", 1, "importance", w.importance, m.Importance, false); change != expect {
						t.Errorf("%q: migration event %s, want %s", body, change, expect)
					}
				}
				if own != w.events {
					t.Errorf("%q has %d events, had %d", body, own, w.events)
				}
				if moved := len(page.Items) - own; (moved == 1) != (w.importance != 1) || moved > 1 {
					t.Errorf("%q of rank %d has %d migration events", body, w.importance, moved)
				}
			}
			all, err := h.in.Memories.Events(context.Background(), owner, 0, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			events += all.Total
		}
		if seen != len(want) {
			t.Errorf("%d of %d memories", seen, len(want))
		}
		if events-migrated != 233 {
			t.Errorf("%d old events, want 233", events-migrated)
		}
		stored, err := h.in.Retention.Current(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if p := stored.Policy; p.GraceDays != 21 || p.Floor != 10 || !p.Enabled || p.DailyLimit != 5 || p.HalfLifeDays[9] != 180 || p.HalfLifeDays[4] != 21 {
			t.Errorf("policy: %+v", p)
		}
	})
}

func fileSum(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

func TestElowenOldTextsCanBePutBack(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	h.move(olderFile, transfer.ElowenOptions{})
	anna := h.owner("anna")
	const now = "The invoice export needs the ISO week, not the month (note 1-13), corrected"
	m, ok := h.rows(anna)[now]
	if !ok {
		t.Fatal("no such memory")
	}
	page, err := h.in.Memories.Events(context.Background(), anna, m.ID, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range page.Items { // newest first
		said = append(said, e.Action)
		switch e.Action {
		case "update":
			if e.Actor == audit.ActorMigration {
				continue
			}
			if len(e.Changes) == 0 || len(e.Changes[0].Diff) == 0 {
				t.Errorf("the edit shows no difference: %+v", e.Changes)
			}
		case "category":
			if len(e.Changes) != 1 || e.Changes[0].After != "harbor" {
				t.Errorf("filed under %+v", e.Changes)
			}
		}
	}
	if got := strings.Join(said, " "); got != "update update category add" {
		t.Errorf("events: %s", got)
	}
	back, err := h.in.Memories.Patch(context.Background(), anna, audit.Actor{Name: "user:1"}, m.ID, 0, api.MemoryPatch{Version: api.Ptr(int64(2))})
	if err != nil || back.Body != strings.TrimSuffix(now, ", corrected") {
		t.Errorf("put back: %q %v", back.Body, err)
	}
}

func TestElowenTwiceChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		h.move(olderFile, transfer.ElowenOptions{})
		first := h.exported()
		clock.Advance(3_600_000)
		report := h.move(olderFile, transfer.ElowenOptions{})
		if report.Added != 0 || report.Existing != 119 || report.Kept != 0 || len(report.Notes) != 0 {
			t.Errorf("the second run: %+v", report)
		}
		if second := h.exported(); second != first {
			t.Error("the second run changed something")
		}

		// What is edited, purged or deleted since, stays so.
		anna := h.owner("anna")
		var ids []int64
		for _, m := range h.rows(anna) {
			ids = append(ids, m.ID)
		}
		slices.Sort(ids)
		by := audit.Actor{Name: "user:1"}
		if _, err := h.in.Memories.Patch(ctx, anna, by, ids[1], 0, api.MemoryPatch{Body: api.Ptr("Edited since."), Importance: api.Ptr(10)}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.Trash(ctx, anna, by, ids[2], 0, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.Trash(ctx, anna, by, ids[3], 0, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.Purge(ctx, anna, by, ids[3:4]); err != nil {
			t.Fatal(err)
		}
		list, err := h.in.Categories.List(ctx, anna)
		if err != nil {
			t.Fatal(err)
		}
		gone := list[slices.IndexFunc(list, func(c api.Category) bool { return c.Name == "People" })]
		if _, err := h.in.Memories.DeleteCategory(ctx, anna, by, gone.ID, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Retention.Save(ctx, api.PolicyChange{Revision: 2, GraceDays: api.Ptr(30.0)}); err != nil {
			t.Fatal(err)
		}
		before := h.exported()
		report = h.move(olderFile, transfer.ElowenOptions{})
		if report.Added != 0 || report.Kept < 3 {
			t.Errorf("the third run: added %d, kept %d", report.Added, report.Kept)
		}
		if after := h.exported(); after != before {
			t.Error("the third run undid something")
		}
		if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "--policy replace") {
			t.Errorf("notes: %q", report.Notes)
		}
		h.move(olderFile, transfer.ElowenOptions{ReplacePolicy: true})
		if stored, err := h.in.Retention.Current(ctx); err != nil || stored.Policy.GraceDays != 21 {
			t.Errorf("replaced: %+v %v", stored, err)
		}
	})
}

func TestElowenDryRun(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	before := h.exported()
	report := h.move(olderFile, transfer.ElowenOptions{DryRun: true})
	if !report.DryRun || report.Added != 119 {
		t.Errorf("report: %+v", report)
	}
	if people, err := h.in.Accounts.People(context.Background()); err != nil || len(people) != 0 {
		t.Errorf("people: %v %v", people, err)
	}
	if h.exported() != before {
		t.Error("a dry run wrote something")
	}
}

func TestElowenAccounts(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	h.person("ANNA") // names are the same whatever their case
	vera := h.person("vera")
	report := h.move(olderFile, transfer.ElowenOptions{Map: map[string]string{"Bela": "vera"}})
	if n := len(h.rows(h.owner("anna"))); n != 60 {
		t.Errorf("anna has %d", n)
	}
	if n := len(h.rows(vera)); n != 59 {
		t.Errorf("vera has %d", n)
	}
	if people, _ := h.in.Accounts.People(context.Background()); len(people) != 2 {
		t.Errorf("%d people", len(people))
	}
	if len(report.Notes) != 2 { // the policy and the project
		t.Errorf("notes: %q", report.Notes)
	}
	for _, o := range []transfer.ElowenOptions{{Map: map[string]string{"nobody": "vera"}}, {Map: map[string]string{"bela": "nobody"}}} {
		if _, err := h.ImportElowen(context.Background(), olderFile, o); err == nil {
			t.Errorf("%v was taken", o.Map)
		}
	}
}

func TestElowenOtherFiles(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(`{"type":"memory"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, "absent"), text, h.d.File()} {
		if _, err := h.ImportElowen(context.Background(), file, transfer.ElowenOptions{}); err == nil {
			t.Errorf("%s was taken", file)
		}
	}
}
