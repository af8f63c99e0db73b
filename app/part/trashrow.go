package part

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// TrashRow is one row of the trash: what it was, by whom and why it went, when, and
// the way back. It stands at the place Y, as Row does.
type TrashRow struct {
	app.Compo
	Slot int
	Rank int
	Y    float64

	Memory   *live.Row // nil shows the shape of a row
	Category string
	Color    int
	Floor    float64
	Href     string
	Picked   bool
	Active   bool // the keyboard is here
	Fresh    bool
}

// TrashRowID is the id of a slot's element.
func TrashRowID(slot int) string { return "trash-" + strconv.Itoa(slot) }

// OnMount puts the row into its place.
func (r *TrashRow) OnMount(ctx app.Context) {
	defer browser.Survive("row")
	browser.Var(ctx.JSSrc(), "--y", browser.Px(r.Y))
	ctx.PreventUpdate()
}

// OnUpdate moves the row to another place.
func (r *TrashRow) OnUpdate(ctx app.Context) {
	defer browser.Survive("row")
	browser.Var(ctx.JSSrc(), "--y", browser.Px(r.Y))
}

// Render draws the row.
func (r *TrashRow) Render() app.UI {
	return Safe("row", r.render)
}

func (r *TrashRow) render() app.UI {
	row := tag.Div().ID(TrashRowID(r.Slot)).Class("trow").Role("row").Aria("rowindex", r.Rank+2)
	if r.Memory == nil {
		return row.Class("trow-shape").Body(tag.Div(), tag.Box("div", "", tag.Div().Class("skeleton w-60")))
	}
	m := r.Memory.Memory
	if r.Fresh {
		row = row.Class("row-fresh")
	}
	if r.Active {
		row = row.DataSet("active", "true")
	}
	when := ""
	if m.DeletedAt != nil {
		when = browser.Date(*m.DeletedAt, browser.DayMonthTime)
	}
	cell := func(class string, body ...app.UI) app.UI {
		return tag.Div().Class(class).Role("gridcell").Body(body...)
	}
	id := strconv.FormatInt(m.ID, 10)
	category := r.Category
	return row.Aria("selected", boolText(r.Picked)).DataSet("do", "trash-open").DataSet("arg", id).Body(
		cell("tcell-pick", tag.Input().Class("check").Attr("type", "checkbox").DataSet("do", "trash-pick").DataSet("arg", id).Attr("checked", r.Picked).Aria("label", text.SelectThis)),
		cell("tcell-body",
			tag.Box("span", "line-top",
				Rings(m.Importance, r.Color),
				tag.A().Class("memory-text").Attr("href", browser.Path(r.Href)).Attr("lang", m.Lang).Attr("dir", "auto").Body(Marked(*r.Memory)...),
			),
			tag.Words("span", "meta", text.Join(category, text.Importance(m.Importance))),
		),
		cell("tcell-by nowrap", Icon(goneIcon(m.DeletedBy)), app.Text(" "+text.WentByWord(m.DeletedBy, m.DeletedWho))),
		cell("tcell-why muted", app.Text(text.WhyShort(m.DeletedBy, m.DeletedWhy))),
		cell("tcell-when num nowrap", app.Text(when)),
		cell("tcell-vit", Vitality(m.VitalityShown, r.Floor)),
		cell("tcell-do", Button("btn btn-sm btn-quiet", "trash-restore", id, app.Text(text.Restore))),
	)
}

// goneIcon stands for who moved a memory to the trash.
func goneIcon(by string) string {
	switch by {
	case api.DeletedBySweep:
		return "leaf"
	case api.DeletedByMerge:
		return "merge"
	case api.DeletedByAgent:
		return "terminal"
	case api.DeletedByYou, api.DeletedByPerson:
		return "user"
	case api.DeletedByElowen:
		return "sparkles"
	}
	return "trash-2"
}
