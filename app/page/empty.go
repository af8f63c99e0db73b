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
	return tag.Box("div", "scroll", tag.Box("div", "empty",
		part.Growth(),
		tag.Words("h2", "", text.NoMemories),
		tag.Words("p", "", text.NoMemoriesWhy),
		tag.Box("div", "options",
			tag.A().Class("option").Attr("href", browser.Path("/memory?new=1")).Body(
				part.Icon("square-pen"), tag.Words("b", "", text.WriteFirst), tag.Words("span", "meta", text.WriteFirstHint),
				tag.Words("kbd", "end", "n"),
			),
			option(route{Kind: tokensPage}, "plug", text.ConnectHead, text.ConnectHint),
			option(route{Kind: transferPage}, "upload", text.ImportHead, text.BringHint),
		),
	))
}
