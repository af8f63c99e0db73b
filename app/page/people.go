package page

import (
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

// People is the administrator's list of accounts.
type People struct {
	app.Compo
	S   *Session
	Rev int

	ctx    app.Context
	load   *loader
	people []api.Person
	role   string
	errs   map[string]string
	secret string // name of whom a password is being set for
	intent sync.Intention
}

// OnMount asks for the accounts.
func (p *People) OnMount(ctx app.Context) {
	defer browser.Survive("people")
	p.ctx, p.role, p.errs = ctx, api.RoleMember, map[string]string{}
	reveal(ctx)
	p.load = loading(p.S, api.PathPeople, func(page api.Page[api.Person]) { p.people = page.Items })
	if p.S.admin() {
		p.load.now()
	}
}

// OnDismount stops asking.
func (p *People) OnDismount() { p.load.stop() }

// admin tells whether the person looks after the server.
func (s *Session) admin() bool { return s.me != nil && s.me.Role == api.RoleAdmin }

// terminal is how elowen is called where the server runs; nil for those who don't look
// after it.
func (s *Session) terminal() *api.Terminal {
	if s.me == nil {
		return nil
	}
	return s.me.Terminal
}

// command is a command for the server's terminal.
func (s *Session) command(args ...string) string {
	if at := s.terminal(); at != nil {
		return text.Command(*at, args...)
	}
	return text.Command(api.Terminal{Program: text.Program}, args...)
}

func (p *People) click(ctx app.Context, e app.Event) {
	defer browser.Survive("people")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "role":
		p.role = act.Arg
	case "person":
		p.menu(act)
	case "no-password":
		p.secret = ""
	}
}

// menu offers what can be done with a person.
func (p *People) menu(act browser.Act) {
	for _, x := range p.people {
		if x.Name != act.Arg {
			continue
		}
		self := p.S.me != nil && p.S.me.ID == x.ID
		var choices []part.Choice
		add := func(c part.Choice, allowed bool) {
			if allowed {
				choices = append(choices, c)
			}
		}
		add(part.Choice{Value: "password", Label: text.SetPasswordEllipsis, Icon: "key"}, !self)
		add(part.Choice{Value: "admin", Label: text.MakeAdmin, Icon: "user"}, x.Role != api.RoleAdmin)
		add(part.Choice{Value: "member", Label: text.MakeMember, Icon: "user"}, x.Role == api.RoleAdmin)
		add(part.Choice{Value: "end", Label: text.EndTheirs, Icon: "monitor"}, !self && !x.Disabled)
		add(part.Choice{Value: "enable", Label: text.Enable, Icon: "play", Rule: true}, x.Disabled)
		add(part.Choice{Value: "disable", Label: text.Disable, Icon: "pause", Rule: true}, !self && !x.Disabled)
		add(part.Choice{Value: "erase", Label: text.EraseEllipsis, Icon: "trash-2", Danger: true}, !self)
		p.S.openMenu(&part.MenuSpec{Label: text.PersonActions(x.Name), Anchor: browser.RectOf(act.Element), Right: true, Choices: choices,
			Pick: func(what string) { p.S.do(func() { p.act(what, x.Name) }) }})
		return
	}
}

func (p *People) act(what, name string) {
	s := p.S
	switch what {
	case "password":
		p.secret, p.errs = name, map[string]string{}
		p.ctx.Update()
		p.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("per-secret")) })
	case "admin", "member":
		p.change(name, api.PersonPatch{Role: &what}, text.RoleChanged)
	case "end":
		var done api.Ended
		s.send(sync.Write{Method: "DELETE", Path: api.PersonPath(name, "sessions"), Out: &done}, func(err error) { p.load.after(err, text.SignedOutPerson(done.Ended, name)) })
	case "enable":
		p.change(name, api.PersonPatch{Disabled: api.Ptr(false)}, text.Enabled)
	case "disable":
		s.confirm(text.DisableTitle(name), []string{text.DisableBody}, text.Disabling, func() {
			p.change(name, api.PersonPatch{Disabled: api.Ptr(true)}, text.DisabledNow)
		})
	case "erase":
		s.ask(&part.DialogSpec{Title: text.EraseTitle(name), Body: text.EraseBody, Phrase: name, Action: text.Erase, Danger: true,
			Run: func() {
				s.send(sync.Write{Method: "DELETE", Path: api.PersonPath(name)}, func(err error) { p.load.after(err, text.Erased) })
			}})
	}
}

func (p *People) change(name string, body api.PersonPatch, said string) {
	p.S.send(sync.Write{Method: "PATCH", Path: api.PersonPath(name), Body: body}, func(err error) { p.load.after(err, said) })
}

