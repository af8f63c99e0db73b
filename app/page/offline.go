package page

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"elowen/app/browser"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// offline is what a session keeps in the browser, and what it shows of that while the
// server doesn't answer. What is kept, and how, is in assets/js/keep.js.
type offline struct {
	changes  []state.Change // that are not sent, in their order
	asOf     api.Time       // when what is seen was so, by the server's clock
	among    map[string]int // of a list that isn't kept: how many kept rows it was looked for in, by its key
	outdated bool           // the server is of another release than the page

	dirty map[string]unkept // windows to be kept, by key
	timer *time.Timer
	ticks bool
	view  *app.Context // of the open list of changes
}

// unkept is the newest state of a window that is to be kept.
type unkept struct {
	req      live.Request
	snapshot func() live.Frame
}

// keepPause is how long a window must have been still before it is kept.
const keepPause = 1200 * time.Millisecond

// accountKey names an account in the browser's store. The time is in it since another
// server at the same address counts its people from 1 again.
func accountKey(me api.Me) string { return strconv.FormatInt(me.ID, 10) + " " + me.CreatedAt.String() }

// hold makes the browser's store that of the person, and reads what waits there.
func (s *Session) hold(me api.Me) {
	b, _ := json.Marshal(me) // plain fields; can't fail
	browser.Kept(func(string, bool) { s.readQueue() }, "begin", accountKey(me), string(b))
}

// remembered asks who was here last, for a start without the server; nil for nobody.
func (s *Session) remembered(then func(me *api.Me)) {
	browser.Kept(func(kept string, ok bool) {
		var me api.Me
		ok = ok && json.Unmarshal([]byte(kept), &me) == nil && me.ID > 0
		s.do(func() {
			if !ok {
				then(nil)
				return
			}
			then(&me)
		})
		if ok {
			s.readQueue()
		}
	}, "person")
}

// keptAs is under which key a window is kept, as what kind, and how much of that kind.
func keptAs(r live.Request) (key, kind string, bound int) {
	switch r.View {
	case live.ViewMemories, live.ViewTrash:
		return r.View + writeQuery(r.Query).Encode(), "list", setting.Int("offline.rows")
	case live.ViewMemory:
		return r.View + strconv.FormatInt(r.Memory, 10), "detail", setting.Int("offline.details")
	case live.ViewConversation, live.ViewContext:
		return r.View + strconv.FormatInt(r.Of, 10), "talk", setting.Int("offline.rows")
	}
	return r.View, r.View, 1
}

// keep remembers a window, once it has been still for a moment.
func (s *Session) keep(r live.Request, snapshot func() live.Frame) {
	s.do0(func() {
		key, _, _ := keptAs(r)
		if s.off.dirty == nil {
			s.off.dirty = map[string]unkept{}
		}
		s.off.dirty[key] = unkept{r, snapshot}
		if s.off.timer == nil {
			s.off.timer = time.AfterFunc(keepPause, func() { browser.Guard("keep", func() { s.do0(s.flush) }) })
		}
	})
}

// flush keeps what is still to be kept.
func (s *Session) flush() {
	dirty := s.off.dirty
	s.off.dirty, s.off.timer = nil, nil
	for _, u := range dirty {
		f := u.snapshot()
		if f.Type != live.TypeSnapshot {
			continue
		}
		// The rows that are here are all there is without the server.
		f.From, f.Total = 0, len(f.Rows)
		key, kind, bound := keptAs(u.req)
		b, err := json.Marshal(f)
		if err == nil {
			browser.Kept(func(string, bool) {}, "keep", key, kind, len(f.Rows), bound, string(b))
		}
	}
}

// recall shows what was kept of a window.
func (s *Session) recall(r live.Request, offer func(live.Frame)) {
	key, _, _ := keptAs(r)
	browser.Kept(func(kept string, ok bool) {
		var f live.Frame
		if ok && kept != "" && json.Unmarshal([]byte(kept), &f) == nil {
			s.do(func() { s.off.asOf = max(s.off.asOf, f.AsOf) })
			offer(f)
			return
		}
		s.do0(func() {
			if f, ok := s.sketch(r); ok {
				offer(f)
				return
			}
			if r.View == live.ViewMemories || r.View == live.ViewTrash {
				s.search(r, offer)
				return
			}
			s.refuse(r, offer)
		})
	}, "recall", key)
}

