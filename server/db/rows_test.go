package db_test

import (
	"errors"
	"slices"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/fault"
)

// Rows are read to their end or to the first error, and are closed either way: the
// statement after them runs, on either engine.
func TestRowsAreReadAndClosed(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		stop := errors.New("enough")
		err := d.Update(ctx, func(tx *db.Tx) error {
			for _, name := range []string{"a", "b", "c"} {
				if err := tx.SetMeta(name, name+name); err != nil {
					return err
				}
			}
			const three = `SELECT name, value FROM meta WHERE name IN ('a', 'b', 'c') ORDER BY name`
			seen := 0
			rows := tx.Query(three)
			if err := rows.Each(func() error { seen++; return stop }); !errors.Is(err, stop) || seen != 1 {
				t.Errorf("%d rows, then %v", seen, err)
			}
			type pair struct{ name, value string }
			list, err := db.List(tx.Query(three), func(p *pair) []any { return []any{&p.name, &p.value} })
			if want := []pair{{"a", "aa"}, {"b", "bb"}, {"c", "cc"}}; err != nil || !slices.Equal(list, want) {
				t.Errorf("%v %v", list, err)
			}
			type id int64
			ids, err := db.IDs[id](tx.Query(`SELECT 3 UNION ALL SELECT 1`))
			slices.Sort(ids)
			if err != nil || !slices.Equal(ids, []id{1, 3}) {
				t.Errorf("%v %v", ids, err)
			}
			if none, err := db.IDs[id](tx.Query(`SELECT 1 WHERE 1 = 2`)); len(none) != 0 || err != nil {
				t.Errorf("of no rows: %v %v", none, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = d.View(ctx, func(tx *db.Tx) error {
			_, err := db.IDs[int64](tx.Query(`SELECT name FROM no_such_table`))
			if !fault.Is(err, fault.Internal) {
				t.Errorf("a query that fails: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// However many ids there are, each is asked for once, in parts that a statement takes.
func TestInParts(t *testing.T) {
	for _, n := range []int{0, 1, db.InMost - 1, db.InMost, db.InMost + 1, 3*db.InMost + 7} {
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(i)
		}
		asked := map[any]bool{}
		parts := 0
		for in, args := range db.InParts(ids) {
			parts++
			if len(args) > 2*db.InMost || len(in) != 2*len(args)-1 {
				t.Errorf("of %d: %d arguments for %q", n, len(args), in)
			}
			for _, a := range args {
				asked[a] = true
			}
		}
		if len(asked) != n || parts != (n+db.InMost-1)/db.InMost {
			t.Errorf("of %d: %d in %d parts", n, len(asked), parts)
		}
		for range db.InParts(ids) {
			break // whoever looks for one may stop
		}
	}
}
