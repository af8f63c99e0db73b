package transfer_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"

	"elowen/server/audit"
	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// variant is a copy of the older system's file, changed by statements.
func variant(t *testing.T, statements ...string) string {
	t.Helper()
	data, err := os.ReadFile(olderFile)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "older.sqlite")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	change(t, file, statements...).Close()
	return file
}

func change(t *testing.T, file string, statements ...string) *sql.DB {
	t.Helper()
	d, err := driver.Open("file:" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := d.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return d
}

func TestElowenWithTenLevels(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	file := variant(t, `PRAGMA user_version = 44`, `UPDATE memories SET importance = id % 10 + 1`,
		`UPDATE settings SET data = '{"runtime":{"memoryRetention":{"enabled":false,"graceDays":3,"vitalityFloor":12.5,"dailyDeletionLimit":9,"halfLifeByImportance":{"1":2,"7":50,"10":365}}}}'`)
	h.move(file, transfer.ElowenOptions{})
	for _, name := range []string{"anna", "bela"} {
		owner := h.owner(name)
		for body, m := range h.rows(owner) {
			for _, e := range h.events(owner, m.ID) {
				if strings.Contains(e, audit.ActorMigration) {
					t.Errorf("%q was migrated: %s", body, e)
				}
			}
		}
	}
	levels := map[int]int{}
	for _, m := range h.rows(h.owner("anna")) {
		levels[m.Importance]++
	}
	if len(levels) != 10 || levels[10] != 6 {
		t.Errorf("levels: %v", levels)
	}
	s, err := h.in.Retention.Current(context.Background())
	if p := s.Policy; err != nil || p.Enabled || p.GraceDays != 3 || p.Floor != 12.5 || p.DailyLimit != 9 || p.HalfLifeDays != [10]float64{2, 3, 7, 14, 21, 30, 50, 60, 90, 365} {
		t.Errorf("policy: %+v %v", p, err)
	}
}

func TestElowenPolicies(t *testing.T) {
	for text, want := range map[string]string{
		`{"runtime":{"memoryRetention":{"enabled":true,"graceDays":21,"vitalityFloor":0,"halfLifeByImportance":{"1":3,"5":0}}}}`:   "false 21 10",
		`{"runtime":{"memoryRetention":{"enabled":true,"graceDays":9999,"vitalityFloor":-4,"halfLifeByImportance":{"1":"what"}}}}`: "true 14 10", // not to be read: ours stays
		`{"runtime":{"memoryRetention":{"enabled":true,"graceDays":9999,"vitalityFloor":95}}}`:                                     "true 365 90",
		`{"runtime":{}}`: "true 14 10",
		`not json`:       "true 14 10",
		`{"providers":[{"apiKey":"sk-secret"}],"runtime":{"memoryRetention":{"graceDays":1}}}`: "true 1 10",
	} {
		h := open(t, dbtest.Open(t, nil))
		h.move(variant(t, fmt.Sprintf(`UPDATE settings SET data = '%s'`, text)), transfer.ElowenOptions{})
		s, err := h.in.Retention.Current(context.Background())
		if got := fmt.Sprint(s.Policy.Enabled, s.Policy.GraceDays, s.Policy.Floor); err != nil || got != want || s.Policy.HalfLifeDays[4] != 21 {
			t.Errorf("%s: %s %v %v", text, got, s.Policy.HalfLifeDays, err)
		}
		if strings.Contains(h.exported(), "sk-secret") {
			t.Error("a secret came along")
		}
	}
}

// The number of a purged row was given to the next one: their records stay apart.
func TestElowenNumbersThatCameBack(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	file := variant(t,
		`INSERT INTO memories (id, user_id, body, kind, importance, source, status, created_at, updated_at) VALUES (120, 2, 'Another one.', 'fact', 1, 'user', 'active', '2026-11-29T21:00:00.500Z', '2026-11-29T21:00:00Z')`,
		`INSERT INTO memory_events (memory_id, user_id, action, after_json, actor, created_at) VALUES (120, 2, 'add', '{"id":120,"body":"Another one.","category_id":4}', 'user:2', '2026-11-29T21:00:00Z')`)
	h.move(file, transfer.ElowenOptions{})
	bela := h.owner("bela")
	m, ok := h.rows(bela)["Another one."]
	if !ok || m.CreatedAt.String() != "2026-11-29T21:00:00.500Z" {
		t.Fatalf("%+v", m)
	}
	events := h.events(bela, m.ID)
	if len(events) != 1 || !strings.Contains(events[0], `"action":"add"`) {
		t.Errorf("events: %q", events)
	}
	text := h.exported()
	if n := strings.Count(text, `"type":"purged"`); n != 1 {
		t.Errorf("%d purged ones", n)
	}
	if strings.Contains(text, "note 2-59") {
		t.Error("the text of a purged memory came along")
	}
	if again := h.move(file, transfer.ElowenOptions{}); again.Added != 0 || h.exported() != text {
		t.Errorf("again: %+v", again)
	}
}

func TestElowenRowsThatCannotBeTaken(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	file := variant(t,
		`UPDATE memories SET body = '   ' WHERE id = 1`, `UPDATE memories SET status = 'lost' WHERE id = 2`,
		`UPDATE memories SET body = printf('%.*c', 100001, 'x') WHERE id = 3`, `UPDATE memories SET confidence = 7 WHERE id = 4`,
		`UPDATE memories SET source = 'carrier pigeon', category_id = 999, importance = 17 WHERE id = 5`,
		`UPDATE users SET name = ''`)
	r := h.move(file, transfer.ElowenOptions{})
	if r.Refused != 4 || r.Added != 115 {
		t.Errorf("added %d, refused %d", r.Added, r.Refused)
	}
	for _, f := range r.Fates {
		if f.Fate == api.FateRefused && !strings.HasPrefix(f.Message, fmt.Sprintf("memory %d: ", f.Line)) {
			t.Errorf("%+v", f)
		}
	}
	m := h.rows(h.owner("anna"))["Staging shares its queue with the demo tenant (note 1-4)"]
	if m.Source != api.SourceImport || m.CategoryID != nil || m.Importance != 9 {
		t.Errorf("%+v", m)
	}
	if _, err := h.ImportElowen(context.Background(), variant(t, `UPDATE memories SET created_at = 'long ago' WHERE id = 7`), transfer.ElowenOptions{}); err == nil {
		t.Error("an instant that is none was taken")
	}
	if _, err := h.ImportElowen(context.Background(), variant(t, `UPDATE users SET username = 'no spaces'  WHERE id = 1`), transfer.ElowenOptions{}); err == nil || !strings.Contains(err.Error(), "--map") {
		t.Errorf("a name that cannot be one here: %v", err)
	}
}

// Somebody else has the file open, and what they wrote last is still in its log.
func TestElowenWhileTheOlderSystemRuns(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	file := variant(t, `PRAGMA journal_mode = wal`)
	running := change(t, file, `UPDATE memories SET body = 'Written a moment ago.' WHERE id = 1`)
	defer running.Close()
	if info, err := os.Stat(file + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("nothing in the log: %v", err)
	}
	h.move(file, transfer.ElowenOptions{})
	if _, ok := h.rows(h.owner("anna"))["Written a moment ago."]; !ok {
		t.Error("what stood in the log is missing")
	}
	if _, err := running.Exec(`UPDATE memories SET body = 'And on.' WHERE id = 1`); err != nil {
		t.Errorf("the older system cannot go on: %v", err)
	}
}

// A later state of the same file brings in what is new.
func TestElowenLater(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	h.move(olderFile, transfer.ElowenOptions{})
	r := h.move(variant(t, `INSERT INTO memories (id, user_id, body, created_at, updated_at) VALUES (200, 1, 'Later.', '2026-12-01 08:00:00', '2026-12-01 08:00:00')`), transfer.ElowenOptions{})
	if r.Added != 1 || r.Existing != 119 {
		t.Errorf("added %d, existing %d, kept %d", r.Added, r.Existing, r.Kept)
	}
}

// An unknown table or column is no reason to refuse.
func TestElowenBareFile(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	file := variant(t, `DROP TABLE memory_events`, `DROP TABLE memory_usage_events`, `DROP TABLE memory_categories`, `DROP TABLE settings`, `DROP TABLE projects`)
	if r := h.move(file, transfer.ElowenOptions{}); r.Added != 119 {
		t.Errorf("%+v", r)
	}
	for _, m := range h.rows(h.owner("anna")) {
		if n := len(h.events(h.owner("anna"), m.ID)); n != 1 {
			t.Errorf("%q has %d events", m.Body, n)
		}
	}
	if _, err := h.ImportElowen(context.Background(), variant(t, `DROP TABLE users`), transfer.ElowenOptions{}); err == nil {
		t.Error("a file without people was taken")
	}
}
