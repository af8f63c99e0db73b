package projection

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
)

// pace is how an account that is watched is followed, in milliseconds.
type pace struct {
	breath int64 // between two advances under a stream of changes; the first comes at once
	search int64 // between two searches for the same words
	retry  int64 // after a failure of the store
}

var calm = pace{breath: 15, search: 120, retry: 1_000}

// follow keeps the account's windows up to date with its change log until ctx ends.
func (r *resident) follow(ctx context.Context, wake <-chan struct{}) {
	last := -r.p.pace.breath
	var later <-chan time.Time
	for {
		select {
		case <-wake:
		case <-later:
		case <-ctx.Done():
			return
		}
		if pause := last + r.p.pace.breath - r.p.millis(); pause > 0 {
			select {
			case <-time.After(time.Duration(pause) * time.Millisecond):
			case <-ctx.Done():
				return
			}
		}
		again, err := r.refresh(ctx, false)
		last = r.p.millis()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.p.c.Log.Warn("live windows cannot be brought up to date; they will be tried again", "error", err)
			again = r.p.pace.retry
		}
		later = nil
		if again > 0 {
			later = time.After(time.Duration(again) * time.Millisecond)
		}
	}
}

// refresh brings the account and all its windows up to date. again says in how
// many milliseconds something that was put off is due; 0 is never.
func (r *resident) refresh(ctx context.Context, ticked bool) (again int64, err error) {
	if err := r.gate.enter(ctx); err != nil {
		return 0, err
	}
	defer r.gate.leave()
	defer r.p.settle(r)
	defer func() {
		// One stored text that trips the code over must not end the server for all.
		if p := recover(); p != nil {
			r.p.c.Log.Error("live windows panicked", "panic", p, "stack", string(debug.Stack()))
			again, err = 0, fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
		}
	}()
	r.prune(restMillis)
	if ticked && len(r.windows) == 0 {
		return 0, nil
	}
	err = r.p.c.DB.View(ctx, func(tx *db.Tx) error {
		if err := r.advance(tx); err != nil {
			return err
		}
		var list []*window
		for _, w := range r.windows {
			if w.selection != nil && w.selection.stale {
				if wait := w.selection.searchedAt + r.p.pace.search - r.p.millis(); wait > 0 {
					if again == 0 || wait < again {
						again = wait
					}
					continue
				}
			}
			list = append(list, w)
		}
		return r.project(tx, list, ticked)
	})
	r.tellAccount()
	return again, err
}

// project makes the states of windows right at the transaction's snapshot, to
// which the catalogue has been advanced.
func (r *resident) project(tx *db.Tx, windows []*window, ticked bool) error {
	c, now := r.cat, tx.Now
	var drafts []*draft
	for _, w := range windows {
		if !w.list() {
			if err := r.projectSingle(tx, w, ticked); err != nil {
				return err
			}
			continue
		}
		if !w.pending() && !ticked {
			w.reached(c, now, false)
			continue
		}
		was := w.selection
		s, err := r.selection(tx, w.query)
		if err != nil {
			return err
		}
		if s != was {
			w.selection = s
			s.windows++
		}
		d, err := w.draft(c, now, ticked)
		switch {
		case err != nil:
			return err
		case d == nil:
			w.touched, w.dirty, w.all = nil, false, false
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
		if d.w.query.Q != "" {
			search = d.w.selection
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

// projectSingle makes the state of a window with one row.
func (r *resident) projectSingle(tx *db.Tx, w *window, ticked bool) error {
	c, now := r.cat, tx.Now
	prev := w.current.Load()
	if prev != nil && prev.problem != nil {
		return nil
	}
	dirty := w.pending()
	if !dirty && !ticked {
		w.reached(c, now, false)
		return nil
	}
	var shown row
	var err error
	switch w.view {
	case wire.ViewMemory:
		if !dirty {
			var moved bool
			if moved, err = w.moved(c, now); err == nil && !moved {
				w.reached(c, now, true)
				return nil
			}
		}
		shown, err = r.detail(tx, w)
	case wire.ViewStats:
		shown, err = r.overview(tx, w.who)
	case wire.ViewSettings:
		shown, err = r.settings(tx)
	}
	switch {
	case err == nil:
		w.show(c, now, shown)
	case prev != nil && (fault.Is(err, fault.NotFound) || fault.Is(err, fault.Unauthenticated)):
		w.fail(c, now, problemOf(err))
		err = nil
	}
	return err
}

// moved tells whether the clock moved the numbers of the memory that a window shows.
func (w *window) moved(c *catalogue, now int64) (bool, error) {
	m := c.get(w.memory)
	prev := w.current.Load()
	if m == nil || len(prev.rows) == 0 {
		return true, nil
	}
	shown, evictable, err := numbers(c, m, now)
	return shown != prev.rows[0].shown || evictable != prev.rows[0].evictable, err
}

// errNoMemory reads the same for what never was, is no more, or is another's.
var errNoMemory = fault.New(fault.NotFound, "There is no such memory.")

func (r *resident) detail(tx *db.Tx, w *window) (row, error) {
	if r.cat.get(w.memory) == nil {
		return row{}, errNoMemory
	}
	d, err := r.p.c.Memories.Detail(tx, r.owner, w.memory, w.days)
	if fault.Is(err, fault.NotFound) {
		return row{}, errNoMemory
	}
	if err != nil {
		return row{}, err
	}
	shown := row{id: w.memory, json: marshal(wire.DetailRow{ID: w.memory, MemoryDetail: d}), shown: d.Memory.VitalityShown}
	if d.Memory.EvictableAt != nil {
		shown.evictable = *d.Memory.EvictableAt
	}
	w.related = w.related[:0]
	for _, s := range d.Similar {
		w.related = append(w.related, s.ID)
	}
	return shown, nil
}

func (r *resident) overview(tx *db.Tx, who account.Identity) (row, error) {
	o := wire.Overview{Stats: r.cat.stats(tx.Now)}
	var err error
	if o.Categories, err = r.p.categories.ListIn(tx, r.owner); err != nil {
		return row{}, err
	}
	for i := range o.Categories {
		o.Categories[i].Count = r.cat.tally.categories[o.Categories[i].ID]
	}
	if o.Me, err = account.MeIn(tx, who); err != nil {
		return row{}, err
	}
	shown := row{json: marshal(o)}
	o.Stats.AsOf = 0
	shown.essence = marshal(o)
	return shown, nil
}

func (r *resident) settings(tx *db.Tx) (row, error) {
	s, err := r.p.c.Retention.StatusIn(tx, r.owner)
	if err != nil {
		return row{}, err
	}
	b, err := json.Marshal(wire.SettingsRow{Retention: s})
	return row{json: b, essence: b}, err
}
