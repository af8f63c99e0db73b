package page

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Tokens is the page of the secrets that programs act with.
type Tokens struct {
	app.Compo
	S   *Session
	Rev int

	ctx    app.Context
	load   *loader
	tokens []api.Token
	made   *api.Token // just created, with its secret
	scope  string
	errs   map[string]string
	intent sync.Intention
}

// OnMount asks for the tokens.
func (p *Tokens) OnMount(ctx app.Context) {
	defer browser.Survive("tokens")
	p.ctx, p.errs, p.scope = ctx, map[string]string{}, api.ScopeWrite
	reveal(ctx)
	ctx.Defer(func(app.Context) {
		browser.SetValue(browser.ByID("tok-days"), strconv.Itoa(setting.Int("account.tokenDays")))
	})
	p.load = loading(p.S, api.PathTokens, func(page api.Page[api.Token]) { p.tokens = page.Items })
	p.load.now()
}

// OnDismount stops asking, and forgets the secret that was shown.
func (p *Tokens) OnDismount() { p.load.stop(); p.made = nil }

func (p *Tokens) click(ctx app.Context, e app.Event) {
	defer browser.Survive("tokens")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "scope":
		p.scope = act.Arg
	case "copy-token":
		if p.made != nil {
			p.S.copyOut(p.made.Token)
		}
	case "hide-token":
		p.made = nil
	case "revoke":
		p.revoke(act.ID())
	}
}

// copyOut copies a text and says whether the browser let us.
func (s *Session) copyOut(what string) {
	browser.Copy(what, func(ok bool) {
		s.do(func() {
			if ok {
				s.say(text.Copied, nil)
			} else {
				s.toast(part.Toast{Text: text.CopyFailed, Danger: true})
			}
		})
	})
}

func (p *Tokens) createToken(ctx app.Context, e app.Event) {
	defer browser.Survive("tokens")
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
			p.S.failForm(err, p.errs)
			return
		}
		p.intent.Done()
		if made.Token == "" { // the answer that had it was lost, and it is told once
			p.load.after(nil, text.TokenLost(made.Name))
			return
		}
		p.made = &made
		browser.SetValue(browser.ByID("tok-name"), "")
		p.load.now()
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

func (p *Tokens) revoke(id int64) {
	for _, t := range p.tokens {
		if t.ID != id {
			continue
		}
		p.S.confirm(text.RevokeTitle(t.Name), []string{text.RevokeBody}, text.Revoke, func() {
			p.S.send(sync.Write{Method: "DELETE", Path: api.TokenPath(id)}, func(err error) {
				if err == nil && p.made != nil && p.made.ID == id {
					p.made = nil
				}
				p.load.after(err, text.Revoked)
			})
		})
	}
}

// Render draws the page.
func (p *Tokens) Render() app.UI {
	return part.Safe("tokens", func() app.UI {
		return framed(accountNav(tokensPage), p.click, p.content()...)
	})
}

func (p *Tokens) content() []app.UI {
	if p.load == nil {
		return nil
	}
	return []app.UI{
		part.PageHead(text.Tokens, text.TokensWhy),
		tag.Div().Class("token-made").Role("status").Body(part.If(p.made != nil, func() app.UI { return shownOnce(*p.made) })),
		p.load.show(p.list),
		p.form(),
		p.use(),
	}
}

// shownOnce shows the secret of a token that was just made, this once.
func shownOnce(made api.Token) app.UI {
	return tag.Box("div", "stack",
		part.Banner("warn", "key", part.Bold(made.Name+". "), part.Text(text.TokenOnce)),
		tag.Box("p", "code", tag.Span().ID("token-secret").Text(made.Token),
			tag.Box("span", "line grow-0",
				part.Button("btn btn-sm btn-quiet", "copy-token", "", part.Icon("copy"), part.Text(text.Copy)),
				part.Button("btn btn-sm btn-quiet", "hide-token", "", part.Text(text.TokenKept)))),
	)
}

func (p *Tokens) list() app.UI {
	if len(p.tokens) == 0 {
		return tag.Words("p", "muted", text.NoTokens)
	}
	items := make([]app.UI, 0, len(p.tokens))
	for _, t := range p.tokens {
		used := text.TokenNeverUsed
		if t.LastUsedAt != nil {
			used = text.LastUse(text.Ago(p.S.now(), *t.LastUsedAt))
		}
		expiry, over := text.NoExpiry, false
		if t.ExpiresAt != nil {
			if over = *t.ExpiresAt <= p.S.now(); over {
				expiry = text.Expired(browser.Date(*t.ExpiresAt, browser.FullDate))
			} else {
				expiry = text.Expires(browser.Date(*t.ExpiresAt, browser.FullDate))
			}
		}
		most := ""
		for _, s := range []string{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin} {
			for _, have := range t.Scopes {
				if have == s {
					most = s
				}
			}
		}
		items = append(items, part.Item("key",
			[]app.UI{
				tag.Box("p", "", part.Bold(t.Name), part.Text(" "), part.If(over, func() app.UI { return tag.Words("span", "tag tag-warn", text.TokenOver) })),
				tag.Words("p", "meta", text.Join(text.ScopeName(most), used, expiry, text.MadeOn(browser.Date(t.CreatedAt, browser.FullDate)))),
			},
			part.Button("btn btn-sm btn-quiet", "revoke", strconv.FormatInt(t.ID, 10), part.Text(text.RevokeEllipsis)),
		))
	}
	return part.Items(items...)
}

func (p *Tokens) form() app.UI {
	scope := func(value string) part.Choice { return part.Choice{Value: value, Label: text.ScopeName(value)} }
	choices := []part.Choice{scope(api.ScopeRead), scope(api.ScopeWrite)}
	if p.S.admin() {
		choices = append(choices, scope(api.ScopeAdmin))
	}
	days := tag.Input().ID("tok-days").Class("input num-input").Attr("type", "text").Attr("inputmode", "numeric").Aria("describedby", "tok-days-h")
	if p.errs["days"] != "" {
		days = days.Aria("invalid", "true")
	}
	return part.Section("h-new-token", text.NewToken, nil,
		tag.Form().Class("form-row").OnSubmit(p.createToken).Attr("novalidate", "true").Body(
			field("tok-name", text.TokenName, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off"), p.errs["name"]),
			tag.Box("div", "field", tag.Words("span", "label", text.TokenScopes), part.Choose(text.TokenScopes, "scope", p.scope, choices...)),
			tag.Box("div", "field",
				tag.Label().Attr("for", "tok-days").Text(text.TokenDays),
				tag.Box("span", "line", days, tag.Span().ID("tok-days-h").Class("meta").Text(text.TokenDaysHint)),
				part.If(p.errs["days"] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(p.errs["days"]) }),
			),
			tag.Button().Class("btn").Attr("type", "submit").Text(text.CreateToken),
		),
	)
}

// use says how a token is used, with what there is today: the API.
func (p *Tokens) use() app.UI {
	return part.Section("h-use-token", text.TokenUse, nil,
		tag.Words("p", "muted", text.TokenUseWhy),
		copyable(text.TokenCommand(browser.Origin())),
		tag.Box("p", "meta", part.Text(text.ConnectInstead+" "), part.Link(route{Kind: connectPage}.path(), text.Connect), part.Text(".")),
		tag.Box("p", "meta", part.Text(text.TokenDocument+" "), tag.A().Attr("href", browser.Path(api.PathOpenAPI)).Attr("download", "elowen-openapi.json").Text(api.PathOpenAPI)),
	)
}
