package page

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// TrashBin is the list of what was moved to the trash: why, when, and the ways back
// and out.
type TrashBin struct {
	app.Compo
	S     *Session
	Rev   int
	Query api.MemoryQuery

	rowWindow
	slots int
}

// OnMount asks for the first window.
func (t *TrashBin) OnMount(ctx app.Context) {
	defer browser.Survive("trash")
	t.rowWindow = rowWindow{
		s: t.S, ctx: ctx, id: "trash", focus: "trash-rows",
		height: func() float64 {
			if t.S.narrow() {
				return 122
			}
			return 60
		},
		query:   func() api.MemoryQuery { return t.Query },
		changed: func(bool) {},
	}
	t.begin()
	t.showQuery()
}

// OnDismount ends the subscription.
func (t *TrashBin) OnDismount() {
	defer browser.Survive("trash")
	t.end()
}

// OnUpdate follows the address.
func (t *TrashBin) OnUpdate(ctx app.Context) {
	defer browser.Survive("trash")
	if t.scroller == nil {
		return
	}
	t.measure()
	if t.follows() {
		t.showQuery()
	}
	ctx.Defer(t.settle)
}

func (t *TrashBin) click(ctx app.Context, e app.Event) {
	defer browser.Survive("trash")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	s := t.S
	row, _, have := t.window.Find(act.ID())
	switch act.Do {
	case "trash-open":
		if have && !browser.Commanding(e) {
			e.PreventDefault()
			e.Call("stopPropagation")
			s.visit(s.route.open(row.ID))
		}
	case "trash-pick":
		t.pick(act.ID(), browser.Flag(e, "shiftKey"))
	case "trash-restore":
		if have {
			s.restore(one(row.Memory))
		}
	case "picked-restore":
		s.restore(s.picked)
	case "picked-purge":
		s.purge(s.picked)
	case "trash-all":
		if t.allPicked() {
			s.picked.clear()
		} else {
			t.pickEverything()
		}
	case "trash-empty":
		if o := s.overview; o != nil {
			s.emptyTrash(o.Stats.Deleted)
		}
	case "clear-search":
		s.visit(s.route.with(func(q *api.MemoryQuery) { *q = api.MemoryQuery{Status: q.Status} }))
		ctx.Defer(func(app.Context) { browser.Focus(t.holder) }) // the button is gone
	case "trash-by":
		s.replace(s.route.with(func(q *api.MemoryQuery) { q.DeletedBy = act.Arg }))
	case "again":
		t.load(0)
	default:
		ctx.PreventUpdate()
	}
}

// Render draws the page.
func (t *TrashBin) Render() app.UI {
	return part.Safe("trash", func() app.UI {
		return tag.Div().Class("trash").OnClick(t.click).OnInput(t.input).OnKeyDown(t.searchKey).Body(
			t.head(),
			part.If(t.window.Total > 0 || filtered(t.Query), func() app.UI {
				return tag.Box("div", "filters", tag.Box("div", "banner banner-warn grow",
					part.Icon("info"),
					tag.Box("span", "", part.Text(text.RestoreNote+" "), part.Link("/settings", text.PauseRetention), part.Text(".")),
				))
			}),
			t.among(),
			tag.Box("div", "list-box", t.table(), t.nothing()),
			tag.Box("footer", "listfoot",
				tag.Span().Class("num").Role("status").Text(t.total()),
				tag.Words("span", "", text.OnlyPeoplePurge),
			),
		)
	})
}

// total says how many are here; nothing where that isn't known.
func (t *TrashBin) total() string {
	switch {
	case !t.window.Loaded:
		return ""
	case t.window.Kept:
		return text.KeptRows(t.window.Total)
	case filtered(t.Query):
		return text.FoundInTheTrash(t.window.Total)
	}
	return text.InTheTrash(t.window.Total)
}

func (t *TrashBin) allPicked() bool {
	p := &t.S.picked
	return p.all != nil || t.window.Total > 0 && len(p.rows) == t.window.Total
}

func (t *TrashBin) head() app.UI {
	p := &t.S.picked
	n := p.count()
	count := text.Selected(n)
	if n > 0 {
		count = text.SelectedOf(n, t.window.Total)
	}
	busy := t.S.working > 0
	if busy {
		count = text.Working
	}
	return tag.Div().Class("listhead trash-head").Aria("busy", strconv.FormatBool(busy)).Body(
		tag.Div().Class("search").Role("search").Body(
			part.Icon("search"),
			tag.Input().ID("search").Class("input").Attr("type", "search").Attr("autocomplete", "off").Attr("spellcheck", "false").
				Attr("placeholder", text.SearchTrash).Aria("label", text.SearchTrash),
			part.KbdHint("/"),
		),
		tag.Input().Class("check").Attr("type", "checkbox").DataSet("do", "trash-all").Aria("label", text.SelectAllTrash).Attr("checked", t.allPicked()).Attr("disabled", t.window.Total == 0 || busy),
		tag.Words("span", "muted num", count),
		part.Button("btn btn-sm", "picked-restore", "", part.Icon("archive-restore"), part.Text(text.Restore)).Attr("disabled", n == 0 || busy),
		part.Button("btn btn-sm btn-danger", "picked-purge", "", part.Icon("trash-2"), part.Text(text.PurgeEllipsis)).Attr("disabled", n == 0 || busy),
		tag.Span().Class("grow"),
		t.parts(),
		part.Button("btn btn-sm btn-quiet", "trash-empty", "", part.Text(text.EmptyEllipsis)).Attr("disabled", t.S.overview == nil || t.S.overview.Stats.Deleted == 0 || busy),
	)
}

