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

// Row is one row of the list of memories. It stands at the place Y of a list much
// longer than the document: as one scrolls, rows that left on one side are filled
// anew for the other, so that a step changes one row and not all. The row as a whole is
// the option and the link: an option must hold nothing that can be operated by itself.
type Row struct {
	app.Compo
	Slot  int     // which of the rows of the document; its id is RowID(Slot)
	Rank  int     // in the list, from 0
	Total int     // rows of the list
	Y     float64 // CSS pixels from the top of the list

	Memory   *live.Row // nil shows the shape of a row; go-app compares pointers quickly
	Category string    // name, "" for none
	Color    int       // of the category, 0 for none
	When     string    // last use, or what the list is sorted by
	Flag     string    // what is not as it should be
	Waiting  string    // what is not sent yet
	Floor    float64
	Href     string // of its detail, without the base path
	Picked   bool
	Open     bool
	Active   bool // where the keyboard is
	Fresh    bool // just changed by somebody
	Narrow   bool // leaves out what there is no room for
}

// RowID is the element id of a slot.
func RowID(slot int) string { return "row-" + strconv.Itoa(slot) }

// OnMount puts the row into its place.
func (r *Row) OnMount(ctx app.Context) {
	defer browser.Survive("row")
	browser.Var(ctx.JSSrc(), "--y", browser.Px(r.Y))
	ctx.PreventUpdate()
}

// OnUpdate moves the row to another place.
func (r *Row) OnUpdate(ctx app.Context) {
	defer browser.Survive("row")
	browser.Var(ctx.JSSrc(), "--y", browser.Px(r.Y))
}

// Render draws the row.
func (r *Row) Render() app.UI {
	return Safe("row", r.render)
}

func (r *Row) render() app.UI {
	row := tag.A().ID(RowID(r.Slot)).Class("row").DataSet("do", "open").TabIndex(-1)
	if r.Memory == nil {
		return row.Class("row-skeleton").Aria("hidden", "true").DataSet("arg", "").Body(
			tag.Words("span", "skeleton", ""),
			tag.Box("div", "stack", tag.Box("div", "skeleton w-90"), tag.Box("div", "skeleton w-60")),
		)
	}
	m := r.Memory.Memory
	if r.Fresh {
		row = row.Class("row-fresh")
	}
	if r.Color > 0 {
		row = row.DataSet("cat", r.Color)
	}
	if r.Open {
		row = row.Aria("current", "true")
	}
	if r.Active {
		row = row.DataSet("active", "true")
	}
	row = row.Role("option").DataSet("arg", m.ID).Attr("href", browser.Path(r.Href)).
		Aria("selected", strconv.FormatBool(r.Picked)).
		Aria("posinset", r.Rank+1).Aria("setsize", r.Total)
	body := []app.UI{
		r.mark(),
		tag.Span().Class("row-body memory-text").Attr("lang", m.Lang).Attr("dir", "auto").Body(Marked(*r.Memory)...),
		r.meta(m),
		Vitality(m.VitalityShown, r.Floor),
	}
	if !r.Narrow {
		body = append(body, tag.Words("span", "meta row-last", r.When))
	}
	return row.Body(body...)
}

// mark are the rings, or the check of a picked row. Both pick when clicked.
func (r *Row) mark() app.UI {
	if r.Picked {
		return tag.Span().Class("row-pick").DataSet("do", "pick").DataSet("arg", r.Memory.ID).Title(text.PickRow).
			Body(app.Raw(`<span class="check check-on" aria-hidden="true"></span>`))
	}
	return rings(r.Memory.Importance, r.Color, ` data-do="pick" data-arg="`+strconv.FormatInt(r.Memory.ID, 10)+`"`)
}

func (r *Row) meta(m api.Memory) app.UI {
	var parts []app.UI
	if r.Category != "" {
		parts = append(parts, tag.Words("span", "row-cat", r.Category))
	}
	if !r.Narrow {
		parts = append(parts, tag.Words("span", "row-kind", m.Kind))
	}
	parts = append(parts, tag.Words("span", "", text.Importance(m.Importance)))
	if r.Narrow && r.Flag == "" && r.Waiting == "" {
		parts = append(parts, tag.Words("span", "row-when", r.When))
	}
	switch {
	case r.Waiting != "":
		parts = append(parts, tag.Box("span", "flag flag-waiting", Icon("clock"), tag.Words("span", "", r.Waiting)))
	case r.Flag != "":
		parts = append(parts, tag.Words("span", "flag", r.Flag))
	}
	return tag.Box("span", "row-meta", parts...)
}

// Marked is the body of a row, with what a search found marked in it.
func Marked(row live.Row) []app.UI {
	if len(row.Marks) == 0 {
		return []app.UI{app.Text(Cut(row.Body))}
	}
	return Runs(row.Marks)
}

// Runs shows typed pieces of a text: the two sides of a change, or hits.
func Runs(runs []api.Run) []app.UI {
	out := make([]app.UI, 0, len(runs))
	for _, r := range runs {
		switch r.Op {
		case "insert":
			out = append(out, tag.Words("ins", "", r.Text))
		case "delete":
			out = append(out, tag.Words("del", "", r.Text))
		case "mark":
			out = append(out, tag.Words("mark", "", r.Text))
		default:
			out = append(out, app.Text(r.Text))
		}
	}
	return out
}
