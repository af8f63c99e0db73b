package page

import (
	"time"

	"elowen/app/browser"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

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
		ctx.Defer(func(app.Context) { browser.Focus(l.holder) }) // the button is gone
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
	browser.Focus(l.holder) // the element of the row will be another memory's
	l.S.visit(l.S.route.open(id))
}

// key handles the keys of the page that are the list's; it tells whether it did.
func (l *List) key(key string) bool {
	s := l.S
	switch key {
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
		if !s.picked.empty() || l.Open == 0 {
			return l.rowWindow.key(key)
		}
		s.visit(s.route.close())
	default:
		return l.rowWindow.key(key)
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

// openNext opens the row that the keyboard has come to, where a detail is open beside.
func (l *List) openNext() {
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
