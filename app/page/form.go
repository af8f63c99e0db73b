package page

import (
	"errors"
	"maps"
	"math"
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// settingsNow is the part of the settings that the forms show, by field.
type settingsNow struct {
	Revision int64          `json:"revision"`
	Limits   map[string]any `json:"limits"`
	Runtime  map[string]any `json:"runtime"`
	Profile  map[string]any `json:"profile"`
	Models   *api.Models    `json:"models"` // administrators are told
	Chat     *api.ModelPick `json:"chat"`
}

// form is a page of settings: what is saved, and what is typed over it, by field. Two
// who change the settings at once lose nothing: what one typed stays, what one didn't
// touch follows the other.
type form struct {
	s      *Session
	ctx    app.Context
	values func(settingsNow) map[string]string // what is saved, as it stands in the fields
	named  func(problem string) string         // the field that a problem of the server is about

	load    *loader
	base    *settingsNow
	typed   map[string]string
	errs    map[string]string
	clash   map[string]bool
	problem string
	busy    bool
	intent  sync.Intention
}

// begin reads what is saved.
func (f *form) begin(s *Session, ctx app.Context) {
	f.s, f.ctx, f.errs = s, ctx, map[string]string{}
	reveal(ctx)
	f.load = loading(s, api.PathSettings, f.adopt)
	f.load.every = -1
	if s.admin() {
		f.load.now()
	}
}

// follow reads again what somebody else has saved meanwhile.
func (f *form) follow() {
	if f.base != nil && !f.busy && f.s.policy != nil && f.s.policy.Revision > f.base.Revision {
		f.load.now()
	}
}

// adopt makes newer settings those that the form is compared with.
func (f *form) adopt(now settingsNow) {
	if f.base != nil && now.Revision < f.base.Revision {
		return
	}
	saved := policyForm{values: f.values(now)}
	if f.base == nil {
		f.typed = saved.values
	} else {
		merged, clash := mergeForm(policyForm{values: f.values(*f.base)}, saved, policyForm{values: f.typed})
		f.typed, f.clash = merged.values, clash
	}
	f.base = &now
	f.fill()
}

// fill shows what is typed: go-app itself can't empty a field.
func (f *form) fill() {
	f.ctx.Defer(func(app.Context) {
		for field, v := range f.typed {
			browser.SetValue(browser.ByID("f-"+field), v)
		}
	})
}

func (f *form) changed(field string) bool {
	return strings.TrimSpace(f.typed[field]) != f.values(*f.base)[field]
}

// dirty counts what differs from what is saved.
func (f *form) dirty() int {
	if f.base == nil {
		return 0
	}
	saved, n := f.values(*f.base), 0
	for field, v := range f.typed {
		if was, there := saved[field]; !there || strings.TrimSpace(v) != was {
			n++
		}
	}
	for field := range saved {
		if _, there := f.typed[field]; !there {
			n++
		}
	}
	return n
}

// clashes tells whether somebody else saved another value for what was typed here.
func (f *form) clashes() bool {
	for field := range f.clash {
		if f.changed(field) {
			return true
		}
	}
	return false
}

// discard throws away what was typed.
func (f *form) discard() {
	f.typed, f.errs, f.clash, f.problem = f.values(*f.base), map[string]string{}, nil, ""
	f.fill()
}

// input takes over what an event typed into a field.
func (f *form) input(e app.Event) {
	id, found := strings.CutPrefix(e.Get("target").Get("id").String(), "f-")
	if _, known := f.typed[id]; !found || !known {
		return
	}
	target := e.Get("target")
	v, _ := browser.Value(target)
	if target.Get("type").String() == "checkbox" {
		v = strconv.FormatBool(browser.Checked(target))
	}
	f.typed[id] = v
	delete(f.errs, id)
}

// shown is how the form writes a number that is kept: what is kept per mille as percent.
func shown(s setting.Setting, v float64) string {
	if text.PerMille(s) {
		return setting.Format(v / 10)
	}
	return setting.Format(v)
}

// number reads a whole number, or one that shown has written, within its bounds; ok is false where the field is empty
// or isn't one, of which the latter is said beside it.
func (f *form) number(field, key string) (n int, ok bool) {
	v := strings.TrimSpace(f.typed[field])
	if v == "" {
		return 0, false
	}
	s := setting.Get(key)
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(v, "%")), 64)
	if text.PerMille(s) {
		if tenths := math.Round(10 * x); math.Abs(10*x-tenths) < 1e-6 {
			x = tenths
		} else {
			x = math.NaN()
		}
	}
	if err != nil || x != math.Trunc(x) || !s.Contains(x) {
		f.errs[field] = text.OutOfBounds(s)
		return 0, false
	}
	f.typed[field] = shown(s, x) // as it will be read back
	return int(x), true
}

