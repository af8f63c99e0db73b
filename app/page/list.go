package page

import (
	"time"

	"elowen/app/browser"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// List is the list of memories: a search, filters, and a window of rows that the
// server keeps up to date.
type List struct {
	app.Compo
	S     *Session
	Rev   int
	Query api.MemoryQuery
	Open  int64

	rowWindow
	slots     int
	narrow    bool
	bulk      bool // the bar of the picked rows stands where the search was
	typing    *time.Timer
	following *time.Timer
}

// OnMount connects the list with its element and asks for the first window.
func (l *List) OnMount(ctx app.Context) {
	defer browser.Survive("list")
	l.S.list = l
	l.rowWindow = rowWindow{
		s: l.S, ctx: ctx, id: "list",
		height: func() float64 {
			if l.narrow = l.S.narrow(); l.narrow {
				return 82
			}
			return 84
		},
		query:   func() api.MemoryQuery { return l.Query },
		changed: func(bool) { l.track() },
	}
	l.begin()
	l.showQuery()
}

// OnDismount ends the subscriptions.
func (l *List) OnDismount() {
	defer browser.Survive("list")
	l.end()
	if l.S.list == l {
		l.S.list = nil
	}
}

// OnUpdate follows the address.
func (l *List) OnUpdate(ctx app.Context) {
	defer browser.Survive("list")
	if l.scroller == nil {
		return
	}
	l.measure()
	if l.follows() {
		l.showQuery()
	}
	l.track()
	ctx.Defer(l.settle)
}

// track tells the frame where the open memory stands in the list.
func (l *List) track() {
	p := place{id: l.Open, rank: -1, total: l.window.Total}
	if _, rank, ok := l.window.Find(l.Open); ok {
		p.rank = rank
	}
	if p != l.S.place {
		l.S.place = p
		l.S.changed()
	}
}

// showQuery puts the words of the address into the search field.
func (l *List) showQuery() {
	l.ctx.Defer(func(app.Context) {
		field := browser.ByID("search")
		if field.Truthy() && !field.Equal(browser.Active()) {
			browser.SetValue(field, l.Query.Q)
		}
	})
}
