package page

import (
	"time"

	"elowen/app/browser"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// typePause is how long the fingers must rest before a search is asked for.
const typePause = 120 * time.Millisecond

// followPause is how long the keyboard must rest on a row before its detail opens.
const followPause = 140 * time.Millisecond

func (l *List) click(ctx app.Context, e app.Event) {
	defer browser.Survive("list")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	s := l.S
	switch act.Do {
	case "open":
		l.clickRow(act, e)
	case "pick":
		l.swallow(e)
		l.pick(act.ID(), browser.Flag(e, "shiftKey"))
	case "filter":
		s.filterMenu(act.Element, act.Arg)
	case "clear":
		l.cleared(act.Arg)
	case "toggle":
		l.toggle(act.Arg)
	case "clear-all":
		s.visit(s.route.with(func(q *api.MemoryQuery) { *q = unfiltered(*q) }))
		ctx.Defer(func(app.Context) { browser.Focus(l.scroller) }) // the button is gone
	case "clear-search":
		s.visit(s.route.with(func(q *api.MemoryQuery) { *q = api.MemoryQuery{Status: q.Status, Sort: q.Sort, Order: q.Order} }))
	case "match":
		s.visit(s.route.with(func(q *api.MemoryQuery) { q.Match, q.Sort, q.Order = act.Arg, "", "" }))
	case "sort":
		s.sortMenu(act.Element)
	case "see-new":
		l.arrived, l.wantTop = 0, 0
		ctx.Defer(l.settle)
	case "again":
		l.load(0)
	case "help":
		s.help()
	case "pick-none":
		s.picked.clear()
	case "pick-all":
		l.pickEverything()
	default:
		if !s.onPicked(act) {
			ctx.PreventUpdate()
			return
		}
	}
	if s.menu != nil {
		s.changed()
	}
}

func clearFilter(q *api.MemoryQuery, which string) {
	switch which {
	case "category":
		q.CategoryID, q.Uncategorized = 0, false
	case "kind":
		q.Kind = ""
	case "project":
		q.ProjectID = 0
	case "importance":
		q.Importance = 0
	case "fades":
		q.FadesWithin = 0
	case "reviewed":
		q.Unreviewed = false
	case "indexed":
		q.NotIndexed = false
	}
}

// swallow keeps a click from being taken for one on the row's link.
func (l *List) swallow(e app.Event) {
	e.PreventDefault()
	e.Call("stopPropagation")
}

func (l *List) clickRow(act browser.Act, e app.Event) {
	id := act.ID()
	if id == 0 {
		return
	}
	if browser.Flag(e, "shiftKey") {
		l.swallow(e)
		l.pick(id, true)
		return
	}
	if browser.Commanding(e) {
		return // the browser opens the link in another tab
	}
	l.swallow(e)
	if _, rank, ok := l.window.Find(id); ok {
		l.active, l.base = rank, rank
	}
	browser.Focus(l.scroller) // the element of the row will be another memory's
	l.S.visit(l.S.route.open(id))
}

// pick picks a row, or all from the last picked one to it.
func (l *List) pick(id int64, span bool) {
	row, rank, ok := l.window.Find(id)
	if !ok {
		return
	}
	p := &l.S.picked
	if span && l.base >= 0 {
		for r := min(l.base, rank); r <= max(l.base, rank); r++ {
			if row, ok := l.row(r); ok {
				p.add(row.Memory)
			}
		}
	} else {
		p.toggle(row.Memory)
		l.base = rank
	}
	l.active = rank
}

func (l *List) input(ctx app.Context, e app.Event) {
	defer browser.Survive("search")
	ctx.PreventUpdate()
	field := e.Get("target")
	if !field.Equal(browser.ByID("search")) {
		return
	}
	words, ok := browser.Value(field)
	if !ok {
		return
	}
	if l.typing != nil {
		l.typing.Stop()
	}
	l.typing = time.AfterFunc(typePause, func() {
		l.S.do(func() { l.search(words) })
	})
}

func (l *List) search(words string) {
	if l.Query.Q == words || l.S.list != l {
		return
	}
	l.S.replace(l.S.route.with(func(q *api.MemoryQuery) { q.Q = words }))
}

func (l *List) searchKey(ctx app.Context, e app.Event) {
	defer browser.Survive("search")
	field := e.Get("target")
	if !field.Equal(browser.ByID("search")) {
		ctx.PreventUpdate()
		return
	}
	switch browser.Key(e) {
	case "Escape":
		e.PreventDefault()
		e.Call("stopPropagation")
		if v, _ := browser.Value(field); v != "" {
			browser.SetValue(field, "")
			l.search("")
			return
		}
		browser.Focus(l.scroller)
	case "ArrowDown", "Enter":
		e.PreventDefault()
		browser.Focus(l.scroller)
		l.step(ctx, 0)
	}
}

// rowKey handles keys while the list has the focus, beside those of the page.
func (l *List) rowKey(ctx app.Context, e app.Event) {
	defer browser.Survive("list")
	if browser.Commanding(e) {
		ctx.PreventUpdate()
		return
	}
	page := max(1, int(l.view.Height/max(l.view.Row, 1))-1)
	switch browser.Key(e) {
	case "ArrowDown":
		l.step(ctx, 1)
	case "ArrowUp":
		l.step(ctx, -1)
	case "PageDown":
		l.step(ctx, page)
	case "PageUp":
		l.step(ctx, -page)
	case "Home":
		l.step(ctx, -l.window.Total)
	case "End":
		l.step(ctx, l.window.Total)
	case " ":
		l.pickActive()
	default:
		ctx.PreventUpdate()
		return
	}
	if browser.Flag(e, "shiftKey") {
		l.pickActive()
	}
	e.PreventDefault()
	e.Call("stopPropagation")
}

// key handles the keys of the page that are the list's; it tells whether it did.
func (l *List) key(e app.Event, key string) bool {
	s := l.S
	switch key {
	case "j", "ArrowDown":
		l.step(l.ctx, 1)
	case "k", "ArrowUp":
		l.step(l.ctx, -1)
	case "J":
		l.pickAndStep(1)
	case "K":
		l.pickAndStep(-1)
	case "Enter":
		row, ok := l.row(l.active)
		if !ok {
			return false
		}
		s.visit(s.route.open(row.ID))
	case "x":
		l.pickActive()
	case "/":
		browser.Focus(browser.ByID("search"))
	case "#":
		p := s.picked
		if s.working > 0 && !p.empty() {
			return true
		}
		if p.empty() {
			m, ok := l.subject()
			if !ok {
				return false
			}
			p = one(m)
		}
		if l.Query.Status == api.StatusDeleted {
			s.purge(p)
		} else {
			s.trash(p)
		}
	case "e":
		m, ok := l.subject()
		if !ok {
			return false
		}
		s.edit = m.ID
		s.changed()
		if l.Open != m.ID {
			s.visit(s.route.open(m.ID))
		}
	case "Escape":
		switch {
		case !s.picked.empty():
			s.picked.clear()
		case l.Open > 0:
			s.visit(s.route.close())
		case l.active >= 0:
			l.active = -1
		default:
			return false
		}
	default:
		return false
	}
	l.ctx.Update()
	return true
}

// subject is the memory that a key is about: the open one while the focus is in it, else
// where the keyboard is in the list, else the open one.
func (l *List) subject() (api.Memory, bool) {
	if l.Open > 0 && browser.Query(browser.Document(), ".detail:focus, .detail :focus, :focus > .detail").Truthy() {
		if m, ok := l.S.rowOf(l.Open); ok {
			return m, true
		}
	}
	if row, ok := l.row(l.active); ok {
		return row.Memory, true
	}
	row, _, ok := l.window.Find(l.Open)
	return row.Memory, ok
}

func (l *List) pickActive() {
	if row, ok := l.row(l.active); ok {
		l.S.picked.toggle(row.Memory)
		l.base = l.active
	}
}

// pickAndStep picks the active row, the first in view where none is, and goes on.
func (l *List) pickAndStep(by int) {
	if l.active < 0 {
		l.step(l.ctx, 0)
	}
	l.pickActive()
	l.step(l.ctx, by)
}

// step moves the keyboard by rows, brings the row into view and, beside an open
// detail, opens that of the row.
func (l *List) step(ctx app.Context, by int) {
	if l.window.Total == 0 {
		return
	}
	from := l.active
	if from < 0 {
		if _, rank, ok := l.window.Find(l.Open); ok {
			from = rank
		} else {
			from, _ = l.view.Visible()
			if by > 0 {
				by--
			}
		}
	}
	l.active = min(max(from+by, 0), l.window.Total-1)
	l.follow = true
	ctx.Defer(l.settle)
	if l.Open == 0 || l.S.narrow() {
		return
	}
	if l.following != nil {
		l.following.Stop()
	}
	l.following = time.AfterFunc(followPause, func() {
		l.S.do(func() {
			if row, ok := l.row(l.active); ok && l.Open > 0 && l.Open != row.ID && l.S.list == l {
				l.S.replace(l.S.route.open(row.ID))
			}
		})
	})
}
