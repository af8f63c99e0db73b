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
	return tag.Div().Class("scroll").Body(tag.Div().Class("empty").Body(
		part.Growth(),
		tag.H2().Text(text.NoMemories),
		tag.P().Text(text.NoMemoriesWhy),
		tag.Div().Class("options").Body(
			tag.A().Class("option").Attr("href", browser.Path("/memory?new=1")).Body(
				part.Icon("square-pen"), tag.B().Text(text.WriteFirst), tag.Span().Class("meta").Text(text.WriteFirstHint),
				tag.Kbd().Class("end").Text("n"),
			),
			option(route{Kind: tokensPage}, "plug", text.ConnectHead, text.ConnectHint),
			option(route{Kind: transferPage}, "upload", text.ImportHead, text.BringHint),
		),
	))
}
