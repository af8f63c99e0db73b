package part

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func itoa(n int) string { return strconv.Itoa(n) }

// DialogSpec is a question that must be answered before anything is done: only for
// what can't be undone, with a phrase to type; or, without an action, something to
// read.
type DialogSpec struct {
	Title  string
	Body   []string
	Extra  app.UI // shown under the text
	Phrase string // must be typed; "" needs none
	Action string // label of the button that does it; "" has only Close
	Danger bool
	Wide   bool
	Stays  bool // it has no way out but those of Extra
	Run    func()
}

// Dialog is an open dialog. It keeps the focus inside; Escape answers no.
type Dialog struct {
	app.Compo
	Spec  *DialogSpec
	Close func()

	typed string
	back  app.Value
}

// OnMount takes the focus.
func (d *Dialog) OnMount(ctx app.Context) {
	defer browser.Survive("dialog")
	d.back = browser.Active()
	box := ctx.JSSrc()
	first := browser.Query(box, "input:not([readonly])")
	if !first.Truthy() {
		first = browser.Query(box, "button")
	}
	browser.Focus(first)
}

// OnDismount gives the focus back.
func (d *Dialog) OnDismount() {
	if d.back != nil {
		browser.Focus(d.back)
	}
}

func (d *Dialog) ready() bool {
	return strings.EqualFold(strings.TrimSpace(d.typed), d.Spec.Phrase)
}

func (d *Dialog) run() {
	if d.ready() && d.Spec.Run != nil {
		run := d.Spec.Run
		d.Close()
		run()
	}
}

func (d *Dialog) click(ctx app.Context, e app.Event) {
	defer browser.Survive("dialog")
	e.Call("stopPropagation")
	act, ok := browser.Acted(e)
	if !ok {
		return
	}
	switch act.Do {
	case "confirm":
		d.run()
	case "close-dialog":
		d.Close()
	case "scrim":
		if e.Get("target").Equal(act.Element) && !d.Spec.Stays {
			d.Close()
		}
	}
}

func (d *Dialog) input(ctx app.Context, e app.Event) {
	defer browser.Survive("dialog")
	d.typed, _ = browser.Value(e.Get("target"))
}

func (d *Dialog) key(ctx app.Context, e app.Event) {
	defer browser.Survive("dialog")
	e.Call("stopPropagation")
	switch browser.Key(e) {
	case "Escape":
		e.PreventDefault()
		if !d.Spec.Stays {
			d.Close()
		}
	case "Enter":
		if d.Spec.Phrase != "" && browser.Typing(e) {
			e.PreventDefault()
			d.run()
		}
	case "Tab":
		d.trap(ctx, e)
	}
}

// trap leads the focus around inside the dialog.
func (d *Dialog) trap(ctx app.Context, e app.Event) {
	all := ctx.JSSrc().Call("querySelectorAll", "input, button:not([disabled]), a[href]")
	n := all.Get("length").Int()
	if n == 0 {
		return
	}
	first, last := all.Index(0), all.Index(n-1)
	active := browser.Active()
	switch back := browser.Flag(e, "shiftKey"); {
	case back && active.Equal(first):
		e.PreventDefault()
		browser.Focus(last)
	case !back && active.Equal(last):
		e.PreventDefault()
		browser.Focus(first)
	}
}

// Render draws the dialog.
func (d *Dialog) Render() app.UI {
	return Safe("dialog", func() app.UI {
		s := d.Spec
		body := []app.UI{tag.H2().ID("dialog-title").Text(s.Title)}
		for _, p := range s.Body {
			body = append(body, tag.Words("p", "muted", p))
		}
		if s.Extra != nil {
			body = append(body, s.Extra)
		}
		if s.Phrase != "" {
			body = append(body, tag.Box("div", "field",
				tag.Label().Attr("for", "dialog-phrase").Body(Text(text.TypePhrase+" "), Bold(s.Phrase)),
				tag.Input().ID("dialog-phrase").Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("autocapitalize", "off").Attr("spellcheck", "false"),
			))
		}
		role, class := "dialog", "dialog"
		if s.Danger {
			role = "alertdialog"
		}
		if s.Wide {
			class += " dialog-wide"
		}
		body = append(body, d.buttons())
		return tag.Div().Class("scrim").DataSet("do", "scrim").OnClick(d.click).OnKeyDown(d.key).OnInput(d.input).Body(
			tag.Div().Class(class).Role(role).Aria("modal", "true").Aria("labelledby", "dialog-title").Body(body...),
		)
	})
}

func (d *Dialog) buttons() app.UI {
	if d.Spec.Stays {
		return tag.Span().Hidden(true)
	}
	if d.Spec.Action == "" {
		return tag.Box("p", "line", tag.Span().Class("grow"), Button("btn", "close-dialog", "", Text(text.Close)))
	}
	class := "btn btn-primary"
	if d.Spec.Danger {
		class = "btn btn-danger"
	}
	return tag.Box("p", "line",
		tag.Span().Class("grow"),
		Button("btn btn-quiet", "close-dialog", "", Text(text.Cancel)),
		Button(class, "confirm", "", Text(d.Spec.Action)).Attr("disabled", !d.ready()),
	)
}
