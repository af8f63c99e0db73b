package page

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Session is what the pages of one signed-in person share: the connection, what
// the frame shows, and what floats over it. It is used on go-app's own goroutine
// only; whatever happens elsewhere comes in through do.
type Session struct {
	api    *sync.API
	client *sync.Client

	me       *api.Me
	overview *overview
	gathered overview // what is here of it
	policy   *live.SettingsRow
	index    *api.IndexState
	projects []api.Project
	status   sync.Status
	lost     bool          // offline for long enough to say so
	ahead    time.Duration // of the server's clock before ours
	told     bool          // ahead is known

	route      route
	toasts     []part.Toast
	toastID    int
	menu       *part.MenuSpec
	dialog     *part.DialogSpec
	palette    bool // is open
	paletteNth int  // how often it was opened
	going      bool // g was pressed: the next letter names a page
	shelves    *Categories
	picked     picked
	working    int   // changes of many memories that wait for their answer
	place      place // of the open memory in the list
	duesSeen   bool  // the banner about what is due was put away

	drafts []browser.Draft // of this tab: what was typed and not saved
	off    offline         // what is kept in the browser, and what waits to be sent

	typing  *Editor      // the form of a memory that is open; nil for none
	ended   bool         // the session has ended, and the person may sign in again in place
	entry   string       // of the history; the places that lists were scrolled to are those of an entry
	landing bool         // the focus goes to the page that is being opened
	edit    int64        // the memory whose form is to be opened
	merging []api.Memory // the sources of the merge that is being written

	rev    int // counts changes that pages must show
	ctx    app.Context
	list   *List
	rows   *rowWindow // of the list, or of the trash
	detail *Detail
	chat   *Chat
	start  bool

	sayings map[int64]*saying // by conversation
}

// duesKey remembers for the visit that the banner about what is due was put away.
const duesKey = "elowen.dues"

// place is where the open memory stands in the list, for "2 of 1,284".
type place struct {
	id    int64
	rank  int
	total int
}

func newSession(ctx app.Context) *Session {
	return &Session{
		ctx:      ctx,
		duesSeen: browser.Session.Get(duesKey) != "",
		api:      &sync.API{Transport: sync.Fetch{Prefix: trimSlash(browser.Base()), Seen: browser.SeenRelease}, Wait: sync.Sleep},
	}
}

func trimSlash(s string) string { return s[:len(s)-1] }

// do runs f on go-app's goroutine and shows the whole frame anew.
func (s *Session) do(f func()) {
	s.ctx.Dispatch(func(app.Context) {
		defer browser.Survive("session")
		f()
		s.rev++
	})
}

// changed shows the whole frame anew; called on go-app's goroutine.
func (s *Session) changed() { s.do(func() {}) }

// begin connects, once, after the person is known.
func (s *Session) begin() {
	if s.start {
		return
	}
	s.start = true
	s.client = sync.New(sync.Options{
		Dial:      sync.Dial(browser.Live(api.PathLive)),
		Check:     s.check,
		Clock:     sync.System{},
		Random:    rand.Float64,
		Heartbeat: time.Duration(setting.Int("live.heartbeatSeconds")) * time.Second,
		Guard:     browser.Guard,
		OnStatus:  func(st sync.Status) { s.do(func() { s.setStatus(st) }) },
		Keep:      s.keep,
		Recall:    s.recall,
	})
	s.follow()
	s.client.Start()
}

// check asks whether the server still knows us, and as the same person.
func (s *Session) check(ctx context.Context) error {
	var me api.Me
	err := s.api.Get(ctx, api.PathMe, &me)
	if err == nil {
		s.do0(func() {
			if s.me != nil && accountKey(me) != accountKey(*s.me) {
				browser.Reload() // the browser has another session by now
			}
		})
	}
	return err
}

// end forgets everything of the person, here and in the browser's stores, and goes on
// when that is done.
func (s *Session) end(then func()) {
	if s.client != nil {
		s.client.Close()
	}
	s.off.dirty = nil
	browser.Session.Clear(scrollPrefix)
	browser.Kept(func(string, bool) { then() }, "wipe")
}

func (s *Session) setStatus(st sync.Status) {
	s.status = st
	switch st.Phase {
	case sync.Online:
		s.lost, s.told = false, false
		s.joined()
	case sync.SignedOut:
		s.signIn()
	case sync.Offline:
		s.cut()
	default:
		// A blink of the network needs no words.
		since := st
		s.ctx.After(2*time.Second, func(app.Context) {
			defer browser.Survive("session")
			if s.status == since {
				s.cut()
				s.rev++
			}
		})
	}
}

// tell learns the server's clock from a frame. What it shows was computed at that
// instant or, where nothing moved since, a little before: the largest lead counts. What
// was kept from an earlier time says nothing about the clock.
func (s *Session) tell(asOf api.Time, kept bool) {
	s.off.asOf = max(s.off.asOf, asOf)
	if kept {
		return
	}
	lead := time.Duration(int64(asOf)-time.Now().UnixMilli()) * time.Millisecond
	if !s.told || lead > s.ahead {
		s.told, s.ahead = true, lead
	}
}

// now is the present by the server's clock, for "3 d ago".
func (s *Session) now() api.Time { return browser.Instant(time.Now().Add(s.ahead)) }

// floor is where the notch of the bars stands; −1 while retention is off or unknown.
func (s *Session) floor() float64 {
	if s.policy == nil || !s.policy.Policy.Enabled {
		return -1
	}
	return s.policy.Policy.VitalityFloor
}

// category is the category of an id.
func (s *Session) category(id *int64) (name string, color int) {
	if id == nil || s.overview == nil {
		return "", 0
	}
	for _, c := range s.overview.Categories {
		if c.ID == *id {
			return c.Name, c.Color
		}
	}
	return "", 0
}

