package projection_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/projection/projectiontest"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
)

// drawQuery is one of the queries that a list may ask for.
func drawQuery(t *rapid.T, categories []int64) api.MemoryQuery {
	q := api.MemoryQuery{
		Status: rapid.SampledFrom([]string{"", "", "active", "deleted", "all"}).Draw(t, "status"),
		Kind:   rapid.SampledFrom([]string{"", "", "fact", "preference"}).Draw(t, "kind"),
		Sort:   rapid.SampledFrom(append(api.Sorts(), "", api.SortVitality, api.SortVitality)).Draw(t, "sort"),
		Order:  rapid.SampledFrom([]string{"", "", "asc", "desc"}).Draw(t, "order"),
		Q:      rapid.SampledFrom([]string{"", "", "", "boiler", "number 3", "zebra"}).Draw(t, "q"),
	}
	switch rapid.IntRange(0, 7).Draw(t, "filter") {
	case 0:
		q.Uncategorized = true
	case 1:
		q.CategoryID = rapid.SampledFrom(categories).Draw(t, "category")
	case 2:
		q.Importance = rapid.IntRange(1, 10).Draw(t, "importance")
	case 3:
		q.FadesWithin = rapid.IntRange(1, 40).Draw(t, "fades")
	case 4:
		q.Unreviewed = true
	}
	return q
}

// world is a store that a check changes at random, through the nouns alone.
type model struct {
	*projectiontest.World
	clock *dbtest.Clock
	who   account.Identity
	cats  []int64
	n     int
}

