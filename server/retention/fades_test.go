package retention

import (
	"math"
	"testing"

	"elowen/server/vitality"
)

// Half of 100 falls to 10 after log2(5) half-lives, and nothing before its grace.
func TestFadesIn(t *testing.T) {
	p := vitality.DefaultPolicy()
	list, err := fadesIn(p)
	if err != nil || len(list) != vitality.Levels {
		t.Fatalf("%v %v", list, err)
	}
	for i, days := range list {
		want := max(p.GraceDays, p.HalfLifeDays[i]*math.Log2(5))
		if math.Abs(days-want) > 1e-6 {
			t.Errorf("importance %d: %v days, want %v", i+1, days, want)
		}
	}
	p.Enabled = false
	if list, err := fadesIn(p); err != nil || list == nil || len(list) != 0 {
		t.Errorf("off: %v %v", list, err)
	}
}