// indexes tells whether there is an index at all that a memory could be missing in.
func (s *Session) indexes() bool {
	return s.overview != nil && s.overview.Stats.NotIndexed < s.overview.Stats.Active
}

// visit leads to another address and remembers this one in the history.
func (s *Session) visit(r route) { s.ctx.Navigate(browser.Origin() + r.path()) }

// compose opens the form of a new memory, beside the list as it is.
func (s *Session) compose() {
	r := route{Kind: listPage, Compose: true}
	if s.route.Kind == listPage && s.route.Query.Status != api.StatusDeleted {
		r.Query = s.route.Query
	}
	s.visit(r)
}

// replace changes the address without an entry in the history.
func (s *Session) replace(r route) { browser.Replace(r.path()) }

// narrow tells whether one pane is shown at a time.
func (s *Session) narrow() bool { return browser.Matches("(max-width: 720px)") }

// async does something that waits, away from go-app's goroutine, and then goes on
// there with its error.
func (s *Session) async(what string, wait func(ctx context.Context) error, then func(err error)) {
	browser.Go(what, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err := attempt(what, func() error { return wait(ctx) })
		s.do(func() {
			if fault.Is(err, fault.Unauthenticated) && !s.signIn() {
				return
			}
			then(err)
		})
	})
}

// attempt makes an error of a panic, so that whoever waits for the end is told of it.
func attempt(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			browser.Report(what, p)
			err = fault.New(fault.Unavailable, text.PartFailed)
		}
	}()
	return f()
}

// send makes a change and then goes on with its error.
func (s *Session) send(w sync.Write, then func(err error)) {
	if w.Key == "" {
		w.Key = sync.NewKey()
	}
	c, may := s.later(w)
	if may && s.mustWait(c) {
		s.enqueue(c, false, then)
		return
	}
	s.async(w.Path, func(ctx context.Context) error { return s.api.Send(ctx, w) }, func(err error) {
		if may && sync.Lost(err) {
			s.enqueue(c, true, then) // under the same key: it may have happened
			return
		}
		then(err)
	})
}

// words is what an error tells a person.
func words(err error) string {
	if waits(err) {
		return text.WillBeSent
	}
	if sync.Lost(err) {
		return text.NoAnswer
	}
	p := fault.ProblemOf(err)
	return p.Detail
}

// fail shows an error as a toast; that a change waits is none, and can be taken back.
func (s *Session) fail(err error) {
	t := part.Toast{Text: words(err), Danger: !waits(err)}
	if w, ok := err.(errWaiting); ok && w.change > 0 {
		t.Undo = func() { s.withdraw(w.change) }
		// One such toast is enough: the queue has all.
		s.toasts = slices.DeleteFunc(slices.Clone(s.toasts), func(o part.Toast) bool { return o.Kind == t.Text })
	}
	s.toast(t)
}

// say shows what happened, with a way back where there is one.
func (s *Session) say(what string, undo func()) { s.toast(part.Toast{Text: what, Undo: undo}) }

// sayOf is say about one memory, with its first words.
func (s *Session) sayOf(what string, m api.Memory, undo func()) {
	s.toast(part.Toast{Kind: what, Text: what + ": " + text.Clip(m.Body, 32), Undo: undo})
}

const toastTime = 8 * time.Second

func (s *Session) toast(t part.Toast) {
	s.toastID++
	t.ID = s.toastID
	if t.Kind == "" {
		t.Kind = t.Text
	}
	s.toasts = withToast(s.toasts, t)
	s.fade(t.ID)
	s.changed()
}

// fade removes a toast after its time, unless the pointer or the focus is on it.
func (s *Session) fade(id int) {
	s.ctx.After(toastTime, func(app.Context) {
		defer browser.Survive("toast")
		if browser.Query(browser.Document(), "#toasts:hover, #toasts:focus-within").Truthy() {
			s.fade(id)
			return
		}
		s.dismiss(id)
	})
}

func (s *Session) dismiss(id int) {
	for i, t := range s.toasts {
		if t.ID == id {
			s.toasts = append(append([]part.Toast(nil), s.toasts[:i]...), s.toasts[i+1:]...)
			s.rev++
			return
		}
	}
}

func (s *Session) undo(id int) {
	for _, t := range s.toasts {
		if t.ID == id && t.Undo != nil {
			s.dismiss(id)
			t.Undo()
			return
		}
	}
}

// undoNewest takes back what was done last, as long as that is still offered.
func (s *Session) undoNewest() {
	for i := len(s.toasts) - 1; i >= 0; i-- {
		if s.toasts[i].Undo != nil {
			s.undo(s.toasts[i].ID)
			return
		}
	}
}

func (s *Session) openMenu(m *part.MenuSpec) { s.menu = m; s.rev++ }

func (s *Session) closeMenu() { s.menu = nil; s.changed() }

func (s *Session) ask(d *part.DialogSpec) { s.menu, s.dialog = nil, d; s.changed() }

// confirm asks before something that can't be undone.
func (s *Session) confirm(title string, body []string, action string, run func()) {
	s.ask(&part.DialogSpec{Title: title, Body: body, Action: action, Danger: true, Run: run})
}

func (s *Session) closeDialog() { s.dialog = nil; s.changed() }

// sendAs makes a change by somebody who isn't signed in: a refusal is an answer
// here, not a reason to go to the login page.
func (s *Session) sendAs(w sync.Write, then func(err error)) {
	browser.Go(w.Path, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err := s.left(ctx)
		if err == nil {
			err = s.api.Send(ctx, w)
		}
		s.do(func() { then(err) })
	})
}
