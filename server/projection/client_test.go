package projection_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"elowen/app/state"
	"elowen/server/account"
	"elowen/server/projection"
	"elowen/shared/api"
	"elowen/shared/live"
)

// tester is a test or a rapid check.
type tester interface {
	Helper()
	Fatalf(string, ...any)
}

// anyRow is a row of whatever view, with the fields by which it is known.
type anyRow struct {
	ID       int64           `json:"id"`
	Revision int64           `json:"revision"`
	Raw      json.RawMessage `json:"-"`
}

func (r anyRow) Key() int64 { return r.ID }

func (r *anyRow) UnmarshalJSON(b []byte) error {
	type plain anyRow
	r.Raw = append(json.RawMessage(nil), b...)
	return json.Unmarshal(b, (*plain)(r))
}

// essence is a row without what only tells the time.
func (r anyRow) essence() string {
	var v any
	if err := json.Unmarshal(r.Raw, &v); err != nil {
		panic(err)
	}
	forget(v)
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// forget drops what moves from instant to instant without anything happening, and
// what is told of others (what it resembles, what it was merged with), which moves
// with every other memory; the shown number
// and the date, which are pushed, stay.
func forget(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"asOf", "vitality", "history", "similar", "others"} {
			delete(v, name)
		}
		for _, inner := range v {
			forget(inner)
		}
	case []any:
		for _, inner := range v {
			forget(inner)
		}
	}
}

// client is a browser: a viewer whose frames are applied as the app applies them.
type client struct {
	t       tester
	p       *projection.Projector
	who     account.Identity
	viewer  *projection.Viewer
	windows map[string]state.Window[anyRow]
	asked   map[string]live.Request
	errors  map[string]string
	frames  int
	// snapshots are those of the frames that held a whole window.
	snapshots int
	deltas    map[string][]live.Frame // since they were last looked at
}

func connect(t tester, p *projection.Projector, who account.Identity) *client {
	c := &client{
		t: t, p: p, who: who, windows: map[string]state.Window[anyRow]{}, asked: map[string]live.Request{},
		errors: map[string]string{}, deltas: map[string][]live.Frame{},
	}
	c.viewer = p.Open(who, func() {})
	return c
}

// subscribe asks for a window, taking up what there is of it.
func (c *client) subscribe(req live.Request) error {
	c.t.Helper()
	req.Type = live.TypeSubscribe
	c.asked[req.ID] = req
	if w := c.windows[req.ID]; w.Loaded {
		req.Since, req.Epoch, req.AsOf, req.Have, req.From = w.Seq, w.Epoch, w.AsOf, w.IDs(), w.From
	}
	return c.viewer.Subscribe(context.Background(), req)
}

// drain applies every frame there is.
func (c *client) drain() {
	c.t.Helper()
	for {
		b, ok := c.viewer.Next(nil)
		if !ok {
			return
		}
		var f live.Frame
		if err := json.Unmarshal(b, &f); err != nil {
			c.t.Fatalf("%v: %s", err, b)
		}
		c.frames++
		was := c.windows[f.ID]
		next, outcome, err := was.Apply(f)
		switch {
		case err != nil:
			c.t.Fatalf("%v: %s", err, b)
		case outcome == state.Ignored:
			c.t.Fatalf("a frame for nothing: %s, at %d %v", b, was.Seq, was.AsOf)
		case outcome == state.Gap && f.Type != live.TypeGap:
			c.t.Fatalf("a frame that does not fit: %s", b)
		case outcome == state.Gap:
			delete(c.windows, f.ID)
			if err := c.subscribe(c.asked[f.ID]); err != nil {
				c.t.Fatalf("%v", err)
			}
			continue
		case outcome == state.Refused:
			c.errors[f.ID] = f.Error.Code
		}
		if f.Type == live.TypeSnapshot {
			c.snapshots++
		}
		if f.Type == live.TypeDelta {
			c.deltas[f.ID] = append(c.deltas[f.ID], f)
		}
		c.windows[f.ID] = next
	}
}

// reconnect cuts the connection and takes every window up again.
func (c *client) reconnect(p *projection.Projector) {
	c.t.Helper()
	c.viewer.Close()
	c.p = p
	c.viewer = p.Open(c.who, func() {})
	for id, req := range c.asked {
		if c.errors[id] != "" {
			continue
		}
		if err := c.subscribe(req); err != nil {
			c.errors[id] = err.Error()
		}
	}
}

// settle lets everything that was committed arrive.
func (c *client) settle(ticked bool) {
	c.t.Helper()
	if err := c.p.Settle(context.Background(), c.who.Owner, ticked); err != nil {
		c.t.Fatalf("settle: %v", err)
	}
	c.drain()
}

func same(t tester, what string, got, want state.Window[anyRow]) {
	t.Helper()
	if got.Total != want.Total || got.From != want.From || len(got.Rows) != len(want.Rows) {
		t.Fatalf("%s: total %d from %d rows %d, want %d %d %d", what, got.Total, got.From, len(got.Rows), want.Total, want.From, len(want.Rows))
	}
	for i := range want.Rows {
		if got.Rows[i].ID != want.Rows[i].ID {
			t.Fatalf("%s: ids %v, want %v", what, got.IDs(), want.IDs())
		}
		if g, w := got.Rows[i].essence(), want.Rows[i].essence(); g != w {
			t.Fatalf("%s: row %d is\n%s, want\n%s", what, i, g, w)
		}
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return v
	}
}

func bodyOf(i int) string { return fmt.Sprintf("fact number %d about the boiler", i) }

func list(id string, q api.MemoryQuery, from, limit int) live.Request {
	return live.Request{ID: id, View: live.ViewMemories, Query: q, From: from, Limit: limit}
}
