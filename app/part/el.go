// Package part holds the pieces that pages are put together from: rows, rings,
// vitality bars, the chart, fields, menus, dialogs, toasts, diffs.
//
// Concepts. Most pieces are functions that return elements; a piece that has state
// of its own or is worth skipping when nothing changed is a component. Elements
// that do something carry data-do and data-arg, and the component around them has
// one handler that reads these (browser.Acted).
//
// Invariants. No style attributes: what varies goes into a data attribute with a
// rule, an SVG attribute, or a custom property set from the program. Markup given
// to app.Raw is made of constants and numbers only; text of people goes through
// elements. Nothing here computes a vitality, a date or an order.
package part

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

const svgNS = "http://www.w3.org/2000/svg"

// svg is an SVG element.
func svg(name string) tag.Element { return app.Elem(name).XMLNS(svgNS) }

// Icon is an icon of the sprite, 16 px, for the eye only.
func Icon(name string) app.UI { return icon("icon", name) }

// IconLarge is an icon of 20 px.
func IconLarge(name string) app.UI { return icon("icon icon-lg", name) }

func icon(class, name string) app.UI {
	return app.Raw(`<svg class="` + class + `" aria-hidden="true"><use href="` + browser.Web("icons.svg") + `#` + name + `"></use></svg>`)
}

// Brand is the mark and the wordmark.
func Brand() []app.UI {
	use := func(box, class, name string) app.UI {
		return app.Raw(`<svg viewBox="` + box + `" class="` + class + `" aria-hidden="true"><use href="` + browser.Web("icons.svg") + `#` + name + `"></use></svg>`)
	}
	return []app.UI{use("0 0 48 48", "mark", "mark"), use("0 0 176 48", "word", "word")}
}

// Rings is the mark of a memory: as many rings as its importance weighs, in the
// colour of its category (0 for none).
func Rings(importance, color int) app.UI { return rings(importance, color, "") }

func rings(importance, color int, attributes string) app.UI {
	cat := attributes
	if color > 0 {
		cat += ` data-cat="` + strconv.Itoa(color) + `"`
	}
	return app.Raw(`<svg class="rings"` + cat + ` aria-hidden="true"><use href="` + browser.Web("icons.svg") + `#rings-` + strconv.Itoa(ringCount(importance)) + `"></use></svg>`)
}

func ringCount(importance int) int {
	switch {
	case importance <= 2:
		return 1
	case importance <= 5:
		return 2
	case importance <= 8:
		return 3
	}
	return 4
}

// CategoryRings is the mark of a category as such.
func CategoryRings(color int) app.UI { return Rings(5, color) }

// Vitality is the bar with its number. floor is where the notch stands; below zero
// there is none, as while retention is off.
func Vitality(shown int, floor float64) app.UI {
	n := strconv.Itoa(shown)
	notch := ""
	if floor >= 0 {
		notch = `<rect class="bar-floor" x="` + num(floor-1.6) + `" y="-1" width="3.2" height="8"></rect>`
	}
	return app.Raw(`<span class="vit" data-vit="` + strconv.Itoa(Tens(shown)) + `">` +
		`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">` +
		`<rect class="bar-track" width="100" height="6" rx="2"></rect>` +
		`<rect class="bar-fill" width="` + n + `" height="6" rx="2"></rect>` + notch +
		`</svg><span class="num"><span class="sr">Vitality </span>` + n + `</span></span>`)
}

// Tens rounds a vitality down to tens, for the colour of its bar.
func Tens(shown int) int { return min(max(shown, 0), 100) / 10 * 10 }

// num writes a coordinate with at most one decimal.
func num(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// If is an element or nothing. Nothing is an empty span that isn't shown, so that
// what stands after it keeps its place: go-app matches children by their position,
// and a field that moves by one would be made anew and lose what is typed.
func If(show bool, make func() app.UI) app.UI {
	if show {
		return make()
	}
	return tag.Span().Hidden(true)
}

// Button is a button with an action.
func Button(class, do, arg string, body ...app.UI) tag.Element {
	return tag.Button().Class(class).Attr("type", "button").DataSet("do", do).DataSet("arg", arg).Body(body...)
}

// IconButton is a button that shows only an icon; label is its name for everyone.
func IconButton(class, do, arg, label, icon string) tag.Element {
	return Button(class+" btn-icon", do, arg, Icon(icon)).Aria("label", label).Title(label)
}

// Kbd is a key as it is printed.
func Kbd(key string) app.UI { return tag.Words("kbd", "", key) }

// KbdHint is a key beside the name of what it does. The stylesheet writes it, so that it
// is no part of that name.
func KbdHint(key string) app.UI { return tag.Kbd().Aria("hidden", "true").DataSet("key", key) }

// Banner is one sentence with an icon. Kind is "", "plain", "warn" or "danger".
func Banner(kind, icon string, body ...app.UI) app.UI {
	class := "banner"
	if kind != "" {
		class += " banner-" + kind
	}
	return tag.Box("div", class, Icon(icon), tag.Box("span", "", body...))
}

// Link is a link inside the app.
func Link(path, label string) app.UI { return tag.A().Attr("href", browser.Path(path)).Text(label) }

// Bold is text that weighs more.
func Bold(s string) app.UI { return tag.Words("b", "", s) }

// Text is plain text.
func Text(s string) app.UI { return app.Text(s) }

// Body is the body of a memory, in its language and direction.
func Body(class string, m api.Memory) app.UI {
	return tag.P().Class(class).Attr("lang", m.Lang).Attr("dir", "auto").Text(m.Body)
}

// Cut shortens a body for a place that shows two lines of it; what the eye would
// never reach isn't put into the document.
func Cut(s string) string {
	const enough = 480 // bytes; two lines hold far less
	if len(s) <= enough {
		return s
	}
	cut := enough
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
