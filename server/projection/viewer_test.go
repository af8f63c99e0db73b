package projection_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
	"elowen/shared/setting"
)

func open(t *testing.T) (*projectiontest.World, *dbtest.Clock) {
	clock := dbtest.NewClock(dbtest.Start)
	w := projectiontest.Open(t, clock)
	w.Projector.Hurry()
	return w, clock
}

// delta gives the one delta of a window since it was last looked at.
func (c *client) delta(id string) live.Frame {
	c.t.Helper()
	if len(c.deltas[id]) != 1 {
		c.t.Fatalf("%d deltas for %s, want one", len(c.deltas[id]), id)
	}
	f := c.deltas[id][0]
	c.deltas[id] = nil
	return f
}

// purge moves memories to the trash and out of it for good.
func purge(w *projectiontest.World, who account.Identity, ids ...int64) {
	w.T.Helper()
	ctx, by := context.Background(), audit.Actor{Name: who.Actor()}
	for _, id := range ids {
		if _, err := w.Memories.Trash(ctx, who.Owner, by, id, 0, ""); err != nil {
			w.T.Fatalf("trash: %v", err)
		}
	}
	if _, err := w.Memories.Purge(ctx, who.Owner, by, ids); err != nil {
		w.T.Fatalf("purge: %v", err)
	}
}

func ids(rows []json.RawMessage) []int64 {
	list := []int64{}
	for _, b := range rows {
		var r struct {
			ID int64 `json:"id"`
		}
		if err := json.Unmarshal(b, &r); err != nil {
			panic(err)
		}
		list = append(list, r.ID)
	}
	return list
}

