package page

import (
	"errors"
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

// Account is the person's own page: profile, memory, where one is signed in, password.
type Account struct {
	app.Compo
	S   *Session
	Rev int

	ctx      app.Context
	load     *loader // of the sessions
	sessions []api.Session
	usage    usageTable
	errs     map[string]string
	intent   sync.Intention
}

// OnMount fills the form and asks where one is signed in.
func (p *Account) OnMount(ctx app.Context) {
	defer browser.Survive("account")
	p.ctx, p.errs = ctx, map[string]string{}
	reveal(ctx)
	if p.S.me != nil {
		browser.SetValue(browser.ByID("acc-name"), p.S.me.DisplayName)
	}
	p.load = loading(p.S, api.PathSessions, func(page api.Page[api.Session]) { p.sessions = page.Items })
	p.load.now()
	p.usage.begin(p.S)
}

// OnDismount stops asking.
func (p *Account) OnDismount() {
	p.load.stop()
	p.usage.load.stop()
}

func value(id string) string {
	v, _ := browser.Value(browser.ByID(id))
	return v
}

func (p *Account) click(ctx app.Context, e app.Event) {
	defer browser.Survive("account")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	s := p.S
	switch act.Do {
	case "theme":
		browser.SetTheme(act.Arg)
	case "default-category":
		s.pickCategory(act.Element, s.me.DefaultCategoryID, func(id int64) {
			choice := api.Null[int64]()
			if id > 0 {
				choice = api.Some(id)
			}
			p.patch(api.MePatch{DefaultCategoryID: choice}, text.ProfileSaved)
		})
		s.changed()
	case "sign-out":
		s.unsentFirst(s.signOut)
	case "switch":
		p.switched(act.Arg)
	case "end-session":
		id := act.ID()
		s.send(sync.Write{Method: "DELETE", Path: api.SessionPath(id)}, func(err error) { p.load.after(err, text.SessionEnded) })
	case "end-others":
		var done api.Ended
		s.send(sync.Write{Method: "DELETE", Path: api.PathSessions, Out: &done}, func(err error) { p.load.after(err, text.SessionsEnded(done.Ended)) })
	}
}

func (p *Account) patch(body api.MePatch, said string) {
	p.errs = map[string]string{}
	var me api.Me
	p.S.send(sync.Write{Method: "PATCH", Path: api.PathMe, Body: body, Out: &me, Key: p.intent.Key(api.PathMe, body)}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			p.S.failForm(err, p.errs)
			return
		}
		p.intent.Done()
		p.S.me = &me
		p.S.say(said, nil)
		browser.SetValue(browser.ByID("acc-current"), "")
		browser.SetValue(browser.ByID("acc-password"), "")
	})
}

// failForm puts what is wrong beside its fields, and shows what belongs to none.
func (s *Session) failForm(err error, errs map[string]string) {
	var e *fault.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		for _, f := range e.Fields {
			errs[f.Field] = f.Message
		}
		return
	}
	s.fail(err)
}

func (p *Account) saveProfile(ctx app.Context, e app.Event) {
	defer browser.Survive("account")
	e.PreventDefault()
	p.patch(api.MePatch{DisplayName: api.Ptr(strings.TrimSpace(value("acc-name")))}, text.ProfileSaved)
}

func (p *Account) savePassword(ctx app.Context, e app.Event) {
	defer browser.Survive("account")
	e.PreventDefault()
	least := int(setting.Get("account.password").Min)
	next := value("acc-password")
	if len([]rune(next)) < least {
		p.errs = map[string]string{"password": text.PasswordShort(least)}
		return
	}
	p.patch(api.MePatch{Password: &next, CurrentPassword: api.Ptr(value("acc-current"))}, text.PasswordChanged)
}

// Render draws the page.
func (p *Account) Render() app.UI {
	return part.Safe("account", func() app.UI {
		return framed(accountNav(accountPage), p.click, part.PageHead(text.ProfileHead, ""),
			p.profile(), p.memory(), p.usage.section(), p.signedIn(), p.passwordForm(), p.leave())
	})
}

// recalling are the switches of what is recalled in conversations, as the setting table
// has them. The others come with what they switch.
var recalling = []struct {
	key string
	of  func(m *api.MeMemory) *bool
	to  func(p *api.MeMemoryPatch) **bool
}{
	{"me.searchAfterMessage", func(m *api.MeMemory) *bool { return &m.SearchAfterMessage }, func(p *api.MeMemoryPatch) **bool { return &p.SearchAfterMessage }},
	{"me.searchWhileWorking", func(m *api.MeMemory) *bool { return &m.SearchWhileWorking }, func(p *api.MeMemoryPatch) **bool { return &p.SearchWhileWorking }},
}

// switched turns the switch of a row the other way.
func (p *Account) switched(key string) {
	for _, r := range recalling {
		if r.key != key || p.S.me == nil {
			continue
		}
		on := !*r.of(&p.S.me.Memory)
		var change api.MeMemoryPatch
		*r.to(&change) = &on
		p.patch(api.MePatch{Memory: &change}, setting.Get(key).Label+": "+choose(on, text.SwitchOn, text.SwitchOff))
	}
}

