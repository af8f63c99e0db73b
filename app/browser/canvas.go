package browser

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Script loads one of the page's scripts once, and goes on when it is there, on
// go-app's goroutine of ctx. Its global is the name that it leaves in the window.
func Script(ctx app.Context, file, global string, then func(value app.Value)) {
	if !In {
		return
	}
	if v := app.Window().Get(global); v.Truthy() {
		then(v)
		return
	}
	el := document().Call("createElement", "script")
	el.Set("src", Web(file))
	var loaded app.Func
	loaded = app.FuncOf(func(app.Value, []app.Value) any {
		loaded.Release()
		ctx.Dispatch(func(app.Context) {
			defer Survive(file)
			then(app.Window().Get(global))
		})
		return nil
	})
	el.Set("onload", loaded)
	document().Get("head").Call("append", el)
}

// Detail is the text that an event of one of the page's scripts carries.
func Detail(e app.Event) string { return text(e.Value, "detail") }
