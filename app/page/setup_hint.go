package page

import (
	"context"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// SetupHint tells whoever meets a server without accounts where the first one is made.
type SetupHint struct {
	app.Compo
	S *Session

	needed bool
}

// OnMount asks whether the server still waits for its first account.
func (p *SetupHint) OnMount(ctx app.Context) {
	defer browser.Survive("setup hint")
	var state api.SetupState
	browser.Go(api.PathSetup, func() {
		if p.S.api.Get(context.Background(), api.PathSetup, &state) == nil && state.Needed {
			ctx.Dispatch(func(app.Context) { p.needed = true })
		}
	})
}

// Render draws the hint.
func (p *SetupHint) Render() app.UI {
	return part.Safe("setup hint", func() app.UI {
		if !p.needed {
			return tag.Words("p", "meta", text.LostPassword)
		}
		return tag.Div().Class("stack setup-hint").Role("status").Body(
			part.Banner("", "info", part.Bold(text.SetupNeeded), part.Text(" "+text.SetupWhere)),
			tag.Box("p", "code", tag.Words("span", "", browser.Origin()+"/setup#CODE")),
			tag.A().Class("btn").Attr("href", browser.Path("/setup")).Text(text.HaveCode),
		)
	})
}
