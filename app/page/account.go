package page

import (
	"context"
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

// Account is the person's own page: profile, password, theme, tokens.
type Account struct {
	app.Compo
	S   *Session
	Rev int

	ctx    app.Context
	tokens []api.Token
	loaded bool
	made   *api.Token // just created, with its secret
	scope  string
	errs   map[string]string
	intent sync.Intention
}

// OnMount fetches the tokens.
func (p *Account) OnMount(ctx app.Context) {
	defer browser.Survive("account")
	p.ctx, p.errs, p.scope = ctx, map[string]string{}, api.ScopeWrite
	if p.S.me != nil {
		browser.SetValue(browser.ByID("acc-name"), p.S.me.DisplayName)
	}
	browser.SetValue(browser.ByID("tok-days"), "0")
	p.fetch()
}

func (p *Account) fetch() {
	var page api.Page[api.Token]
	p.S.async(api.PathTokens, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathTokens, &page) }, func(err error) {
		if err != nil {
			p.S.fail(err)
			return
		}
		p.tokens, p.loaded = page.Items, true
		p.ctx.Update()
	})
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
		s.unsentFirst(func() {
			s.send(sync.Write{Method: "POST", Path: api.PathLogout}, func(err error) {
				if err != nil {
					s.fail(err)
					return
				}
				s.end(func() { browser.Leave("/login") })
			})
		})
	case "scope":
		p.scope = act.Arg
	case "copy-token":
		if p.made != nil {
			browser.Copy(p.made.Token, func(ok bool) {
				s.do(func() {
					if ok {
						s.say(text.Copied, nil)
					} else {
						s.toast(part.Toast{Text: text.CopyFailed, Danger: true})
					}
				})
			})
		}
	case "revoke":
		p.revoke(act.ID())
	}
}

func (p *Account) patch(body api.MePatch, said string) {
	p.errs = map[string]string{}
	var me api.Me
	p.S.send(sync.Write{Method: "PATCH", Path: api.PathMe, Body: body, Out: &me, Key: p.intent.Key(api.PathMe, body)}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			p.show(err)
			return
		}
		p.intent.Done()
		p.S.me = &me
		p.S.say(said, nil)
		browser.SetValue(browser.ByID("acc-current"), "")
		browser.SetValue(browser.ByID("acc-password"), "")
	})
}

func (p *Account) show(err error) {
	var e *fault.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		for _, f := range e.Fields {
			p.errs[f.Field] = f.Message
		}
		return
	}
	p.S.fail(err)
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

func (p *Account) createToken(ctx app.Context, e app.Event) {
	defer browser.Survive("account")
	e.PreventDefault()
	p.errs = map[string]string{}
	name := strings.TrimSpace(value("tok-name"))
	days, err := strconv.Atoi(strings.TrimSpace(value("tok-days")))
	bound := setting.Get("account.tokenDays")
	if name == "" {
		p.errs["name"] = text.TokenNeeded
	}
	if err != nil || !bound.Contains(float64(days)) {
		p.errs["days"] = text.Bounds(bound.Range())
	}
	if len(p.errs) > 0 {
		return
	}
	body := api.TokenAdd{Name: name, Scopes: scopes(p.scope), Days: days}
	var made api.Token
	p.S.send(sync.Write{Method: "POST", Path: api.PathTokens, Body: body, Out: &made, Key: p.intent.Key(api.PathTokens, body)}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			p.show(err)
			return
		}
		p.intent.Done()
		p.made = &made
		browser.SetValue(browser.ByID("tok-name"), "")
		p.fetch()
	})
}

// scopes are those that the chosen one stands for.
func scopes(most string) []string {
	switch most {
	case api.ScopeRead:
		return []string{api.ScopeRead}
	case api.ScopeAdmin:
		return []string{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin}
	}
	return []string{api.ScopeRead, api.ScopeWrite}
}

func (p *Account) revoke(id int64) {
	for _, t := range p.tokens {
		if t.ID != id {
			continue
		}
		p.S.ask(&part.DialogSpec{
			Title: text.RevokeTitle(t.Name), Body: []string{text.RevokeBody}, Action: text.Revoke, Danger: true,
			Run: func() {
				p.S.send(sync.Write{Method: "DELETE", Path: api.TokenPath(id)}, func(err error) {
					if err != nil {
						p.S.fail(err)
						return
					}
					if p.made != nil && p.made.ID == id {
						p.made = nil
					}
					p.S.say(text.Revoked, nil)
					p.fetch()
				})
			},
		})
	}
}

// Render draws the page.
func (p *Account) Render() app.UI {
	return part.Safe("account", func() app.UI {
		return tag.Div().Class("scroll").OnClick(p.click).Body(tag.Div().Class("page page-form").Body(
			p.profile(), p.tokenList(), p.passwordForm(), p.leave(),
		))
	})
}

func set(id, label, help string, control ...app.UI) app.UI {
	return tag.Div().Class("set").Body(
		tag.Label().Attr("for", id).Text(label),
		tag.P().ID(id+"-h").Class("meta").Text(help),
		tag.Div().Class("set-control").Body(control...),
	)
}