func (p *Account) switches() []app.UI {
	var rows []app.UI
	for _, r := range recalling {
		row, on := setting.Get(r.key), p.S.me != nil && *r.of(&p.S.me.Memory)
		rows = append(rows, set("acc-"+r.key, row.Label, row.Help,
			tag.Input().ID("acc-"+r.key).Class("switch").Attr("type", "checkbox").Role("switch").DataSet("do", "switch").DataSet("arg", r.key).Attr("checked", on).Aria("describedby", "acc-"+r.key+"-h")))
	}
	return rows
}

// memory is what the account says about its own memories.
func (p *Account) memory() app.UI {
	category, color := text.NoCategory, 0
	if p.S.me != nil {
		if n, c := p.S.category(p.S.me.DefaultCategoryID); n != "" {
			category, color = n, c
		}
	}
	rows := append([]app.UI{
		set("acc-category", text.DefaultCategory, text.DefaultHint,
			part.Button("btn field-pick", "default-category", "", part.CategoryRings(color), tag.Words("span", "pick-label", category), part.Icon("chevron-down")).ID("acc-category").Aria("haspopup", "listbox")),
	}, p.switches()...)
	return part.Section("h-own-memory", text.Memory, nil, append(rows, tag.Words("p", "meta", text.SwitchesLater))...)
}

// signedIn is where the person is signed in.
func (p *Account) signedIn() app.UI {
	return part.Section("h-sessions", text.SessionsHead,
		append(part.Beside(text.SessionsWhy), part.If(len(p.sessions) > 1, func() app.UI {
			return part.Button("btn btn-sm btn-quiet end", "end-others", "", part.Text(text.EndOthers))
		})),
		part.If(p.load != nil, func() app.UI { return p.load.show(p.sessionList) }),
	)
}

func (p *Account) sessionList() app.UI {
	items := make([]app.UI, len(p.sessions))
	for i, s := range p.sessions {
		var act app.UI = tag.Words("span", "tag tag-accent", text.ThisOne)
		if !s.Current {
			act = part.Button("btn btn-sm btn-quiet", "end-session", strconv.FormatInt(s.ID, 10), part.Text(text.EndSession))
		}
		items[i] = part.Item("monitor",
			[]app.UI{
				tag.Box("p", "", part.Bold(text.SignedInOn(browser.Date(s.CreatedAt, browser.FullTime)))),
				tag.Words("p", "meta", text.Join(text.LastUse(text.AgoHours(p.S.now(), s.LastUsedAt)), text.EndsUnused(browser.Date(s.ExpiresAt, browser.FullDate)))),
			},
			act,
		)
	}
	return part.Items(items...)
}

func set(id, label, help string, control ...app.UI) app.UI {
	return tag.Box("div", "set",
		tag.Label().Attr("for", id).Text(label),
		tag.P().ID(id+"-h").Class("meta").Text(help),
		tag.Box("div", "set-control", control...),
	)
}

func (p *Account) profile() app.UI {
	me := p.S.me
	name := ""
	if me != nil {
		name = me.Name
	}
	return part.Section("h-profile", text.Profile, part.Beside(text.SignInName+": "+name),
		tag.Form().OnSubmit(p.saveProfile).Body(
			set("acc-name", text.ShownName, text.ShownNameHint,
				tag.Input().ID("acc-name").Class("input").Attr("type", "text").Attr("autocomplete", "name").Attr("dir", "auto"),
				tag.Button().Class("btn").Attr("type", "submit").Text(text.Save)),
		),
		p.err("displayName"),
		set("acc-theme", text.Theme, text.ThemeHint,
			part.Choose(text.Theme, "theme", browser.Theme(), part.Choice{Label: text.ThemeSystem}, part.Choice{Value: "light", Label: text.ThemeLight}, part.Choice{Value: "dark", Label: text.ThemeDark}).ID("acc-theme")),
	)
}

func (p *Account) err(field string) app.UI {
	return part.If(p.errs[field] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(p.errs[field]) })
}

func (p *Account) passwordForm() app.UI {
	least := int(setting.Get("account.password").Min)
	return part.Section("h-password", text.ChangePassword, nil,
		tag.Form().Class("form-row").OnSubmit(p.savePassword).Attr("novalidate", "true").Body(
			// For password managers: whose password it is.
			tag.Input().Attr("type", "text").Attr("autocomplete", "username").Hidden(true).Aria("hidden", "true"),
			field("acc-current", text.CurrentPassword, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "current-password"), p.errs["currentPassword"]),
			field("acc-password", text.NewPassword, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "new-password"), p.errs["password"]),
			tag.Button().Class("btn").Attr("type", "submit").Text(text.ChangePassword),
		),
		tag.Words("p", "meta", text.PasswordRule(least)),
	)
}

func (p *Account) leave() app.UI {
	return tag.Box("section", "section",
		tag.Box("p", "line",
			part.Button("btn", "sign-out", "", part.Text(text.SignOut)),
			tag.Words("span", "meta", text.SignOutHint)),
		part.If(installable(p.ctx), func() app.UI {
			return tag.Box("p", "line",
				part.Button("btn", "install", "", part.Icon("download"), part.Text(text.Install)),
				tag.Words("span", "meta", text.InstallNote))
		}),
	)
}
