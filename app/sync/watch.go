package sync

import (
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
	if resume && w.window.Loaded {
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
	if changed != nil {
		changed(Event[R]{Before: before, After: after, Outcome: outcome, Problem: f.Error})
	}
	return false
}
