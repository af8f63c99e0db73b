package part

import (
	"strings"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Toast says what happened, and takes it back where that is possible.
type Toast struct {
	ID     int
	Kind   string // a newer toast of the same kind takes its place
	Text   string
	Danger bool
	Undo   func()
}

// Toasts are at most three, the newest last.
func Toasts(toasts []Toast) app.UI {
	items := make([]app.UI, 0, len(toasts))
	for _, t := range toasts {
		name, class := "circle-check", "toast"
		if t.Danger {
			name, class = "triangle-alert", "toast toast-danger"
		}
		body := []app.UI{Icon(name), tag.Words("span", "", t.Text)}
		if t.Undo != nil {
			body = append(body, Button("btn btn-sm btn-quiet", "undo", itoa(t.ID), Text(text.Undo)))
		}
		body = append(body, IconButton("btn btn-sm btn-quiet toast-close", "dismiss", itoa(t.ID), text.Close, "x"))
		items = append(items, tag.Box("p", class, body...))
	}
	return tag.Div().ID("toasts").Class("toasts").Role("status").Aria("live", "polite").Body(items...)
}

// Choice is one option of a menu.
type Choice struct {
	Value  string
	Label  string
	Note   string // beside it, quiet
	Icon   string
	Rings  int // category colour + 1; 0 shows no rings
	Picked bool
	Rule   bool // a line above it
	Danger bool
}

// MenuSpec is a menu to be shown.
type MenuSpec struct {
	Label   string // its name for everyone
	Anchor  browser.Rect
	Right   bool // stands under the right end of what opened it
	Choices []Choice
	Search  bool                      // offers a field that narrows it
	Hint    string                    // in the empty field; "" says that it filters
	Custom  func(typed string) Choice // makes a last choice of what was typed, or none (no label); nil offers none
	Pick    func(value string)
}

// Menu is an open menu: one of several choices, by pointer or keyboard.
type Menu struct {
	app.Compo
	Spec  *MenuSpec
	Close func()

	at     int
	filter string
	shown  *MenuSpec
	back   app.Value
}

// OnMount places the menu and takes the focus.
func (m *Menu) OnMount(ctx app.Context) {
	defer browser.Survive("menu")
	m.back = browser.Active()
	m.open(ctx)
}

// OnUpdate places another menu.
func (m *Menu) OnUpdate(ctx app.Context) {
	defer browser.Survive("menu")
	if m.shown != m.Spec {
		m.open(ctx)
	}
}

func (m *Menu) open(ctx app.Context) {
	m.shown, m.at, m.filter = m.Spec, 0, ""
	for i, c := range m.Spec.Choices {
		if c.Picked {
			m.at = i
			break
		}
	}
	if m.Spec.Search {
		browser.ExpectField()
	}
	ctx.Defer(func(ctx app.Context) {
		defer browser.Survive("menu")
		m.place(ctx.JSSrc())
		if m.Spec.Search {
			field := browser.Query(ctx.JSSrc(), "input")
			browser.SetValue(field, "")
			browser.Focus(field)
			return
		}
		browser.Focus(browser.Query(ctx.JSSrc(), "ul"))
	})
}

// place keeps the menu inside the window.
func (m *Menu) place(box app.Value) {
	const gap, edge = 4, 8
	width, height := browser.Size()
	size := browser.RectOf(box)
	a := m.Spec.Anchor
	left, top := a.Left, a.Bottom+gap
	if m.Spec.Right {
		left = a.Right - size.Width
	}
	if top+size.Height > height-edge && a.Top-gap-size.Height > edge {
		top = a.Top - gap - size.Height
	}
	browser.Var(box, "--left", browser.Px(max(edge, min(left, width-size.Width-edge))))
	browser.Var(box, "--top", browser.Px(max(edge, min(top, height-size.Height-edge))))
}

// OnDismount gives the focus back.
func (m *Menu) OnDismount() {
	if m.back != nil {
		browser.Focus(m.back)
	}
}

func (m *Menu) visible() []Choice {
	want := strings.ToLower(strings.TrimSpace(m.filter))
	if want == "" {
		return m.Spec.Choices
	}
	var kept []Choice
	for _, c := range m.Spec.Choices {
		if strings.Contains(strings.ToLower(c.Label), want) {
			kept = append(kept, c)
		}
	}
	if m.Spec.Custom != nil && !m.offers(want) {
		if c := m.Spec.Custom(strings.TrimSpace(m.filter)); c.Label != "" {
			kept = append(kept, c)
		}
	}
	return kept
}

// offers tells whether a choice has exactly this label.
func (m *Menu) offers(want string) bool {
	for _, c := range m.Spec.Choices {
		if strings.ToLower(c.Label) == want {
			return true
		}
	}
	return false
}

func (m *Menu) pick(value string) {
	spec := m.Spec
	m.Close()
	spec.Pick(value)
}

func (m *Menu) click(ctx app.Context, e app.Event) {
	defer browser.Survive("menu")
	e.Call("stopPropagation")
	act, ok := browser.Acted(e)
	if !ok {
		return
	}
	switch act.Do {
	case "choose":
		m.pick(act.Arg)
	case "close-menu":
		m.Close()
	}
}

func (m *Menu) input(ctx app.Context, e app.Event) {
	defer browser.Survive("menu")
	m.filter, _ = browser.Value(e.Get("target"))
	m.at = 0
}

func (m *Menu) key(ctx app.Context, e app.Event) {
	defer browser.Survive("menu")
	e.Call("stopPropagation")
	choices := m.visible()
	switch browser.Key(e) {
	case "ArrowDown":
		m.at++
	case "ArrowUp":
		m.at--
	case "Home":
		m.at = 0
	case "End":
		m.at = len(choices) - 1
	case "Enter", " ":
		if browser.Key(e) == " " && m.Spec.Search {
			return
		}
		e.PreventDefault()
		if m.at < len(choices) {
			m.pick(choices[m.at].Value)
		}
		return
	case "Escape", "Tab":
		e.PreventDefault()
		m.Close()
		return
	default:
		return
	}
	e.PreventDefault()
	if n := len(choices); n > 0 {
		m.at = (m.at + n) % n
	}
	ctx.Defer(func(ctx app.Context) {
		if at := browser.Query(ctx.JSSrc(), "[data-at]"); at.Truthy() {
			at.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

// Render draws the menu.
func (m *Menu) Render() app.UI {
	return Safe("menu", func() app.UI {
		choices := m.visible()
		hint := m.Spec.Hint
		if hint == "" {
			hint = text.MenuFilter
		}
		items := make([]app.UI, 0, len(choices))
		for i, c := range choices {
			items = append(items, m.item(i, c))
		}
		if len(items) == 0 {
			items = append(items, tag.Words("li", "meta menu-none", text.NoMatch))
		}
		active := ""
		if m.at < len(choices) {
			active = "menu-" + itoa(m.at)
		}
		list := tag.Ul().ID("menu-list").Class("menu-list").Role("listbox").TabIndex(-1).Aria("label", m.Spec.Label).Aria("activedescendant", active).Body(items...)
		return tag.Div().Class("menu").Role("dialog").Aria("label", m.Spec.Label).
			OnClick(m.click).OnKeyDown(m.key).OnInput(m.input).
			Body(
				If(m.Spec.Search, func() app.UI {
					return tag.Box("div", "menu-search",
						Icon("search"),
						tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off").
							Attr("placeholder", hint).Aria("label", hint).
							Role("combobox").Aria("expanded", "true").Aria("controls", "menu-list").Aria("activedescendant", active),
					)
				}),
				list,
			)
	})
}

func (m *Menu) item(i int, c Choice) app.UI {
	li := tag.Li().ID("menu-"+itoa(i)).Class("menu-item").Role("option").
		Aria("selected", boolText(c.Picked)).DataSet("do", "choose").DataSet("arg", c.Value)
	if i == m.at {
		li = li.DataSet("at", "true")
	}
	if c.Rule {
		li = li.Class("menu-rule")
	}
	if c.Danger {
		li = li.Class("menu-danger")
	}
	var lead app.UI = tag.Span().Class("menu-lead")
	switch {
	case c.Rings > 0:
		lead = CategoryRings(c.Rings - 1)
	case c.Icon != "":
		lead = Icon(c.Icon)
	}
	return li.Body(
		lead,
		tag.Words("span", "menu-label", c.Label),
		tag.Words("span", "meta num", c.Note),
		If(c.Picked, func() app.UI { return Icon("check") }),
	)
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