// parts are the ways in which memories came here, with their numbers once those are known.
func (t *TrashBin) parts() app.UI {
	var st api.MemoryStats
	if t.S.overview != nil {
		st = t.S.overview.Stats
	}
	choice := func(by, label string, n int) part.Choice {
		if t.S.overview != nil {
			label = text.TrashTab(label, n)
		}
		return part.Choice{Value: by, Label: label}
	}
	return part.Choose(text.WentByHead, "trash-by", t.Query.DeletedBy,
		choice("", text.All, st.Deleted),
		choice(api.DeletedBySweep, text.Faded, st.Faded),
		choice(api.DeletedByPeople, text.ByPeople, st.Deleted-st.Faded-st.Merged),
		choice(api.DeletedByMerge, text.MergedAway, st.Merged),
	)
}

func (t *TrashBin) nothing() app.UI {
	switch {
	case t.problem != "":
		return t.failed()
	case !t.window.Loaded:
		return tag.Div().Class("skeleton-rows").Aria("hidden", "true").Body(skeletonRows(t.view.Height, t.view.Row)...)
	case t.window.Total == 0 && filtered(t.Query) && (t.Query.DeletedBy == "" || t.Query.Q != ""):
		return tag.Box("div", "empty list-empty", tag.Words("h2", "", text.NothingFound), tag.Words("p", "", text.NothingWhy(t.Query.Q, false, t.Query.DeletedBy != "")),
			part.Button("btn", "clear-search", "", part.Text(text.ClearFilters)))
	case t.window.Total == 0 && t.Query.DeletedBy != "":
		return tag.Box("div", "empty list-empty", tag.Words("h2", "", text.NoneOfThese), tag.Words("p", "", text.NoneOfTheseWhy))
	case t.window.Total == 0:
		return tag.Box("div", "empty list-empty", tag.Words("h2", "", text.TrashEmpty), tag.Words("p", "", text.TrashEmptyWhy))
	}
	return tag.Span().Hidden(true)
}

func (t *TrashBin) table() app.UI {
	first, end := t.view.Rendered()
	t.slots = max(t.slots, end-first)
	items := make([]app.UI, t.slots)
	for i := range items {
		items[i] = tag.Div().Hidden(true)
	}
	active := ""
	for rank := first; rank < end; rank++ {
		items[rank%t.slots] = t.item(rank%t.slots, rank)
		if rank == t.active {
			active = part.TrashRowID(rank % t.slots)
		}
	}
	head := func(label string) app.UI {
		return tag.Div().Role("columnheader").Text(label)
	}
	unseen := func(label string) app.UI {
		return tag.Div().Role("columnheader").Body(tag.Words("span", "sr", label))
	}
	zone := browser.Date(t.S.now(), browser.Zone)
	return tag.Div().ID("trash-rows").Class("trash-table").Role("grid").TabIndex(0).Aria("label", text.Trash).Aria("rowcount", t.window.Total+1).
		Aria("multiselectable", "true").Aria("activedescendant", active).OnKeyDown(t.rowKey).OnFocus(t.focused).Body(
		tag.Div().Class("trow trow-head").Role("row").Aria("rowindex", 1).Body(
			unseen(text.SelectThis), head(text.Memory), head(text.WentByHead), head(text.Why), head(text.WhenIn(zone)), head(text.Vitality), unseen(text.Actions),
		),
		tag.Div().ID("trash").Class("scroll vlist").Role("rowgroup").Body(
			append([]app.UI{tag.Div().Class("list-fill").Role("presentation")}, items...)...,
		),
	)
}

func (t *TrashBin) item(slot, rank int) app.UI {
	r := &part.TrashRow{Slot: slot, Rank: rank, Y: float64(rank) * t.view.Row, Active: rank == t.active}
	row := t.window.At(rank)
	if row == nil {
		return r
	}
	m := &row.Memory
	r.Memory = row
	r.Category, r.Color = t.S.category(m.CategoryID)
	r.Floor = t.S.floor()
	r.Picked = t.S.picked.has(m.ID)
	r.Href = t.S.route.open(m.ID).path()
	r.Fresh = t.fresh[m.ID]
	return r
}
