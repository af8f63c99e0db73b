// Command wasm is the app as it runs in the browser.
package main

import (
	"elowen/app/page"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func main() {
	page.Register()
	app.RunWhenOnBrowser()
}
