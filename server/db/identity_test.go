package db_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// Ids ascend, are taken once, and say nothing of what others take: an account's are the
// same whether somebody else is there or not.
func TestNewIDs(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		var people []db.AccountID
		for range 3 {
			err := d.Update(ctx, func(tx *db.Tx) error {
				var id int64
				err := tx.Row(`INSERT INTO account (name, name_key, display_name, role, password_hash, created_at) VALUES (?, ?, '', 'member', '', 0) RETURNING id`,
					[]any{db.NewSecret(), db.NewSecret()}, &id)
				people = append(people, db.AccountID(id))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		taken := map[db.AccountID]map[string][]int64{}
		random := rand.New(rand.NewPCG(1, 2))
		for range 5 {
			err := d.Update(ctx, func(tx *db.Tx) error {
				for range 60 {
					who, table, n := people[random.IntN(len(people))], []string{"memory", "category"}[random.IntN(2)], 1+random.IntN(4)
					first, err := tx.NewIDs(who, table, n)
					if err != nil {
						return err
					}
					if taken[who] == nil {
						taken[who] = map[string][]int64{}
					}
					for i := range n {
						taken[who][table] = append(taken[who][table], first+int64(i))
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		of := map[int64]db.AccountID{}
		for who, tables := range taken {
			for table, list := range tables {
				for i, id := range list {
					if id != list[0]+int64(i) || id >= 1<<53 {
						t.Fatalf("%s of %d: %v", table, who, list)
					}
					for _, p := range people {
						if p.Gave(id) != (p == who) {
							t.Fatalf("%d of %d: given by %d", id, who, p)
						}
					}
					if o, ok := of[id]; ok && o != who {
						t.Fatalf("%d is of %d and of %d", id, o, who)
					}
					of[id] = who
				}
			}
			if who == 1 && tables["memory"][0] != 1 {
				t.Errorf("the first id of the first account is %d", tables["memory"][0])
			}
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
