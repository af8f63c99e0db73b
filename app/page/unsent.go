package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/state"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Unsent is a new memory that the server doesn't have yet: it is read, mended or
// discarded as it waits.
type Unsent struct {
	app.Compo
	S      *Session
	Rev    int
	Change int64 // its number in the queue
}

func (u *Unsent) change() (state.Change, bool) {
	for _, c := range u.S.off.changes {
		if c.ID == u.Change && c.Action == state.ActAdd {
			return c, true
		}
	}
	return state.Change{}, false
}

func (u *Unsent) click(ctx app.Context, e app.Event) {
	defer browser.Survive("unsent")
	act, ok := browser.Acted(e)
	c, there := u.change()
	switch {
	case ok && act.Do == "back":
		u.S.visit(u.S.route.close())
	case ok && there && act.Do == "unsent-edit":
		u.S.reopen(c)
	case ok && there && act.Do == "unsent-drop":
		u.S.discard(c)
		u.S.visit(u.S.route.close())
	case ok && there && act.Do == "unsent-again":
		browser.Kept(func(string, bool) { u.S.readQueue() }, "again", c.ID, 0)
	default:
		ctx.PreventUpdate()
	}
}

// Render draws the pane.
func (u *Unsent) Render() app.UI {
	return part.Safe("unsent", func() app.UI {
		c, there := u.change()
		bar := []app.UI{
			part.IconButton("btn btn-quiet detail-back", "back", "", text.BackToList, "chevron-left"),
			tag.Span().Class("grow"),
		}
		if there {
			bar = append(bar,
				part.Button("btn btn-quiet", "unsent-edit", "", part.Icon("square-pen"), part.Text(text.Edit)),
				part.Button("btn btn-quiet", "unsent-drop", "", part.Icon("trash-2"), part.Text(text.DropChange)))
		}
		bar = append(bar, part.IconButton("btn btn-quiet detail-close", "back", "", text.CloseDetail, "x"))
		return tag.Section().Class("pane").Aria("label", text.DetailPane).OnClick(u.click).Body(
			tag.Box("header", "topbar", bar...),
			tag.Div().ID("detail-scroll").Class("scroll").TabIndex(-1).Body(u.content(c, there)),
		)
	})
}

func (u *Unsent) content(c state.Change, there bool) app.UI {
	m, ok := c.Added()
	if !there || !ok {
		return tag.Box("div", "empty", tag.Words("h2", "", text.UnsentGone), tag.Words("p", "", text.UnsentGoneWhy))
	}
	name, color := u.S.category(m.CategoryID)
	if name == "" {
		name = text.NoCategory
	}
	field := func(name string, value ...app.UI) app.UI {
		return tag.Box("div", "", tag.Words("dt", "", name), tag.Box("dd", "", value...))
	}
	refused := c.State == state.ChangeRefused
	return tag.Article().Class("detail").Aria("label", text.Memory).Body(
		tag.Box("p", "line pending", tag.Box("span", "tag", part.Icon("clock"), part.Text(unsentFlag(c)))),
		part.If(!refused, func() app.UI { return part.Banner("plain", "info", part.Text(text.UnsentNote)) }),
		part.If(refused, func() app.UI {
			return tag.Box("div", "banner banner-danger", part.Icon("triangle-alert"), tag.Words("span", "grow", c.Problem), part.Button("linkish", "unsent-again", "", part.Text(text.SendAgain)))
		}),
		part.Body("detail-body", m),
		tag.Box("dl", "fields",
			field(text.Category, part.CategoryRings(color), part.Text(name)),
			field(text.Kind, part.Text(m.Kind)),
			field(text.ImportanceField, tag.Words("span", "line", text.Level(m.Importance, text.Word(m.Importance)))),
		),
	)
}
