package page

import (
	"strconv"
	"time"

	"elowen/app/browser"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/shared/api"
	"elowen/shared/live"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// scrollPrefix begins the keys under which the visit remembers how far a list was
// scrolled.
const scrollPrefix = "elowen.scroll:"

// freshTime is how long a row that was just changed blooms.
const freshTime = 1700 * time.Millisecond

// rowWindow is the part of a long list that is on the screen: the subscription that
// keeps its rows, the place that one has scrolled to, and where the keyboard is.
// The list and the trash are made of it.
type rowWindow struct {
	s       *Session
	ctx     app.Context
	id      string                    // of the element that scrolls
	focus   string                    // of the element that has the keyboard; empty: the same
	height  func() float64            // of a row
	query   func() api.MemoryQuery    // that is wanted
	changed func(totals bool)         // after a frame
	about   func() (api.Memory, bool) // what a key is about; nil: the keyboard's row
	stepped func()                    // after the keyboard moved; nil: nothing

	scroller app.Value
	holder   app.Value // the element that has the keyboard
	stop     []func()
	typing   *time.Timer // until what is typed is searched for

	gen     int // of the newest subscription
	current *sync.Watch[live.Row]
	curGen  int
	pending *sync.Watch[live.Row]
	window  state.Window[live.Row]
	of      api.MemoryQuery // what window answers
	entry   string          // of the history, that the place is remembered for
	asked   int             // rank that the newest subscription begins at
	limit   int
	problem string
	absent  bool // nothing is kept of it, and the server doesn't answer
	slow    bool // the answer takes long enough to say so

	view    state.Viewport
	wantTop float64 // where to scroll once the rows are there; −1 stays
	follow  bool    // bring the active row into view
	active  int     // rank of the keyboard's row; −1 none
	base    int     // rank where a range of picked rows began
	fresh   map[int64]bool
	arrived int   // rows that came in above and wait to be seen
	reveal  int64 // a row that the person just made: it is shown as soon as it is here
}

// begin connects the window with its element and asks for the first rows.
func (l *rowWindow) begin() {
	l.active, l.base, l.wantTop = -1, -1, -1
	l.fresh = map[int64]bool{}
	l.scroller = browser.ByID(l.id)
	l.holder = browser.ByID(or(l.focus, l.id))
	l.s.rows, l.entry = l, l.s.entry
	if l.s.landing {
		l.s.landing = false
		browser.Focus(l.holder)
	}
	l.measure()
	l.stop = append(l.stop,
		browser.Listen(l.scroller, "scroll", true, func(app.Event) { l.scrolled() }),
		browser.Observe(l.scroller, func(_, height float64) { l.resized(height) }),
	)
	l.load(l.remembered())
}

// end ends the subscriptions.
func (l *rowWindow) end() {
	l.remember()
	if l.s.rows == l {
		l.s.rows = nil
	}
	for _, stop := range l.stop {
		stop()
	}
	l.stop = nil
	l.gen++
	for _, w := range []*sync.Watch[live.Row]{l.current, l.pending} {
		if w != nil {
			w.Close()
		}
	}
	l.current, l.pending = nil, nil
}

// follows asks for another list where the wanted query is another one, and tells
// whether it did.
func (l *rowWindow) follows() bool {
	if l.query().Normal() == l.asking().Normal() {
		if l.entry != l.s.entry {
			l.wantTop = l.remembered() // the same list, elsewhere in the history
		}
		return false
	}
	l.active, l.base, l.arrived = -1, -1, 0
	l.load(l.remembered())
	return true
}

// asking is the query of the newest subscription.
func (l *rowWindow) asking() api.MemoryQuery {
	if l.pending != nil {
		return l.pending.Request().Query
	}
	if l.current != nil {
		return l.current.Request().Query
	}
	return api.MemoryQuery{Status: "none"}
}

// load asks for the list of another query, scrolled to top.
func (l *rowWindow) load(top float64) {
	l.wantTop = top
	v := l.view
	v.Top = top
	v.Total = 1 << 30 // not known yet; the rank is what matters
	first, end := v.Visible()
	limit := l.windowLimit()
	l.subscribe(max(0, (first+end)/2-limit/2))
	gen := l.gen
	l.ctx.After(300*time.Millisecond, func(app.Context) {
		l.slow = l.gen == gen && l.pending != nil
	})
}

func (l *rowWindow) windowLimit() int {
	s := setting.Get("live.window")
	return l.view.Limit(int(s.Default), int(s.Max))
}

// subscribe asks for the window that begins at a rank. The window that is shown
// stays until the answer comes; an older question that is still open is dropped.
func (l *rowWindow) subscribe(from int) {
	if l.pending != nil {
		l.pending.Close()
	}
	l.gen++
	gen := l.gen
	l.asked, l.limit = from, l.windowLimit()
	req := l.request(l.query())
	req.From, req.Limit = from, l.limit
	l.pending = sync.Subscribe(l.s.client, req, func(e sync.Event[live.Row]) {
		l.ctx.Dispatch(func(ctx app.Context) {
			defer browser.Survive("list")
			l.event(gen, req.Query, e)
			ctx.Defer(l.settle)
		})
	})
}

// request is the subscription of a query.
func (l *rowWindow) request(q api.MemoryQuery) live.Request {
	if q.Status == api.StatusDeleted {
		return live.Request{View: live.ViewTrash, Query: q}
	}
	return live.Request{View: live.ViewMemories, Query: q}
}

// event takes a frame of a subscription in.
func (l *rowWindow) event(gen int, q api.MemoryQuery, e sync.Event[live.Row]) {
	if e.After.Kept && l.window.Loaded && l.of.Normal() == q.Normal() {
		return // what is here is newer
	}
	switch {
	case gen == l.gen && l.pending != nil:
		if l.current != nil {
			l.current.Close()
		}
		l.current, l.curGen, l.pending, l.slow = l.pending, gen, nil, false
	case l.current == nil || gen != l.curGen:
		return // an answer that nobody waits for any more
	}
	if e.Outcome == state.Refused {
		l.problem = ""
		if e.Problem != nil {
			l.problem = e.Problem.Detail
			l.absent = e.Problem.Code == notKept
		}
		return
	}
	l.problem, l.absent = "", false
	same := l.window.Loaded && l.of.Normal() == q.Normal()
	before := l.window
	l.window, l.of = e.After, q
	l.view.Total = e.After.Total
	l.s.tell(e.After.AsOf, e.After.Kept)
	if same {
		l.keepPlace(before)
		if e.Outcome == state.Changed {
			l.bloom(state.Fresh(before, e.After))
		}
	}
	l.clampTop()
	if !same && l.holder.Equal(browser.Active()) {
		l.enter()
	}
	l.show(l.reveal)
	l.changed(!same)
}

// show brings the row of a memory that the person just made into view, now or as
// soon as it is in the window.
func (l *rowWindow) show(id int64) {
	if l.reveal = id; id == 0 {
		return
	}
	if _, rank, ok := l.window.Find(id); ok {
		l.reveal, l.active, l.follow, l.arrived = 0, rank, true, 0
	}
}

// keepPlace keeps the rows that one is looking at where they are when others came
// or went above them.
func (l *rowWindow) keepPlace(before state.Window[live.Row]) {
	first, end := l.view.Visible()
	shift := state.Shift(before, l.window, first, end)
	l.active = state.Follow(before, l.window, l.active, shift)
	if shift == 0 {
		return
	}
	if l.view.Top <= 0 && (shift < 0 || !l.reading()) {
		return // at the top, with nobody looking closely: new rows just appear
	}
	l.arrived = max(l.arrived+shift, 0)
	l.wantTop = max(0, l.view.Top+float64(shift)*l.view.Row)
}

// reading tells whether somebody is at the list: with the pointer, the keyboard,
// or with rows picked.
func (l *rowWindow) reading() bool {
	return !l.s.picked.empty() || l.holder.Equal(browser.Active()) || browser.Query(browser.Document(), "#"+l.id+":hover, #"+l.id+":focus").Truthy()
}

// bloom marks rows that somebody just changed.
func (l *rowWindow) bloom(ids []int64) {
	if len(ids) == 0 {
		return
	}
	for _, id := range ids {
		l.fresh[id] = true
	}
	l.ctx.After(freshTime, func(app.Context) {
		for _, id := range ids {
			delete(l.fresh, id)
		}
	})
}

func (l *rowWindow) clampTop() {
	most := max(0, l.view.Length()-l.view.Height)
	if l.wantTop > most {
		l.wantTop = most
	}
	if l.active >= l.window.Total {
		l.active = l.window.Total - 1
	}
}

// measure reads the height of the list and of a row.
func (l *rowWindow) measure() {
	if h := browser.Number(l.scroller, "clientHeight"); h > 0 {
		l.view.Height = h
	}
	l.view.Row = l.height()
}

func (l *rowWindow) resized(height float64) {
	if height <= 0 || height == l.view.Height {
		return
	}
	l.ctx.Dispatch(func(ctx app.Context) {
		defer browser.Survive("list")
		l.measure()
		if browser.Number(l.scroller, "scrollTop") != l.view.Top {
			l.wantTop = l.view.Top // it was hidden, which forgets how far it was scrolled
		}
		ctx.Defer(l.settle)
	})
}

// scrolled runs for every scroll event; the document is touched only when other
// rows are needed.
func (l *rowWindow) scrolled() {
	was, wasEnd := l.view.Rendered()
	l.view.Top = browser.Number(l.scroller, "scrollTop")
	first, end := l.view.Rendered()
	seen := l.arrived > 0 && l.view.Top <= 0
	ask, needed := l.view.Ask(l.asked, l.limit)
	if first == was && end == wasEnd && !needed && !seen {
		return
	}
	l.ctx.Dispatch(func(app.Context) {
		defer browser.Survive("list")
		if seen {
			l.arrived = 0
		}
		if needed && l.window.Loaded {
			l.subscribe(ask)
		}
	})
}

// settle brings the element in line with the state once the rows are rendered.
func (l *rowWindow) settle(app.Context) {
	defer browser.Survive("list")
	if !l.scroller.Truthy() {
		return
	}
	if h := browser.Number(l.scroller, "clientHeight"); h > 0 && h != l.view.Height {
		l.view.Height = h
		l.ctx.Update()
	}
	browser.Var(l.scroller, "--fill", browser.Px(l.view.Length()))
	if l.follow {
		l.follow = false
		l.wantTop = l.topFor(l.active)
	}
	if l.wantTop >= 0 && l.window.Loaded && l.of.Normal() == l.query().Normal() && browser.Number(l.scroller, "clientHeight") > 0 {
		top := l.wantTop
		l.wantTop = -1
		if browser.Number(l.scroller, "scrollTop") != top {
			l.scroller.Set("scrollTop", top)
		}
		if l.view.Top != top {
			l.view.Top = top
			l.ctx.Update()
		}
		if ask, needed := l.view.Ask(l.asked, l.limit); needed && l.pending == nil {
			l.subscribe(ask)
		}
	}
}

// topFor is how far to scroll so that the row of a rank can be seen; −1 where it
// can already.
func (l *rowWindow) topFor(rank int) float64 {
	y := float64(rank) * l.view.Row
	switch {
	case rank < 0:
		return -1
	case y < l.view.Top:
		return y
	case y+l.view.Row > l.view.Top+l.view.Height:
		return y + l.view.Row - l.view.Height
	}
	return -1
}

// scrollKey is where the visit remembers how far this list of a query was scrolled, at
// an entry of the history.
func (l *rowWindow) scrollKey(q api.MemoryQuery) string {
	return scrollPrefix + l.entry + "/" + l.id + "?" + writeQuery(q).Encode()
}

func (l *rowWindow) remember() {
	top := ""
	if l.view.Top > 0 {
		top = strconv.FormatFloat(l.view.Top, 'f', 0, 64)
	}
	browser.Session.Set(l.scrollKey(l.of), top)
}

// remembered is how far the list was scrolled when this entry of the history was left. A
// page that is opened anew has an entry of its own, and begins at the top.
func (l *rowWindow) remembered() float64 {
	if l.window.Loaded {
		l.remember()
	}
	l.entry = l.s.entry
	top, _ := strconv.ParseFloat(browser.Session.Get(l.scrollKey(l.query())), 64)
	return max(top, 0)
}

// row is the row of a rank, and whether it is here.
func (l *rowWindow) row(rank int) (live.Row, bool) { return l.window.Row(rank) }
