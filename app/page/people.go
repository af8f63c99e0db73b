package page

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// People is the administrator's list of accounts.
type People struct {
	app.Compo
	S   *Session
	Rev int

	ctx    app.Context
	people []api.Person
	loaded bool
	role   string
	errs   map[string]string
	intent sync.Intention
}

// OnMount fetches the accounts.
func (p *People) OnMount(ctx app.Context) {
	defer browser.Survive("people")
	p.ctx, p.role, p.errs = ctx, api.RoleMember, map[string]string{}
	if p.S.admin() {
		p.fetch()
	}
}

// admin tells whether the person looks after the server.
func (s *Session) admin() bool { return s.me != nil && s.me.Role == api.RoleAdmin }

func (p *People) fetch() {
	var page api.Page[api.Person]
	p.S.async(api.PathPeople, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathPeople, &page) }, func(err error) {
		if err != nil {
			p.S.fail(err)
			return
		}
		p.people, p.loaded = page.Items, true
		p.ctx.Update()
	})
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
	case "disable":
		name := act.Arg
		p.S.ask(&part.DialogSpec{Title: text.DisableTitle(name), Body: []string{text.DisableBody}, Action: text.Disabling, Danger: true,
			Run: func() { p.able(name, true) }})
	case "enable":
		p.able(act.Arg, false)
	}
}

func (p *People) able(name string, disabled bool) {
	p.S.send(sync.Write{Method: "PATCH", Path: api.PathPeople + "/" + url.PathEscape(name), Body: api.PersonPatch{Disabled: &disabled}}, func(err error) {
		if err != nil {
			p.S.fail(err)
			return
		}
		p.fetch()
	})
}

func (p *People) add(ctx app.Context, e app.Event) {
	defer browser.Survive("people")
	e.PreventDefault()
	p.errs = map[string]string{}
	body := api.PersonAdd{Name: strings.TrimSpace(value("per-name")), Password: value("per-password"), Role: p.role}
	if body.Name == "" {
		p.errs["name"] = text.NeedName
		return
	}
	p.S.send(sync.Write{Method: "POST", Path: api.PathPeople, Body: body, Key: p.intent.Key(api.PathPeople, body)}, func(err error) {
		defer p.ctx.Update()
		var f *fault.Error
		if errors.As(err, &f) && len(f.Fields) > 0 {
			for _, x := range f.Fields {
				p.errs[x.Field] = x.Message
			}
			return
		}
		if fault.Is(err, fault.Taken) {
			p.errs["name"] = words(err)
			return
		}
		if err != nil {
			p.S.fail(err)
			return
		}
		p.intent.Done()
		browser.SetValue(browser.ByID("per-name"), "")
		browser.SetValue(browser.ByID("per-password"), "")
		p.S.say(text.PersonAdded, nil)
		p.fetch()
	})
}

// Render draws the page.
func (p *People) Render() app.UI {
	return part.Safe("people", func() app.UI {
		return tag.Div().Class("settings").OnClick(p.click).Body(
			subnav(peoplePage, p.S.admin()),
			tag.Div().Class("scroll").Body(tag.Div().Class("page page-form").Body(p.content()...)),
		)
	})
}

func (p *People) content() []app.UI {
	head := tag.Div().Class("page-head").Body(tag.Div().Class("grow").Body(tag.H1().Text(text.People), tag.P().Text(text.PeopleWhy)))
	if !p.S.admin() {
		return []app.UI{head, part.Banner("plain", "info", part.Text(text.OnlyAdmins))}
	}
	items := make([]app.UI, 0, len(p.people))
	for _, x := range p.people {
		items = append(items, p.person(x))
	}
	role := func(value, label string) app.UI {
		return tag.Button().Attr("type", "button").DataSet("do", "role").DataSet("arg", value).Aria("pressed", strconv.FormatBool(p.role == value)).Text(label)
	}
	return []app.UI{
		head,
		tag.Ul().Class("items").Body(items...),
		tag.Section().Class("section").Aria("labelledby", "h-add").Body(
			tag.Div().Class("section-head").Body(tag.H2().ID("h-add").Text(text.AddPerson), tag.Span().Class("meta").Text(text.AddPersonHint)),
			tag.Form().Class("form-row").OnSubmit(p.add).Attr("novalidate", "true").Body(
				field("per-name", text.Name, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("autocapitalize", "off").Attr("spellcheck", "false"), p.errs["name"]),
				field("per-password", text.Password, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "new-password"), p.errs["password"]),
				tag.Div().Class("field").Body(tag.Span().Class("label").Text(text.Role), tag.Span().Class("seg").Role("group").Aria("label", text.Role).Body(
					role(api.RoleMember, text.RoleMember), role(api.RoleAdmin, text.RoleAdmin))),
				tag.Button().Class("btn").Attr("type", "submit").Text(text.AddPerson),
			),
		),
	}
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
	var act app.UI = tag.Span()
	switch {
	case self:
		act = tag.Span().Class("meta").Text(text.You)
	case x.Disabled:
		act = part.Button("btn btn-sm btn-quiet", "enable", x.Name, part.Text(text.Enable))
	default:
		act = part.Button("btn btn-sm btn-quiet", "disable", x.Name, part.Text(text.Disable))
	}
	return tag.Li().Class("item").Body(
		part.Icon("user"),
		tag.Div().Class("grow").Body(
			tag.P().Body(part.Bold(name), part.Text(" "), part.If(state != "", func() app.UI { return tag.Span().Class("tag tag-warn").Text(state) })),
			tag.P().Class("meta").Text(text.Join(x.Name, role, text.Since+" "+browser.Date(x.CreatedAt, browser.FullDate))),
		),
		act,
	)
}

// subnav is the navigation inside the settings.
func subnav(at kind, admin bool) app.UI {
	item := func(k kind, label string) app.UI {
		l := tag.A().Attr("href", browser.Path(route{Kind: k}.path()))
		if k == at {
			l = l.Aria("current", "page")
		}
		return l.Text(label)
	}
	items := []app.UI{item(settingsPage, text.RetentionHead)}
	if admin {
		items = append(items, item(peoplePage, text.People))
	}
	return tag.Nav().Class("subnav nav").Aria("label", text.Settings).Body(items...)
}
