package projection

import (
	"context"
	"slices"
	"sync"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

var windowsMost = setting.Int("live.windows")

// Viewer is one reader with its windows. Subscribe, Unsubscribe and Close are for
// one goroutine at a time, Next for another one.
type Viewer struct {
	p    *Projector
	r    *resident
	who  account.Identity
	hint func()

	mu      sync.Mutex
	closed  bool
	subs    map[string]*subscription
	queue   []*subscription // those that have something for the reader, in order
	asked   bool            // the account changed since AccountChanged was last asked
	watched context.CancelFunc
}

// subscription is a window under the reader's own name for it.
type subscription struct {
	id     string
	viewer *Viewer
	w      *window

	// Guarded by Viewer.mu:
	version uint64 // of the window, as the reader has it; 0: nothing yet
	epoch   string
	resumed []byte // the first frame of one who had something already
	queued  bool
	over    bool
}

// Open makes a viewer for an identity. hint is called whenever Next may have
// something, or AccountChanged; it must not wait. While a viewer is open its
// account is followed.
func (p *Projector) Open(who account.Identity, hint func()) *Viewer {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.place(who.Owner)
	v := &Viewer{p: p, r: r, who: who, hint: hint, subs: map[string]*subscription{}}
	r.viewers[v] = struct{}{}
	if r.leave == nil && !p.closed {
		// Woken from here on: nothing that is committed after this is missed.
		wake, cancel := p.c.Feed.Subscribe(r.owner)
		ctx, stop := context.WithCancel(p.ctx)
		r.leave = func() { stop(); cancel() }
		p.done.Add(1)
		go func() {
			defer p.done.Done()
			r.follow(ctx, wake)
		}()
	}
	return v
}

// Close ends the viewer and its windows.
func (v *Viewer) Close() {
	v.mu.Lock()
	v.closed = true
	subs := v.subs
	v.subs, v.queue = nil, nil
	v.mu.Unlock()
	for _, s := range subs {
		s.w.remove(s)
	}
	p, r := v.p, v.r
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(r.viewers, v)
	if len(r.viewers) == 0 && r.leave != nil {
		r.leave()
		r.leave = nil
	}
}

// Subscribe opens a window, or opens it anew where the viewer has one of that
// name. The request is valid by its tags. What the reader has already (Since,
// Epoch, Have, AsOf) is taken up: the first frame is then a delta or a gap.
//
// Errors: fault.Invalid, also for a view that there is not; fault.NotFound for a
// memory that is not the account's, fault.Unavailable, fault.TooMany for more
// windows than live.windows.
func (v *Viewer) Subscribe(ctx context.Context, req wire.Request) error {
	v.Unsubscribe(req.ID)
	open, ok := v.p.views[req.View]
	if !ok {
		return fault.BadField("view", "oneof", "", "There is no such view.")
	}
	w, err := open(v.who, req)
	if err != nil {
		return err
	}
	v.mu.Lock()
	many := len(v.subs) >= windowsMost
	v.mu.Unlock()
	if many {
		return fault.Newf(fault.TooMany, "At most %d windows at a time.", windowsMost)
	}
	if w.list != nil {
		if err := v.p.ask(embedding.For(ctx, v.who.Owner), w.list.query); err != nil {
			return err
		}
	}
	s := &subscription{id: req.ID, viewer: v}
	if err := v.r.subscribe(ctx, w, req, s); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		if s.w != nil {
			s.w.remove(s)
		}
		return nil
	}
	if s.w != nil && !s.over {
		v.subs[req.ID] = s
	}
	v.enqueue(s)
	return nil
}

// subscribe attaches a subscription to a window, or to the one of that key that is
// there already, right at the present.
func (r *resident) subscribe(ctx context.Context, w *window, req wire.Request, s *subscription) error {
	if err := r.gate.enter(ctx); err != nil {
		return err
	}
	defer r.gate.leave()
	defer r.p.settle(r)
	return r.p.c.DB.View(ctx, func(tx *db.Tx) error {
		if err := r.advance(tx); err != nil {
			return err
		}
		key := w.key
		if known := r.windows[key]; known != nil {
			w = known
		}
		// With the clock looked at, so that the state is not older than what one
		// who comes back has seen.
		if err := r.project(tx, []*window{w}, true); err != nil {
			if w.list != nil && w.list.selection != nil && r.windows[key] == nil {
				w.list.selection.windows--
			}
			return err
		}
		r.windows[key] = w // without a subscriber it goes with the next refresh
		cur := w.current.Load()
		if cur.problem != nil {
			return fault.New(fault.KindOfCode(cur.problem.Code), cur.problem.Detail)
		}
		if req.Epoch != "" {
			frame, ok, err := r.resume(tx, w, cur, req)
			if err != nil {
				return err
			}
			s.resumed = frame
			if !ok {
				return nil
			}
			s.version = cur.version
		}
		s.w, s.epoch = w, cur.epoch
		w.add(s)
		return nil
	})
}

// resumeMost is how many changes are looked through for one who comes back. After
// more it is sent every row of its window, which costs less.
const resumeMost = 1000

