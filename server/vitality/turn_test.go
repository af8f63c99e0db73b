package vitality

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTurns(t *testing.T) {
	want := []Turn{{1, 9, 9}, {2, 3, 9}, {2, 4, 5}, {2, 4, 6}, {2.5, 1, 1}}
	rapid.Check(t, func(t *rapid.T) {
		got := rapid.Permutation(want).Draw(t, "line")
		slices.SortFunc(got, Turn.Compare)
		if !slices.Equal(got, want) {
			t.Error(got)
		}
	})
	if c := want[0].Compare(want[0]); c != 0 {
		t.Errorf("one is before itself: %d", c)
	}
}

func TestBelow(t *testing.T) {
	p := DefaultPolicy()
	for v, want := range map[float64]string{0: "vitality 0.0 < 10", 8.25: "vitality 8.2 < 10", 9.999999: "vitality 9.9 < 10"} {
		if got := Below(v, p); got != want {
			t.Errorf("%v: %q", v, got)
		}
	}
	p.Floor = 12.5
	if got := Below(12.4999, p); got != "vitality 12.4 < 12.5" {
		t.Errorf("%q", got)
	}
}
