package memory

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
)

func (f *fixture) due(owner db.AccountID, t Terms, now int64) (list []Candidate) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error {
		for c, err := range f.Due(tx, owner, t, now) {
			if err != nil {
				return err
			}
			list = append(list, c)
		}
		return nil
	})
	return list
}

// expected is what Due must give, from the rows themselves.
func (f *fixture) expected(owner db.AccountID, t Terms, now int64) (list []Candidate) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error {
		for b, err := range f.Briefs(tx, owner, nil) {
			if err != nil {
				return err
			}
			due, err := vitality.Evictable(b.Vital(), t.Policy, now)
			if err != nil {
				return err
			}
			if due {
				v, err := vitality.Vitality(b.Vital(), t.Policy, now)
				if err != nil {
					return err
				}
				list = append(list, Candidate{b.ID, b.Vital(), v})
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Vitality, b.Vitality), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Due is exactly what is evictable, lowest vitality first, then oldest: at any
// instant, under any policy, also with the clock put back and over several pages.
func TestDue(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		list := carried(3*duePage, f.clock.Now())
		for i := range list {
			switch {
			case i%7 == 0: // very much alike
				list[i].Importance, list[i].UseCount, list[i].LastUsedAt, list[i].CreatedAt = 5, 0, 0, f.clock.Now()-200*day
			case i%7 == 1:
				list[i].Importance = 1
			case i%11 == 2: // used while the clock was ahead
				list[i].UseCount, list[i].LastUsedAt = 1, f.clock.Now()+20*day
			case i%13 == 5:
				list[i].Status = api.StatusDeleted
			}
		}
		f.insert(list)
		most := 0
		check := func(name string, now int64, change func(*vitality.Policy)) {
			t.Helper()
			terms := f.rules.set(func(t *Terms) { t.Policy = vitality.DefaultPolicy(); change(&t.Policy) })
			f.update(func(tx *db.Tx) error { return f.Rekey(tx, f.ann, terms) })
			got, want := f.due(f.ann, terms, now), f.expected(f.ann, terms, now)
			most = max(most, len(got))
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d due, want %d", name, len(got), len(want))
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("the first to differ is %d: %+v, want %+v", i, got[i], want[i])
						break
					}
				}
			}
			f.view(func(tx *db.Tx) error {
				n, err := f.CountDue(tx, f.ann, terms, now)
				if n != len(want) {
					t.Errorf("%s: %d counted, want %d", name, n, len(want))
				}
				return err
			})
		}
		now := f.clock.Now()
		check("default", now, func(*vitality.Policy) {})
		check("later", now+300*day, func(*vitality.Policy) {})
		check("long before", now-390*day, func(*vitality.Policy) {})
		check("high floor", now, func(p *vitality.Policy) { p.Floor = 90 })
		check("high floor, clock put back", now-100*day, func(p *vitality.Policy) { p.Floor, p.GraceDays = 75, 0 })
		check("floor of one half", now, func(p *vitality.Policy) { p.Floor = 50 })
		check("no grace", now, func(p *vitality.Policy) { p.GraceDays = 0 })
		check("long grace", now, func(p *vitality.Policy) { p.GraceDays = 365 })
		check("off", now, func(p *vitality.Policy) { p.Enabled = false })
		if most < 2*duePage {
			t.Errorf("at most %d were due: not more than a page of a level", most)
		}
		if due := f.due(f.bob, f.rules.terms, now); len(due) != 0 {
			t.Errorf("of another account: %v", due)
		}
	})
}

func TestDueProperty(t *testing.T) {
	f := open(t)
	rapid.Check(t, func(t *rapid.T) {
		owner := f.account("d" + lower(db.NewSecret()))
		now := f.clock.Now()
		terms := f.rules.set(func(t *Terms) { t.Policy = vitality.DefaultPolicy() })
		terms.Policy.Floor = float64(rapid.IntRange(1, 90).Draw(t, "floor"))
		terms.Policy.GraceDays = float64(rapid.IntRange(0, 60).Draw(t, "grace"))
		for i := range terms.Policy.HalfLifeDays {
			terms.Policy.HalfLifeDays[i] = rapid.Float64Range(0.1, 365).Draw(t, "half-life")
		}
		f.rules.set(func(r *Terms) { *r = terms })
		list := make([]Carried, rapid.IntRange(1, 30).Draw(t, "memories"))
		for i := range list {
			created := now - rapid.Int64Range(-5*day, 400*day).Draw(t, "age")
			list[i] = Carried{Body: "x", Importance: rapid.IntRange(1, 10).Draw(t, "importance"), CreatedAt: created, UseCount: rapid.Int64Range(0, 4).Draw(t, "uses")}
			if list[i].UseCount > 0 {
				list[i].LastUsedAt = created + rapid.Int64Range(0, 400*day).Draw(t, "used")
			}
		}
		f.update(func(tx *db.Tx) error { _, err := f.Insert(tx, owner, me, "", list); return err })
		at := now + rapid.Int64Range(-50*day, 50*day).Draw(t, "now")
		if got, want := f.due(owner, terms, at), f.expected(owner, terms, at); !slices.Equal(got, want) {
			t.Fatalf("due %+v\nwant %+v", got, want)
		}
	})
}

// After a change of policy rows hold what they would hold if they were made now.
func TestRekey(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.insert(carried(rekeyPage+20, f.clock.Now()))
		terms := f.rules.set(func(t *Terms) {
			t.Policy.HalfLifeDays[4], t.Policy.GraceDays = 300, 3
		})
		revision := func() (sum int64) {
			f.view(func(tx *db.Tx) error { return tx.Row(`SELECT CAST(SUM(revision) AS BIGINT) FROM memory`, nil, &sum) })
			return sum
		}
		before, seq := revision(), f.seq(f.ann)
		f.update(func(tx *db.Tx) error { return f.Rekey(tx, f.ann, terms) })
		if revision() != before || f.seq(f.ann) != seq {
			t.Error("a change of policy is a change of memories")
		}
		f.view(func(tx *db.Tx) error {
			for b, err := range f.Briefs(tx, f.ann, nil) {
				if err != nil {
					return err
				}
				key, _ := vitality.OrderKey(b.Vital(), terms.Policy)
				fades, _ := vitality.FadesAt(b.Vital(), terms.Policy)
				if b.OrderKey != key || b.FadesAt != fades {
					t.Fatalf("memory %d: %v %v, want %v %v", b.ID, b.OrderKey, b.FadesAt, key, fades)
				}
			}
			return nil
		})
	})
}
