package part

import (
	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Safe renders, and where that panics shows a message with a way on instead, so
// that the rest of the page lives.
func Safe(where string, render func() app.UI) (ui app.UI) {
	defer func() {
		if what := recover(); what != nil {
			browser.Report(where, what)
			ui = tag.Div().Class("broken").Body(
				Banner("danger", "triangle-alert", Text(text.Broken+" "), Bold(text.BrokenKept)),
				Button("btn btn-sm", "reload", "", Text(text.Reload)),
			)
		}
	}()
	return render()
}
