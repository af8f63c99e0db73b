package browser

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// ByID is the element of an id; it may be absent (not Truthy).
func ByID(id string) app.Value { return document().Call("getElementById", id) }

// Query is the first element that matches a selector inside root; it may be absent.
func Query(root app.Value, selector string) app.Value { return root.Call("querySelector", selector) }

// Acted finds what an event was about: the nearest element with data-do around its
// target, that is, what it does and for whom. Components have one handler an event
// and tell by this what was meant: go-app compares handlers by code, so that one
// closure a row would act for the wrong row after the list has moved.
func Acted(e app.Event) (act Act, ok bool) {
	target := e.Get("target")
	if !target.Truthy() {
		return act, false
	}
	if target.Get("closest").Truthy() {
		target = target.Call("closest", "[data-do]")
	}
	if !target.Truthy() {
		return act, false
	}
	data := target.Get("dataset")
	act = Act{Do: text(data, "do"), Arg: text(data, "arg"), Element: target}
	return act, act.Do != ""
}

// Act is what an element does when it is used.
type Act struct {
	Do, Arg string
	Element app.Value
}

// ID is the argument as a number; 0 where it isn't one.
func (a Act) ID() int64 {
	n, _ := strconv.ParseInt(a.Arg, 10, 64)
	return n
}

// Value is what stands in a field. ok is false where it isn't valid text (a lone
// surrogate), which must be refused, never repaired.
func Value(field app.Value) (value string, ok bool) {
	if !In || !field.Truthy() {
		return "", true
	}
	v := field.Get("value")
	if v.Type() != app.TypeString {
		return "", true
	}
	well := app.Window().Get("String").Get("prototype").Get("isWellFormed")
	return v.String(), !well.Truthy() || well.Call("call", v).Truthy()
}

// SetValue puts text into a field. go-app can't empty one: it leaves an empty
// attribute out.
func SetValue(field app.Value, s string) {
	if field.Truthy() && (s != "" || field.Get("value").Truthy()) {
		field.Set("value", s)
	}
}

// Checked tells whether a checkbox is on.
func Checked(box app.Value) bool { return box.Get("checked").Truthy() }

// Var sets a custom property on an element: the way that a strict policy leaves for
// what varies freely, such as the place of a row.
func Var(element app.Value, name, value string) {
	if element.Truthy() {
		element.Get("style").Call("setProperty", name, value)
	}
}

// Px is a length in CSS pixels as text.
func Px(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + "px" }

// Number is a numeric property; 0 outside a browser.
func Number(v app.Value, name string) float64 {
	if !In || !v.Truthy() {
		return 0
	}
	p := v.Get(name)
	if p.Type() != app.TypeNumber {
		return 0
	}
	return p.Float()
}

// Rect is where an element is on the screen, in CSS pixels.
type Rect struct{ Left, Top, Right, Bottom, Width, Height float64 }

// RectOf measures an element.
func RectOf(element app.Value) Rect {
	if !In || !element.Truthy() {
		return Rect{}
	}
	r := element.Call("getBoundingClientRect")
	return Rect{
		Left: Number(r, "left"), Top: Number(r, "top"), Right: Number(r, "right"),
		Bottom: Number(r, "bottom"), Width: Number(r, "width"), Height: Number(r, "height"),
	}
}

// Size is the size of the window.
func Size() (width, height float64) {
	return Number(app.Window(), "innerWidth"), Number(app.Window(), "innerHeight")
}

// Focus moves the focus to an element without scrolling to it.
func Focus(element app.Value) {
	if element.Truthy() {
		element.Call("focus", map[string]any{"preventScroll": true})
		typeAhead(element)
	}
}

// Reveal scrolls an element into view within what scrolls around it, no further than
// needed.
func Reveal(element app.Value) {
	if element.Truthy() {
		element.Call("scrollIntoView", map[string]any{"block": "nearest", "inline": "nearest"})
	}
}

// Active is the element that has the focus.
func Active() app.Value { return document().Get("activeElement") }

// Typing tells whether an event comes from where letters are text, not commands.
func Typing(e app.Event) bool { return isField(e.Get("target")) }

func isField(t app.Value) bool {
	if !t.Truthy() || !t.Get("tagName").Truthy() {
		return false
	}
	switch t.Get("tagName").String() {
	case "TEXTAREA", "SELECT":
		return true
	case "INPUT":
		switch text(t, "type") {
		case "checkbox", "radio", "button", "submit", "range":
			return false
		}
		return true
	}
	return t.Get("isContentEditable").Truthy()
}

// Key is the name of the key of a keyboard event.
func Key(e app.Event) string { return text(e.Value, "key") }

// Flag is a boolean property of an event, such as "shiftKey".
func Flag(e app.Event, name string) bool { return e.Get(name).Truthy() }

// Commanding tells whether a key comes with Ctrl, Alt or ⌘, which belong to the
// browser and the system.
func Commanding(e app.Event) bool {
	return Flag(e, "ctrlKey") || Flag(e, "metaKey") || Flag(e, "altKey")
}

// Observe follows the size of an element's content box until stop is called.
func Observe(element app.Value, f func(width, height float64)) (stop func()) {
	observer := app.Window().Get("ResizeObserver")
	if !In || !element.Truthy() || !observer.Truthy() {
		return func() {}
	}
	fn := app.FuncOf(func(_ app.Value, args []app.Value) any {
		defer Survive("resize")
		if n := args[0].Length(); n > 0 {
			r := args[0].Index(n - 1).Get("contentRect")
			f(Number(r, "width"), Number(r, "height"))
		}
		return nil
	})
	o := observer.New(fn)
	o.Call("observe", element)
	return func() {
		o.Call("disconnect")
		fn.Release()
	}
}
