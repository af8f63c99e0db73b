package memory

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/lexicon"
	"elowen/shared/api"
)

// One filter, said twice: SQL finds the rows that Go finds.
func TestPredicateSaysTheSameTwice(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		work, err := f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		if err != nil {
			t.Fatal(err)
		}
		list := carried(200, f.clock.Now())
		for i := range list {
			list[i].Kind = []string{"fact", "decision", "My kind"}[i%3]
			list[i].Status = []string{api.StatusActive, api.StatusActive, api.StatusDeleted, api.StatusConsolidated}[i%4]
			list[i].CategoryID = []int64{0, work.ID}[i%2]
			list[i].ReviewedAt = []int64{0, 0, dbtest.Start}[i%3]
			if i%10 == 0 {
				list[i].CreatedAt = dbtest.Start - 30*day // exactly where the queries ask
			}
		}
		f.insert(list)
		var briefs []Brief
		f.view(func(tx *db.Tx) error {
			for b, err := range f.Briefs(tx, f.ann, nil) {
				if err != nil {
					return err
				}
				briefs = append(briefs, *b)
			}
			return nil
		})
		if len(briefs) != 200 {
			t.Fatalf("%d briefs", len(briefs))
		}
		at := rapid.Custom(func(t *rapid.T) *api.Time {
			if rapid.Bool().Draw(t, "none") {
				return nil
			}
			return api.Ptr(api.Time(dbtest.Start - rapid.SampledFrom([]int64{0, 30, 100, 399}).Draw(t, "days")*day))
		})
		found := func(t rapid.TB, q api.MemoryQuery, terms Terms) int {
			filter := Predicate(q, terms, f.clock.Now())
			var byGo, bySQL []int64
			for i := range briefs {
				if filter.Match(&briefs[i]) {
					byGo = append(byGo, briefs[i].ID)
				}
			}
			f.view(func(tx *db.Tx) error {
				where, args := filter.SQL()
				rows := tx.Query(`SELECT id FROM memory WHERE owner_id = ? AND `+where+` ORDER BY id`, append([]any{int64(f.ann)}, args...)...)
				defer rows.Close()
				for rows.Next() {
					var id int64
					if err := rows.Scan(&id); err != nil {
						return err
					}
					bySQL = append(bySQL, id)
				}
				return rows.Err()
			})
			if !slices.Equal(byGo, bySQL) {
				t.Fatalf("%+v: Go finds %v, SQL %v", q, byGo, bySQL)
			}
			return len(byGo)
		}
		// A few that find something for certain; most of what is drawn finds little.
		for q, want := range map[api.MemoryQuery]int{{Status: "all"}: 200, {Status: "deleted"}: 50, {Status: "all", CategoryID: work.ID}: 100, {Status: "all", Kind: "fact"}: 67} {
			if n := found(t, q, f.rules.set(func(*Terms) {})); n != want {
				t.Errorf("%+v finds %d, want %d", q, n, want)
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			q := api.MemoryQuery{
				Status: rapid.SampledFrom([]string{"", "active", "deleted", "consolidated", "all", "all"}).Draw(t, "status"),
				Kind:   rapid.SampledFrom([]string{"", "", "fact", "My kind", "nothing"}).Draw(t, "kind"), CategoryID: rapid.SampledFrom([]int64{0, 0, work.ID, 999}).Draw(t, "category"),
				Uncategorized: rapid.Bool().Draw(t, "uncategorized"), ProjectID: rapid.SampledFrom([]int64{0, 0, 0, 1}).Draw(t, "project"),
				Importance: rapid.IntRange(0, 10).Draw(t, "importance"), FadesWithin: rapid.SampledFrom([]int{0, 0, 1, 30, 3650}).Draw(t, "fades"),
				NotIndexed: rapid.Bool().Draw(t, "not indexed"), Unreviewed: rapid.Bool().Draw(t, "unreviewed"), After: at.Draw(t, "after"), Before: at.Draw(t, "before"),
			}
			terms := f.rules.set(func(*Terms) {})
			terms.Policy.Enabled = rapid.Bool().Draw(t, "retention")
			found(t, q, terms)
		})
	})
}

func TestBriefs(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("a", importance(9)), f.add("b", uncategorized)
		f.recall(a.ID)
		f.trash(b.ID)
		if _, err := f.Add(ctx, f.bob, me, api.SourceUser, api.MemoryAdd{Body: "his"}); err != nil {
			t.Fatal(err)
		}
		read := func(ids []int64) (list []Brief) {
			f.view(func(tx *db.Tx) error {
				for b, err := range f.Briefs(tx, f.ann, ids) {
					if err != nil {
						return err
					}
					list = append(list, *b)
				}
				return nil
			})
			return list
		}
		all := read(nil)
		if len(all) != 2 || all[0].ID != a.ID || all[0].UseCount != 1 || all[0].Importance != 9 || all[0].CategoryID != *a.CategoryID || all[0].Status != Active ||
			all[1].CategoryID != 0 || all[1].Status != Deleted || all[1].Revision != 2 || all[0].FadesAt == 0 || all[0].OrderKey == 0 {
			t.Errorf("all %+v", all)
		}
		if some := read([]int64{b.ID, 4242, b.ID}); len(some) != 1 || some[0] != all[1] {
			t.Errorf("some %+v", some)
		}
		if none := read([]int64{}); len(none) != 0 {
			t.Errorf("none %+v", none)
		}
		for range 2 { // more than a page, and breaking off in the middle
			f.insert(carried(briefPage, f.clock.Now()))
		}
		if n := len(read(nil)); n != 2*briefPage+2 {
			t.Errorf("%d of %d", n, 2*briefPage+2)
		}
		f.view(func(tx *db.Tx) error {
			for range f.Briefs(tx, f.ann, nil) {
				break
			}
			_, err := lexicon.StatsOf(tx, f.ann)
			return err
		})
	})
}
