package projection

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// resident is one account as far as it is in memory.
//
// The gate is held by whoever reads or advances it; a reader of the store is
// taken only after it, never the other way round, so that waiting at the gate
// never holds a reader that the one inside needs.
type resident struct {
	p     *Projector
	owner db.AccountID

	gate       gate
	cat        *catalogue            // nil: not in memory
	selections map[string]*selection // by queryKey
	windows    map[string]*window    // by window.key

	// accountNews: the account itself changed, and its viewers don't know yet.
	accountNews bool

	// Guarded by Projector.mu:
	viewers map[*Viewer]struct{}
	held    int                // calls that are about to come in, or inside
	leave   context.CancelFunc // ends the following; nil where nobody watches
	size    int64
	usedAt  int64 // by Projector.uses
	asked   int64 // when it was last used, by Projector.millis
	leaving bool  // its memory is about to be given back

	nudge   chan struct{}              // something was touched
	touched map[db.Noun]map[int64]bool // what no log tells of, since the last advance
}

func (r *resident) bytes() int64 {
	if r.cat == nil {
		return 0
	}
	n := r.cat.bytes()
	for _, s := range r.selections {
		n += s.bytes()
	}
	return n
}

// forget gives the memory back, and the place unless a call is on its way to it.
// It does nothing while somebody is inside or watches.
func (r *resident) forget() {
	entered := r.gate.tryEnter()
	if entered {
		defer r.gate.leave()
	}
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	r.leaving = false
	if !entered || len(r.viewers) > 0 {
		return
	}
	r.cat, r.selections, r.windows = nil, map[string]*selection{}, map[string]*window{}
	p.bytes -= r.size
	r.size = 0
	if r.held == 0 && p.residents[r.owner] == r {
		delete(p.residents, r.owner)
	}
}

// emptied tells whether there is nothing here to be kept: nothing was read, or the
// log that it was read by is gone, as an erased account's is.
func (r *resident) emptied(head db.Head) bool {
	if !r.gate.tryEnter() {
		return false
	}
	defer r.gate.leave()
	return r.cat == nil || head.Seq == 0
}

// rest drops what nobody asked for in a while.
func (r *resident) rest() {
	if !r.gate.tryEnter() {
		return
	}
	defer r.gate.leave()
	r.p.settle(r)
}

// A selection that no window shows is kept for the next page: at most idleMost of
// an account, and restMillis long.
const (
	idleMost   = 4
	restMillis = 60_000
)

// prune drops windows without subscribers, and selections that no window shows
// and that are unused for that long or too many.
func (r *resident) prune(unused int64) {
	for key, w := range r.windows {
		if w.unwatched() {
			r.dropWindow(key, w)
		}
	}
	var idle []*selection
	now := r.p.millis()
	for key, s := range r.selections {
		switch {
		case s.windows > 0:
		case now-s.usedAt > unused:
			delete(r.selections, key)
		default:
			idle = append(idle, s)
		}
	}
	for len(idle) > idleMost {
		oldest := 0
		for i, s := range idle {
			if s.usedAt < idle[oldest].usedAt {
				oldest = i
			}
		}
		delete(r.selections, idle[oldest].key)
		idle[oldest] = idle[len(idle)-1]
		idle = idle[:len(idle)-1]
	}
}

func (r *resident) dropWindow(key string, w *window) {
	delete(r.windows, key)
	if l := w.list; l != nil && l.selection != nil {
		l.selection.windows--
		l.selection.usedAt = r.p.millis()
	}
}

// advance brings the catalogue and its selections to the transaction's snapshot,
// and tells the windows what is new, whoever it was that asked. Where it fails
// nothing has changed.
func (r *resident) advance(tx *db.Tx) error {
	n, err := r.catchUp(tx)
	if err != nil {
		return err
	}
	for noun, ids := range r.takeTouched() {
		for id := range ids {
			n.add(noun, id)
		}
	}
	r.accountNews = r.accountNews || n.Of(db.NounAccount)
	for _, w := range r.windows {
		w.note(n)
	}
	return nil
}

