package page

import (
	"context"
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
	located   int64 // whose place was asked for
	locatedIn api.MemoryQuery
	bulk      bool // the bar of the picked rows stands where the search was
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
		about:   l.subject,
		stepped: l.openNext,
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
	} else if was := l.S.place; was.id == p.id && was.total == p.total {
		if _, here := l.window.Row(was.rank); !here {
			p.rank = was.rank // the rows around it are not here any more
		} else {
			l.located = 0 // another one stands there now
		}
	}
	if p.rank < 0 {
		l.locate()
	}
	if p != l.S.place {
		l.S.place = p
		l.S.changed()
	}
}

// locate asks where the open memory stands, once for each list: it may be far from the
// rows that are here. One that was opened by its address is brought into view.
func (l *List) locate() {
	q := l.Query.Normal()
	if d := l.S.detail; d == nil || d.row == nil || d.row.Memory.ID != l.Open {
		return // it may not exist
	}
	if !l.window.Loaded || l.of.Normal() != q || l.located == l.Open && l.locatedIn == q {
		return
	}
	l.located, l.locatedIn = l.Open, q
	id, bring := l.Open, l.view.Top <= 0 && l.active < 0
	var at api.Rank
	path := rankPath(id, q)
	there := func() bool { return l.S.list == l && l.Open == id && l.Query.Normal() == q }
	l.ctx.After(locatePause, func(app.Context) {
		defer browser.Survive("locate")
		if _, _, ok := l.window.Find(id); ok || !there() {
			return // a new one has come by itself
		}
		l.S.async(path, func(ctx context.Context) error { return l.S.api.Get(ctx, path, &at) }, func(err error) {
			if err != nil || at.Rank < 0 || !there() {
				return // it is not in this list, or nobody is here any more
			}
			l.S.place = place{id: id, rank: at.Rank, total: at.Total}
			if bring && l.view.Top <= 0 && l.active < 0 {
				l.active, l.follow = at.Rank, true
				l.ctx.Defer(l.settle)
			}
		})
	})
}

// locatePause is how long the rows of a list may take to have a memory that is new.
const locatePause = 300 * time.Millisecond
