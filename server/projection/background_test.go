package projection_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/job"
	"elowen/server/projection"
	"elowen/server/projection/projectiontest"
	"elowen/server/projection/view"
	"elowen/shared/api"
	"elowen/shared/live"
)

// shown is the window's rows as what they are.
func shown[R any](t *testing.T, c *client, id string) []R {
	t.Helper()
	list := make([]R, len(c.windows[id].Rows))
	for i, r := range c.windows[id].Rows {
		if err := json.Unmarshal(r.Raw, &list[i]); err != nil {
			t.Fatalf("%s: %v", r.Raw, err)
		}
	}
	return list
}

// told checks that a window had a delta, or none.
func (c *client) told(id string, want bool) {
	c.t.Helper()
	if got := len(c.deltas[id]) > 0; got != want {
		c.t.Fatalf("%s was told %v", id, c.deltas[id])
	}
	c.deltas[id] = nil
}

// How far the account is indexed follows its memories and their vectors; what the model
// is at follows the clock, as no log has it.
func TestIndexIsLive(t *testing.T) {
	var problem atomic.Value
	problem.Store("")
	w := projectiontest.Open(t, dbtest.NewClock(dbtest.Start), func(c *projection.Config) {
		more := view.All(view.Sources{Index: func(*db.Tx, db.AccountID) (api.IndexState, error) {
			return api.IndexState{Model: "small", Problem: problem.Load().(string)}, nil
		}})
		c.Views[live.ViewIndex] = more[live.ViewIndex]
	})
	w.Projector.Hurry()
	ann, bob := w.Account("ann"), w.Account("bob")
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "i", View: live.ViewIndex}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	is := func(when string, want api.IndexState) {
		t.Helper()
		if got := shown[live.IndexRow](t, c, "i"); len(got) != 1 || got[0].IndexState != want {
			t.Errorf("%s: %+v", when, got)
		}
	}
	is("at first", api.IndexState{Model: "small"})

	m := w.Add(ann, "roses", 5)
	c.settle(false)
	c.told("i", true)
	is("after an add", api.IndexState{Model: "small", Total: 1})

	w.Add(bob, "tulips", 5)
	c.settle(false)
	c.told("i", false)

	err := w.DB.Update(context.Background(), func(tx *db.Tx) error {
		now, _, err := embedding.Activate(tx, embedding.Space{Kind: "openai", Endpoint: "http://127.0.0.1:1/v1", Model: "small"})
		if err != nil {
			return err
		}
		n, err := embedding.Put(tx, ann.Owner, now.ID, []embedding.Item{{Memory: m.ID, BodyHash: audit.Hash("roses"), Vectors: [][]float32{{1, 0}}}})
		if n != 1 {
			t.Errorf("%d stored", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	c.told("i", true)
	is("with a vector", api.IndexState{Model: "small", Total: 1, Indexed: 1})

	problem.Store("Nobody listens.")
	c.settle(true)
	c.told("i", true)
	is("of a model that is gone", api.IndexState{Model: "small", Total: 1, Indexed: 1, Problem: "Nobody listens."})
	c.settle(true)
	c.told("i", false)
}

// The map is another one when memories, their uses or the policy change, and is the
// same while only something else does.
func TestMapIsLive(t *testing.T) {
	w, _ := open(t)
	ann := w.Account("ann")
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "m", View: live.ViewMap}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	ctx := context.Background()
	last := shown[live.MapRow](t, c, "m")[0]
	moved := func(what string, total int) {
		t.Helper()
		c.settle(false)
		c.told("m", true)
		now := shown[live.MapRow](t, c, "m")
		if len(now) != 1 || now[0].Seq <= last.Seq || now[0].Total != total {
			t.Errorf("%s: %+v after %+v", what, now, last)
		}
		last = now[0]
	}
	m := w.Add(ann, "roses", 5)
	moved("an add", 1)
	if _, err := w.Memories.MarkRecalled(ctx, ann.Owner, []int64{m.ID}); err != nil {
		t.Fatal(err)
	}
	moved("a use", 1)
	if _, err := w.Retention.Save(ctx, api.PolicyChange{Revision: must(w.Retention.Current(ctx))(t).Revision, GraceDays: api.Ptr(3.0)}); err != nil {
		t.Fatal(err)
	}
	moved("another policy", 1)
	if _, err := w.Memories.Trash(ctx, ann.Owner, audit.Actor{Name: ann.Actor()}, m.ID, 0, ""); err != nil {
		t.Fatal(err)
	}
	moved("into the trash", 0)
	if _, err := w.Categories.Add(ctx, ann.Owner, api.CategoryAdd{Name: "Garden"}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	c.told("m", false)
}

// steps is a work of so many pieces, each of which a test lets go on.
type steps struct{ gate chan struct{} }

func (steps) Begin(*db.Tx, db.AccountID, string) (job.Progress, error) {
	return job.Progress{Total: 2}, nil
}

func (s steps) Step(ctx context.Context, _ db.AccountID, _ string, at job.Progress) (job.Progress, bool, error) {
	select {
	case <-s.gate:
	case <-ctx.Done():
		return at, false, ctx.Err()
	}
	at.Succeeded++
	return at, at.Succeeded == at.Total, nil
}

// A job is seen to start, to go on and to end; its receipt goes when its time is over.
func TestMaintenanceIsLive(t *testing.T) {
	clock := dbtest.NewClock(dbtest.Start)
	work := steps{make(chan struct{})}
	var jobs *job.Store
	w := projectiontest.Open(t, clock, func(c *projection.Config) {
		jobs = job.New(c.DB, job.Options{Works: map[string]job.Work{api.OperationReindex: work}})
		c.Views[live.ViewMaintenance] = view.All(view.Sources{Jobs: jobs})[live.ViewMaintenance]
	})
	w.Projector.Hurry()
	ann, bob := w.Account("ann"), w.Account("bob")
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { jobs.Run(ctx) })
	defer running.Wait()
	defer cancel()

	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "j", View: live.ViewMaintenance}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	if got := shown[live.MaintenanceRow](t, c, "j"); len(got) != 0 {
		t.Fatalf("%+v", got)
	}
	started, err := jobs.Start(ctx, ann.Owner, api.MaintenanceStart{Operation: api.OperationReindex}, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.Start(ctx, bob.Owner, api.MaintenanceStart{Operation: api.OperationReindex}, true); err != nil {
		t.Fatal(err)
	}
	// The work writes how far it is on a goroutine of its own: what is to be shown is
	// waited for in the store.
	is := func(when string, want func(api.Maintenance) bool) {
		t.Helper()
		for {
			m, err := jobs.Get(ctx, ann.Owner, started.ID)
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			if want(m) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		c.settle(false)
		c.deltas["j"] = nil
		got := shown[live.MaintenanceRow](t, c, "j")
		if len(got) != 1 || got[0].ID != started.ID || !want(got[0].Maintenance) {
			t.Errorf("%s: %+v", when, got)
		}
	}
	is("started", func(m api.Maintenance) bool { return m.Status == api.JobRunning && m.Total == 2 })
	for range 4 { // two of either account's
		work.gate <- struct{}{}
	}
	is("done", func(m api.Maintenance) bool {
		return m.Status == api.JobCompleted && m.Succeeded == 2 && m.FinishedAt != nil
	})
	if _, err := jobs.Acknowledge(ctx, ann.Owner, started.ID); err != nil {
		t.Fatal(err)
	}
	is("acknowledged", func(m api.Maintenance) bool { return m.AcknowledgedAt != nil })
	clock.Advance(25 * 3_600_000)
	c.settle(true)
	if f := c.delta("j"); !slices.Equal(f.Remove, []int64{started.ID}) || len(c.windows["j"].Rows) != 0 {
		t.Errorf("a day later: %+v", f)
	}
}

// A token's first use is seen while one looks, its next ones at most once a minute, and
// nobody else's.
func TestTokensAreLive(t *testing.T) {
	w, clock := open(t)
	ann, bob := w.Account("ann"), w.Account("bob")
	ctx := context.Background()
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	if err := c.subscribe(live.Request{ID: "t", View: live.ViewTokens}); err != nil {
		t.Fatal(err)
	}
	c.drain()
	made, err := w.Accounts.AddToken(ctx, ann.Owner, api.TokenAdd{Name: "Cursor"})
	if err != nil {
		t.Fatal(err)
	}
	others, err := w.Accounts.AddToken(ctx, bob.Owner, api.TokenAdd{Name: "Codex"})
	if err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	c.told("t", true)
	if got := shown[live.TokenRow](t, c, "t"); len(got) != 1 || got[0].Name != "Cursor" || got[0].LastUsedAt != nil || got[0].Token.Token != "" {
		t.Fatalf("made: %+v", got)
	}
	use := func(secret string) {
		t.Helper()
		if _, err := w.Accounts.Token(ctx, secret); err != nil {
			t.Fatal(err)
		}
		c.settle(false)
	}
	use(others.Token)
	c.told("t", false)
	use(made.Token)
	c.told("t", true)
	first := shown[live.TokenRow](t, c, "t")[0].LastUsedAt
	if first == nil || int64(*first) != clock.Now() {
		t.Fatalf("used at %v", first)
	}
	clock.Advance(30_000)
	use(made.Token)
	c.told("t", false)
	clock.Advance(31_000)
	use(made.Token)
	c.told("t", true)
	if err := w.Accounts.RevokeToken(ctx, ann.Owner, made.ID); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	c.told("t", true)
	if got := shown[live.TokenRow](t, c, "t"); len(got) != 0 {
		t.Fatalf("revoked: %+v", got)
	}
}
