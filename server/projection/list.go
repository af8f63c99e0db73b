package projection

import (
	"slices"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

// list is a part of a selection, as a window of the views memories and trash
// shows it. Lists are brought up to date together, so that each row is read once.
type list struct {
	query api.MemoryQuery // normalized
	from  int
	limit int

	selection *selection // nil before the first projection

	// What changed since the state was made:
	touched map[int64]struct{} // its rows among the changed memories
	all     bool               // every row may differ
}

func openMemories(_ account.Identity, req wire.Request) (*window, error) {
	row := setting.Get("live.window")
	l := &list{query: req.Query.Normal(), from: req.From, limit: req.Limit}
	if l.limit == 0 {
		l.limit = int(row.Default)
	}
	if !row.Contains(float64(l.limit)) || l.from < 0 {
		return nil, fault.BadField("limit", "setting", row.Range(), "A window has "+row.Range()+" rows.")
	}
	// Memories and trash with the same query are the same list.
	return newWindow(string(marshal([]any{l.query, l.from, l.limit})), l, nil), nil
}

func openTrash(who account.Identity, req wire.Request) (*window, error) {
	req.Query.Status = api.StatusDeleted
	return openMemories(who, req)
}

// note takes in what an advance brought. cur is what the window shows, or nil. It
// tells whether ranks may have moved.
func (l *list) note(n News, cur *state) bool {
	if n.Of(db.NounRetention) {
		l.all = true
		return true
	}
	if !n.Of(db.NounMemory, db.NounUsage) {
		return false
	}
	if cur == nil {
		return true
	}
	for _, id := range cur.ids {
		if n.touchesMemory(id) {
			if l.touched == nil {
				l.touched = map[int64]struct{}{}
			}
			l.touched[id] = struct{}{}
		}
	}
	return true
}

// clean forgets what changed: the state has it.
func (l *list) clean() { l.touched, l.all = nil, false }

// projectLists brings the windows with lists up to date.
func (r *resident) projectLists(tx *db.Tx, windows []*window, ticked bool) error {
	c, now := r.cat, tx.Now
	var drafts []*draft
	for _, w := range windows {
		if w.list == nil {
			continue
		}
		if !w.pending() && !ticked {
			w.reached(c, now, false)
			continue
		}
		was := w.list.selection
		s, err := r.selection(tx, w.list.query)
		if err != nil {
			return err
		}
		if s != was {
			w.list.selection = s
			s.windows++
		}
		d, err := w.draft(c, now, ticked)
		switch {
		case err != nil:
			return err
		case d == nil:
			w.clean()
			w.reached(c, now, ticked)
		default:
			drafts = append(drafts, d)
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	rendered, err := r.render(tx, drafts)
	if err != nil {
		return err
	}
	for i, d := range drafts {
		d.finish(c, rendered[i])
	}
	return nil
}

// render reads the rows that drafts need, each once, and writes them as they are
// sent; rows of a search carry its marks and are written for each search.
func (r *resident) render(tx *db.Tx, drafts []*draft) ([]map[int64]row, error) {
	wanted := map[int64]struct{}{}
	var ids []int64
	for _, d := range drafts {
		for _, id := range d.need {
			if _, twice := wanted[id]; !twice {
				wanted[id] = struct{}{}
				ids = append(ids, id)
			}
		}
	}
	memories, err := r.p.c.Memories.Rows(tx, r.owner, ids)
	if err != nil {
		return nil, err
	}
	by := make(map[int64]*api.Memory, len(memories))
	for i := range memories {
		by[memories[i].ID] = &memories[i]
	}
	written := map[*selection]map[int64]row{} // nil: without a search
	out := make([]map[int64]row, len(drafts))
	for i, d := range drafts {
		var search *selection
		if d.w.list.query.Q != "" {
			search = d.w.list.selection
		}
		rows := written[search]
		if rows == nil {
			rows = map[int64]row{}
			written[search] = rows
		}
		for _, id := range d.need {
			m, ok := by[id]
			if _, done := rows[id]; done || !ok {
				continue
			}
			shown := wire.Row{Memory: *m}
			if search != nil {
				shown.Marks = marks(m.Body, search.parsed)
			}
			fresh := row{id: id, json: marshal(shown), shown: m.VitalityShown}
			if m.EvictableAt != nil {
				fresh.evictable = *m.EvictableAt
			}
			rows[id] = fresh
		}
		out[i] = rows
	}
	return out, nil
}

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
	d := &draft{w: w, now: now, total: w.list.selection.seq.length()}
	d.slots = w.list.selection.seq.part(c.rows, w.list.from, w.list.limit, now)
	prev := w.current.Load()
	differs := prev == nil || w.list.all || len(w.list.touched) > 0 || prev.total != d.total || len(prev.rows) != len(d.slots)
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
		if _, touched := w.list.touched[id]; touched || w.list.all {
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
	next.total, next.from = d.total, w.list.from
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
