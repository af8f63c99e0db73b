package state_test

import (
	"slices"
	"testing"

	"elowen/app/state"
	"elowen/shared/api"
	"elowen/shared/live"
)

func TestAmongFindsWhatIsKept(t *testing.T) {
	at := func(n int64) *api.Time { v := api.Time(n); return &v }
	row := func(id int64, body string, change func(m *api.Memory)) live.Row {
		r := live.Row{Memory: api.Memory{ID: id, Body: body, Status: api.StatusActive, Kind: "fact", Importance: 5, UpdatedAt: api.Time(id), CategoryID: api.Ptr(int64(1)), Indexed: true}, Marks: []api.Run{{Text: "old"}}}
		if change != nil {
			change(&r.Memory)
		}
		return r
	}
	kept := []live.Row{
		row(1, "The ferry leaves at nine.", nil),
		row(2, "Grüße an die FÄHRE", func(m *api.Memory) { m.Importance, m.CategoryID, m.Indexed = 9, nil, false }),
		row(3, "Nine tomatoes.", func(m *api.Memory) { m.Kind, m.EvictableAt, m.ReviewedAt = "note", at(2*86_400_000), at(1) }),
		row(1, "The ferry leaves at nine.", nil), // of another list
		row(4, "Thrown away at nine.", func(m *api.Memory) { m.Status, m.DeletedBy = api.StatusDeleted, api.DeletedBySweep }),
		row(5, "Taken at nine.", func(m *api.Memory) { m.Status, m.DeletedBy = api.StatusDeleted, "you" }),
	}
	for name, c := range map[string]struct {
		q     api.MemoryQuery
		want  []int64
		asked int
	}{
		"all, newest first":       {api.MemoryQuery{}, []int64{3, 2, 1}, 3},
		"a word in another case":  {api.MemoryQuery{Q: "NINE"}, []int64{3, 1}, 3},
		"all words":               {api.MemoryQuery{Q: "nine  ferry"}, []int64{1}, 3},
		"letters beyond ASCII":    {api.MemoryQuery{Q: "fähre"}, []int64{2}, 3},
		"nothing":                 {api.MemoryQuery{Q: "bus"}, nil, 3},
		"kind":                    {api.MemoryQuery{Kind: "note"}, []int64{3}, 3},
		"category":                {api.MemoryQuery{CategoryID: 1}, []int64{3, 1}, 3},
		"no category":             {api.MemoryQuery{Uncategorized: true}, []int64{2}, 3},
		"importance is the least": {api.MemoryQuery{Importance: 6}, []int64{2}, 3},
		"not indexed":             {api.MemoryQuery{NotIndexed: true}, []int64{2}, 3},
		"unreviewed":              {api.MemoryQuery{Unreviewed: true}, []int64{2, 1}, 3},
		"fades":                   {api.MemoryQuery{FadesWithin: 3}, []int64{3}, 3},
		"fades sooner":            {api.MemoryQuery{FadesWithin: 1}, nil, 3},
		"order":                   {api.MemoryQuery{Sort: api.SortImportance, Order: "asc"}, []int64{1, 3, 2}, 3},
		"what stays is last":      {api.MemoryQuery{Sort: api.SortEvictable}, []int64{3, 1, 2}, 3},
		"the trash":               {api.MemoryQuery{Status: api.StatusDeleted}, []int64{5, 4}, 2},
		"the trash by people":     {api.MemoryQuery{Status: api.StatusDeleted, DeletedBy: api.DeletedByPeople}, []int64{5}, 2},
		"the trash by the sweep":  {api.MemoryQuery{Status: api.StatusDeleted, DeletedBy: api.DeletedBySweep}, []int64{4}, 2},
		"whatever the status":     {api.MemoryQuery{Status: "all", Q: "nine"}, []int64{5, 4, 3, 1}, 5},
		"a project isn't known":   {api.MemoryQuery{ProjectID: 1}, nil, 0},
	} {
		found, asked := state.Among(kept, c.q, 0)
		var ids []int64
		for _, r := range found {
			ids = append(ids, r.ID)
			if r.Marks != nil {
				t.Errorf("%s: the marks of another search are shown", name)
			}
		}
		if !slices.Equal(ids, c.want) || asked != c.asked {
			t.Errorf("%s: %v of %d, want %v of %d", name, ids, asked, c.want, c.asked)
		}
	}
}

func TestAddedIsTheMemoryOfANewChange(t *testing.T) {
	c, ok := state.ChangeOf("POST", api.PathMemory, []byte(`{"body":"New.","kind":"note","importance":7}`))
	m, added := c.Added()
	if !ok || !added || m.Body != "New." || m.Kind != "note" || m.Importance != 7 || m.Confidence == 0 {
		t.Errorf("%+v %v %v", m, ok, added)
	}
	c, _ = state.ChangeOf("PATCH", api.MemoryPath(3), []byte(`{"body":"x"}`))
	if _, added := c.Added(); added {
		t.Error("an edit is no new memory")
	}
}
