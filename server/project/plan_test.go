package project

import (
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// Who reads a pool is asked in every decision that changed something, and with every
// memory that isn't one's own: it goes by indexes, however many projects there are.
func TestAccessGoesByIndexes(t *testing.T) {
	d := dbtest.Open(t, nil)
	New(d, Options{})
	err := d.View(ctx, func(tx *db.Tx) error {
		for _, q := range []string{
			`SELECT p.pool_id, g.account_id FROM project p JOIN ` + grants + ` g ON g.project_id = p.id WHERE p.pool_id IN (?,?) AND p.sharing = 1`,
			`SELECT p.id, p.pool_id FROM project p JOIN ` + grants + ` g ON g.project_id = p.id WHERE p.sharing = 1 AND g.account_id = ? AND p.pool_id IS NOT NULL ORDER BY p.id`,
			`SELECT COALESCE(p.pool_id, 0) FROM project p JOIN ` + grants + ` g ON g.project_id = p.id WHERE p.id = ? AND p.sharing = 1 AND g.account_id = ?`,
		} {
			rows := tx.Query(`EXPLAIN QUERY PLAN `+q, []any{1, 2}[:strings.Count(q, "?")]...)
			var plan []string
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					return err
				}
				plan = append(plan, step)
			}
			rows.Close()
			if err := rows.Err(); err != nil {
				return err
			}
			for _, step := range plan {
				if strings.HasPrefix(step, "SCAN") {
					t.Errorf("%s\n\t%s", q, strings.Join(plan, "\n\t"))
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
