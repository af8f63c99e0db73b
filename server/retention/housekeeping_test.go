package retention

import (
	"context"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// An account whose rows cannot be trimmed is told of, and the others are trimmed.
func TestHousekeepingGoesOn(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	h := open(t, dbtest.Open(t, clock)) // the sick one is made by a trigger of SQLite
	ctx := context.Background()
	var people []db.AccountID
	for _, name := range []string{"anna", "bert", "carl"} {
		people = append(people, h.person(name))
	}
	clock.Advance(40 * dayMillis)
	sick := people[1]
	err := h.d.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`CREATE TRIGGER sick BEFORE DELETE ON change WHEN OLD.owner_id = 2 BEGIN SELECT RAISE(ABORT, 'sick'); END`)
		return err
	})
	if err != nil || sick != 2 {
		t.Fatalf("%v %v", people, err)
	}
	err = h.housekeeping(ctx)
	if err == nil || !strings.Contains(err.Error(), "account 2") || strings.Contains(err.Error(), "account 3") {
		t.Errorf("%v", err)
	}
	err = h.d.View(ctx, func(tx *db.Tx) error {
		for _, owner := range people {
			head, err := tx.Head(owner)
			if err != nil {
				return err
			}
			if (head.Floor > 0) == (owner == sick) {
				t.Errorf("account %d: %+v", owner, head)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
