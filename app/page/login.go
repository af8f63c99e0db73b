package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Login is the page that lets a person in.
type Login struct {
	app.Compo
	S    *Session
	Next string

	name, password string
	ended          bool // a session, and not at one's wish
	problem        string
	busy           bool
}

// OnMount takes the focus.
func (p *Login) OnMount(ctx app.Context) {
	defer browser.Survive("login")
	p.ended = browser.Session.Get(endedKey) != ""
	browser.Session.Set(endedKey, "")
	browser.Focus(browser.ByID("login-name"))
}

func (p *Login) input(ctx app.Context, e app.Event) {
	defer browser.Survive("login")
	ctx.PreventUpdate()
	p.read()
}

// read takes what stands in the fields: a password manager fills them in without
// telling.
func (p *Login) read() {
	p.name, _ = browser.Value(browser.ByID("login-name"))
	p.password, _ = browser.Value(browser.ByID("login-password"))
}

func (p *Login) submit(ctx app.Context, e app.Event) {
	defer browser.Survive("login")
	e.PreventDefault()
	p.read()
	if p.busy {
		return
	}
	if p.name == "" || p.password == "" {
		p.problem = text.NeedBoth
		return
	}
	p.busy, p.problem = true, ""
	p.S.sendAs(sync.Write{Method: "POST", Path: api.PathLogin, Body: api.Login{Name: p.name, Password: p.password}}, func(err error) {
		p.busy = false
		if err != nil {
			p.problem = words(err)
			ctx.Update()
			browser.Focus(browser.ByID("login-password"))
			return
		}
		next := p.Next
		if next == "" {
			next = "/memory"
		}
		// Loading anew gives the password nowhere to linger.
		browser.Leave(next)
	})
}

// Render draws the page.
func (p *Login) Render() app.UI {
	return part.Safe("login", func() app.UI {
		label := text.SignIn
		if p.busy {
			label = text.SigningIn
		}
		return before(
			tag.Form().Class("setup-form").OnSubmit(p.submit).OnInput(p.input).Attr("novalidate", "true").Body(
				tag.Box("p", "brand", part.Brand()...),
				tag.Box("div", "", tag.Words("h1", "", text.Welcome)),
				tag.Div().Role("status").Body(part.If(p.ended, func() app.UI {
					return part.Banner("plain", "info", part.Bold(text.SessionIsOver+"."), part.Text(" "+text.SessionIsOverWhy))
				})),
				field("login-name", text.Name, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "username").Attr("autocapitalize", "off").Attr("spellcheck", "false"), ""),
				field("login-password", text.Password, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "current-password"), ""),
				problem(p.problem),
				tag.Box("div", "line", tag.Button().Class("btn btn-primary").Attr("type", "submit").Attr("disabled", p.busy).Text(label)),
				&SetupHint{S: p.S},
			),
		)
	})
}

// before is the layout of the pages before the app.
func before(form app.UI) app.UI {
	return tag.Box("div", "setup",
		tag.Box("div", "setup-side", part.GrowthBig()),
		tag.Box("main", "setup-main", form),
	)
}

// field is a labelled input with what is wrong with it.
func field(id, label string, input tag.Element, wrong string) app.UI {
	input = input.ID(id)
	if wrong != "" {
		input = input.Aria("invalid", "true").Aria("describedby", id+"-err")
	}
	return tag.Box("div", "field",
		tag.Label().Attr("for", id).Text(label),
		input,
		part.If(wrong != "", func() app.UI { return tag.P().ID(id + "-err").Class("err").Role("alert").Text(wrong) }),
	)
}

// problem is what went wrong with a form as a whole.
func problem(s string) app.UI {
	return tag.Div().Class("form-problem").Role("alert").Body(
		part.If(s != "", func() app.UI { return part.Banner("danger", "triangle-alert", part.Text(s)) }))
}
