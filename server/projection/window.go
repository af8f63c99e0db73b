package projection

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"elowen/server/account"
	"elowen/server/vitality"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// spec is what a window shows. Equal ones are one window.
type spec struct {
	view   string
	query  api.MemoryQuery  // of lists, normalized
	from   int              // of lists
	limit  int              // of lists
	memory int64            // of the view memory
	days   int              // of the view memory
	who    account.Identity // of the view stats, which shows what this one may do
}

func (s spec) list() bool { return s.view == wire.ViewMemories || s.view == wire.ViewTrash }

func (s spec) key() string {
	var scopes []string
	if s.view == wire.ViewStats {
		scopes = s.who.Scopes
	}
	b, err := json.Marshal([]any{s.query, s.from, s.limit, s.memory, s.days, scopes, s.single()})
	if err != nil {
		panic(err) // nothing in it that JSON cannot
	}
	return string(b)
}

// single is the view where it matters for what is shown: memories and trash with
// the same query are the same list.
func (s spec) single() string {
	if s.list() {
		return ""
	}
	return s.view
}

// window is a spec as it is watched. All but current and subscribers is guarded
// by the resident's gate.
type window struct {
	spec
	selection *selection // of lists
	related   []int64    // of the view memory: other memories whose texts it shows

	// What changed since the state was made:
	touched map[int64]struct{} // its rows among the changed memories
	dirty   bool               // lists: ranks may have moved; others: what it shows may have changed
	all     bool               // every row may differ

	current atomic.Pointer[state]

	mu          sync.Mutex
	subscribers map[*subscription]struct{}
}

// row is a row of a window as it was last sent.
type row struct {
	id        int64
	json      json.RawMessage
	changed   uint64   // the version that brought it, or changed it last
	shown     int      // the numbers in it that move with the clock
	evictable api.Time // 0: none
	essence   []byte   // of views with one row: what has to differ for the row to be sent again
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
// behind is too slow.
var pastMost = queueMost

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
	w.touched, w.dirty, w.all = nil, false, false
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
func (w *window) note(n news) {
	if !n.any {
		return
	}
	switch {
	case w.list():
		if n.all || n.retention {
			w.all, w.dirty = true, true
			return
		}
		if len(n.memories) == 0 {
			return
		}
		w.dirty = true
		cur := w.current.Load()
		if cur == nil {
			return
		}
		for _, id := range cur.ids {
			if n.touches(id) {
				if w.touched == nil {
					w.touched = map[int64]struct{}{}
				}
				w.touched[id] = struct{}{}
			}
		}
	case w.view == wire.ViewMemory:
		w.dirty = w.dirty || n.all || n.retention || n.categories || n.touches(w.memory) || slices.ContainsFunc(w.related, n.touches)
	case w.view == wire.ViewSettings:
		w.dirty = w.dirty || n.all || n.retention || len(n.memories) > 0
	default:
		w.dirty = true
	}
}

// pending tells whether something changed since the state was made.
func (w *window) pending() bool { return w.dirty || w.all || w.current.Load() == nil }

// draft is the next state of a list in the making.
type draft struct {
	w     *window
	now   int64
	slots []int32
	total int
	need  []int64 // the rows to be read
	known []row   // by rank; those without json are needed
}

// draft finds what a list shows now, and which of its rows have to be read. It is
// nil where nothing differs. ticked says to look at the numbers that move with
// the clock; where anything else changed they are looked at anyway, since the
// frame's instant is promised for all of them.
func (w *window) draft(c *catalogue, now int64, ticked bool) (*draft, error) {
	d := &draft{w: w, now: now, total: w.selection.seq.length()}
	d.slots = w.selection.seq.part(c.rows, w.from, w.limit, now)
	prev := w.current.Load()
	differs := prev == nil || w.all || len(w.touched) > 0 || prev.total != d.total || len(prev.rows) != len(d.slots)
	d.known = make([]row, len(d.slots))
	var by map[int64]int
	for i, slot := range d.slots {
		id := c.rows[slot].ID
		switch {
		case prev == nil:
		case i < len(prev.rows) && prev.rows[i].id == id:
			d.known[i] = prev.rows[i]
		default:
			differs = true
			if by == nil {
				by = make(map[int64]int, len(prev.rows))
				for i, id := range prev.ids {
					by[id] = i
				}
			}
			if at, ok := by[id]; ok {
				d.known[i] = prev.rows[at]
			}
		}
		if _, touched := w.touched[id]; touched || w.all {
			d.known[i].json = nil
		}
		d.known[i].id = id
	}
	if !differs && !ticked {
		return nil, nil
	}
	for i, slot := range d.slots {
		r := &d.known[i]
		if r.json != nil {
			shown, evictable, err := numbers(c, &c.rows[slot], now)
			if err != nil {
				return nil, err
			}
			if shown != r.shown || evictable != r.evictable {
				r.json = nil
			}
		}
		if r.json == nil {
			d.need = append(d.need, r.id)
			differs = true
		}
	}
	if !differs {
		return nil, nil
	}
	return d, nil
}

// numbers are the shown numbers of a memory at an instant.
func numbers(c *catalogue, m *brief, now int64) (shown int, evictable api.Time, err error) {
	v, err := vitality.Vitality(m.Vital(), c.terms.Policy, now)
	if err != nil {
		return 0, 0, err
	}
	at, ok, err := vitality.EvictableAt(m.Vital(), c.terms.Policy, c.terms.NextSweepAt)
	if ok {
		evictable = api.Time(at)
	}
	return vitality.Shown(v, c.terms.Policy.Floor), evictable, err
}

// finish makes the draft the window's state. rendered has the rows that were
// needed; one that is missing there is left out, as it is gone from the store.
func (d *draft) finish(c *catalogue, rendered map[int64]row) {
	w, prev := d.w, d.w.current.Load()
	next := d.w.following(c, api.Time(d.now))
	next.total = d.total
	next.rows = make([]row, 0, len(d.known))
	for _, r := range d.known {
		if r.json == nil {
			fresh, ok := rendered[r.id]
			if !ok {
				continue
			}
			r = fresh
			r.changed = next.version
		}
		next.rows = append(next.rows, r)
	}
	next.ids = make([]int64, len(next.rows))
	for i, r := range next.rows {
		next.ids[i] = r.id
	}
	if prev != nil && slices.Equal(prev.ids, next.ids) {
		next.ids = prev.ids
	}
	w.publish(next)
}

// following begins the state after the current one, without its rows.
func (w *window) following(c *catalogue, now api.Time) *state {
	next := &state{version: 1, epoch: c.head.Epoch, seq: c.head.Seq, asOf: now, from: w.from}
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

// show makes one row the window's state where it differs from what is there.
func (w *window) show(c *catalogue, now int64, shown row) {
	prev := w.current.Load()
	if prev != nil && len(prev.rows) == 1 && shown.essence != nil && bytes.Equal(prev.rows[0].essence, shown.essence) {
		w.reached(c, now, true)
		return
	}
	next := w.following(c, api.Time(now))
	shown.changed = next.version
	next.total, next.rows, next.ids = 1, []row{shown}, []int64{shown.id}
	w.publish(next)
}

// fail ends a window that has nothing to show any more.
func (w *window) fail(c *catalogue, now int64, p *wire.Problem) {
	next := w.following(c, api.Time(now))
	next.problem = p
	w.publish(next)
}
