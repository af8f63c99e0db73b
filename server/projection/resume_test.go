package projection_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/live"
)

// One who comes back is sent what it missed, and only that.
func TestResume(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	ctx := context.Background()
	rows := w.Fill(ann, 10, bodyOf)
	req := list("w", api.MemoryQuery{Status: "all", Sort: api.SortCreated}, 0, 20)
	c := connect(t, w.Projector, ann)
	if err := c.subscribe(req); err != nil {
		t.Fatal(err)
	}
	c.drain()

	c.reconnect(w.Projector)
	c.drain()
	if f := c.delta("w"); f.Upsert != nil || f.Remove != nil || f.Order != nil || f.Total != 10 {
		t.Errorf("nothing happened: %+v", f)
	}

	c.viewer.Close()
	added := w.Add(ann, "added meanwhile", 5)
	if _, err := w.Memories.MarkRecalled(ctx, ann.Owner, rows[2:3]); err != nil {
		t.Fatal(err)
	}
	purge(w, ann, rows[4:5]...)
	c.reconnect(w.Another())
	c.drain()
	f := c.delta("w")
	got := ids(f.Upsert)
	slices.Sort(got)
	if !slices.Equal(got, []int64{rows[2], added.ID}) || !slices.Equal(f.Remove, rows[4:5]) {
		t.Errorf("upsert %v remove %v", got, f.Remove)
	}
	fresh := connect(t, w.Another(), ann)
	defer fresh.viewer.Close()
	if err := fresh.subscribe(req); err != nil {
		t.Fatal(err)
	}
	fresh.drain()
	same(t, "after the cut", c.windows["w"], fresh.windows["w"])

	// More happened than one would look through: every row, and still a delta.
	c.viewer.Close()
	err := w.DB.Update(ctx, func(tx *db.Tx) error {
		for id := range int64(1001) {
			tx.Emit(ann.Owner, db.NounUsage, 1_000_000+id)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.reconnect(w.Another())
	c.drain()
	if f = c.delta("w"); len(f.Upsert) != 10 || f.Remove != nil {
		t.Errorf("%d rows after a thousand changes", len(f.Upsert))
	}

	// The clock alone moved on: those whose number it moved.
	c.viewer.Close()
	clock.Advance(2 * 3_600_000)
	c.reconnect(w.Another())
	c.drain()
	f = c.delta("w")
	if n := len(f.Upsert); n == 0 || n == 10 {
		t.Errorf("%d rows moved in two hours", n)
	}

	// With a new policy every number may be another.
	c.viewer.Close()
	now := must(w.Retention.Current(ctx))(t)
	if _, err := w.Retention.Save(ctx, api.PolicyChange{Revision: now.Revision, GraceDays: api.Ptr(3.0)}); err != nil {
		t.Fatal(err)
	}
	c.reconnect(w.Another())
	c.drain()
	if f = c.delta("w"); len(f.Upsert) != 10 {
		t.Errorf("%d rows after a change of policy", len(f.Upsert))
	}
	c.viewer.Close()
}

func TestGap(t *testing.T) {
	w, clock := open(t)
	ann := w.Account("ann")
	w.Fill(ann, 3, bodyOf)
	fresh := func() *client {
		c := connect(t, w.Projector, ann)
		if err := c.subscribe(list("w", api.MemoryQuery{}, 0, 5)); err != nil {
			t.Fatal(err)
		}
		c.drain()
		return c
	}
	for name, spoil := range map[string]func(*live.Request){
		"another epoch":   func(r *live.Request) { r.Epoch = "older" },
		"ahead of us":     func(r *live.Request) { r.Since += 100 },
		"a later instant": func(r *live.Request) { r.AsOf += 1000 },
		"the log is short": func(r *live.Request) {
			w.Add(ann, "what the log forgets", 5)
			clock.Advance(8 * 86_400_000)
			w.Add(ann, "later", 5)
			if _, err := w.DB.Trim(context.Background(), ann.Owner); err != nil {
				t.Fatal(err)
			}
		},
	} {
		c := fresh()
		was := c.windows["w"]
		req := c.asked["w"]
		req.Since, req.Epoch, req.AsOf, req.Have = was.Seq, was.Epoch, was.AsOf, was.IDs()
		spoil(&req)
		if err := c.viewer.Subscribe(context.Background(), req); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, ok := c.viewer.Next(nil)
		var f live.Frame
		if !ok || json.Unmarshal(b, &f) != nil || f.Type != live.TypeGap || f.ID != "w" || f.Epoch != was.Epoch {
			t.Errorf("%s: %s", name, b)
		}
		w.Add(ann, "after "+name, 5)
		c.settle(false)
		if len(c.deltas["w"]) > 0 {
			t.Errorf("%s: the window lives on after a gap", name)
		}
		delete(c.windows, "w")
		if err := c.subscribe(c.asked["w"]); err != nil {
			t.Fatal(err)
		}
		c.drain()
		if !c.windows["w"].Loaded {
			t.Errorf("%s: no snapshot", name)
		}
		c.viewer.Close()
	}
}
