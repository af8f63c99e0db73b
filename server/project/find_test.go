package project

import (
	"slices"
	"testing"

	"elowen/shared/api"
)

// Nearly so is called what differs in what people write differently, or in few letters.
func TestNear(t *testing.T) {
	list := []api.Project{
		{Slug: "moon-base", Name: "Moon base", Aliases: []string{"luna"}, Roots: []string{"/srv/moon"}},
		{Slug: "garden", Name: "Garten", Roots: []string{"/home/ann/plants"}},
		{Slug: "x", Name: "X"},
	}
	for told, want := range map[string][]string{
		"/home/bob/moonbase":  {"moon-base"},
		"C:\\work\\Moon_Base": {"moon-base"},
		"moonbas":             {"moon-base"},
		"lunar":               {"moon-base"},
		"/a/b/plants/":        {"garden"},
		"gardens":             {"garden"},
		"Gardn":               {"garden"},
		"submarine":           nil,
		"/":                   nil,
		"":                    nil,
		"xyz":                 nil,
		"ab":                  nil,
	} {
		if got := near(list, told); !slices.Equal(got, want) {
			t.Errorf("%q is nearly %v, want %v", told, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"同じ", "同じ", 0}, {"日本", "日中", 1}} {
		if got := edits([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := edits([]rune(c.b), []rune(c.a)); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