// resume makes the frame for one who has something already: a delta, or a gap
// where the log doesn't tell what happened since.
func (r *resident) resume(tx *db.Tx, w *window, cur *state, req wire.Request) (frame []byte, ok bool, err error) {
	head, err := tx.Head(r.owner)
	if err != nil {
		return nil, false, err
	}
	// One who has seen a later instant than ours: the clock was put back.
	if req.Epoch != head.Epoch || req.Since < head.Floor || req.Since > head.Seq || req.AsOf > cur.asOf {
		return gapFrame(req.ID, cur.epoch), false, nil
	}
	n := everything()
	if head.Seq-req.Since <= resumeMost {
		n, _, err = entries(tx, r.owner, db.Head{Seq: req.Since, Epoch: req.Epoch})
		if fault.Is(err, fault.Gone) {
			n, err = everything(), nil // the noun as a whole changed
		}
		if err != nil {
			return nil, false, err
		}
	}
	if w.view != nil {
		_, timely := w.view.(Timely)
		changed := timely || n.all || w.view.Touched(n)
		rest := cur.delta(req.Have, func(row) bool { return changed })
		return appendFrame(nil, wire.TypeDelta, req.ID, rest), true, nil
	}
	rest := cur.delta(req.Have, func(old row) bool {
		if n.Of(db.NounRetention) || req.AsOf == 0 || n.touchesMemory(old.id) {
			return true
		}
		m := r.cat.get(old.id)
		if m == nil {
			return true
		}
		shown, evictable, err := numbers(r.cat, m, int64(req.AsOf))
		return err != nil || shown != old.shown || evictable != old.evictable
	})
	return appendFrame(nil, wire.TypeDelta, req.ID, rest), true, nil
}

// Unsubscribe closes the window of that name, if there is one.
func (v *Viewer) Unsubscribe(id string) {
	v.mu.Lock()
	s := v.subs[id]
	if s != nil {
		v.end(s)
	}
	v.mu.Unlock()
	if s != nil {
		s.w.remove(s)
	}
}

// end forgets a subscription. v.mu is held.
func (v *Viewer) end(s *subscription) {
	s.over = true
	if v.subs[s.id] == s {
		delete(v.subs, s.id)
	}
	v.queue = slices.DeleteFunc(v.queue, func(o *subscription) bool { return o == s })
}

// mark notes that a subscription's window has something new.
func (v *Viewer) mark(s *subscription) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.enqueue(s)
}

func (v *Viewer) enqueue(s *subscription) {
	if s.queued || s.over || v.closed {
		return
	}
	s.queued = true
	v.queue = append(v.queue, s)
	v.hint()
}

// Next appends the next frame for the reader to b. ok is false where there is
// none at the moment. One that was left far behind is sent a whole window again.
func (v *Viewer) Next(b []byte) (frame []byte, ok bool) {
	var s *subscription
	v.mu.Lock()
	for !ok && len(v.queue) > 0 {
		s = v.queue[0]
		v.queue = v.queue[1:]
		s.queued = false
		b, ok = v.frame(b, s)
	}
	over := ok && s.over && s.w != nil
	v.mu.Unlock()
	if over {
		s.w.remove(s)
	}
	return b, ok
}

// frame appends what brings one subscription to the present. v.mu is held.
func (v *Viewer) frame(b []byte, s *subscription) ([]byte, bool) {
	if s.resumed != nil {
		b = append(b, s.resumed...)
		s.resumed = nil
		if s.w == nil {
			s.over = true
		} else if s.w.current.Load().version != s.version {
			v.enqueue(s)
		}
		return b, true
	}
	cur := s.w.current.Load()
	switch {
	case cur.problem != nil:
		v.end(s)
		return append(b, marshal(wire.Frame{Type: wire.TypeError, ID: s.id, Error: cur.problem})...), true
	case cur.epoch != s.epoch:
		v.end(s)
		return append(b, gapFrame(s.id, cur.epoch)...), true
	case s.version == 0:
		s.version = cur.version
		return appendFrame(b, wire.TypeSnapshot, s.id, cur.snapshot()), true
	case s.version == cur.version:
		return b, false
	}
	rest, known := cur.since(s.version)
	s.version = cur.version
	if !known { // it stood still for too long
		return appendFrame(b, wire.TypeSnapshot, s.id, cur.snapshot()), true
	}
	return appendFrame(b, wire.TypeDelta, s.id, rest), true
}

// AccountChanged tells whether the account itself changed (its switches, its
// sessions and tokens, or whether it is enabled) since this was last asked.
func (v *Viewer) AccountChanged() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	was := v.asked
	v.asked = false
	return was
}

// tellAccount tells the viewers that the account itself changed. The gate is held.
func (r *resident) tellAccount() {
	if !r.accountNews {
		return
	}
	r.accountNews = false
	r.p.mu.Lock()
	viewers := make([]*Viewer, 0, len(r.viewers))
	for v := range r.viewers {
		viewers = append(viewers, v)
	}
	r.p.mu.Unlock()
	for _, v := range viewers {
		v.mu.Lock()
		v.asked = true
		if !v.closed {
			v.hint()
		}
		v.mu.Unlock()
	}
}