// search finds the rows of a list among all that are kept, where the list itself isn't.
func (s *Session) search(r live.Request, offer func(live.Frame)) {
	browser.Kept(func(kept string, ok bool) {
		var windows []live.Frame
		if !ok || json.Unmarshal([]byte(kept), &windows) != nil {
			windows = nil
		}
		s.do(func() {
			var rows []live.Row
			f := live.Frame{Type: live.TypeSnapshot}
			for _, w := range windows {
				f.AsOf = max(f.AsOf, w.AsOf)
				for _, raw := range w.Rows {
					var row live.Row
					if json.Unmarshal(raw, &row) == nil {
						rows = append(rows, row)
					}
				}
			}
			found, asked := state.Among(rows, r.Query, s.now())
			if asked == 0 {
				s.refuse(r, offer)
				return
			}
			for i := range found {
				b, _ := json.Marshal(found[i]) // it was read from JSON; can't fail
				f.Rows = append(f.Rows, b)
			}
			f.Total = len(f.Rows)
			if s.off.among == nil {
				s.off.among = map[string]int{}
			}
			key, _, _ := keptAs(r)
			s.off.among[key] = asked
			s.off.asOf = max(s.off.asOf, f.AsOf)
			offer(f)
		})
	}, "among", "list")
}

// refuse says that nothing is kept of a window.
func (s *Session) refuse(r live.Request, offer func(live.Frame)) {
	detail := text.NotKept
	if r.View == live.ViewMemory {
		detail = text.NotKeptOne
	}
	offer(live.Frame{Type: live.TypeError, Error: &live.Problem{Code: notKept, Detail: detail}})
}

// notKept is the code of the problem that nothing was kept of a window.
const notKept = "not_kept"

// sketch is the detail of a memory of which only the row is here.
func (s *Session) sketch(r live.Request) (f live.Frame, ok bool) {
	if r.View != live.ViewMemory || s.list == nil {
		return f, false
	}
	row, _, ok := s.list.window.Find(r.Memory)
	if !ok {
		return f, false
	}
	b, err := json.Marshal(live.DetailRow{ID: row.ID, MemoryDetail: api.MemoryDetail{Memory: row.Memory}})
	return live.Frame{Type: live.TypeSnapshot, AsOf: s.list.window.AsOf, Total: 1, Rows: []json.RawMessage{b}}, err == nil
}

// do0 is do for what changes nothing that is seen.
func (s *Session) do0(f func()) {
	s.ctx.Dispatch(func(ctx app.Context) {
		defer browser.Survive("session")
		ctx.PreventUpdate()
		f()
	})
}

// cut is what happens when the connection is gone for long enough to say so: what was
// kept is shown where nothing is, and the age of what is seen grows.
func (s *Session) cut() {
	s.lost = true
	s.client.Recall()
	if s.off.ticks {
		return
	}
	s.off.ticks = true
	s.tick()
}

func (s *Session) tick() {
	s.ctx.After(20*time.Second, func(app.Context) {
		defer browser.Survive("age")
		if !s.lost {
			s.off.ticks = false
			return
		}
		s.rev++
		s.tick()
	})
}

// joined is what happens when there is a connection again.
func (s *Session) joined() {
	browser.Kept(func(string, bool) {}, "drain")
	browser.LookForRelease()
}

// --- changes that wait ---

// errWaiting is the error of a change that was put into the queue: it is not made yet,
// and nothing of it is lost.
type errWaiting struct {
	change int64 // in the queue, if it was never tried and can be taken back
}

func (errWaiting) Error() string { return text.WillBeSent }

// errQueueFull is the error of a change for which there is no place in the browser.
var errQueueFull = fault.New(fault.TooLarge, text.QueueFull)

func waits(err error) bool { _, ok := err.(errWaiting); return ok }

// readQueue reads what waits.
func (s *Session) readQueue() {
	browser.Kept(func(list string, ok bool) {
		var changes []state.Change
		if !ok || json.Unmarshal([]byte(list), &changes) != nil {
			return
		}
		s.do(func() {
			before := len(s.off.changes)
			s.off.changes = changes
			if before > 0 && len(changes) == 0 && s.status.Phase == sync.Online {
				s.say(text.SentAll, nil)
			}
			if s.off.view != nil {
				s.off.view.Update()
			}
			if s.detail != nil {
				s.detail.ctx.Update()
			}
		})
		if s.status.Phase == sync.Online {
			browser.Kept(func(string, bool) {}, "drain")
		}
	}, "list")
}

