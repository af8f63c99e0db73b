package projection_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/projection"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
)

// Rows of whatever noun are sent one by one: what changed, what left, where it stands.
func TestKeyedRows(t *testing.T) {
	w, _ := open(t)
	ann := w.Account("ann")
	ctx := context.Background()
	add := func(name string) int64 {
		t.Helper()
		return must(w.Categories.Add(ctx, ann.Owner, api.CategoryAdd{Name: name}))(t).ID
	}
	garden, house := add("Garden"), add("House")
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	for _, req := range []live.Request{{ID: "shelves", View: live.ViewCategories}, {ID: "me", View: live.ViewMe}, {ID: "stats", View: live.ViewStats}} {
		if err := c.subscribe(req); err != nil {
			t.Fatal(err)
		}
	}
	c.drain()
	first := c.windows["shelves"].Rows[slices.IndexFunc(c.windows["shelves"].Rows, func(r anyRow) bool { return r.ID != garden && r.ID != house })].ID
	if got := c.windows["shelves"]; got.Total != 3 || len(got.Rows) != 3 {
		t.Fatalf("%+v", got)
	}
	quiet := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if len(c.deltas[id]) != 0 {
				t.Errorf("%s was told: %+v", id, c.deltas[id])
				c.deltas[id] = nil
			}
		}
	}

	// A memory changes the count of its category and nothing else.
	if _, err := w.Memories.Add(ctx, ann.Owner, audit.Actor{Name: ann.Actor()}, api.SourceUser, api.MemoryAdd{Body: "roses", CategoryID: api.Some(garden)}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	if f := c.delta("shelves"); !slices.Equal(ids(f.Upsert), []int64{garden}) || f.Remove != nil || f.Order != nil || !strings.Contains(string(f.Upsert[0]), `"count":1`) {
		t.Errorf("an add: %+v", f)
	}
	quiet("me")
	c.deltas["stats"] = nil

	// Another name is another place.
	if _, err := w.Categories.Patch(ctx, ann.Owner, garden, 0, api.CategoryPatch{Name: api.Ptr("Yard")}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	if f := c.delta("shelves"); !slices.Equal(ids(f.Upsert), []int64{garden}) || f.Remove != nil || f.Order == nil {
		t.Errorf("a new name: %+v", f)
	}
	quiet("me", "stats")

	// The default moves: two rows, and the account.
	if _, err := w.Categories.Patch(ctx, ann.Owner, house, 0, api.CategoryPatch{Default: api.Ptr(true)}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	got := ids(c.delta("shelves").Upsert)
	slices.Sort(got)
	if want := []int64{first, house}; !slices.Equal(got, want) && !slices.Equal(got, []int64{house, first}) {
		t.Errorf("a new default: %v, want %v", got, want)
	}
	if f := c.delta("me"); !slices.Equal(ids(f.Upsert), []int64{int64(ann.Owner)}) {
		t.Errorf("me: %+v", f)
	}
	quiet("stats")

	// One who comes back is sent nothing again that did not change.
	c.reconnect(w.Another())
	c.drain()
	if f := c.delta("shelves"); f.Upsert != nil || f.Remove != nil || f.Order != nil || f.Total != 3 {
		t.Errorf("nothing happened: %+v", f)
	}
	c.viewer.Close()
	if _, err := w.Memories.DeleteCategory(ctx, ann.Owner, audit.Actor{Name: ann.Actor()}, garden, 0); err != nil {
		t.Fatal(err)
	}
	c.reconnect(w.Another())
	c.drain()
	if f := c.delta("shelves"); !slices.Equal(f.Remove, []int64{garden}) || f.Total != 2 {
		t.Errorf("one was deleted meanwhile: %+v", f)
	}
	c.deltas = map[string][]live.Frame{}

	// What only has words of its own moves by no clock.
	frames := c.frames
	w.Add(ann, "no category of these", 5)
	c.settle(false)
	c.settle(true)
	if f := c.delta("shelves"); !slices.Equal(ids(f.Upsert), []int64{house}) {
		t.Errorf("the default's count: %+v", f)
	}
	if c.frames > frames+2 { // and the stats
		t.Errorf("%d frames", c.frames-frames)
	}
}

// A session and a token that may do different things are told different things of
// the same account.
func TestMeIsOfWhoAsks(t *testing.T) {
	w, _ := open(t)
	ann := w.Account("ann")
	reader := ann
	reader.Scopes = []string{api.ScopeRead}
	for _, who := range []account.Identity{ann, reader} {
		c := connect(t, w.Projector, who)
		defer c.viewer.Close()
		if err := c.subscribe(live.Request{ID: "me", View: live.ViewMe}); err != nil {
			t.Fatal(err)
		}
		c.drain()
		if got := strings.Contains(string(c.windows["me"].Rows[0].Raw), api.ScopeWrite); got != who.Can(api.ScopeWrite) {
			t.Errorf("%v: %s", who.Scopes, c.windows["me"].Rows[0].Raw)
		}
	}
}

// fragile is a view that can be made to fail.
type fragile struct{ how *atomic.Value }

func (fragile) Key() string                    { return "" }
func (fragile) Touched(n projection.News) bool { return n.Of("story") }
func (f fragile) Rows(at projection.At) (projection.Part, error) {
	switch how := f.how.Load().(type) {
	case error:
		return projection.Part{}, how
	case string:
		if how == "panic" {
			panic("a view that trips over a row")
		}
		return projection.Part{Rows: []projection.Row{projection.NewRow(7, map[string]any{"id": 7, "text": how})}, Total: 12, From: 4}, nil
	}
	return projection.Part{}, nil
}

// A view of a noun that the projector never heard of; one that fails keeps nobody
// else from the present, and is tried again.
func TestViewsFromOutside(t *testing.T) {
	var how atomic.Value
	how.Store("once")
	w := projectiontest.Open(t, dbtest.NewClock(dbtest.Start), func(c *projection.Config) {
		c.Views["story"] = func(_ account.Identity, req live.Request) (projection.View, error) {
			if req.Of != 3 {
				return nil, fault.New(fault.NotFound, "There is no such story.")
			}
			return fragile{&how}, nil
		}
		c.Log = slog.New(slog.DiscardHandler)
	})
	w.Projector.Hurry()
	ann := w.Account("ann")
	ctx := context.Background()
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "s", View: "story", Of: 4}); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	delete(c.asked, "s")
	if err := c.subscribe(live.Request{ID: "s", View: "story", Of: 3}); err != nil {
		t.Fatal(err)
	}
	if err := c.subscribe(list("w", api.MemoryQuery{}, 0, 5)); err != nil {
		t.Fatal(err)
	}
	c.drain()
	if got := c.windows["s"]; got.Total != 12 || got.From != 4 || !slices.Equal(got.IDs(), []int64{7}) {
		t.Errorf("%+v", got)
	}
	tell := func(text any) {
		t.Helper()
		how.Store(text)
		err := w.DB.Update(ctx, func(tx *db.Tx) error {
			tx.Emit(ann.Owner, "story", 7)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, trouble := range []string{"panic"} {
		tell(trouble)
		m := w.Add(ann, "goes on during "+trouble, 5)
		if err := w.Projector.Settle(ctx, ann.Owner, false); err == nil {
			t.Errorf("%s was not told", trouble)
		}
		c.drain()
		if _, _, ok := c.windows["w"].Find(m.ID); !ok {
			t.Errorf("%s kept the others from the present", trouble)
		}
		c.deltas["w"] = nil
	}
	how.Store("again")
	c.settle(false)
	if f := c.delta("s"); len(f.Upsert) != 1 || !strings.Contains(string(f.Upsert[0]), "again") {
		t.Errorf("%+v", f)
	}
	tell("again") // nothing differs
	c.settle(false)
	if len(c.deltas["s"]) != 0 {
		t.Errorf("%+v", c.deltas["s"])
	}
}

// A view whose object is gone ends its windows with an error frame.
func TestAViewEnds(t *testing.T) {
	var gone atomic.Bool
	w := projectiontest.Open(t, nil, func(c *projection.Config) {
		c.Views["story"] = func(account.Identity, live.Request) (projection.View, error) { return ending{&gone}, nil }
	})
	w.Projector.Hurry()
	ann := w.Account("ann")
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "s", View: "story"}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	gone.Store(true)
	w.Add(ann, "anything", 5)
	c.settle(false)
	if c.errors["s"] != fault.NotFound.Code() {
		t.Errorf("%q", c.errors["s"])
	}
}

type ending struct{ gone *atomic.Bool }

func (ending) Key() string                  { return "" }
func (ending) Touched(projection.News) bool { return true }
func (e ending) Rows(projection.At) (projection.Part, error) {
	if e.gone.Load() {
		return projection.Part{}, fault.Wrap(fault.NotFound, errors.New("gone"), "There is no such story.")
	}
	return projection.Whole(), nil
}

// An account that nobody looks at is forgotten: at once where it is erased or was
// never read, else after an hour.
func TestAccountsAreForgotten(t *testing.T) {
	w, _ := open(t)
	ann, bob, cid := w.Account("ann"), w.Account("bob"), w.Account("cid")
	ctx := context.Background()
	watching := connect(t, w.Projector, ann)
	if err := watching.subscribe(list("w", api.MemoryQuery{}, 0, 5)); err != nil {
		t.Fatal(err)
	}
	for _, who := range []account.Identity{bob, cid} {
		w.Add(who, "something", 5)
		if _, err := w.Projector.List(ctx, who.Owner, api.MemoryQuery{}, "", 0); err != nil {
			t.Fatal(err)
		}
	}
	tick := func(want int) {
		t.Helper()
		w.Tick()
		w.Tick() // the first one is through
		if got := w.Projector.Residents(); got != want {
			t.Errorf("%d accounts are held, want %d", got, want)
		}
	}
	tick(3)
	err := w.DB.Update(ctx, func(tx *db.Tx) error {
		for _, step := range []func(*db.Tx, db.AccountID) error{account.MarkErasing, memory.EraseAccount, audit.EraseAccount, category.EraseAccount, (*db.Tx).EraseAccountLog, account.Delete} {
			if err := step(tx, bob.Owner); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tick(2)
	before, _ := w.Projector.Held()
	w.Projector.Impatient()
	tick(1)
	if after, accounts := w.Projector.Held(); after >= before || accounts != 1 {
		t.Errorf("%d bytes of %d accounts after %d", after, accounts, before)
	}
	watching.viewer.Close()
	tick(0)
	if bytes, accounts := w.Projector.Held(); bytes != 0 || accounts != 0 {
		t.Errorf("%d bytes of %d accounts", bytes, accounts)
	}
	// And known again as soon as somebody asks.
	if page := must(w.Projector.List(ctx, cid.Owner, api.MemoryQuery{}, "", 0))(t); page.Total != 1 {
		t.Errorf("%+v", page)
	}
}
