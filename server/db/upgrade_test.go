package db_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// old is a database of schema 1, as it was, in a directory.
func old(t *testing.T) (dir, insert string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schema1.sqlite.sql"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	file, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec(string(text) + "; PRAGMA application_id = 1701607278; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	return dir, string(text[strings.Index(string(text), "INSERT INTO account"):])
}

// wentBy is what schema 2 knows of those in the trash.
var wentBy = map[int64][2]string{
	1: {"", ""}, 2: {"daemon", "auto-evict"}, 3: {"user:1", "trash"}, 4: {"user:1", "merge"}, 5: {"token:9", "trash"}, 6: {"", ""}, 7: {"", ""}, 8: {"token:4", "trash"},
}

func knows(t *testing.T, d *db.DB) {
	t.Helper()
	found := map[int64][2]string{}
	err := d.View(ctx, func(tx *db.Tx) error {
		rows := tx.Query(`SELECT id, deleted_by, deleted_how FROM memory ORDER BY id`)
		defer rows.Close()
		for rows.Next() {
			var id int64
			var by, how string
			if err := rows.Scan(&id, &by, &how); err != nil {
				return err
			}
			found[id] = [2]string{by, how}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range wentBy {
		if found[id] != want {
			t.Errorf("memory %d went by %q, want %q", id, found[id], want)
		}
	}
}

// A file that an older elowen wrote opens, and knows who threw away what.
func TestAnOlderFileIsBroughtUpToDate(t *testing.T) {
	dir, _ := old(t)
	d, err := db.Open(ctx, db.Config{Dir: dir, Clock: dbtest.NewClock(dbtest.Start).Now})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	knows(t, d)
	if problems, err := integrity(d); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	var next int64
	err = d.View(ctx, func(tx *db.Tx) error {
		return tx.Row(`SELECT next_at FROM recurring_task WHERE name = 'sweep' AND owner_id = 0 AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'nextSweepAt')`, nil, &next)
	})
	if err != nil || next != 1796083200000 {
		t.Errorf("the next sweep is at %d: %v", next, err)
	}
	// The first account goes on behind all ids that were given, others in ranges of their own.
	err = d.Update(ctx, func(tx *db.Tx) error {
		var last int64
		if err := tx.Row(`SELECT seq FROM sqlite_sequence WHERE name = 'memory'`, nil, &last); err != nil {
			return err
		}
		if id, err := tx.NewID(1, "memory"); err != nil || id != last+1 {
			t.Errorf("the next id is %d after %d: %v", id, last, err)
		}
		if id, err := tx.NewID(2, "memory"); err != nil || id != 1<<32+1 {
			t.Errorf("the next id of another account is %d: %v", id, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := d.Update(ctx, func(tx *db.Tx) error { _, err := tx.Exec(`UPDATE memory_event SET change_id = 1`); return err }); err == nil {
		t.Error("the audit is no longer append-only")
	}
}

func integrity(d *db.DB) (problems []string, err error) {
	err = d.View(ctx, func(tx *db.Tx) (err error) {
		problems, err = tx.Integrity(false)
		return err
	})
	return problems, err
}

// What the step asks of the audit is the same on either engine.
func TestWhoThrewItAwayOnBothEngines(t *testing.T) {
	_, insert := old(t)
	step, err := os.ReadFile(filepath.Join("migration", "0002_recall.sql"))
	if err != nil {
		t.Fatal(err)
	}
	updates := ""
	for _, q := range strings.SplitAfter(string(step), ";\n") {
		if at := strings.Index(q, "UPDATE memory SET"); at >= 0 {
			updates += q[at:]
		}
	}
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		err := d.Update(ctx, func(tx *db.Tx) error {
			for _, q := range strings.SplitAfter(insert+updates, ";\n") {
				if q = strings.TrimSpace(q); q == "" {
					continue
				}
				if _, err := tx.Exec(strings.TrimSuffix(q, ";")); err != nil {
					t.Log(q)
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		knows(t, d)
	})
}
