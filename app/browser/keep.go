package browser

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Kept asks the page's script that keeps things in the browser (assets/js/keep.js) to
// do something, and goes on, on a goroutine of its own, with the text that comes of
// it. ok is false where that failed, or where there is no browser.
func Kept(then func(text string, ok bool), what string, args ...any) {
	keep := app.Window().Get("elowenKeep")
	if !In || !keep.Truthy() {
		Go(what, func() { then("", false) })
		return
	}
	promise := keep.Call(what, args...)
	if !promise.Truthy() {
		return // what it does tells of itself by an event
	}
	var yes, no app.Func
	finish := func(text string, ok bool) {
		yes.Release()
		no.Release()
		Go(what, func() { then(text, ok) })
	}
	yes = app.FuncOf(func(_ app.Value, args []app.Value) any {
		text := ""
		if len(args) > 0 && args[0].Type() == app.TypeString {
			text = args[0].String()
		}
		finish(text, true)
		return nil
	})
	no = app.FuncOf(func(app.Value, []app.Value) any { finish("", false); return nil })
	promise.Call("then", yes, no)
}

// SeenRelease tells the page's script which release an answer of the server named; it
// fires elowen-version where that is another one than the page's.
func SeenRelease(release string) {
	if e := app.Window().Get("elowen"); In && e.Truthy() {
		e.Call("seen", release)
	}
}

// LookForRelease lets the script look for a newer version now, unless it just did.
func LookForRelease() {
	if e := app.Window().Get("elowen"); In && e.Truthy() {
		e.Call("look")
	}
}

// Outdated tells whether the server is known to be of another release than the page.
func Outdated() bool {
	e := app.Window().Get("elowen")
	return In && e.Truthy() && e.Get("other").Truthy()
}
