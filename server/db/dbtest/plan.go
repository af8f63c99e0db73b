package dbtest

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"elowen/server/db"
)

// Planned is a statement that was run, and how SQLite goes about it.
type Planned struct {
	db.Statement
	Plan string // the steps, one a line
}

// Plans runs something on a SQLite store and answers each different statement that it
// ran with its plan, in the order in which they came.
func Plans(t testing.TB, d *db.DB, run func()) []Planned {
	t.Helper()
	var mu sync.Mutex
	seen := map[string]bool{}
	var list []Planned
	d.Trace(func(s db.Statement) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[s.Query] {
			seen[s.Query] = true
			list = append(list, Planned{Statement: db.Statement{Query: s.Query, Args: slices.Clone(s.Args)}})
		}
	})
	run()
	d.Trace(nil)
	err := d.View(context.Background(), func(tx *db.Tx) error {
		for i := range list {
			rows := tx.Query(`EXPLAIN QUERY PLAN `+list[i].Query, list[i].Args...)
			var steps []string
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					rows.Close()
					return err
				}
				steps = append(steps, step)
			}
			rows.Close()
			if err := rows.Err(); err != nil {
				return err
			}
			list[i].Plan = strings.Join(steps, "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var (
	scans = regexp.MustCompile(`(?m)^SCAN .*$`)
	// What SQLite calls a scan and isn't one of a table that grows: of rows that are said
	// or were found before, and of SQLite's own table of sequences.
	harmless = regexp.MustCompile(`^SCAN (CONSTANT ROW|\d+ CONSTANT ROWS|\(subquery-\d+\)|sqlite_sequence)$`)
)

// Indexed checks statements that run often, or over very many rows: none goes through
// a whole table or index, and none sorts but those whose text matches sorts (nil: none
// may).
func Indexed(t testing.TB, list []Planned, sorts *regexp.Regexp) {
	t.Helper()
	if len(list) == 0 {
		t.Error("nothing was run")
	}
	for _, p := range list {
		for _, step := range scans.FindAllString(p.Plan, -1) {
			if !harmless.MatchString(step) {
				t.Errorf("%s\ngoes through all there is:\n%s", p.Query, p.Plan)
				break
			}
		}
		if strings.Contains(p.Plan, "TEMP B-TREE") && (sorts == nil || !sorts.MatchString(p.Query)) {
			t.Errorf("%s\nsorts:\n%s", p.Query, p.Plan)
		}
	}
}

// Uses checks that there are statements with a text in them, spaces and line breaks
// aside, and that the plan of each of those has a step with another in it, such as the
// name of an index.
func Uses(t testing.TB, list []Planned, query, step string) {
	t.Helper()
	found := false
	for _, p := range list {
		if !strings.Contains(strings.Join(strings.Fields(p.Query), " "), query) {
			continue
		}
		found = true
		if !strings.Contains(p.Plan, step) {
			t.Errorf("%s\ndoes without %q:\n%s", p.Query, step, p.Plan)
		}
	}
	if !found {
		t.Errorf("no statement has %q", query)
	}
}
