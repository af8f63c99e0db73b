package projection

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"elowen/shared/api"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

// window is a list or a view as it is watched. All but current and subscribers is
// guarded by the resident's gate.
type window struct {
	key   string // equal ones are one window
	list  *list  // a part of a list of memories, or
	view  View   // anything else
	dirty bool   // what it shows may have changed since the state was made

	current atomic.Pointer[state]

	mu          sync.Mutex
	subscribers map[*subscription]struct{}
}

func newWindow(key string, l *list, v View) *window {
	return &window{key: key, list: l, view: v, subscribers: map[*subscription]struct{}{}}
}

// row is a row of a window as it was last sent.
type row struct {
	id        int64
	json      json.RawMessage
	changed   uint64   // the version that brought it, or changed it last
	essence   []byte   // of a view: what has to differ for the row to be sent again
	shown     int      // of a memory: the numbers in it that move with the clock
	evictable api.Time // 0: none
}

// past is what a version showed.
type past struct {
	version uint64
	ids     []int64
}

// state is what a window shows. It never changes once it is the current one; the
// frames that lead to it are made when somebody asks, once for all who stand at
// the same version.
type state struct {
	version uint64
	epoch   string
	seq     int64
	asOf    api.Time
	total   int
	from    int
	ids     []int64
	rows    []row
	past    []past        // the versions before, oldest first
	problem *wire.Problem // instead of rows: there is nothing to show any more

	mu     sync.Mutex
	frames map[uint64][]byte // by the version that they lead from; 0 is the snapshot
}

// pastMost is how many versions a window remembers; a reader that is further
// behind is sent everything.
var pastMost = setting.Int("live.queue")

func (w *window) unwatched() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.subscribers) == 0
}

func (w *window) add(s *subscription) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers[s] = struct{}{}
}

func (w *window) remove(s *subscription) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subscribers, s)
}

// publish makes a state the current one and tells who watches.
func (w *window) publish(s *state) {
	w.clean()
	prev := w.current.Load()
	w.current.Store(s)
	if prev != nil && prev.version == s.version {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for sub := range w.subscribers {
		sub.viewer.mark(sub)
	}
}

// note takes in what an advance brought.
func (w *window) note(n News) {
	switch {
	case !n.Any():
	case w.list != nil:
		w.dirty = w.list.note(n, w.current.Load()) || w.dirty
	default:
		w.dirty = w.view.Touched(n) || n.all || w.dirty
	}
}

// clean forgets what changed: the state has it.
func (w *window) clean() {
	w.dirty = false
	if w.list != nil {
		w.list.clean()
	}
}

// pending tells whether something changed since the state was made.
func (w *window) pending() bool { return w.dirty || w.current.Load() == nil }

// following begins the state after the current one, without its rows.
func (w *window) following(c *catalogue, now api.Time) *state {
	next := &state{version: 1, epoch: c.head.Epoch, seq: c.head.Seq, asOf: now}
	if prev := w.current.Load(); prev != nil {
		next.version = prev.version + 1
		// The instants of one window only go forward, as its readers expect.
		next.asOf = max(now, prev.asOf)
		keep := prev.past[max(0, len(prev.past)+1-pastMost):]
		next.past = append(slices.Clone(keep), past{prev.version, prev.ids})
	}
	return next
}

// reached notes that the state as it is holds up to here. seen says that its
// numbers were looked at too.
func (w *window) reached(c *catalogue, now int64, seen bool) {
	prev := w.current.Load()
	if prev == nil || prev.seq == c.head.Seq && prev.epoch == c.head.Epoch && !seen {
		return
	}
	same := &state{
		version: prev.version, epoch: c.head.Epoch, seq: c.head.Seq, asOf: prev.asOf, total: prev.total, from: prev.from,
		ids: prev.ids, rows: prev.rows, past: prev.past, problem: prev.problem,
	}
	if seen {
		same.asOf = max(prev.asOf, api.Time(now))
	}
	w.publish(same)
}

// show makes what a view read the window's state, where it differs from what is
// there. Rows that don't differ stay as they were sent.
func (w *window) show(c *catalogue, now int64, part Part) {
	prev := w.current.Load()
	same := prev != nil && prev.total == part.Total && prev.from == part.From && len(prev.rows) == len(part.Rows)
	var version uint64 = 1
	old := map[int64]row{}
	if prev != nil {
		version = prev.version + 1
		for _, r := range prev.rows {
			old[r.id] = r
		}
	}
	rows := make([]row, len(part.Rows))
	ids := make([]int64, len(part.Rows))
	for i, p := range part.Rows {
		fresh := row{id: p.ID, json: p.JSON, essence: p.Essence, changed: version}
		if fresh.essence == nil {
			fresh.essence = p.JSON
		}
		if was, ok := old[p.ID]; ok && bytes.Equal(was.essence, fresh.essence) {
			fresh = was
		}
		same = same && prev.ids[i] == p.ID && fresh.changed < version
		rows[i], ids[i] = fresh, p.ID
	}
	if same {
		w.clean()
		w.reached(c, now, true)
		return
	}
	next := w.following(c, api.Time(now))
	next.total, next.from, next.rows, next.ids = part.Total, part.From, rows, ids
	w.publish(next)
}

// fail ends a window that has nothing to show any more.
func (w *window) fail(c *catalogue, now int64, p *wire.Problem) {
	next := w.following(c, api.Time(now))
	next.problem = p
	w.publish(next)
}
