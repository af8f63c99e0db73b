package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// nothingYet tells whether the person has no memory at all and isn't writing one.
func (a *App) nothingYet() bool {
	o, r := a.s.overview, a.route
	if o == nil || r.ID > 0 || r.Compose || filtered(r.Query) || r.Query.Status != "" {
		return false
	}
	return o.Stats.Active+o.Stats.Consolidated == 0
}

// empty is the page of somebody who has nothing yet: three ways on.
func (a *App) empty() app.UI {
	const command = "elowen admin import --from jsonl FILE"
	return app.Div().Class("scroll").Body(app.Div().Class("empty").Body(
		part.Growth(),
		app.H2().Text(text.NoMemories),
		app.P().Text(text.NoMemoriesWhy),
		app.Div().Class("options").Body(
			app.A().Class("option").Href(browser.Path("/memory?new=1")).Body(
				part.Icon("square-pen"), app.B().Text(text.WriteFirst), app.Span().Class("meta").Text(text.WriteFirstHint),
				app.Kbd().Class("end").Text("n"),
			),
			app.A().Class("option").Href(browser.Path("/account")).Body(
				part.Icon("key"), app.B().Text(text.MakeToken), app.Span().Class("meta").Text(text.MakeTokenHint),
				app.Span().Class("end").Body(part.Icon("chevron-right")),
			),
			app.Div().Class("option option-still").Body(
				part.Icon("upload"), app.B().Text(text.ImportHead), app.Span().Class("meta").Text(text.ImportHint),
			),
			app.P().Class("code").Body(
				app.Span().Text(command),
				part.Button("btn btn-sm btn-quiet grow-0", "copy-line", command, part.Icon("copy"), part.Text(text.Copy)),
			),
		),
	))
}
