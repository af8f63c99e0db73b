package retention

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/vitality"
	"elowen/shared/setting"
)

const noon = int64(1_796_040_000_000)

func TestPlanReasons(t *testing.T) {
	p := vitality.DefaultPolicy()
	p.DailyLimit = 2
	at := func(id int64, importance int, days float64, active bool) Candidate {
		return Candidate{id, vitality.Memory{Importance: importance, CreatedAt: noon - int64(days*day), Active: active}}
	}
	plan, err := Plan([]Candidate{
		at(1, 10, 20, true), at(2, 1, 20, true), at(3, 1, 30, true), at(4, 1, 40, true), at(5, 1, 14, true), at(6, 1, 99, false),
	}, p, noon, p.DailyLimit)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id      int64
		verdict Verdict
		reason  string
	}{
		{4, Trash, "vitality 0.0 < 10"},
		{3, Trash, "vitality 0.0 < 10"},
		{2, Wait, "vitality 0.0 < 10; waits, the limit of 2 in 24 hours is used up"},
		{6, Keep, "not active"},
		{5, Keep, "younger than the grace period of 14 days"},
		{1, Keep, "vitality 46.3, not below 10"},
	}
	if len(plan) != len(want) {
		t.Fatalf("%d decisions", len(plan))
	}
	for i, w := range want {
		if d := plan[i]; d.ID != w.id || d.Verdict != w.verdict || d.Reason != w.reason {
			t.Errorf("%d: %d %s %q, want %d %s %q", i, d.ID, d.Verdict, d.Reason, w.id, w.verdict, w.reason)
		}
	}
	p.Enabled = false
	off, err := Plan([]Candidate{at(3, 1, 30, true)}, p, noon, 5)
	if err != nil || off[0].Verdict != Keep || off[0].Reason != "automatic removal is off" {
		t.Errorf("paused: %+v %v", off, err)
	}
}

func TestPlanNeverReadsAsTheFloor(t *testing.T) {
	p := vitality.DefaultPolicy()
	m := vitality.Memory{Importance: 5, CreatedAt: noon, Active: true}
	crossing, err := vitality.CrossingAt(m, p)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Plan([]Candidate{{1, m}}, p, crossing, 1)
	if err != nil || plan[0].Verdict != Trash || plan[0].Reason != "vitality 9.9 < 10" {
		t.Errorf("%+v %v", plan, err)
	}
}

func TestPlanRefusesAnUnusablePolicy(t *testing.T) {
	p := vitality.DefaultPolicy()
	p.HalfLifeDays[4] = math.NaN()
	old := Candidate{1, vitality.Memory{Importance: 5, CreatedAt: noon - 100*day, Active: true}}
	if plan, err := Plan([]Candidate{old}, p, noon, 5); err == nil {
		t.Errorf("planned %+v", plan)
	}
}

// A dry run reads one page, which must hold all that a sweep may take.
func TestAPageHoldsTheLimit(t *testing.T) {
	if most := setting.Get("retention.dailyDeletionLimit").Max; most > pageSize {
		t.Errorf("the limit may be %v, a page holds %d", most, pageSize)
	}
}

func anyCandidates() *rapid.Generator[[]Candidate] {
	one := rapid.Custom(func(t *rapid.T) Candidate {
		created := noon - rapid.Int64Range(0, 400*day).Draw(t, "age")
		m := vitality.Memory{Importance: rapid.IntRange(1, 10).Draw(t, "importance"), UseCount: rapid.Int64Range(0, 20).Draw(t, "uses"),
			CreatedAt: created, Active: rapid.Bool().Draw(t, "active")}
		if m.UseCount > 0 {
			m.LastUsedAt = created + rapid.Int64Range(1, noon-created+1).Draw(t, "used")
		}
		return Candidate{Memory: m}
	})
	return rapid.Custom(func(t *rapid.T) []Candidate {
		list := rapid.SliceOfN(one, 0, 40).Draw(t, "memories")
		for i := range list {
			list[i].ID = int64(i + 1)
		}
		return list
	})
}

// A plan takes exactly the most urgent of those that are eligible, as many as are
// left to give, whatever the order in which it was told of them, and whatever the
// pages.
func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyCandidates().Draw(t, "list")
		left := rapid.IntRange(-1, 12).Draw(t, "left")
		p := vitality.DefaultPolicy()
		plan, err := Plan(list, p, noon, left)
		if err != nil {
			t.Fatal(err)
		}
		trashed, waiting := 0, 0
		last := -1.0
		for _, d := range plan {
			due, err := vitality.Evictable(d.Memory, p, noon)
			if err != nil {
				t.Fatal(err)
			}
			if due != (d.Verdict != Keep) {
				t.Fatalf("%+v is due: %v", d, due)
			}
			switch d.Verdict {
			case Trash:
				trashed++
				if waiting > 0 {
					t.Fatal("one waits before one that goes")
				}
			case Wait:
				waiting++
			}
			if due && d.Vitality < last {
				t.Fatal("not the lowest vitality first")
			}
			if due {
				last = d.Vitality
				if !strings.HasPrefix(d.Reason, "vitality ") {
					t.Fatalf("reason %q", d.Reason)
				}
			}
		}
		if want := min(max(left, 0), trashed+waiting); trashed != want {
			t.Fatalf("%d go, want %d", trashed, want)
		}
		shuffled := rapid.Permutation(list).Draw(t, "shuffled")
		again, err := Plan(shuffled, p, noon, left)
		if err != nil || !slices.Equal(again, plan) {
			t.Fatal("another order, another plan")
		}
	})
}