// save sends a change after the other, each on top of the one before.
func (f *form) save(said string, changes ...sync.Write) {
	if len(f.errs) > 0 || len(changes) == 0 {
		f.ctx.Update()
		return
	}
	f.busy, f.problem = true, ""
	w := changes[0]
	body := maps.Clone(w.Body.(map[string]any))
	body["revision"] = f.base.Revision
	var saved struct {
		Revision int64 `json:"revision"`
	}
	w.Method, w.Body, w.Out, w.Key = "PUT", body, &saved, f.intent.Key(w.Path, body)
	f.s.send(w, func(err error) {
		f.busy = false
		defer f.ctx.Update()
		switch {
		case fault.Is(err, fault.Stale):
			f.intent.Done()
			f.problem = text.FormStale + " " + text.FormStaleKept
			f.load.now()
		case err != nil:
			f.fail(err)
		case len(changes) > 1:
			f.intent.Done()
			f.base.Revision = saved.Revision
			f.save(said, changes[1:]...)
		default:
			f.intent.Done()
			f.base.Revision = saved.Revision
			f.forget()
			f.s.say(said, nil)
			f.load.now()
		}
	})
}

// forget empties what is never read back: keys.
func (f *form) forget() {
	for field := range f.typed {
		if strings.HasSuffix(field, ".key") {
			f.typed[field] = ""
		}
	}
	f.fill()
}

func (f *form) fail(err error) {
	var e *fault.Error
	if errors.As(err, &e) {
		for _, bad := range e.Fields {
			if field := f.named(bad.Field); field != "" {
				f.errs[field] = bad.Message
			}
		}
	}
	f.problem = words(err)
}

// row is one field with its label, its help and what is wrong with it.
func (f *form) row(field, label, help string, control ...app.UI) app.UI {
	class := "set"
	if f.changed(field) {
		class += " set-dirty"
	}
	return tag.Box("div", class,
		tag.Label().Attr("for", "f-"+field).Text(label),
		tag.P().ID("f-"+field+"-h").Class("meta").Text(help),
		tag.Box("div", "set-control", control...),
		part.If(f.errs[field] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(f.errs[field]) }),
	)
}

// field is a field for typing; class says how wide it is.
func (f *form) field(field, class, kind, hint string) tag.Element {
	in := tag.Input().ID("f-"+field).Class(class).Attr("type", kind).Attr("autocomplete", "off").Attr("spellcheck", "false").
		Attr("placeholder", hint).Aria("describedby", "f-"+field+"-h")
	if f.errs[field] != "" {
		in = in.Aria("invalid", "true")
	}
	return in
}

// page is the whole page around the fields.
func (f *form) page(s *Session, at kind, title, why string, click, input app.EventHandler, content func() []app.UI) app.UI {
	body := []app.UI{part.PageHead(title, why)}
	switch {
	case !s.admin():
		body = append(body, part.Banner("plain", "info", part.Text(text.OnlyAdmins)))
	case f.base == nil:
		body = append(body, part.If(f.load != nil, func() app.UI { return f.load.show(nil) }))
	default:
		body = append(body, part.If(f.clashes(), func() app.UI {
			return part.Banner("warn", "git-compare", part.Bold(text.FormStale), part.Text(" "+text.FormStaleKept))
		}))
		body = append(body, content()...)
	}
	n := f.dirty()
	return tag.Div().Class("settings-page").OnClick(click).OnInput(input).Body(
		tag.Box("div", "settings", subnav(at, s.admin()), tag.Box("div", "scroll", tag.Form().Class("page page-form").Attr("novalidate", "true").OnSubmit(swallowSubmit).Body(body...))),
		part.If(n > 0, func() app.UI {
			note := text.Count(n, "change", "changes")
			if f.problem != "" {
				note = f.problem
			}
			return tag.Box("footer", "savebar",
				tag.Span().Class("grow muted").Role("status").Text(note),
				part.Button("btn btn-quiet", "form-discard", "", part.Text(text.Discard)),
				part.Button("btn btn-primary", "form-save", "", part.Text(text.Save)).Attr("disabled", f.busy),
			)
		}),
	)
}
