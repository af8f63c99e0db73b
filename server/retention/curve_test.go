package retention

import (
	"context"
	"math"
	"testing"

	"elowen/server/db/dbtest"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// A curve begins where six uses have led, halves with each half-life, and meets
// the floor on the day that it names.
func TestCurves(t *testing.T) {
	p := vitality.DefaultPolicy()
	p.HalfLifeDays[6] = 60
	for _, days := range []int{1, 30, 31, 90, 365} {
		c, err := curves(p, days)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Levels) != vitality.Levels || c.Days[0] != 0 || c.Days[len(c.Days)-1] != float64(days) {
			t.Fatalf("%d days: %d levels, days %v", days, len(c.Levels), c.Days)
		}
		for i, l := range c.Levels {
			if l.Importance != i+1 || len(l.Vitality) != len(c.Days) {
				t.Fatalf("level %d: %+v", i+1, l)
			}
			start := 100 * (0.5 + 0.5*6.0/11)
			for k, day := range c.Days {
				if k > 0 && day <= c.Days[k-1] {
					t.Fatalf("days %v", c.Days)
				}
				want := start * math.Exp2(-day/p.HalfLifeDays[i])
				if math.Abs(l.Vitality[k]-want) > 1e-6 {
					t.Errorf("importance %d at day %v: %v, want %v", i+1, day, l.Vitality[k], want)
				}
			}
			if below := p.HalfLifeDays[i] * math.Log2(start/p.Floor); math.Abs(l.FloorDays-below) > 1e-6 {
				t.Errorf("importance %d is below the floor after %v days, want %v", i+1, l.FloorDays, below)
			}
		}
	}
}

// One that stands below the floor from the start is so after no days.
func TestCurvesBelowTheFloor(t *testing.T) {
	p := vitality.DefaultPolicy()
	p.Floor = 90
	c, err := curves(p, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range c.Levels {
		if l.FloorDays != 0 {
			t.Errorf("importance %d: %v", l.Importance, l.FloorDays)
		}
	}
}

// The curves come beside the counts, or alone, of the policy that is asked about.
func TestPreviewDrawsThePolicy(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		anna := h.person("anna")
		lives := vitality.DefaultPolicy().Proposal().HalfLifeDays
		lives[9] = 20
		for _, only := range []string{"", "curves"} {
			v, err := h.Preview(context.Background(), anna, api.PreviewRequest{Policy: api.PolicyChange{HalfLifeDays: lives}, Days: 40, Only: only})
			if err != nil {
				t.Fatal(err)
			}
			if v.Curves == nil || v.First == nil || v.SweepAt == 0 {
				t.Fatalf("%q: %+v", only, v)
			}
			if c := v.Curves.Levels[9].Vitality; math.Abs(c[len(c)-1]-c[0]/4) > 1e-6 {
				t.Errorf("%q: after two half-lives %v of %v", only, c[len(c)-1], c[0])
			}
		}
		if v, err := h.Preview(context.Background(), anna, api.PreviewRequest{}); err != nil || v.Curves != nil {
			t.Errorf("curves that nobody asked for: %v %v", v.Curves, err)
		}
	})
}