func (m *model) ids(t *rapid.T) []int64 {
	var ids []int64
	err := m.DB.View(context.Background(), func(tx *db.Tx) error {
		for b, err := range m.Memories.Briefs(tx, m.who.Owner, nil) {
			if err != nil {
				return err
			}
			ids = append(ids, b.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ids
}

func (m *model) one(t *rapid.T) int64 {
	ids := m.ids(t)
	if len(ids) == 0 {
		return 1
	}
	return rapid.SampledFrom(ids).Draw(t, "id")
}

func (m *model) some(t *rapid.T, least, most int) []int64 {
	ids := m.ids(t)
	if len(ids) < least {
		return nil
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(ids), least, min(most, len(ids)), rapid.ID).Draw(t, "ids")
}

// refused passes over what the store may rightly refuse in a random step.
func refused(t *rapid.T, err error) {
	if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Taken) {
		t.Fatalf("%v", err)
	}
}

func (m *model) actions() map[string]func(*rapid.T) {
	ctx := context.Background()
	by := audit.Actor{Name: m.who.Actor()}
	owner := m.who.Owner
	return map[string]func(*rapid.T){
		"add": func(t *rapid.T) {
			m.n++
			importance := rapid.IntRange(1, 10).Draw(t, "importance")
			in := api.MemoryAdd{
				Body: fmt.Sprintf("number %d of the %s", m.n, rapid.SampledFrom([]string{"boiler", "zebra", "garden"}).Draw(t, "what")),
				Kind: rapid.SampledFrom([]string{"fact", "preference"}).Draw(t, "kind"), Importance: &importance,
			}
			if rapid.Bool().Draw(t, "filed") {
				in.CategoryID = api.Some(rapid.SampledFrom(m.cats).Draw(t, "category"))
			}
			_, err := m.Memories.Add(ctx, owner, by, api.SourceUser, in)
			refused(t, err)
		},
		"patch": func(t *rapid.T) {
			in := api.MemoryPatch{}
			switch rapid.IntRange(0, 4).Draw(t, "field") {
			case 0:
				m.n++
				in.Body = api.Ptr(fmt.Sprintf("edited number %d of the %s", m.n, rapid.SampledFrom([]string{"boiler", "zebra"}).Draw(t, "what")))
			case 1:
				in.Importance = api.Ptr(rapid.IntRange(1, 10).Draw(t, "importance"))
			case 2:
				in.Kind = api.Ptr(rapid.SampledFrom([]string{"fact", "preference"}).Draw(t, "kind"))
			case 3:
				in.CategoryID = api.Null[int64]()
			case 4:
				in.Reviewed = api.Ptr(rapid.Bool().Draw(t, "reviewed"))
			}
			_, err := m.Memories.Patch(ctx, owner, by, m.one(t), 0, in)
			refused(t, err)
		},
		"trash": func(t *rapid.T) {
			_, err := m.Memories.Trash(ctx, owner, by, m.one(t), 0, "")
			refused(t, err)
		},
		"restore": func(t *rapid.T) {
			_, err := m.Memories.Restore(ctx, owner, by, m.one(t), 0, "")
			refused(t, err)
		},
		"purge": func(t *rapid.T) {
			if ids := m.some(t, 1, 3); ids != nil {
				for _, id := range ids {
					_, err := m.Memories.Trash(ctx, owner, by, id, 0, "")
					refused(t, err)
				}
				_, err := m.Memories.Purge(ctx, owner, by, ids)
				refused(t, err)
			}
		},
		"emptyTrash": func(t *rapid.T) {
			_, err := m.Memories.EmptyTrash(ctx, owner, by, api.EmptyTrash{})
			refused(t, err)
		},
		"sweep": func(t *rapid.T) {
			_, err := m.Retention.Sweep(ctx)
			refused(t, err)
		},
		"bulk": func(t *rapid.T) {
			_, err := m.Memories.Bulk(ctx, owner, by, api.MemoryBulk{
				All: &api.MemoryQuery{Kind: "fact"}, Action: api.BulkImportance, Importance: api.Ptr(rapid.IntRange(1, 10).Draw(t, "importance")),
			})
			refused(t, err)
		},
		"merge": func(t *rapid.T) {
			if ids := m.some(t, 2, 3); ids != nil {
				m.n++
				_, err := m.Memories.Merge(ctx, owner, by, api.MemoryMerge{IDs: ids, Body: fmt.Sprintf("merged boiler number %d", m.n)})
				refused(t, err)
			}
		},
		"recall": func(t *rapid.T) {
			if ids := m.some(t, 1, 4); ids != nil {
				_, err := m.Memories.MarkRecalled(ctx, owner, ids)
				refused(t, err)
			}
		},
		"category": func(t *rapid.T) {
			id := rapid.SampledFrom(m.cats).Draw(t, "category")
			_, err := m.Categories.Patch(ctx, owner, id, 0, api.CategoryPatch{Color: api.Ptr(rapid.IntRange(1, 10).Draw(t, "colour"))})
			refused(t, err)
		},
		"shelf": func(t *rapid.T) {
			m.n++
			_, err := m.Categories.Add(ctx, owner, api.CategoryAdd{
				Name: fmt.Sprintf("%c%d", 'A'+rune(rapid.IntRange(0, 25).Draw(t, "initial")), m.n), Default: rapid.Bool().Draw(t, "default"),
			})
			refused(t, err)
		},
		"self": func(t *rapid.T) {
			_, err := m.Accounts.PatchMe(ctx, m.who, 0, api.MePatch{
				DisplayName: api.Ptr(rapid.SampledFrom([]string{"", "Ann", "Bea"}).Draw(t, "name")),
				Memory:      &api.MeMemoryPatch{AutoSave: api.Ptr(rapid.Bool().Draw(t, "save"))},
			})
			refused(t, err)
		},
		"policy": func(t *rapid.T) {
			now, err := m.Retention.Current(ctx)
			refused(t, err)
			change := api.PolicyChange{Revision: now.Revision}
			switch rapid.IntRange(0, 2).Draw(t, "field") {
			case 0:
				change.Enabled = api.Ptr(rapid.Bool().Draw(t, "enabled"))
			case 1:
				change.VitalityFloor = api.Ptr(float64(rapid.IntRange(1, 60).Draw(t, "floor")))
			case 2:
				lives := now.Policy.HalfLifeDays
				lives[rapid.IntRange(0, 9).Draw(t, "level")] = float64(rapid.IntRange(1, 30).Draw(t, "days"))
				change.HalfLifeDays = lives[:]
			}
			_, err = m.Retention.Save(ctx, change)
			refused(t, err)
		},
		"time": func(t *rapid.T) {
			m.clock.Advance(int64(rapid.IntRange(1, 30*24).Draw(t, "hours")) * 3_600_000)
		},
	}
}

func start(t *testing.T) *model {
	clock := dbtest.NewClock(dbtest.Start)
	m := &model{World: projectiontest.Open(t, clock), clock: clock}
	m.Projector.Hurry()
	return m
}

// person makes a fresh account for one check in a store that all of them share.
func (m *model) person(t *rapid.T, i int) *model {
	next := *m
	next.who = m.Account(fmt.Sprintf("person%d", i))
	cat, err := m.Categories.Add(context.Background(), next.who.Owner, api.CategoryAdd{Name: "House"})
	if err != nil {
		t.Fatalf("%v", err)
	}
	next.cats = []int64{cat.ID}
	next.Fill(next.who, rapid.IntRange(0, 40).Draw(t, "rows"), func(i int) string { return fmt.Sprintf("%s %d", bodyOf(i), next.who.Owner) })
	return &next
}

// fewer lowers the number of checks of an expensive property, unless the command
// line asks for another one than the default.
func fewer(t *testing.T, n int) {
	checks := flag.Lookup("rapid.checks")
	was := checks.Value.String()
	if was != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(was) })
}

// A client that applied every frame shows what one that begins now would be shown,
// by a projector that never saw anything change, and what the store itself says.
func TestWindowsFollowTheStore(t *testing.T) {
	fewer(t, 10)
	outer := t
	var store *model
	people := 0
	rapid.Check(t, func(t *rapid.T) {
		if people%8 == 0 {
			store = start(outer) // sweeps and policies go over everyone: not too many in one store
		}
		people++
		m := store.person(t, people)
		c := connect(t, m.Projector, m.who)
		defer c.viewer.Close()
		subscribe := func(t *rapid.T) {
			id := fmt.Sprint("w", rapid.IntRange(1, 4).Draw(t, "window"))
			req := list(id, drawQuery(t, m.cats), rapid.IntRange(0, 30).Draw(t, "from"), rapid.IntRange(1, 40).Draw(t, "limit"))
			if rapid.IntRange(0, 5).Draw(t, "trash") == 0 {
				req.View = live.ViewTrash
			}
			delete(c.windows, id)
			if err := c.subscribe(req); err != nil {
				t.Fatalf("%v", err)
			}
		}
		for range 3 {
			subscribe(t)
		}
		for _, req := range []live.Request{
			{ID: "stats", View: live.ViewStats}, {ID: "settings", View: live.ViewSettings},
			{ID: "categories", View: live.ViewCategories}, {ID: "me", View: live.ViewMe},
		} {
			if err := c.subscribe(req); err != nil {
				t.Fatalf("%v", err)
			}
		}
		actions := m.actions()
		actions["subscribe"] = subscribe
		actions["detail"] = func(t *rapid.T) {
			delete(c.windows, "detail")
			delete(c.errors, "detail")
			if err := c.subscribe(live.Request{ID: "detail", View: live.ViewMemory, Memory: m.one(t)}); err != nil {
				refused(t, err)
				delete(c.asked, "detail")
			}
		}
		actions["reconnect"] = func(*rapid.T) { c.reconnect(m.Projector) }
		actions["reconnectElsewhere"] = func(*rapid.T) {
			other := m.Another()
			other.Hurry()
			before := c.p
			c.reconnect(other)
			if before != m.Projector {
				before.Close()
			}
		}
		actions["resubscribe"] = func(t *rapid.T) {
			// A client that scrolls back asks again under the same name.
			for id, req := range c.asked {
				if c.errors[id] == "" {
					delete(c.windows, id)
					if err := c.subscribe(req); err != nil {
						c.errors[id] = err.Error()
					}
				}
			}
		}
		actions[""] = func(t *rapid.T) {
			c.settle(rapid.Bool().Draw(t, "ticked"))
			if rapid.IntRange(0, 3).Draw(t, "look") != 0 {
				return
			}
			c.settle(true)
			before := c.frames
			c.settle(true)
			if c.frames != before {
				t.Fatalf("%d frames though nothing happened", c.frames-before)
			}
			m.compare(t, c)
		}
		t.Repeat(actions)
		c.settle(true)
		m.compare(t, c)
	})
}

// compare looks at every window from outside.
func (m *model) compare(t *rapid.T, c *client) {
	p := m.Another()
	defer p.Close()
	fresh := connect(t, p, m.who)
	defer fresh.viewer.Close()
	for id, req := range c.asked {
		err := fresh.subscribe(req)
		if c.errors[id] != "" {
			if !fault.Is(err, fault.NotFound) {
				t.Fatalf("%s is refused (%s), but a new one answers %v", id, c.errors[id], err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		fresh.drain()
		what := fmt.Sprintf("%s %+v", id, req.Query)
		same(t, what, c.windows[id], fresh.windows[id])
		if req.View == live.ViewMemories || req.View == live.ViewTrash {
			m.reference(t, what, req, c)
		}
	}
	stats, err := m.Memories.Stats(context.Background(), m.who.Owner)
	if err != nil {
		t.Fatalf("%v", err)
	}
	counted, err := m.Projector.Stats(context.Background(), m.who.Owner)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if fmt.Sprint(stats) != fmt.Sprint(counted) {
		t.Fatalf("stats %+v, want %+v", counted, stats)
	}
}

// reference finds the rows of a list the slow way: by SQL, sorted by what is served.
func (m *model) reference(t *rapid.T, what string, req live.Request, c *client) {
	q := req.Query.Normal()
	if req.View == live.ViewTrash {
		q.Status = api.StatusDeleted
	}
	var rows []api.Memory
	score := map[int64]float64{}
	err := m.DB.View(context.Background(), func(tx *db.Tx) error {
		terms, err := m.Settings.Terms(tx)
		if err != nil {
			return err
		}
		where, args := memory.Predicate(q, terms, tx.Now).SQL()
		found := tx.Query(`SELECT id FROM memory WHERE owner_id = ? AND `+where, append([]any{int64(m.who.Owner)}, args...)...)
		var ids []int64
		for found.Next() {
			var id int64
			if err := found.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		found.Close()
		if q.Q != "" {
			hits, _, err := m.Memories.Search(tx, m.who.Owner, q.Q, true)
			if err != nil {
				return err
			}
			for _, h := range hits {
				score[h.ID] = h.Score
			}
			ids = slices.DeleteFunc(ids, func(id int64) bool { _, ok := score[id]; return !ok })
		}
		rows, err = m.Memories.Rows(tx, m.who.Owner, ids)
		return err
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	w := c.windows[req.ID]
	if w.Total != len(rows) {
		t.Fatalf("%s: total %d, the store has %d", what, w.Total, len(rows))
	}
	value := func(r api.Memory) float64 {
		switch q.Sort {
		case api.SortCreated:
			return float64(r.CreatedAt)
		case api.SortVitality:
			return r.Vitality
		case api.SortImportance:
			return float64(r.Importance)
		case api.SortUsed:
			if r.LastUsedAt == nil {
				return -1
			}
			return float64(*r.LastUsedAt)
		case api.SortEvictable:
			if r.EvictableAt == nil {
				return -1
			}
			return float64(*r.EvictableAt)
		case api.SortRelevance:
			return score[r.ID]
		}
		return float64(r.UpdatedAt)
	}
	// By value alone: the window's order must agree with it rank by rank.
	values := make([]float64, len(rows))
	by := map[int64]float64{}
	for i, r := range rows {
		values[i] = value(r)
		by[r.ID] = values[i]
	}
	slices.SortFunc(values, func(a, b float64) int {
		if (a == -1) != (b == -1) { // what has no value is last
			if a == -1 {
				return 1
			}
			return -1
		}
		c := 0
		if a < b {
			c = -1
		} else if a > b {
			c = 1
		}
		if q.Order == "desc" {
			return -c
		}
		return c
	})
	end := min(len(values), req.From+req.Limit)
	if want := max(0, end-req.From); len(w.Rows) != want {
		t.Fatalf("%s: %d rows, want %d", what, len(w.Rows), want)
	}
	for i, r := range w.Rows {
		got, ok := by[r.ID]
		want := values[req.From+i]
		if !ok || got != want && !(q.Sort == api.SortVitality && close(got, want)) && q.Sort != api.SortEvictable {
			t.Fatalf("%s: rank %d has %v, want %v", what, req.From+i, got, want)
		}
	}
}

// close allows for vitalities that only floating point tells apart.
func close(a, b float64) bool { return a-b < 1e-9*vitality.Levels && b-a < 1e-9*vitality.Levels }