func (p *Account) profile() app.UI {
	me := p.S.me
	name, color, category := "", 0, text.NoCategory
	if me != nil {
		name = me.Name
		if n, c := p.S.category(me.DefaultCategoryID); n != "" {
			category, color = n, c
		}
	}
	theme := func(value, label string) app.UI {
		return tag.Button().Attr("type", "button").DataSet("do", "theme").DataSet("arg", value).
			Aria("pressed", strconv.FormatBool(browser.Theme() == value)).Text(label)
	}
	return tag.Section().Class("section").Aria("labelledby", "h-profile").Body(
		tag.Div().Class("section-head").Body(tag.H2().ID("h-profile").Text(text.Profile), tag.Span().Class("meta").Text(text.SignInName+": "+name)),
		tag.Form().OnSubmit(p.saveProfile).Body(
			set("acc-name", text.ShownName, text.ShownNameHint,
				tag.Input().ID("acc-name").Class("input").Attr("type", "text").Attr("autocomplete", "name").Attr("dir", "auto"),
				tag.Button().Class("btn").Attr("type", "submit").Text(text.Save)),
		),
		p.err("displayName"),
		set("acc-category", text.DefaultCategory, text.DefaultHint,
			part.Button("btn field-pick", "default-category", "", part.CategoryRings(color), tag.Span().Class("pick-label").Text(category), part.Icon("chevron-down")).ID("acc-category").Aria("haspopup", "listbox")),
		set("acc-theme", text.Theme, text.ThemeHint,
			tag.Span().ID("acc-theme").Class("seg").Role("group").Aria("label", text.Theme).Body(theme("", text.ThemeSystem), theme("light", text.ThemeLight), theme("dark", text.ThemeDark))),
	)
}

func (p *Account) err(field string) app.UI {
	return part.If(p.errs[field] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(p.errs[field]) })
}

func (p *Account) passwordForm() app.UI {
	least := int(setting.Get("account.password").Min)
	return tag.Section().Class("section").Aria("labelledby", "h-password").Body(
		tag.Div().Class("section-head").Body(tag.H2().ID("h-password").Text(text.ChangePassword)),
		tag.Form().Class("form-row").OnSubmit(p.savePassword).Attr("novalidate", "true").Body(
			// For password managers: whose password it is.
			tag.Input().Attr("type", "text").Attr("autocomplete", "username").Hidden(true).Aria("hidden", "true"),
			field("acc-current", text.CurrentPassword, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "current-password"), p.errs["currentPassword"]),
			field("acc-password", text.NewPassword, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "new-password"), p.errs["password"]),
			tag.Button().Class("btn").Attr("type", "submit").Text(text.ChangePassword),
		),
		tag.P().Class("meta").Text(text.PasswordRule(least)),
	)
}

func (p *Account) leave() app.UI {
	return tag.Section().Class("section").Body(
		tag.P().Class("line").Body(
			part.Button("btn", "sign-out", "", part.Text(text.SignOut)),
			tag.Span().Class("meta").Text(text.SignOutHint)),
	)
}

func (p *Account) tokenList() app.UI {
	items := make([]app.UI, 0, len(p.tokens))
	for _, t := range p.tokens {
		used := text.TokenNeverUsed
		if t.LastUsedAt != nil {
			used = text.LastUse(text.Ago(p.S.now(), *t.LastUsedAt))
		}
		expiry := text.NoExpiry
		if t.ExpiresAt != nil {
			expiry = text.Expires(browser.Date(*t.ExpiresAt, browser.FullDate))
		}
		most := ""
		for _, s := range []string{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin} {
			for _, have := range t.Scopes {
				if have == s {
					most = s
				}
			}
		}
		items = append(items, tag.Li().Class("item").Body(
			part.Icon("key"),
			tag.Div().Class("grow").Body(tag.P().Body(part.Bold(t.Name)), tag.P().Class("meta").Text(text.Join(text.ScopeName(most), used, expiry))),
			part.Button("btn btn-sm btn-quiet", "revoke", strconv.FormatInt(t.ID, 10), part.Text(text.RevokeEllipsis)),
		))
	}
	var list app.UI = tag.Ul().Class("items").Body(items...)
	if p.loaded && len(items) == 0 {
		list = tag.P().Class("meta").Text(text.NoTokens)
	}
	scope := func(value string) app.UI {
		return tag.Button().Attr("type", "button").DataSet("do", "scope").DataSet("arg", value).
			Aria("pressed", strconv.FormatBool(p.scope == value)).Text(text.ScopeName(value))
	}
	choices := []app.UI{scope(api.ScopeRead), scope(api.ScopeWrite)}
	if p.S.me != nil && p.S.me.Role == api.RoleAdmin {
		choices = append(choices, scope(api.ScopeAdmin))
	}
	return tag.Section().Class("section").Aria("labelledby", "h-tokens").Body(
		tag.Div().Class("section-head").Body(tag.H2().ID("h-tokens").Text(text.Tokens), tag.Span().Class("meta").Text(text.TokensWhy)),
		tag.Div().Class("token-made").Role("status").Body(part.If(p.made != nil, func() app.UI {
			return tag.Div().Class("stack").Body(
				part.Banner("warn", "key", part.Text(text.TokenOnce)),
				tag.P().Class("code").Body(tag.Span().ID("token-secret").Text(p.made.Token), part.Button("btn btn-sm btn-quiet grow-0", "copy-token", "", part.Icon("copy"), part.Text(text.Copy))),
			)
		})),
		list,
		tag.Form().Class("form-row").OnSubmit(p.createToken).Attr("novalidate", "true").Body(
			field("tok-name", text.TokenName, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off"), p.errs["name"]),
			tag.Div().Class("field").Body(tag.Span().Class("label").Text(text.TokenScopes), tag.Span().Class("seg").Role("group").Aria("label", text.TokenScopes).Body(choices...)),
			tag.Div().Class("field").Body(
				tag.Label().Attr("for", "tok-days").Text(text.TokenDays),
				tag.Span().Class("line").Body(tag.Input().ID("tok-days").Class("input num-input").Attr("type", "text").Attr("inputmode", "numeric"), tag.Span().Class("meta").Text(text.TokenDaysHint)),
				p.err("days"),
			),
			tag.Button().Class("btn").Attr("type", "submit").Text(text.CreateToken),
		),
	)
}
