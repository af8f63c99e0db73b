package state

import (
	"testing"

	"elowen/shared/api"
	"elowen/shared/live"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	cases := []struct {
		name       string
		v          Viewport
		first, end int
	}{
		{"the top", Viewport{Top: 0, Height: 840, Row: 84, Total: 1000}, 0, 11},
		{"in the middle", Viewport{Top: 84*500 + 10, Height: 840, Row: 84, Total: 1000}, 500, 511},
		{"the end", Viewport{Top: 84*1000 - 840, Height: 840, Row: 84, Total: 1000}, 990, 1000},
		{"past the end", Viewport{Top: 1e9, Height: 840, Row: 84, Total: 1000}, 999, 1000},
		{"pulled down", Viewport{Top: -50, Height: 840, Row: 84, Total: 1000}, 0, 10},
		{"few rows", Viewport{Top: 0, Height: 840, Row: 84, Total: 3}, 0, 3},
		{"no rows", Viewport{Top: 0, Height: 840, Row: 84}, 0, 0},
		{"hidden", Viewport{Row: 84, Total: 1000}, 0, 0},
	}
	for _, c := range cases {
		if first, end := c.v.Visible(); first != c.first || end != c.end {
			t.Errorf("%s: [%d, %d), want [%d, %d)", c.name, first, end, c.first, c.end)
		}
	}
}

// Wherever one scrolls in a list of any length, what is asked for covers what is
// seen, lies within the list, and then nothing more is asked for.
func TestAskCoversWhatIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Viewport{Row: 84, Height: rapid.Float64Range(300, 1600).Draw(t, "height"), Total: rapid.IntRange(1, 100_000).Draw(t, "total")}
		limit := v.Limit(60, 200)
		if limit < 60 || limit > 200 {
			t.Fatalf("limit %d", limit)
		}
		from := 0
		for range 10 {
			v.Top = rapid.Float64Range(0, v.Length()).Draw(t, "top")
			to, ask := v.Ask(from, limit)
			if ask {
				from = to
			}
			first, end := v.Visible()
			if first < from || end > from+limit {
				t.Fatalf("[%d, %d) is seen, [%d, %d) was asked for", first, end, from, from+limit)
			}
			if from < 0 || from > 0 && from+limit > v.Total {
				t.Fatalf("[%d, %d) of %d", from, from+limit, v.Total)
			}
			if _, more := v.Ask(from, limit); more {
				t.Fatalf("it asks again at %v in [%d, %d)", v.Top, from, from+limit)
			}
		}
	})
}

func TestShift(t *testing.T) {
	window := func(from int, ids ...int64) Window[row] {
		w := Window[row]{From: from, Total: 100}
		for _, id := range ids {
			w.Rows = append(w.Rows, row{ID: id})
		}
		return w
	}
	before := window(10, 1, 2, 3, 4, 5, 6)
	cases := []struct {
		name  string
		after Window[row]
		want  int
	}{
		{"nothing moved", before, 0},
		{"two came in above", window(10, 8, 9, 1, 2, 3, 4), 2},
		{"one left above", window(9, 1, 2, 3, 4, 5, 6), -1},
		{"the first was used and went to the top", window(10, 2, 3, 4, 5, 6, 7), -1},
		{"one moved down among the seen", window(10, 2, 1, 3, 4, 5, 6), 0},
		{"all are gone", window(10, 21, 22), 0},
	}
	for _, c := range cases {
		if got := Shift(before, c.after, 10, 16); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestFresh(t *testing.T) {
	at := api.Time(1_000_000_000_000)
	memory := func(id, revision, uses int64, updated api.Time) live.Row {
		return live.Row{Memory: api.Memory{ID: id, Revision: revision, UseCount: uses, UpdatedAt: updated, CreatedAt: updated}}
	}
	before := Window[live.Row]{Rows: []live.Row{memory(1, 1, 0, 0), memory(2, 1, 0, 0), memory(3, 1, 0, 0)}}
	after := Window[live.Row]{AsOf: at, Rows: []live.Row{
		memory(1, 2, 0, at),     // edited
		memory(2, 1, 1, 0),      // used
		memory(3, 1, 0, 0),      // only its numbers moved
		memory(4, 1, 0, at-500), // new
		memory(5, 1, 0, 0),      // scrolled in
	}}
	got := map[int64]bool{}
	for _, id := range Fresh(before, after) {
		got[id] = true
	}
	for id, want := range map[int64]bool{1: true, 2: true, 3: false, 4: true, 5: false} {
		if got[id] != want {
			t.Errorf("row %d: fresh %v, want %v", id, got[id], want)
		}
	}
}

// The keyboard stays at its memory, wherever that goes.
func TestFollow(t *testing.T) {
	in := func(total int, ids ...int64) Window[row] {
		w := Window[row]{Total: total}
		for _, id := range ids {
			w.Rows = append(w.Rows, row{ID: id})
		}
		return w
	}
	before := in(10, 1, 2, 3, 4)
	for _, c := range []struct {
		name        string
		after       Window[row]
		rank, shift int
		want        int
	}{
		{"it goes to the top", in(10, 3, 1, 2, 4), 2, 0, 0},
		{"others come above it", in(12, 8, 9, 1, 2), 1, 2, 3},
		{"it is removed", in(9, 1, 2, 4, 5), 2, 0, 2},
		{"the last is removed", in(3, 1, 2, 3), 3, 0, 2},
		{"it moves out of the window", in(10, 1, 2, 4, 5), 2, 0, -1},
		{"none", in(10, 1, 2, 4, 5), -1, 1, -1},
		{"a row that wasn't here", in(11, 7, 1, 2, 3), 8, 1, 9},
	} {
		if got := Follow(before, c.after, c.rank, c.shift); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
