package db_test

import (
	"slices"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// Ids that were taken are not given again, whether rows under them were deleted
// or inserted the other way.
func TestNewIDs(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		insert := func(tx *db.Tx, id any) (got int64) {
			t.Helper()
			cols, vals, args := `name, name_key, display_name, role, password_hash, created_at`, `?, ?, '', 'member', '', 0`, []any{db.NewSecret(), db.NewSecret()}
			if id != nil {
				cols, vals, args = `id, `+cols, `?, `+vals, append([]any{id}, args...)
			}
			if err := tx.Row(`INSERT INTO account (`+cols+`) VALUES (`+vals+`) RETURNING id`, args, &got); err != nil {
				t.Fatal(err)
			}
			return got
		}
		err := d.Update(ctx, func(tx *db.Tx) error {
			first, err := tx.NewIDs("account", 3)
			if err != nil {
				return err
			}
			for i := range int64(3) {
				insert(tx, first+i)
			}
			if got := insert(tx, nil); got != first+3 {
				t.Errorf("after %d..%d comes %d", first, first+2, got)
			}
			if err := tx.Must(`DELETE FROM account WHERE id = ?`, first+3); err != nil {
				return err
			}
			next, err := tx.NewIDs("account", 2)
			if next != first+4 {
				t.Errorf("a deleted row's id came back: %d after %d", next, first+3)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestColumn(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		err := d.Update(ctx, func(tx *db.Tx) error {
			for i := range 5000 {
				tx.Emit(7, db.NounMemory, int64(i)*1_000_003-9)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = d.View(ctx, func(tx *db.Tx) error {
			list, err := tx.Column(`SELECT ref_id AS v FROM change WHERE owner_id = ?`, 7)
			if err != nil {
				return err
			}
			slices.Sort(list)
			if len(list) != 5000 || list[0] != -9 || list[4999] != 4999*1_000_003-9 {
				t.Errorf("%d values from %d to %d", len(list), list[0], list[len(list)-1])
			}
			none, err := tx.Column(`SELECT ref_id AS v FROM change WHERE owner_id = ?`, 8)
			if len(none) != 0 {
				t.Errorf("of nothing: %v", none)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