func (p *People) setPassword(ctx app.Context, e app.Event) {
	defer browser.Survive("people")
	e.PreventDefault()
	p.errs = map[string]string{}
	next, name := value("per-secret"), p.secret
	if least := int(setting.Get("account.password").Min); len([]rune(next)) < least {
		p.errs["secret"] = text.PasswordShort(least)
		return
	}
	body := api.PersonPatch{Password: &next}
	p.S.send(sync.Write{Method: "PATCH", Path: api.PersonPath(name), Body: body, Key: p.intent.Key(name, body)}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			p.S.failForm(err, p.errs)
			p.errs["secret"] = p.errs["password"]
			delete(p.errs, "password")
			return
		}
		p.intent.Done()
		p.secret = ""
		p.load.after(nil, text.PasswordSet)
	})
}

func (p *People) add(ctx app.Context, e app.Event) {
	defer browser.Survive("people")
	e.PreventDefault()
	p.errs = map[string]string{}
	body := api.PersonAdd{Name: strings.TrimSpace(value("per-name")), Password: value("per-password"), Role: p.role}
	least := int(setting.Get("account.password").Min)
	switch {
	case body.Name == "":
		p.errs["name"] = text.NeedName
		return
	case body.Password != "" && len([]rune(body.Password)) < least:
		p.errs["password"] = text.PasswordShort(least)
		return
	}
	p.S.send(sync.Write{Method: "POST", Path: api.PathPeople, Body: body, Key: p.intent.Key(api.PathPeople, body)}, func(err error) {
		defer p.ctx.Update()
		switch {
		case fault.Is(err, fault.Taken):
			p.errs["name"] = words(err)
		case err != nil:
			p.S.failForm(err, p.errs)
		default:
			p.intent.Done()
			browser.SetValue(browser.ByID("per-name"), "")
			browser.SetValue(browser.ByID("per-password"), "")
			p.load.after(nil, text.PersonAdded+" "+body.Name)
		}
	})
}

// Render draws the page.
func (p *People) Render() app.UI {
	return part.Safe("people", func() app.UI {
		return settingsFrame(p.S, peoplePage, text.People, text.PeopleWhy, p.click, p.content)
	})
}

func (p *People) content() []app.UI {
	if p.load == nil {
		return nil
	}
	return []app.UI{
		p.load.show(p.list),
		part.Section("h-add", text.AddPerson, part.Beside(text.AddPersonHint),
			tag.Form().Class("form-row").OnSubmit(p.add).Attr("novalidate", "true").Body(
				field("per-name", text.Name, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("autocapitalize", "off").Attr("spellcheck", "false"), p.errs["name"]),
				field("per-password", text.Password, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "new-password"), p.errs["password"]),
				tag.Box("div", "field", tag.Words("span", "label", text.Role), part.Choose(text.Role, "role", p.role,
					part.Choice{Value: api.RoleMember, Label: text.RoleMember}, part.Choice{Value: api.RoleAdmin, Label: text.RoleAdmin})),
				tag.Button().Class("btn").Attr("type", "submit").Text(text.AddPerson),
			),
		),
	}
}

func (p *People) list() app.UI {
	items := make([]app.UI, 0, len(p.people))
	for _, x := range p.people {
		items = append(items, p.person(x))
	}
	return part.Items(items...)
}

func (p *People) person(x api.Person) app.UI {
	name := x.DisplayName
	if name == "" {
		name = x.Name
	}
	role := text.RoleMember
	if x.Role == api.RoleAdmin {
		role = text.RoleAdmin
	}
	state := ""
	switch {
	case x.Disabled:
		state = text.Disabled
	case x.Locked:
		state = text.Locked
	}
	self := p.S.me != nil && p.S.me.ID == x.ID
	return part.Item("user",
		[]app.UI{
			tag.Box("p", "", part.Bold(name), part.Text(" "),
				part.If(self, func() app.UI { return tag.Words("span", "tag", text.You) }),
				part.If(state != "", func() app.UI { return tag.Words("span", "tag tag-warn", state) })),
			tag.Words("p", "meta", text.Join(x.Name, role, text.Since+" "+browser.Date(x.CreatedAt, browser.FullDate))),
			part.If(p.secret == x.Name, p.passwordFor),
		},
		part.IconButton("btn btn-sm btn-quiet", "person", x.Name, text.PersonActions(x.Name), "ellipsis").Aria("haspopup", "menu"),
	).Class("item-person")
}

// passwordFor is the form of another person's password, in their row.
func (p *People) passwordFor() app.UI {
	return tag.Form().Class("form-row form-inline").OnSubmit(p.setPassword).Attr("novalidate", "true").Aria("label", text.SetPasswordTitle(p.secret)).Body(
		// For password managers: whose password it is.
		tag.Input().Attr("type", "text").Attr("autocomplete", "username").Attr("value", p.secret).Hidden(true).Aria("hidden", "true"),
		field("per-secret", text.NewPassword, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "new-password"), p.errs["secret"]),
		tag.Button().Class("btn btn-primary").Attr("type", "submit").Text(text.SetPassword),
		part.Button("btn btn-quiet", "no-password", "", part.Text(text.Cancel)),
		tag.Words("p", "meta", text.SetPasswordBody),
	)
}
