package browser

import (
	"fmt"
	"runtime/debug"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// OnPanic is told of every panic that Survive caught. The app sets it once, when it
// starts, to show the person a message with a way on.
var OnPanic = func(where string, what any) {}

// Survive is deferred at the top of everything that runs on its own: handlers,
// goroutines, callbacks. A panic that leaves one of them would end the program.
func Survive(where string) {
	if what := recover(); what != nil {
		Report(where, what)
	}
}

// Report writes a caught panic to the console and tells OnPanic.
func Report(where string, what any) {
	app.Window().Get("console").Call("error", "elowen: "+where+": "+fmt.Sprint(what)+"\n"+string(debug.Stack()))
	defer func() { _ = recover() }() // telling must never be what ends the program
	OnPanic(where, what)
}

// Guard runs f and survives its panic.
func Guard(where string, f func()) {
	defer Survive(where)
	f()
}

// Go runs f on its own goroutine and survives its panic.
func Go(where string, f func()) { go Guard(where, f) }

// Listen calls f for every event of a name on a target until stop is called. It is
// called before the browser goes on, so that f may prevent the default.
func Listen(target app.Value, event string, passive bool, f func(e app.Event)) (stop func()) {
	if !In || !target.Truthy() {
		return func() {}
	}
	fn := app.FuncOf(func(_ app.Value, args []app.Value) any {
		defer Survive(event)
		if len(args) > 0 {
			f(app.Event{Value: args[0]})
		}
		return nil
	})
	options := map[string]any{"passive": passive}
	target.Call("addEventListener", event, fn, options)
	return func() {
		target.Call("removeEventListener", event, fn)
		fn.Release()
	}
}

// Window is the target of events of the page as a whole.
func Window() app.Value { return app.Window() }

// Document is the target of events of the document, such as visibilitychange.
func Document() app.Value { return document() }
