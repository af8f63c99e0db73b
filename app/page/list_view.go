package page

import (
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Render draws the pane of the list.
func (l *List) Render() app.UI {
	return part.Safe("list", func() app.UI {
		return tag.Section().Class("pane").Aria("label", text.ListPane).
			OnClick(l.click).OnInput(l.input).OnKeyDown(l.searchKey).
			Body(
				l.head(),
				l.filters(),
				l.status(),
				l.among(),
				tag.Box("div", "list-box",
					l.newRows(),
					l.S.newWaiting(),
					l.rows(),
					l.nothing(),
				),
				part.If(l.S.behind(), func() app.UI { return l.S.indexLine(true) }),
				l.foot(),
			)
	})
}

func (l *List) head() app.UI {
	p := &l.S.picked
	if !p.empty() {
		l.bulk = true
		busy, said := l.S.working > 0, text.Selected(p.count())
		if busy {
			said = text.Working
		}
		return tag.Box("div", "listhead",
			part.IconButton("btn btn-quiet", "pick-none", "", text.PickNone, "x").Attr("disabled", busy),
			tag.Span().Class("muted num").Role("status").Text(said),
			part.If(!busy && p.all == nil && l.window.Total > len(p.rows), func() app.UI {
				return part.Button("btn btn-sm btn-quiet", "pick-all", "", part.Text(text.PickAll(l.window.Total)))
			}),
			tag.Span().Class("grow"),
		)
	}
	if l.bulk {
		l.bulk = false
		l.showQuery() // the field is a new one
	}
	q := l.Query.Normal()
	sorted := text.SortedBy(q.Sort, q.Order)
	return tag.Box("div", "listhead",
		tag.Div().Class("search").Role("search").Body(
			part.Icon("search"),
			tag.Input().ID("search").Class("input").Attr("type", "search").Attr("autocomplete", "off").Attr("spellcheck", "false").
				Attr("placeholder", l.searchHint()).Aria("label", text.SearchMemories),
			part.KbdHint("/"),
			part.If(q.Q != "", l.matches),
		),
		part.IconButton("btn", "sort", "", sorted, "arrow-down-wide-narrow").Aria("haspopup", "listbox"),
	)
}

func (l *List) searchHint() string {
	if o := l.S.overview; o != nil {
		return text.SearchHint(o.Stats.Active)
	}
	return text.SearchMemories
}

func (l *List) newRows() app.UI {
	return part.If(l.arrived > 0, func() app.UI {
		return part.Button("new-rows", "see-new", "", part.Icon("arrow-up"), part.Text(text.NewRows(l.arrived)))
	})
}

// rows are the rows of the document. Each rank has a slot, rank mod slots, so that
// scrolling by one row fills one slot anew and leaves the others alone.
func (l *List) rows() app.UI {
	first, end := l.view.Rendered()
	l.slots = max(l.slots, end-first)
	items := make([]app.UI, l.slots+1)
	items[0] = tag.Div().Class("list-fill").Role("presentation")
	for slot := range l.slots {
		items[slot+1] = tag.Div().Hidden(true)
	}
	var order []string
	active := ""
	for rank := first; rank < end; rank++ {
		slot := rank % l.slots
		items[slot+1] = l.item(slot, rank)
		order = append(order, part.RowID(slot))
		if rank == l.active {
			active = part.RowID(slot)
		}
	}
	list := tag.Div().ID("list").Class("scroll list vlist").Role("listbox").TabIndex(0).
		Aria("label", text.ListLabel(l.Query.Normal().Sort)).Aria("multiselectable", "true").
		Aria("activedescendant", active).Aria("owns", strings.Join(order, " "))
	if l.slow {
		list = list.Aria("busy", "true")
	}
	return list.OnKeyDown(l.rowKey).OnFocus(l.focused).Body(items...)
}

func (l *List) item(slot, rank int) app.UI {
	r := &part.Row{Slot: slot, Rank: rank, Total: l.window.Total, Y: float64(rank) * l.view.Row, Narrow: l.narrow}
	row := l.window.At(rank)
	if row == nil {
		return r
	}
	m := &row.Memory
	if overlaid, waiting := l.S.overlay(*m); waiting != "" {
		changed := *row
		changed.Memory, r.Waiting = overlaid, waiting
		if overlaid.Body != m.Body {
			changed.Marks = nil
		}
		row, m = &changed, &overlaid
	}
	r.Memory = row
	r.Category, r.Color = l.S.category(m.CategoryID)
	r.When = l.when(m)
	r.Flag = l.flag(m)
	r.Floor = l.S.floor()
	r.Href = l.S.route.open(m.ID).path()
	r.Picked = l.S.picked.has(m.ID)
	r.Open = m.ID == l.Open
	r.Active = rank == l.active
	r.Fresh = l.fresh[m.ID]
	return r
}

// when is the instant that the list is about: its sort, else the last use.
func (l *List) when(m *api.Memory) string {
	now := l.S.now()
	if m.Status == api.StatusDeleted && m.DeletedAt != nil {
		return text.Ago(now, *m.DeletedAt)
	}
	switch l.Query.Normal().Sort {
	case api.SortCreated:
		return text.Ago(now, m.CreatedAt)
	case api.SortUpdated:
		return text.Ago(now, m.UpdatedAt)
	case api.SortEvictable:
		if m.EvictableAt == nil {
			return text.Stays
		}
		return browser.Date(*m.EvictableAt, browser.FullDate)
	}
	if m.LastUsedAt == nil {
		return text.NeverUsed
	}
	return text.Ago(now, *m.LastUsedAt)
}

func (l *List) flag(m *api.Memory) string {
	switch {
	case m.Status == api.StatusDeleted && l.Query.Status != api.StatusDeleted:
		return text.FlagTrash
	case m.Status == api.StatusConsolidated && l.Query.Status != api.StatusConsolidated:
		return text.FlagConsolidated
	case !m.Indexed && l.S.indexes():
		return text.FlagNotIndexed
	case m.CategoryID == nil && l.S.overview != nil && len(l.S.overview.Categories) > 0:
		return text.FlagNoCategory
	}
	return ""
}

// nothing says why the list is empty, and how to go on.
func (l *List) nothing() app.UI {
	switch {
	case l.problem != "":
		return l.failed()
	case !l.window.Loaded:
		return tag.Div().Class("skeleton-rows").Aria("hidden", "true").Body(skeletonRows(l.view.Height, l.view.Row)...)
	case l.window.Total == 0 && l.pending == nil:
		return tag.Box("div", "empty list-empty",
			tag.Words("h2", "", text.NothingFound),
			tag.Words("p", "", text.NothingWhy(l.Query.Q, l.Query.Match == "meaning", narrowed(l.Query))),
			part.If(filtered(l.Query), func() app.UI { return part.Button("btn", "clear-search", "", part.Text(text.ClearFilters)) }),
		)
	}
	return tag.Span().Hidden(true)
}

func skeletonRows(height, row float64) []app.UI {
	n := 9
	if row > 0 && height > 0 {
		n = min(max(int(height/row), 1), 14)
	}
	rows := make([]app.UI, n)
	for i := range rows {
		rows[i] = app.Raw(`<div class="row-shape"><div class="skeleton w-90"></div><div class="skeleton w-60"></div></div>`)
	}
	return rows
}

// status says how many there are to those who don't see the foot of the list, which
// narrow windows leave out.
func (l *List) status() app.UI {
	return tag.P().Class("sr").Role("status").Text(l.total())
}

func (l *List) total() string {
	switch {
	case !l.window.Loaded:
		return ""
	case l.window.Kept:
		return text.KeptRows(l.window.Total)
	}
	return text.Memories(l.window.Total)
}

func (l *List) foot() app.UI {
	q := l.Query.Normal()
	hint := func(label string, keys ...string) app.UI {
		var body []app.UI
		for _, k := range keys {
			body = append(body, part.Kbd(k), part.Text(" "))
		}
		return tag.Box("span", "", append(body, part.Text(label))...)
	}
	return tag.Box("footer", "listfoot",
		tag.Words("span", "num", l.total()),
		tag.Words("span", "", text.SortName(q.Sort)),
		tag.Box("span", "end",
			hint(text.KeyMove, "j", "k"),
			hint(text.KeySelect, "x"),
			part.Button("foot-keys", "help", "", part.Kbd("?"), part.Text(" "+text.KeyKeys)),
		),
	)
}