// A delta holds what changed in the window and nothing else.
func TestDeltasAreSmall(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	var rows []api.Memory
	for i := range 6 {
		clock.Advance(1000)
		rows = append(rows, w.Add(ann, bodyOf(i), 5))
	}
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(list("top", api.MemoryQuery{}, 0, 3)); err != nil {
		t.Fatal(err)
	}
	if err := c.subscribe(list("end", api.MemoryQuery{}, 3, 3)); err != nil {
		t.Fatal(err)
	}
	c.drain()
	if got := c.windows["top"].IDs(); !slices.Equal(got, []int64{rows[5].ID, rows[4].ID, rows[3].ID}) {
		t.Fatalf("%v", got)
	}

	// A new one on top pushes one row from the first window into the second.
	clock.Advance(1000)
	fresh := w.Add(ann, "the newest", 5)
	c.settle(false)
	top, end := c.delta("top"), c.delta("end")
	if got := ids(top.Upsert); !slices.Equal(got, []int64{fresh.ID}) || !slices.Equal(top.Remove, []int64{rows[3].ID}) || top.Total != 7 {
		t.Errorf("top: %v %v %d", got, top.Remove, top.Total)
	}
	if got := ids(end.Upsert); !slices.Equal(got, []int64{rows[3].ID}) || !slices.Equal(end.Remove, []int64{rows[0].ID}) || end.From != 3 {
		t.Errorf("end: %v %v %d", got, end.Remove, end.From)
	}

	// A use changes a row in its place: no order, nothing for the other window.
	if _, err := w.Memories.MarkRecalled(context.Background(), ann.Owner, []int64{rows[5].ID}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	top = c.delta("top")
	if got := ids(top.Upsert); !slices.Equal(got, []int64{rows[5].ID}) || top.Remove != nil || top.Order != nil {
		t.Errorf("use: %v %v %v", got, top.Remove, top.Order)
	}
	if len(c.deltas["end"]) != 0 {
		t.Errorf("the other window was told: %+v", c.deltas["end"])
	}

	// A purge is told as a removal, and its text is in no frame from here on.
	purge(w, ann, fresh.ID)
	c.settle(false)
	if top = c.delta("top"); !slices.Equal(top.Remove, []int64{fresh.ID}) || !slices.Equal(ids(top.Upsert), []int64{rows[3].ID}) {
		t.Errorf("purge: %+v", top)
	}
	late := connect(t, w.Projector, ann)
	defer late.viewer.Close()
	if err := late.subscribe(list("top", api.MemoryQuery{}, 0, 3)); err != nil {
		t.Fatal(err)
	}
	late.drain()
	for _, r := range late.windows["top"].Rows {
		if strings.Contains(string(r.Raw), "the newest") {
			t.Errorf("the purged text: %s", r.Raw)
		}
	}
}

// As time passes, a row is sent again when its shown number moved, and not before.
func TestTheClockPushesWhatMoved(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	fast, slow := w.Add(ann, "fades fast", 1), w.Add(ann, "fades slowly", 10)
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	for _, req := range []live.Request{
		list("list", api.MemoryQuery{}, 0, 10), list("vital", api.MemoryQuery{Sort: api.SortVitality}, 0, 10),
		{ID: "one", View: live.ViewMemory, Memory: slow.ID},
	} {
		if err := c.subscribe(req); err != nil {
			t.Fatal(err)
		}
	}
	c.drain()
	clock.Advance(60_000)
	c.settle(true)
	if c.frames != 3 {
		t.Fatalf("%d frames though no number moved", c.frames)
	}
	clock.Advance(3_600_000) // an hour takes 1.4 from the one, 0.008 from the other
	c.settle(true)
	for _, id := range []string{"list", "vital"} {
		if f := c.delta(id); !slices.Equal(ids(f.Upsert), []int64{fast.ID}) || f.Remove != nil || f.AsOf != api.Time(clock.Now()) {
			t.Errorf("%s: %+v", id, f)
		}
	}
	if len(c.deltas["one"]) != 0 {
		t.Errorf("the slow one moved: %+v", c.deltas["one"])
	}
	clock.Advance(20 * 86_400_000)
	c.settle(true)
	if f := c.delta("one"); len(f.Upsert) != 1 {
		t.Errorf("%+v", f)
	}
}

// The order of vitality changes hands between levels by the clock alone.
func TestTheClockMovesTheOrder(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	low := w.Add(ann, "level ten, older", 10)
	clock.Advance(40 * 86_400_000)
	high := w.Add(ann, "level one, new", 1)
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(list("vital", api.MemoryQuery{Sort: api.SortVitality}, 0, 10)); err != nil {
		t.Fatal(err)
	}
	c.drain()
	if got := c.windows["vital"].IDs(); !slices.Equal(got, []int64{high.ID, low.ID}) {
		t.Fatalf("%v", got)
	}
	clock.Advance(2 * 86_400_000)
	c.settle(true)
	if f := c.delta("vital"); !slices.Equal(f.Order, []int64{low.ID, high.ID}) {
		t.Errorf("%+v", f)
	}
}

// A reader that stood still catches up in one frame: with what changed while that is
// remembered, else with everything. What it missed was never kept.
func TestSlowReader(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(list("w", api.MemoryQuery{}, 0, 5)); err != nil {
		t.Fatal(err)
	}
	c.drain()
	most := setting.Int("live.queue")
	step := func() {
		clock.Advance(1000)
		w.Add(ann, fmt.Sprint("at ", clock.Now()), 5)
		if err := w.Projector.Settle(context.Background(), ann.Owner, false); err != nil {
			t.Fatal(err)
		}
	}
	for range most {
		step()
	}
	c.drain() // just in time, and in one frame
	if f := c.delta("w"); f.Total != most || len(f.Upsert) != 5 {
		t.Errorf("%+v", f)
	}
	for range most + 1 {
		step()
	}
	frames, snapshots := c.frames, c.snapshots
	c.drain()
	if c.frames != frames+1 || c.snapshots != snapshots+1 || c.windows["w"].Total != 2*most+1 {
		t.Errorf("%d frames, %d snapshots, total %d", c.frames-frames, c.snapshots-snapshots, c.windows["w"].Total)
	}
	step()
	c.drain()
	if f := c.delta("w"); f.Total != 2*most+2 || len(f.Upsert) != 1 || len(f.Remove) != 1 {
		t.Errorf("after that: %+v", f)
	}
}

func TestSubscribeRefuses(t *testing.T) {
	w, _ := open(t)
	ann, bob := w.Account("ann"), w.Account("bob")
	foreign := w.Add(bob, "bob's own", 5)
	purged := w.Add(ann, "to be purged", 5)
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "doomed", View: live.ViewMemory, Memory: purged.ID}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	purge(w, ann, purged.ID)
	c.settle(false)
	if c.errors["doomed"] != fault.NotFound.Code() {
		t.Errorf("a purged memory: %q", c.errors["doomed"])
	}
	texts := map[string]bool{}
	for _, id := range []int64{foreign.ID, purged.ID, 999_999, 0, -5} {
		err := c.subscribe(live.Request{ID: "x", View: live.ViewMemory, Memory: id})
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("memory %d: %v", id, err)
			continue
		}
		texts[err.Error()] = true
	}
	if len(texts) != 1 {
		t.Errorf("the texts tell them apart: %v", texts)
	}
	for name, bad := range map[string]live.Request{
		"limit": list("x", api.MemoryQuery{}, 0, 201), "from": list("x", api.MemoryQuery{}, -1, 5), "view": {ID: "x", View: "nothing"},
	} {
		if err := c.subscribe(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.subscribe(list("x", api.MemoryQuery{Q: "a", Match: "meaning"}, 0, 5)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("meaning: %v", err)
	}
	for i := range setting.Int("live.windows") {
		if err := c.subscribe(list(fmt.Sprint("w", i), api.MemoryQuery{}, i, 5)); err != nil {
			t.Fatalf("window %d: %v", i, err)
		}
	}
	if err := c.subscribe(list("one too many", api.MemoryQuery{}, 0, 5)); !fault.Is(err, fault.TooMany) {
		t.Errorf("one too many: %v", err)
	}
	if err := c.subscribe(list("w3", api.MemoryQuery{}, 0, 7)); err != nil {
		t.Errorf("the same name again: %v", err)
	}
	c.viewer.Unsubscribe("w4")
	if err := c.subscribe(list("room again", api.MemoryQuery{}, 0, 5)); err != nil {
		t.Errorf("after an unsubscription: %v", err)
	}
}

// Nothing of one account is in any frame of another, not even that something happened.
func TestAccountsApart(t *testing.T) {
	w, clock := open(t)
	ann, bob := w.Account("ann"), w.Account("bob")
	ctx := context.Background()
	secret := w.Add(bob, "the secret of bob", 5)
	a, b := connect(t, w.Projector, ann), connect(t, w.Projector, bob)
	defer a.viewer.Close()
	defer b.viewer.Close()
	for _, c := range []*client{a, b} {
		for _, req := range []live.Request{
			list("all", api.MemoryQuery{Status: "all"}, 0, 50), list("found", api.MemoryQuery{Q: "secret"}, 0, 50),
			{ID: "trash", View: live.ViewTrash}, {ID: "stats", View: live.ViewStats}, {ID: "settings", View: live.ViewSettings},
			{ID: "categories", View: live.ViewCategories}, {ID: "me", View: live.ViewMe},
		} {
			if err := c.subscribe(req); err != nil {
				t.Fatal(err)
			}
		}
		c.drain()
	}
	frames, seq := a.frames, a.windows["all"].Seq
	more := w.Add(bob, "another secret", 5)
	if _, err := w.Memories.Trash(ctx, bob.Owner, audit.Actor{Name: "user:2"}, secret.ID, 0, "bob's reason"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Categories.Add(ctx, bob.Owner, api.CategoryAdd{Name: "Bob's"}); err != nil {
		t.Fatal(err)
	}
	a.settle(false)
	b.settle(false)
	if a.frames != frames || a.windows["all"].Seq != seq {
		t.Errorf("ann was told: %d frames, seq %d after %d", a.frames-frames, a.windows["all"].Seq, seq)
	}
	if got := b.windows["all"].IDs(); !slices.Contains(got, more.ID) {
		t.Errorf("bob was not told: %v", got)
	}
	clock.Advance(86_400_000)
	a.settle(true)
	for id, win := range a.windows {
		for _, r := range win.Rows {
			if text := strings.ToLower(string(r.Raw)); strings.Contains(text, "secret") || strings.Contains(text, "bob") {
				t.Errorf("%s: %s", id, r.Raw)
			}
		}
		if win.Total != map[string]int{"stats": 1, "settings": 1, "categories": 1, "me": 1}[id] {
			t.Errorf("%s: total %d", id, win.Total)
		}
	}
}

// Equal windows are computed once and sent as the same bytes.
func TestEqualWindowsShareTheirFrames(t *testing.T) {
	w, _ := open(t)
	ann := w.Account("ann")
	w.Fill(ann, 20, bodyOf)
	var all []*client
	for range 5 {
		c := connect(t, w.Projector, ann)
		defer c.viewer.Close()
		if err := c.subscribe(list("w", api.MemoryQuery{Status: "active"}, 0, 10)); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	var first []byte
	for i, c := range all {
		b, ok := c.viewer.Next(nil)
		if !ok {
			t.Fatal("no frame")
		}
		if i == 0 {
			first = b
		} else if string(b) != string(first) {
			t.Errorf("another frame: %s", b)
		}
	}
}

// A category's page, the words of a search, and what is due are counted and marked.
func TestViews(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	ctx := context.Background()
	m := w.Add(ann, "The boiler's valve sticks <b>", 1)
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	for _, req := range []live.Request{
		list("found", api.MemoryQuery{Q: "valv"}, 0, 5), {ID: "stats", View: live.ViewStats},
		{ID: "one", View: live.ViewMemory, Memory: m.ID, Days: 7}, {ID: "settings", View: live.ViewSettings},
		{ID: "categories", View: live.ViewCategories}, {ID: "me", View: live.ViewMe},
	} {
		if err := c.subscribe(req); err != nil {
			t.Fatal(err)
		}
	}
	c.drain()
	var row live.Row
	read := func(id string, v any) {
		t.Helper()
		win := c.windows[id]
		if len(win.Rows) != 1 {
			t.Fatalf("%s has %d rows", id, len(win.Rows))
		}
		if err := json.Unmarshal(win.Rows[0].Raw, v); err != nil {
			t.Fatal(err)
		}
	}
	read("found", &row)
	if want := []api.Run{{Op: "text", Text: "The boiler's "}, {Op: "mark", Text: "valve"}, {Op: "text", Text: " sticks <b>"}}; !slices.Equal(row.Marks, want) {
		t.Errorf("%+v", row.Marks)
	}
	var over live.StatsRow
	read("stats", &over)
	var shelf live.CategoryRow
	read("categories", &shelf)
	var me live.MeRow
	read("me", &me)
	if over.Stats.Active != 1 || shelf.Count != 1 || !shelf.Default || me.Name != "ann" || len(me.Scopes) != 2 || me.ID != int64(ann.Owner) {
		t.Errorf("%+v %+v %+v", over, shelf, me)
	}
	var detail live.DetailRow
	read("one", &detail)
	if detail.ID != m.ID || detail.Memory.ID != m.ID || len(detail.Events) != 1 || len(detail.History.Points) == 0 {
		t.Errorf("%+v", detail)
	}
	clock.Advance(15 * 86_400_000)
	c.settle(true)
	var retention live.SettingsRow
	read("settings", &retention)
	read("stats", &over)
	if retention.DueNow != 1 || over.Stats.DueNow != 1 || retention.Revision == 0 || len(retention.Bounds) == 0 {
		t.Errorf("due %d %d: %+v", retention.DueNow, over.Stats.DueNow, retention)
	}
	// The detail shows other memories too: a purge of one takes its text from there.
	twin := w.Add(ann, "The boiler's valve sticks again", 5)
	if _, err := w.Memories.MarkRecalled(ctx, ann.Owner, []int64{m.ID}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	read("one", &detail)
	if len(detail.Similar) != 1 || detail.Memory.UseCount != 1 {
		t.Fatalf("%+v", detail.Similar)
	}
	purge(w, ann, twin.ID)
	c.settle(false)
	read("one", &detail)
	if len(detail.Similar) != 0 {
		t.Errorf("%+v", detail.Similar)
	}
}

// The account's own changes are told to its sessions, and to nobody else's.
func TestAccountChanged(t *testing.T) {
	w, _ := open(t)
	ann, bob := w.Account("ann"), w.Account("bob")
	a, b := connect(t, w.Projector, ann), connect(t, w.Projector, bob)
	defer a.viewer.Close()
	defer b.viewer.Close()
	a.settle(false)
	b.settle(false)
	a.viewer.AccountChanged() // the first look counts as one
	b.viewer.AccountChanged()
	w.Add(ann, "no change of the account", 5)
	a.settle(false)
	if a.viewer.AccountChanged() {
		t.Error("a memory is no change of the account")
	}
	if _, err := w.Accounts.AddToken(context.Background(), ann.Owner, api.TokenAdd{Name: "laptop"}); err != nil {
		t.Fatal(err)
	}
	a.settle(false)
	b.settle(false)
	if !a.viewer.AccountChanged() || a.viewer.AccountChanged() || b.viewer.AccountChanged() {
		t.Error("told wrongly")
	}
}

// A store that was restored from a backup has another epoch: windows end with a gap.
func TestEpoch(t *testing.T) {
	w, _ := open(t)
	ann := w.Account("ann")
	w.Fill(ann, 3, bodyOf)
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(list("w", api.MemoryQuery{}, 0, 5)); err != nil {
		t.Fatal(err)
	}
	c.drain()
	err := w.DB.Update(context.Background(), func(tx *db.Tx) error {
		tx.Emit(ann.Owner, db.NounCategory, 0)
		return tx.SetMeta("epoch", "restored")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Projector.Settle(context.Background(), ann.Owner, false); err != nil {
		t.Fatal(err)
	}
	b, ok := c.viewer.Next(nil)
	var f live.Frame
	if !ok || json.Unmarshal(b, &f) != nil || f.Type != live.TypeGap || f.Epoch != "restored" {
		t.Errorf("%s %v", b, ok)
	}
}
