package page

import (
	"testing"

	"elowen/shared/api"
	"elowen/shared/live"
)

func names(list []filterChip) string {
	said := ""
	for _, c := range list {
		said += c.name
		if c.set {
			said += "=" + c.label
		}
		said += " "
	}
	return said
}

// What means nothing here isn't offered, but what the address asks for is shown.
func TestChips(t *testing.T) {
	s := &Session{overview: &overview{
		Stats:      api.MemoryStats{Active: 5, NotIndexed: 5},
		Categories: []api.Category{{ID: 3, Name: "Harbor"}},
	}}
	for _, c := range []struct {
		q    api.MemoryQuery
		want string
	}{
		{api.MemoryQuery{}, "category kind importance fades "},
		{api.MemoryQuery{CategoryID: 3, Kind: "fact"}, "category=Harbor kind=fact importance fades "},
		{api.MemoryQuery{Uncategorized: true, FadesWithin: 60}, "category=No category kind importance fades=fades within 60 days "},
		{api.MemoryQuery{Status: api.StatusDeleted}, "category kind importance "},
		{api.MemoryQuery{Unreviewed: true, NotIndexed: true}, "category kind importance fades indexed=Not indexed reviewed=Not reviewed "},
	} {
		if got := names(s.chips(c.q)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
	s.overview.Stats.NotIndexed = 2
	s.policy = &live.SettingsRow{}
	if got := names(s.chips(api.MemoryQuery{})); got != "category kind importance indexed " {
		t.Errorf("while retention is off: %q", got)
	}
}

func TestClearingLeavesTheWords(t *testing.T) {
	q := api.MemoryQuery{Q: "tea", Kind: "fact", Importance: 4, FadesWithin: 9, CategoryID: 2, Sort: "used", Unreviewed: true}
	if got := unfiltered(q); got != (api.MemoryQuery{Q: "tea", Sort: "used"}) {
		t.Errorf("%+v", got)
	}
}

// How many have a level or more, from the server's counts.
func TestAtLeast(t *testing.T) {
	s := &Session{overview: &overview{Stats: api.MemoryStats{Importance: map[string]int{"5": 3, "9": 2, "10": 1}}}}
	list := s.atLeastChoices(5)
	for _, c := range list {
		want := map[string]string{"10": "1", "9": "3", "8": "3", "6": "3", "5": "6", "2": "6"}[c.Value]
		if want != "" && c.Note != want {
			t.Errorf("%s: %s, want %s", c.Value, c.Note, want)
		}
	}
	if len(list) != 9 || !list[5].Picked {
		t.Errorf("%+v", list)
	}
}

func TestReverseGivesWhatWasTaken(t *testing.T) {
	was := api.Memory{Body: "before", Kind: "fact", Importance: 4, Confidence: .5, CategoryID: api.Ptr(int64(7))}
	back := reverse(api.MemoryPatch{Body: api.Ptr("after"), CategoryID: api.Null[int64]()}, was)
	if *back.Body != "before" || back.Kind != nil || back.Importance != nil || back.Confidence != nil || !back.CategoryID.Set || *back.CategoryID.Value != 7 {
		t.Errorf("%+v", back)
	}
}

// The palette puts what one surely means first, and memories before the rest.
func TestPaletteOrder(t *testing.T) {
	p := &Palette{S: &Session{}, found: []api.Memory{{ID: 4, Body: "The trash is taken out on Mondays."}}, total: 1}
	for _, name := range []string{"Trash", "Move to trash", "Settings"} {
		p.commands = append(p.commands, command{group: name, label: name, run: func() {}})
	}
	first := func(typed string) string {
		p.typed = typed
		list := p.visible()
		if len(list) == 0 {
			return ""
		}
		if list[0].memory != nil {
			return "memory"
		}
		return list[0].label
	}
	for typed, want := range map[string]string{"tra": "Trash", "stgs": "memory", ">stg": "Settings", "": "Trash", "#x": ""} {
		if got := first(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
