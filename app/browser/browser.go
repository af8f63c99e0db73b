// Package browser is the app's thin layer over what the browser gives: where the
// app is served, storage, theme, focus, scrolling, dates in the person's zone, and
// goroutines that survive a panic.
//
// Everything goes through go-app's Value, which outside a browser answers every
// question with nothing; each function says what it returns then, so that the app
// renders and is tested natively too.
//
// What it doesn't do: no requests (package sync) and nothing about memories.
package browser

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// In tells whether there is a browser.
const In = app.IsClient

func document() app.Value { return app.Window().Get("document") }

// text is a property as a Go string, "" where it isn't one.
func text(v app.Value, name string) string {
	if p := v.Get(name); p.Truthy() {
		return p.String()
	}
	return ""
}

func meta(name string) string {
	m := document().Call("querySelector", `meta[name="elowen-`+name+`"]`)
	if !m.Truthy() {
		return ""
	}
	return text(m, "content")
}

// once remembers a fact of the page that can't change while it lives.
func once(get func() string) func() string {
	var value string
	var known bool
	return func() string {
		if !known {
			value, known = get(), In
		}
		return value
	}
}

// Base is the path under which the app is served; it begins and ends with a slash.
var Base = once(func() string {
	base := "/" + strings.Trim(meta("base"), "/") + "/"
	if base == "//" {
		return "/"
	}
	return base
})

var web = once(func() string {
	if w := strings.TrimRight(meta("web"), "/"); w != "" {
		return w
	}
	return Base() + "web"
})

// Path is the address of a path of the app or its API: the one place that puts the
// base path in front. path begins with a slash and may carry a query.
func Path(path string) string { return Base() + strings.TrimPrefix(path, "/") }

// Web is the address of a file of the design, such as "icons.svg".
func Web(name string) string { return web() + "/" + name }

// Version is the version of the server that served the page.
var Version = once(func() string { return meta("version") })

// Live is the address of the websocket.
func Live(path string) string {
	l := app.Window().Get("location")
	scheme := "ws://"
	if text(l, "protocol") == "https:" {
		scheme = "wss://"
	}
	return scheme + text(l, "host") + Path(path)
}

// Origin is the scheme, host and base path of the app, without a slash at the end.
func Origin() string {
	return text(app.Window().Get("location"), "origin") + strings.TrimRight(Base(), "/")
}

// AtServer tells whether this machine is the server's: the address is one that leads
// nowhere else.
func AtServer() bool {
	host := strings.Trim(text(app.Window().Get("location"), "hostname"), "[]")
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// Location is the path below the base path, its query and its fragment.
func Location() (path string, query url.Values, fragment string) {
	u := app.Window().URL()
	if u == nil {
		return "/", url.Values{}, ""
	}
	return "/" + strings.TrimPrefix(strings.TrimPrefix(u.Path, strings.TrimSuffix(Base(), "/")), "/"), u.Query(), u.Fragment
}

// Replace puts another address into the address bar, without an entry in the
// history, and lets the app see it as a navigation.
func Replace(path string) {
	h := app.Window().Get("history")
	h.Call("replaceState", h.Get("state"), "", Path(path))
	Renavigate()
}

// Entry is the name of the entry of the history that is shown: the one that it has, where
// it was gone back to or loaded again; else it is given the name of another one, or where
// that is empty, its own. It is "" outside a browser.
func Entry(of string) string {
	h := app.Window().Get("history")
	if name := text(h, "state"); name != "" || !In {
		return name
	}
	if of == "" {
		of = strconv.FormatInt(time.Now().UnixMilli(), 36)
	}
	h.Call("replaceState", of, "")
	return of
}

// Renavigate makes go-app look at the address bar again, as it does when the
// person goes back.
func Renavigate() {
	if In {
		app.Window().Call("dispatchEvent", app.Window().Get("PopStateEvent").New("popstate"))
	}
}

// Back goes back in the history.
func Back() { app.Window().Get("history").Call("back") }

// Title sets the title of the page.
func Title(title string) { document().Set("title", title) }

// Reload loads the page again.
func Reload() { app.Window().Get("location").Call("reload") }

// Leave goes to an address of the app by loading it anew, which forgets all state.
func Leave(path string) { app.Window().Get("location").Call("assign", Path(path)) }

// Matches tells whether a media query holds; false outside a browser.
func Matches(query string) bool {
	m := app.Window().Call("matchMedia", query)
	return m.Truthy() && m.Get("matches").Truthy()
}

// Hidden tells whether the page is in the background.
func Hidden() bool { return text(document(), "visibilityState") == "hidden" }

// Online tells whether the device believes that it has a network.
func Online() bool { return app.Window().Get("navigator").Get("onLine").Truthy() }

// Copy puts text into the clipboard and reports whether it could.
func Copy(s string, done func(ok bool)) {
	clipboard := app.Window().Get("navigator").Get("clipboard")
	if !clipboard.Truthy() {
		done(copyBySelection(s))
		return
	}
	settle(clipboard.Call("writeText", s), func(ok bool) { done(ok || copyBySelection(s)) })
}

// copyBySelection is the way of pages that aren't served over TLS.
func copyBySelection(s string) bool {
	area := document().Call("createElement", "textarea")
	if !area.Truthy() {
		return false
	}
	area.Set("value", s)
	area.Set("className", "sr")
	body := document().Get("body")
	body.Call("append", area)
	area.Call("select")
	ok := document().Call("execCommand", "copy").Truthy()
	area.Call("remove")
	return ok
}

func settle(promise app.Value, done func(ok bool)) {
	var yes, no app.Func
	finish := func(ok bool) {
		yes.Release()
		no.Release()
		Go("promise", func() { done(ok) })
	}
	yes = app.FuncOf(func(app.Value, []app.Value) any { finish(true); return nil })
	no = app.FuncOf(func(app.Value, []app.Value) any { finish(false); return nil })
	promise.Call("then", yes, no)
}
