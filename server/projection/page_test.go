package projection_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/projection"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Pages follow one another without a repeated or a missing row, whatever happens
// to other rows meanwhile, in every order.
func TestPagesAreStable(t *testing.T) {
	fewer(t, 40)
	m := start(t)
	people := 0
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		people++
		m := m.person(t, people)
		q := drawQuery(t, m.cats)
		q.Q = ""
		first, err := m.Projector.List(ctx, m.who.Owner, q, "", 500)
		if err != nil {
			t.Fatalf("%v", err)
		}
		want := map[int64]int{}
		for _, r := range first.Items {
			want[r.ID] = 0
		}
		changed := map[int64]bool{}
		disturb := func() {
			switch rapid.IntRange(0, 3).Draw(t, "disturbance") {
			case 0:
				m.n++
				m.Add(m.who, fmt.Sprint("new one ", m.n), rapid.IntRange(1, 10).Draw(t, "importance"))
			case 1:
				id := m.one(t)
				changed[id] = true
				if _, err := m.Memories.MarkRecalled(ctx, m.who.Owner, []int64{id}); err != nil {
					t.Fatalf("%v", err)
				}
			case 2:
				id := m.one(t)
				changed[id] = true
				_, err := m.Memories.Trash(ctx, m.who.Owner, audit.Actor{Name: "user:1"}, id, 0, "")
				refused(t, err)
			case 3:
				m.clock.Advance(3_600_000)
			}
		}
		cursor := ""
		for pages := 0; ; pages++ {
			page, err := m.Projector.List(ctx, m.who.Owner, q, cursor, rapid.IntRange(1, 9).Draw(t, "limit"))
			if err != nil {
				t.Fatalf("%v", err)
			}
			if page.AsOf != api.Time(m.clock.Now()) || page.Items == nil {
				t.Fatalf("%+v", page)
			}
			for _, r := range page.Items {
				if n, known := want[r.ID]; known {
					want[r.ID] = n + 1
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
			if len(page.Items) == 0 || pages > 200 {
				t.Fatalf("page %d has a cursor and %d rows", pages, len(page.Items))
			}
			disturb()
		}
		for id, n := range want {
			if n != 1 && !changed[id] && q.FadesWithin == 0 {
				t.Fatalf("memory %d came %d times in %+v", id, n, q)
			}
		}
	})
}

func TestListRefuses(t *testing.T) {
	m := start(t)
	who := m.Account("ann")
	ctx := context.Background()
	for name, c := range map[string]struct {
		q      api.MemoryQuery
		cursor string
		limit  int
		kind   fault.Kind
	}{
		"garbage":     {cursor: "AAAA", kind: fault.Invalid},
		"no base64":   {cursor: "é!", kind: fault.Invalid},
		"limit":       {limit: 501, kind: fault.Invalid},
		"below limit": {limit: -1, kind: fault.Invalid},
		"meaning":     {q: api.MemoryQuery{Q: "x", Match: "meaning"}, kind: fault.Unavailable},
	} {
		if _, err := m.Projector.List(ctx, who.Owner, c.q, c.cursor, c.limit); !fault.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m.Fill(who, 5, bodyOf)
	page := must(m.Projector.List(ctx, who.Owner, api.MemoryQuery{}, "", 2))(t)
	if _, err := m.Projector.List(ctx, who.Owner, api.MemoryQuery{Kind: "fact"}, page.NextCursor, 2); !fault.Is(err, fault.Invalid) {
		t.Errorf("a cursor of another list: %v", err)
	}
	other := m.Account("bob")
	if _, err := m.Projector.List(ctx, other.Owner, api.MemoryQuery{}, page.NextCursor, 2); !fault.Is(err, fault.Invalid) {
		t.Errorf("a cursor of another account: %v", err)
	}
	if none := must(m.Projector.List(ctx, other.Owner, api.MemoryQuery{}, "", 0))(t); none.Total != 0 || none.Items == nil {
		t.Errorf("%+v", none)
	}
}

// Whoever wrote something finds it in the very next list, also by its words.
func TestListShowsWhatWasWrittenBefore(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		w := projectiontest.On(t, d)
		who := w.Account("ann")
		ctx := context.Background()
		var all sync.WaitGroup
		for g := range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for i := range 15 {
					word := fmt.Sprintf("word%dx%d", g, i)
					in := api.MemoryAdd{Body: "about " + word}
					m, err := w.Memories.Add(ctx, who.Owner, audit.Actor{Name: "user:1"}, api.SourceUser, in)
					if err != nil {
						t.Error(err)
						return
					}
					for _, q := range []api.MemoryQuery{{}, {Sort: api.SortVitality}, {Q: word}} {
						page, err := w.Projector.List(ctx, who.Owner, q, "", 500)
						if err != nil {
							t.Error(err)
							return
						}
						found := false
						for _, r := range page.Items {
							found = found || r.ID == m.ID
						}
						if !found || page.Total != len(page.Items) {
							t.Errorf("%+v: memory %d is not among the %d", q, m.ID, page.Total)
						}
					}
				}
			}()
		}
		all.Wait()
	})
}

// Catalogues stay within the budget: the longest unused goes, and comes back.
func TestBudget(t *testing.T) {
	const accounts, rows = 6, 300
	var budget int64 = 130_000 // about three of them
	w := projectiontest.Open(t, nil, func(c *projection.Config) { c.Budget = budget })
	ctx := context.Background()
	for i := range accounts {
		who := w.Account(fmt.Sprint("p", i))
		w.Fill(who, rows, bodyOf)
	}
	watcher := w.Projector.Open(w.Account("watcher"), func() {})
	defer watcher.Close()
	for round := range 3 {
		for i := range accounts {
			page := must(w.Projector.List(ctx, db.AccountID(i+1), api.MemoryQuery{Status: "all"}, "", 1))(t)
			if page.Total != rows {
				t.Fatalf("round %d: %d rows", round, page.Total)
			}
			bytes, resident := w.Projector.Held()
			if bytes > budget || resident == 0 {
				t.Fatalf("%d bytes for %d accounts", bytes, resident)
			}
		}
	}
	if _, resident := w.Projector.Held(); resident < 2 || resident >= accounts {
		t.Errorf("%d accounts are resident", resident)
	}
}

// Whatever one asks for, little of it stays in memory.
func TestManyQueriesLeaveFewSelections(t *testing.T) {
	w, _ := open(t)
	anna := w.Account("anna")
	w.Fill(anna, 50, func(i int) string { return fmt.Sprint("number ", i) })
	for i := range 60 {
		q := api.MemoryQuery{Importance: 1 + i%10, Sort: api.Sorts()[i%6], FadesWithin: 1 + i}
		if _, err := w.Projector.List(context.Background(), anna.Owner, q, "", 10); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Projector.Selections(anna.Owner); n < 1 || n > 4 {
		t.Errorf("%d selections are kept", n)
	}
}
