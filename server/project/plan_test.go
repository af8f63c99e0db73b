package project

import (
	"regexp"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// Who reads a pool is asked in every decision that changed something, and with every
// memory that isn't one's own: it goes by indexes, however many projects there are.
func TestAccessGoesByIndexes(t *testing.T) {
	d := dbtest.Open(t, nil)
	New(d, Options{})
	list := dbtest.Plans(t, d, func() {
		err := d.View(ctx, func(tx *db.Tx) error {
			if _, _, err := Readable(tx, 1, 2); err != nil {
				return err
			}
			if _, err := Pools(tx, 1); err != nil {
				return err
			}
			_, err := Audience(tx, []db.AccountID{1, 2})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if len(list) != 3 {
		t.Errorf("%d statements", len(list))
	}
	dbtest.Indexed(t, list, regexp.MustCompile(`ORDER BY p\.id`)) // a person's own few
}
