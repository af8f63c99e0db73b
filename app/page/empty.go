package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
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
	return tag.Div().Class("scroll").Body(tag.Div().Class("empty").Body(
		part.Growth(),
		tag.H2().Text(text.NoMemories),
		tag.P().Text(text.NoMemoriesWhy),
		tag.Div().Class("options").Body(
			tag.A().Class("option").Attr("href", browser.Path("/memory?new=1")).Body(
				part.Icon("square-pen"), tag.B().Text(text.WriteFirst), tag.Span().Class("meta").Text(text.WriteFirstHint),
				tag.Kbd().Class("end").Text("n"),
			),
			tag.A().Class("option").Attr("href", browser.Path("/account")).Body(
				part.Icon("key"), tag.B().Text(text.MakeToken), tag.Span().Class("meta").Text(text.MakeTokenHint),
				tag.Span().Class("end").Body(part.Icon("chevron-right")),
			),
			tag.Div().Class("option option-still").Body(
				part.Icon("upload"), tag.B().Text(text.ImportHead), tag.Span().Class("meta").Text(text.ImportHint),
			),
			tag.P().Class("code").Body(
				tag.Span().Text(command),
				part.Button("btn btn-sm btn-quiet grow-0", "copy-line", command, part.Icon("copy"), part.Text(text.Copy)),
			),
		),
	))
}
