package browser

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Store is one of the browser's two stores of text. A browser may forbid it; then it
// forgets everything, which is no error.
type Store struct{ name string }

// The stores: Local outlives the page, Session the visit.
var (
	Local   = Store{"localStorage"}
	Session = Store{"sessionStorage"}
)

func (s Store) value() (v app.Value) {
	defer func() {
		if recover() != nil {
			v = app.Window().Get("undefined")
		}
	}()
	return app.Window().Get(s.name)
}

// Get is the text under a key; "" where there is none.
func (s Store) Get(key string) string {
	v := s.value()
	if !v.Truthy() {
		return ""
	}
	if item := v.Call("getItem", key); item.Truthy() {
		return item.String()
	}
	return ""
}

// Set keeps text under a key; an empty text removes it. A full store is ignored.
func (s Store) Set(key, text string) {
	defer func() { _ = recover() }()
	v := s.value()
	switch {
	case !v.Truthy():
	case text == "":
		v.Call("removeItem", key)
	default:
		v.Call("setItem", key, text)
	}
}

// Clear removes everything whose key begins with prefix.
func (s Store) Clear(prefix string) {
	defer func() { _ = recover() }()
	v := s.value()
	if !v.Truthy() {
		return
	}
	for i := v.Get("length").Int() - 1; i >= 0; i-- {
		if key := v.Call("key", i); key.Truthy() && len(key.String()) >= len(prefix) && key.String()[:len(prefix)] == prefix {
			v.Call("removeItem", key.String())
		}
	}
}

// themeKey is also read by the script that sets the theme before the first paint.
const themeKey = "elowen.theme"

// Theme is the chosen theme: "light", "dark", or "" for the system's.
func Theme() string {
	switch t := Local.Get(themeKey); t {
	case "light", "dark":
		return t
	}
	return ""
}

// SetTheme chooses a theme and shows it.
func SetTheme(theme string) {
	Local.Set(themeKey, theme)
	root := document().Get("documentElement")
	if !root.Truthy() {
		return
	}
	if theme == "" {
		root.Call("removeAttribute", "data-theme")
		return
	}
	root.Call("setAttribute", "data-theme", theme)
}