// later reads a request as a change that may wait, with what is to be shown of it.
func (s *Session) later(w sync.Write) (state.Change, bool) {
	var body []byte
	if w.Body != nil {
		var err error
		if body, err = json.Marshal(w.Body); err != nil {
			return state.Change{}, false
		}
	}
	c, ok := state.ChangeOf(w.Method, w.Path, body)
	c.Key, c.Revision = w.Key, w.IfMatch
	if c.Text == "" && len(c.Memories) > 0 {
		c.Text = s.bodyOf(c.Memories[0])
	}
	return c, ok && s.me != nil
}

// bodyOf is the text of a memory that is on the screen; "" for another.
func (s *Session) bodyOf(id int64) string {
	if s.detail != nil {
		if m, ok := s.detail.memory(); ok && m.ID == id {
			return m.Body
		}
	}
	if s.list != nil {
		if row, _, ok := s.list.window.Find(id); ok {
			return row.Body
		}
	}
	if m, ok := s.picked.rows[id]; ok {
		return m.Body
	}
	return ""
}

// mustWait tells whether a change can't be tried now: the server doesn't answer, or
// an earlier change of the same memory is still to be sent.
func (s *Session) mustWait(c state.Change) bool {
	if s.status.Phase == sync.Offline || s.start && !browser.Online() {
		return true
	}
	for _, id := range c.Memories {
		for _, w := range s.off.changes {
			// What is refused because of the trash waits for just this.
			if w.About(id) && c.Action != api.BulkRestore {
				return true
			}
		}
	}
	return false
}

// enqueue puts a change among those that wait. One that was tried may have been made.
func (s *Session) enqueue(c state.Change, tried bool, then func(err error)) {
	b, _ := json.Marshal(c) // plain fields; can't fail
	browser.Kept(func(change string, ok bool) {
		s.do(func() {
			if !ok {
				then(errQueueFull)
				return
			}
			s.picked.clear()
			var waiting errWaiting
			if !tried {
				waiting.change, _ = strconv.ParseInt(change, 10, 64)
			}
			then(waiting)
		})
	}, "enqueue", string(b), setting.Int("offline.changes"))
}

// withdraw takes a change out of the queue, unless it was sent by now.
func (s *Session) withdraw(change int64) {
	browser.Kept(func(held string, ok bool) {
		s.do(func() {
			if !ok || held == "" {
				s.say(text.SentMeanwhile, nil)
				return
			}
			browser.Kept(func(string, bool) { s.readQueue() }, "drop", change)
		})
	}, "hold", change)
}

// overlay is a memory as it will be once what waits for it has been sent, and what is
// said of that; "" where nothing waits.
func (s *Session) overlay(m api.Memory) (api.Memory, string) {
	if len(s.off.changes) == 0 {
		return m, ""
	}
	m, last := state.Overlay(m, s.off.changes)
	for _, c := range s.off.changes {
		switch {
		case !c.About(m.ID):
		case c.State == state.ChangeConflict:
			return m, text.ConflictFlag
		case c.State == state.ChangeRefused:
			return m, text.RefusedFlag
		case c.State == state.ChangeTrashed:
			return m, text.TrashedFlag
		}
	}
	if last == nil {
		return m, ""
	}
	return m, text.WaitingTo(last.Action)
}

// counts tells how many changes wait, and how many need a decision.
func (s *Session) counts() (waiting, stuck int) {
	for _, c := range s.off.changes {
		if c.State == state.ChangeWaiting || c.State == state.ChangeHeld {
			waiting++
		} else {
			stuck++
		}
	}
	return waiting, stuck
}

// settle removes the changes of a memory that needed a decision, after it was taken in
// the form; and the one whose text was put there.
func (s *Session) settle(id, change int64) {
	for _, c := range s.off.changes {
		if c.State != state.ChangeWaiting && id > 0 && c.About(id) || c.ID == change {
			browser.Kept(func(string, bool) {}, "drop", c.ID)
		}
	}
}

// release lets a change that was held for the form wait again, when the form is left
// without saving.
func (s *Session) release(change int64) {
	for _, c := range s.off.changes {
		if c.State == state.ChangeHeld && c.ID == change {
			browser.Kept(func(string, bool) { s.readQueue() }, "again", c.ID, 0)
		}
	}
}

// restoreOne takes a memory out of the trash, and goes on once it is there again.
func (s *Session) restoreOne(id int64, now *api.Memory, then func()) {
	w := sync.Write{Method: "POST", Path: api.MemoryPath(id, "restore"), Out: now, Key: sync.NewKey()}
	s.async(w.Path, func(ctx context.Context) error {
		err := s.api.Send(ctx, w)
		if err == nil {
			err = s.api.Get(ctx, api.MemoryPath(id), now)
		}
		return err
	}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		then()
	})
}
