package db_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

var update = flag.Bool("update", false, "write the golden schema anew")

// The migrations are never edited once released, so what they make is pinned: a
// difference here is a new migration's, or a mistake.
func TestSchemaIsTheGoldenOne(t *testing.T) {
	d := dbtest.Open(t, nil)
	var b strings.Builder
	err := d.View(ctx, func(tx *db.Tx) error {
		rows := tx.Query(`SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name`)
		defer rows.Close()
		for rows.Next() {
			var kind, name, sql string
			if err := rows.Scan(&kind, &name, &sql); err != nil {
				return err
			}
			b.WriteString("-- " + kind + " " + name + "\n" + sql + ";\n\n")
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "schema.sqlite.sql")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the schema is not the golden one; look at the difference, then run with -update:\n%s", b.String())
	}
}

// Every table is on both engines, with the same columns in the same order.
func TestEnginesHaveTheSameTables(t *testing.T) {
	columns := map[string]map[string][]string{}
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		query := `SELECT m.name, p.name FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, p.cid`
		if d.Engine() == "postgres" {
			query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'elowen_schema' ORDER BY table_name, ordinal_position`
		}
		tables := map[string][]string{}
		err := d.View(ctx, func(tx *db.Tx) error {
			rows := tx.Query(query)
			defer rows.Close()
			for rows.Next() {
				var table, column string
				if err := rows.Scan(&table, &column); err != nil {
					return err
				}
				tables[table] = append(tables[table], column)
			}
			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(tables) < 15 {
			t.Errorf("only %d tables", len(tables))
		}
		columns[d.Engine()] = tables
	})
	if p, ok := columns["postgres"]; ok {
		for table, cols := range columns["sqlite"] {
			if got := strings.Join(p[table], ","); got != strings.Join(cols, ",") {
				t.Errorf("%s: sqlite has %v, postgres %s", table, cols, got)
			}
		}
		if len(p) != len(columns["sqlite"]) {
			t.Errorf("%d tables on postgres, %d on sqlite", len(p), len(columns["sqlite"]))
		}
	}
}

// The audit cannot be changed by anyone who holds a connection.
func TestAuditIsAppendOnly(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		exec := func(q string) error {
			return d.Update(ctx, func(tx *db.Tx) error { _, err := tx.Exec(q); return err })
		}
		for _, q := range []string{
			`INSERT INTO account (id, name, name_key, display_name, role, password_hash, created_at) VALUES (1, 'a', 'a', '', 'admin', '', 0)`,
			`INSERT INTO memory_event (owner_id, memory_id, action, actor, model, reason, revision, at, before_state, after_state) VALUES (1, 1, 'add', 'user:1', '', '', 1, 0, '', '')`,
		} {
			if err := exec(q); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range []string{`UPDATE memory_event SET actor = 'x'`, `DELETE FROM memory_event`, `UPDATE memory_event SET carried = 1 WHERE owner_id = 1`} {
			if exec(q) == nil {
				t.Errorf("allowed: %s", q)
			}
		}
		if err := exec(`UPDATE account SET erasing = 1 WHERE id = 1`); err != nil {
			t.Fatal(err)
		}
		if err := exec(`DELETE FROM memory_event WHERE owner_id = 1`); err != nil {
			t.Errorf("the account's own erasure: %v", err)
		}
	})
}