func (r *resident) catchUp(tx *db.Tx) (News, error) {
	terms, err := r.p.c.Rules.Terms(tx)
	if err != nil {
		return News{}, err
	}
	if r.cat == nil || keysMoved(r.cat.terms, terms) {
		return r.reload(tx)
	}
	n, head, err := entries(tx, r.owner, r.cat.head)
	if fault.Is(err, fault.Gone) {
		return r.reload(tx)
	}
	if err != nil {
		return n, err
	}
	if n.Of(db.NounProject, db.NounCategory) {
		where, err := r.p.c.Memories.Places(tx, r.owner)
		if err != nil {
			return n, err
		}
		if !where.Same(r.cat.where) {
			return r.reload(tx)
		}
	}
	if ids := n.memories(); len(ids) > 0 {
		if err := r.reread(tx, ids); err != nil {
			return n, err
		}
	}
	if terms != r.cat.terms {
		n.add(db.NounRetention, 0)
		r.cat.terms = terms
		for _, s := range r.selections {
			if s.query.FadesWithin > 0 && !s.stale {
				s.build(r.cat, tx.Now)
			}
		}
	}
	r.cat.head = head
	return n, nil
}

func (r *resident) reload(tx *db.Tx) (News, error) {
	terms, err := r.p.c.Rules.Terms(tx)
	if err != nil {
		return News{}, err
	}
	expected := 0
	if r.cat != nil {
		expected = len(r.cat.slots)
	}
	c, err := load(tx, r.p.c.Memories, r.owner, terms, expected)
	if err != nil {
		return News{}, err
	}
	r.cat = c
	for _, s := range r.selections {
		if s.query.Q != "" {
			s.stale = true
		} else {
			s.build(c, tx.Now)
		}
	}
	return everything(), nil
}

// reread reads the changed memories and moves them in every selection.
func (r *resident) reread(tx *db.Tx, ids []int64) error {
	fresh := make([]brief, 0, len(ids))
	for m, err := range briefs(tx, r.p.c.Memories, r.owner, r.cat.where, ids) {
		if err != nil {
			return err
		}
		fresh = append(fresh, *m)
	}
	old := make([]int32, 0, len(ids))
	for _, id := range ids {
		if slot, ok := r.cat.slots[id]; ok {
			old = append(old, slot)
		}
	}
	// Words are found elsewhere only after a change of a text, which is a revision;
	// a use is none.
	edited := len(old) != len(fresh)
	indexed := edited
	for i := range fresh {
		was := r.cat.get(fresh[i].ID)
		edited = edited || was == nil || was.Revision != fresh[i].Revision
		indexed = indexed || was == nil || was.Indexed != fresh[i].Indexed
	}
	for _, s := range r.selections {
		if s.query.Q != "" && (edited || indexed && s.byMeaning()) {
			s.stale = true
		}
		if !s.stale {
			s.out(r.cat.rows, old)
		}
	}
	found := make(map[int64]struct{}, len(fresh))
	now := make([]int32, 0, len(fresh))
	for i := range fresh {
		found[fresh[i].ID] = struct{}{}
		now = append(now, r.cat.put(&fresh[i]))
	}
	for _, id := range ids {
		if _, ok := found[id]; !ok {
			r.cat.drop(id)
		}
	}
	for _, s := range r.selections {
		if !s.stale {
			s.in(r.cat.rows, now)
		}
	}
	return nil
}

// selection is what the query selects, right at the transaction's snapshot.
func (r *resident) selection(tx *db.Tx, q api.MemoryQuery) (*selection, error) {
	s := newSelection(q)
	if known := r.selections[s.key]; known != nil {
		s = known
	}
	s.usedAt = r.p.millis()
	switch {
	case s.stale:
		if err := s.search(tx, &r.p.c, r.owner, r.cat, r.p.millis()); err != nil {
			return nil, err
		}
	case s.seq == nil:
		s.build(r.cat, tx.Now)
	default:
		s.timely(r.cat, tx.Now)
	}
	r.selections[s.key] = s
	return s, nil
}
