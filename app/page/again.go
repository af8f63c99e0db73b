package page

import (
	"context"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// endedKey tells the sign-in page that a session has ended, and not at one's wish.
const endedKey = "elowen.ended"

// signIn leads to the login page and back from there, or lets a person who is typing
// sign in again in place. What was kept and typed stays for the same person; whoever
// else signs in doesn't get it. It tells whether the page stays, and is to go on with the
// refusal.
func (s *Session) signIn() (stays bool) {
	if s.route.Kind == loginPage || s.route.Kind == setupPage || s.ended {
		return s.ended
	}
	if s.start && s.busy() {
		s.ended = true
		s.ask(&part.DialogSpec{Title: text.SessionIsOver, Body: []string{text.SessionIsOverKept}, Extra: &signAgain{S: s}, Stays: true})
		return true
	}
	s.toLogin()
	return false
}

// busy tells whether leaving the page would lose what somebody is at.
func (s *Session) busy() bool {
	return s.typing != nil && s.typing.dirty() || s.shelves != nil && s.shelves.dirty() ||
		browser.Query(browser.Document(), ".savebar").Truthy() // of settings that are changed
}

// toLogin leads to the login page.
func (s *Session) toLogin() {
	if s.client != nil {
		s.client.Close()
	}
	if s.start {
		browser.Session.Set(endedKey, "1")
	}
	browser.Leave(route{Kind: loginPage, Next: s.route.path()}.path())
}

// signAgain is the form of somebody whose session ended while they were typing.
type signAgain struct {
	app.Compo
	S *Session

	problem string
	busy    bool
}

func (p *signAgain) submit(ctx app.Context, e app.Event) {
	defer browser.Survive("sign in")
	e.PreventDefault()
	e.Call("stopPropagation")
	password, _ := browser.Value(browser.ByID("again-password"))
	if p.busy || p.S.me == nil {
		return
	}
	if password == "" {
		p.problem = text.NeedBoth
		return
	}
	p.busy, p.problem = true, ""
	s := p.S
	s.sendAs(sync.Write{Method: "POST", Path: api.PathLogin, Body: api.Login{Name: s.me.Name, Password: password}}, func(err error) {
		p.busy = false
		if err != nil {
			p.problem = words(err)
			ctx.Update()
			browser.Focus(browser.ByID("again-password"))
			return
		}
		browser.SetValue(browser.ByID("again-password"), "")
		s.back()
	})
}

// back goes on after somebody signed in again in place, as the same person.
func (s *Session) back() {
	var me api.Me
	s.async(api.PathMe, func(ctx context.Context) error { return s.api.Get(ctx, api.PathMe, &me) }, func(err error) {
		switch {
		case err != nil:
			s.fail(err)
		case accountKey(me) != accountKey(*s.me):
			browser.Reload() // another one of that name: nothing here is theirs
		default:
			s.ended = false
			s.closeDialog()
			s.client.Restart()
			browser.Kept(func(string, bool) {}, "drain")
			s.say(text.SignedInAgain, nil)
		}
	})
}

func (p *signAgain) click(ctx app.Context, e app.Event) {
	defer browser.Survive("sign in")
	if act, ok := browser.Acted(e); ok && act.Do == "sign-in-page" {
		p.S.toLogin()
	}
}

// Render draws the form.
func (p *signAgain) Render() app.UI {
	return part.Safe("sign in", func() app.UI {
		name := ""
		if p.S.me != nil {
			name = p.S.me.Name
		}
		label := text.SignIn
		if p.busy {
			label = text.SigningIn
		}
		return tag.Form().Class("stack").OnSubmit(p.submit).OnClick(p.click).Attr("novalidate", "true").Body(
			tag.Input().Class("sr").Attr("type", "text").Attr("autocomplete", "username").Attr("tabindex", -1).Aria("hidden", "true").Attr("readonly", true).Attr("value", name),
			field("again-password", text.PasswordOf(name), tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "current-password"), ""),
			problem(p.problem),
			tag.Box("p", "line",
				tag.Button().Class("btn btn-primary").Attr("type", "submit").Attr("disabled", p.busy).Text(label),
				part.Button("btn btn-quiet", "sign-in-page", "", part.Text(text.SignInElsewhere))),
		)
	})
}
