package sync

import (
	"encoding/json"
	gosync "sync"

	"elowen/shared/live"

	"elowen/app/state"
)

// Event is what happened to a window.
type Event[R state.Keyed] struct {
	Before, After state.Window[R]
	Outcome       state.Outcome
	Problem       *live.Problem // for Refused
}

// Watch is one window that the server keeps up to date.
type Watch[R state.Keyed] struct {
	c       *Client
	id      string
	req     live.Request
	changed func(Event[R])

	mu     gosync.Mutex
	window state.Window[R]
}

// Subscribe asks for a window. changed is called from the connection's goroutine,
// one frame after another, whenever the window is another one than before.
func Subscribe[R state.Keyed](c *Client, req live.Request, changed func(Event[R])) *Watch[R] {
	w := &Watch[R]{c: c, req: req, changed: changed}
	w.id = c.add(w)
	c.recall(w.id)
	return w
}

// Close ends the window; no call of changed begins after it.
func (w *Watch[R]) Close() {
	w.c.remove(w.id)
	w.mu.Lock()
	w.changed = nil
	w.mu.Unlock()
}

// Request is what was asked for.
func (w *Watch[R]) Request() live.Request { return w.req }

// Window is the window as it is now.
func (w *Watch[R]) Window() state.Window[R] {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.window
}

func (w *Watch[R]) request(resume bool) live.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.req
	if resume && w.window.Loaded && !w.window.Kept {
		r.Since, r.Epoch, r.AsOf, r.Have = w.window.Seq, w.window.Epoch, w.window.AsOf, w.window.IDs()
		r.From = w.window.From
	}
	return r
}

func (w *Watch[R]) frame(f live.Frame) (again bool) {
	w.mu.Lock()
	before := w.window
	after, outcome, _ := before.Apply(f)
	w.window = after
	changed := w.changed
	w.mu.Unlock()
	switch outcome {
	case state.Ignored:
		return false
	case state.Gap:
		return true
	}
	if keep := w.c.opt.Keep; keep != nil && changed != nil && outcome != state.Refused {
		keep(w.req, w.snapshot)
	}
	if changed != nil {
		changed(Event[R]{Before: before, After: after, Outcome: outcome, Problem: f.Error})
	}
	return false
}

func (w *Watch[R]) loaded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.window.Loaded
}

// snapshot is the window as a frame that makes it again.
func (w *Watch[R]) snapshot() live.Frame {
	now := w.Window()
	f := live.Frame{Type: live.TypeSnapshot, Epoch: now.Epoch, Seq: now.Seq, AsOf: now.AsOf, Total: now.Total, From: now.From}
	for _, r := range now.Rows {
		b, err := json.Marshal(r)
		if err != nil {
			return live.Frame{Type: live.TypeError}
		}
		f.Rows = append(f.Rows, b)
	}
	return f
}

// offer shows what was kept, unless the server has answered meanwhile.
func (w *Watch[R]) offer(f live.Frame) {
	w.mu.Lock()
	before := w.window
	after, outcome, _ := before.Apply(f)
	if before.Loaded || outcome != state.Replaced && outcome != state.Refused {
		w.mu.Unlock()
		return
	}
	after.Kept = outcome == state.Replaced
	w.window = after
	changed := w.changed
	w.mu.Unlock()
	if changed != nil {
		changed(Event[R]{Before: before, After: after, Outcome: outcome, Problem: f.Error})
	}
}
