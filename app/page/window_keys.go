package page

import (
	"time"

	"elowen/app/browser"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// typePause is how long the fingers must rest before a search is asked for.
const typePause = 120 * time.Millisecond

// key handles the keys of the page that are the same for every list of rows; it tells
// whether it did.
func (l *rowWindow) key(key string) bool {
	s := l.s
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
			m, ok := l.keyed()
			if !ok {
				return false
			}
			p = one(m)
		}
		if l.query().Status == api.StatusDeleted {
			s.purge(p)
		} else {
			s.trash(p)
		}
	case "Escape":
		switch {
		case !s.picked.empty():
			s.picked.clear()
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

// rowKey handles keys while the list has the focus, beside those of the page.
func (l *rowWindow) rowKey(ctx app.Context, e app.Event) {
	defer browser.Survive("list")
	if browser.Commanding(e) || !e.Get("target").Equal(l.holder) {
		ctx.PreventUpdate()
		return
	}
	page := max(1, int(l.view.Height/max(l.view.Row, 1))-1)
	by := 0
	switch browser.Key(e) {
	case "ArrowDown":
		by = 1
	case "ArrowUp":
		by = -1
	case "PageDown":
		by = page
	case "PageUp":
		by = -page
	case "Home":
		by = -l.window.Total
	case "End":
		by = l.window.Total
	case " ":
		l.pickActive()
	default:
		ctx.PreventUpdate()
		return
	}
	if by != 0 {
		from := l.active
		l.step(ctx, by)
		if browser.Flag(e, "shiftKey") {
			l.extend(from, l.active)
		}
	}
	e.PreventDefault()
	e.Call("stopPropagation")
}

// pick picks a row, or all from the last picked one to it.
func (l *rowWindow) pick(id int64, span bool) {
	row, rank, ok := l.window.Find(id)
	if !ok {
		return
	}
	if span && l.base >= 0 {
		l.extend(l.base, rank)
	} else {
		l.s.picked.toggle(row.Memory)
		l.base = rank
	}
	l.active = rank
}

// extend picks the rows from one rank to another beside those that are picked; it never
// lets one go.
func (l *rowWindow) extend(from, to int) {
	if from < 0 {
		from = to
	}
	for r := min(from, to); r <= max(from, to); r++ {
		if row, ok := l.row(r); ok {
			l.s.picked.add(row.Memory)
		}
	}
}

// pickActive picks the keyboard's row, or lets it go.
func (l *rowWindow) pickActive() {
	if row, ok := l.row(l.active); ok {
		l.s.picked.toggle(row.Memory)
		l.base = l.active
	}
}

// pickAndStep picks the keyboard's row, the first in view where there is none, and goes
// on.
func (l *rowWindow) pickAndStep(by int) {
	if l.active < 0 {
		l.step(l.ctx, 0)
	}
	l.extend(l.active, l.active)
	l.base = l.active
	l.step(l.ctx, by)
}

// keyed is the memory that a key is about.
func (l *rowWindow) keyed() (api.Memory, bool) {
	if l.about != nil {
		return l.about()
	}
	row, ok := l.row(l.active)
	return row.Memory, ok
}

// step moves the keyboard by rows and brings the row into view.
func (l *rowWindow) step(ctx app.Context, by int) {
	if l.window.Total == 0 {
		return
	}
	from := l.active
	if from < 0 {
		if _, rank, ok := l.window.Find(l.s.route.ID); ok {
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
	if l.stepped != nil {
		l.stepped()
	}
}

// focused is for the focus that comes to the list.
func (l *rowWindow) focused(app.Context, app.Event) {
	defer browser.Survive("list")
	l.enter()
}

// enter puts the keyboard on a row as it comes to the list, so that it is seen there and
// not as a frame around all of them: on that of the open memory, else on the first that
// is in view as a whole.
func (l *rowWindow) enter() {
	if l.active >= 0 || l.window.Total == 0 || !l.holder.Call("matches", ":focus-visible").Truthy() {
		return
	}
	_, rank, ok := l.window.Find(l.s.route.ID)
	if !ok {
		rank, _ = l.view.Visible()
		if float64(rank)*l.view.Row < l.view.Top {
			rank++
		}
	}
	l.active = min(rank, l.window.Total-1)
}

// input searches for what is typed, once the fingers rest.
func (l *rowWindow) input(ctx app.Context, e app.Event) {
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
		l.s.do(func() { l.search(words) })
	})
}

func (l *rowWindow) search(words string) {
	if l.query().Q == words || l.stop == nil {
		return
	}
	l.s.replace(l.s.route.with(func(q *api.MemoryQuery) { q.Q = words }))
}

// searchKey handles the keys of the search field: out of it, and down into the rows.
func (l *rowWindow) searchKey(ctx app.Context, e app.Event) {
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
		browser.Focus(l.holder)
	case "ArrowDown", "Enter":
		e.PreventDefault()
		browser.Focus(l.holder)
		l.step(ctx, 0)
	}
}

// showQuery puts the words of the address into the search field.
func (l *rowWindow) showQuery() {
	l.ctx.Defer(func(app.Context) {
		field := browser.ByID("search")
		if field.Truthy() && !field.Equal(browser.Active()) {
			browser.SetValue(field, l.query().Q)
		}
	})
}
