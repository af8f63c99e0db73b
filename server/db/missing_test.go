package db_test

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"elowen/server/db"
)

// Whatever is taken out of the schema, or put in its place, is found: each table,
// index and trigger that the program makes.
func TestMissingPartsOfTheSchemaAreFound(t *testing.T) {
	dir := t.TempDir()
	d, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	faults := func() []string {
		t.Helper()
		var found []string
		err := d.View(ctx, func(tx *db.Tx) (err error) { found, err = tx.Integrity(true); return err })
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := faults(); len(found) > 0 {
		t.Fatalf("a new store: %q", found)
	}
	other, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	exec := func(q string) {
		t.Helper()
		if _, err := other.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	type part struct{ kind, name, made string }
	var parts []part
	rows, err := other.Query(`SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' AND type <> 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var p part
		if err := rows.Scan(&p.kind, &p.name, &p.made); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	rows.Close()
	body := regexp.MustCompile(`(?s)(WHEN .*)?BEGIN.*`)
	triggers := 0
	for _, p := range parts {
		exec("DROP " + p.kind + " " + p.name)
		if found := faults(); len(found) != 1 || found[0] != "the "+p.kind+" "+p.name+" is missing" {
			t.Errorf("without %s: %q", p.name, found)
		}
		if p.kind == "trigger" {
			triggers++
			exec(body.ReplaceAllString(p.made, "BEGIN SELECT 1; END"))
			if found := faults(); len(found) != 1 || !strings.HasPrefix(found[0], "the trigger "+p.name+" is not as") {
				t.Errorf("with another %s: %q", p.name, found)
			}
			exec("DROP TRIGGER " + p.name)
		}
		exec(p.made)
		if found := faults(); len(found) > 0 {
			t.Errorf("with %s again: %q", p.name, found)
		}
	}
	if len(parts) < 15 || triggers < 2 {
		t.Errorf("only %d parts, %d triggers", len(parts), triggers)
	}
	exec("CREATE INDEX of_somebody ON memory (kind)")
	if found := faults(); len(found) > 0 {
		t.Errorf("with an index more: %q", found)
	}
	exec("PRAGMA foreign_keys = 0")
	exec("DROP TABLE memory_version")
	if found := faults(); len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), "the table memory_version is missing") {
		t.Errorf("without a table: %q", found)
	}
}
