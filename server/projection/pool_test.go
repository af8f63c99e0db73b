package projection_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/live"
)

var boss = account.Identity{Scopes: []string{api.ScopeAdmin}}

// pooled is a world with a project that ann and bob share.
func pooled(t *testing.T) (w *projectiontest.World, ann, bob account.Identity, id int64) {
	w, _ = open(t)
	ann, bob = w.Account("ann"), w.Account("bob")
	p, err := w.Projects.Add(context.Background(), boss, api.ProjectAdd{Name: "Harbor", Sharing: true})
	if err != nil {
		t.Fatal(err)
	}
	belongs(t, w, p.ID, "ann", true)
	belongs(t, w, p.ID, "bob", true)
	return w, ann, bob, p.ID
}

func belongs(t *testing.T, w *projectiontest.World, id int64, name string, in bool) {
	t.Helper()
	if _, err := w.Projects.SetMember(context.Background(), boss, id, 0, api.ProjectMemberSet{Name: name, Member: &in}); err != nil {
		t.Fatal(err)
	}
}

func shareIn(t *testing.T, w *projectiontest.World, who account.Identity, id int64, body string) api.Memory {
	t.Helper()
	m, err := w.Memories.Add(context.Background(), who.Owner, audit.Actor{Name: who.Actor()}, api.SourceUser, api.MemoryAdd{Body: body, ProjectID: id, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	return m.Memory
}

// What one reader does in a pool appears in the other's windows, and goes from there
// with the right to see it.
func TestPoolWindows(t *testing.T) {
	w, ann, bob, id := pooled(t)
	ctx := context.Background()
	drawer, err := w.Categories.Add(ctx, bob.Owner, api.CategoryAdd{Name: "Drawer"})
	if err != nil {
		t.Fatal(err)
	}
	added, err := w.Memories.Add(ctx, bob.Owner, audit.Actor{Name: bob.Actor()}, api.SourceUser, api.MemoryAdd{Body: "bob's own", CategoryID: api.Some(drawer.ID)})
	if err != nil {
		t.Fatal(err)
	}
	own := added.Memory
	first := shareIn(t, w, ann, id, "the tide is high")
	pool := api.MemoryQuery{ProjectID: id, Pool: true}
	searched := pool
	searched.Q = "tide"
	c := connect(t, w.Projector, bob)
	defer c.viewer.Close()
	for _, req := range []live.Request{
		{ID: "pool", View: live.ViewMemories, Query: pool}, {ID: "searched", View: live.ViewMemories, Query: searched}, {ID: "own", View: live.ViewMemories},
		{ID: "stats", View: live.ViewStats}, {ID: "shelves", View: live.ViewCategories}, {ID: "projects", View: live.ViewProjects},
		{ID: "detail", View: live.ViewMemory, Memory: first.ID},
	} {
		if err := c.subscribe(req); err != nil {
			t.Fatalf("%s: %v", req.ID, err)
		}
	}
	c.drain()
	rows := func(id string) (ids []int64) {
		for _, r := range c.windows[id].Rows {
			ids = append(ids, r.ID)
		}
		return ids
	}
	is := func(what, window string, want ...int64) {
		t.Helper()
		if got := rows(window); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s shows %v, want %v", what, window, got, want)
		}
	}
	is("at first", "pool", first.ID)
	is("at first", "searched", first.ID)
	is("at first", "own", own.ID)
	is("at first", "detail", first.ID)
	is("at first", "projects", id)
	if got := c.windows["shelves"].Total; got != 3 {
		t.Errorf("%d shelves", got)
	}

	second := shareIn(t, w, ann, id, "the tide is low")
	c.settle(false)
	is("added", "pool", second.ID, first.ID)
	is("added", "searched", second.ID, first.ID)
	is("added", "own", own.ID)
	if len(c.deltas["own"]) != 0 {
		t.Errorf("one's own list was told: %+v", c.deltas["own"])
	}
	if _, err := w.Memories.Patch(ctx, ann.Owner, audit.Actor{Name: ann.Actor()}, first.ID, 0, api.MemoryPatch{Body: api.Ptr("the tide is very high")}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	if text := must(json.Marshal(c.deltas["detail"]))(t); !strings.Contains(string(text), "the tide is very high") {
		t.Errorf("the detail was told %s", text)
	}
	if _, err := w.Memories.Purge(ctx, ann.Owner, audit.Actor{Name: ann.Actor()}, []int64{trashed(t, w, ann, second.ID)}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	is("purged", "pool", first.ID)

	// A category that was bound to the project by hand moves one's own into its list.
	mine := api.MemoryQuery{ProjectID: id}
	if err := c.subscribe(live.Request{ID: "mine", View: live.ViewMemories, Query: mine}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	is("not bound", "mine")
	if _, err := w.Categories.Patch(ctx, bob.Owner, *own.CategoryID, 0, api.CategoryPatch{ProjectID: api.Some(id)}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	is("bound", "mine", own.ID)

	belongs(t, w, id, "bob", false)
	c.settle(false)
	is("taken out", "pool")
	is("taken out", "searched")
	is("taken out", "projects")
	is("taken out", "own", own.ID)
	if c.errors["detail"] != "not_found" {
		t.Errorf("the detail: %v", c.errors)
	}
	shareIn(t, w, ann, id, "the tide turns")
	c.settle(false)
	is("and after that", "pool")

	belongs(t, w, id, "bob", true)
	c.settle(false)
	if got := len(rows("pool")); got != 2 {
		t.Errorf("back again: %d rows", got)
	}
}

func trashed(t *testing.T, w *projectiontest.World, who account.Identity, id int64) int64 {
	t.Helper()
	if _, err := w.Memories.Trash(context.Background(), who.Owner, audit.Actor{Name: who.Actor()}, id, 0, ""); err != nil {
		t.Fatal(err)
	}
	return id
}
