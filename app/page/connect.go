package page

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Connect is the page that tells clients of agents where the memories are. What is to
// be copied comes from the server, which has the table of clients; the page puts its
// own address and the token into it.
type Connect struct {
	app.Compo
	S   *Session
	Rev int

	ctx     app.Context
	load    *loader
	clients []api.ConnectClient
	chosen  string               // the id of a client; empty: the first
	made    map[string]api.Token // made here, by client; without a secret once it was put away
	tokens  []api.Token          // all of the account's, the oldest first, as they are told live
	watch   *sync.Watch[live.TokenRow]
	busy    bool
	intent  sync.Intention
}

// OnMount asks for the clients, and follows the uses of tokens.
func (p *Connect) OnMount(ctx app.Context) {
	defer browser.Survive("connect")
	p.ctx, p.made = ctx, map[string]api.Token{}
	reveal(ctx)
	p.load = loading(p.S, api.PathConnect, func(page api.Page[api.ConnectClient]) { p.clients = page.Items })
	p.load.every = -1
	p.load.now()
	p.watch = sync.Subscribe(p.S.client, live.Request{View: live.ViewTokens}, func(e sync.Event[live.TokenRow]) {
		if e.Outcome == state.Refused {
			return
		}
		p.S.do(func() {
			p.tokens = nil
			for _, t := range e.After.Rows {
				p.tokens = append(p.tokens, t.Token)
			}
		})
	})
}

// OnDismount ends it, and forgets the secrets that were shown.
func (p *Connect) OnDismount() {
	defer browser.Survive("connect")
	p.load.stop()
	p.watch.Close()
	p.made = nil
}

// client is the one that is chosen.
func (p *Connect) client() api.ConnectClient {
	for _, c := range p.clients {
		if c.ID == p.chosen {
			return c
		}
	}
	return p.clients[0]
}

// its is the token of a client: the one that was made here, or else, of those that were
// made for it before and still open something, the last used or newest one. Tokens that
// this page makes have the client's name.
func (p *Connect) its(c api.ConnectClient) (its api.Token, there bool) {
	its, there = p.made[c.ID]
	made := its.ID
	for _, t := range p.tokens {
		switch {
		case made != 0:
			if t.ID == made {
				return t, true
			}
		case t.Name != c.Name || t.ExpiresAt != nil && *t.ExpiresAt <= p.S.now():
		case !there || its.LastUsedAt == nil || t.LastUsedAt != nil && *t.LastUsedAt >= *its.LastUsedAt:
			its, there = t, true
		}
	}
	return its, there
}

func (p *Connect) click(ctx app.Context, e app.Event) {
	defer browser.Survive("connect")
	act, ok := browser.Acted(e)
	if !ok || len(p.clients) == 0 {
		ctx.PreventUpdate()
		return
	}
	c := p.client()
	switch act.Do {
	case "client":
		p.chosen = act.Arg
	case "connect-token":
		p.makeToken(c)
	case "copy-token":
		p.S.copyOut(p.made[c.ID].Token)
	case "copy-step":
		if n, err := strconv.Atoi(act.Arg); err == nil && n < len(c.Steps) {
			p.S.copyOut(p.filled(c, c.Steps[n]))
		}
	case "hide-token":
		t := p.made[c.ID]
		t.Token = ""
		p.made[c.ID] = t
	default:
		ctx.PreventUpdate()
	}
}

func (p *Connect) makeToken(c api.ConnectClient) {
	if p.busy {
		return
	}
	p.busy = true
	var made api.Token
	body := api.TokenAdd{Name: c.Name, Scopes: scopes(api.ScopeWrite)}
	p.S.send(sync.Write{Method: "POST", Path: api.PathTokens, Body: body, Out: &made, Key: p.intent.Key(api.PathTokens, body)}, func(err error) {
		p.busy = false
		p.intent.Done()
		if err != nil {
			p.S.fail(err)
		} else if p.made != nil {
			p.made[c.ID] = made
		}
		p.ctx.Update()
	})
}

// filled is a step with the address of this page, the token, if there is one, and where
// elowen is, if that is known of the client's machine: it is the server's.
func (p *Connect) filled(c api.ConnectClient, s api.ConnectStep) string {
	said := s.Text
	if t := p.made[c.ID].Token; t != "" {
		said = strings.ReplaceAll(said, api.ConnectToken, t)
	}
	said = strings.ReplaceAll(said, api.ConnectAddress, browser.Origin())
	program := text.Program
	if at := p.S.terminal(); at != nil && browser.AtServer() {
		program = at.Program
	}
	return strings.ReplaceAll(said, api.ConnectProgram, text.ConnectQuoted(s.Kind, program))
}

// Render draws the page.
func (p *Connect) Render() app.UI {
	return part.Safe("connect", func() app.UI {
		body := []app.UI{part.PageHead(text.Connect, text.ConnectWhy)}
		switch {
		case p.load == nil:
		case len(p.clients) == 0:
			body = append(body, p.load.show(func() app.UI { return tag.Span() }))
		default:
			c := p.client()
			body = append(body, p.choice(c), p.token(c), p.steps(c), p.saving(c), p.call(c))
		}
		return framed(accountNav(connectPage), p.click, body...)
	})
}

func (p *Connect) choice(c api.ConnectClient) app.UI {
	items := make([]app.UI, len(p.clients))
	for i, one := range p.clients {
		b := part.Button("btn", "client", one.ID, part.Text(one.Name)).Aria("pressed", choose(one.ID == c.ID, "true", "false"))
		if t, _ := p.its(one); t.LastUsedAt != nil {
			b = part.Button("btn", "client", one.ID, part.Icon("circle-check"), part.Text(one.Name)).Aria("pressed", choose(one.ID == c.ID, "true", "false")).
				Title(text.ConnectDone + " " + text.ConnectSeen(one.Name, browser.Date(*t.LastUsedAt, browser.FullTime)))
		}
		items[i] = b
	}
	return part.Section("h-client", text.ConnectClient, nil, tag.Div().Class("clients").Role("group").Aria("labelledby", "h-client").Body(items...))
}

func (p *Connect) token(c api.ConnectClient) app.UI {
	made, there := p.made[c.ID]
	why, class, label := text.ConnectTokenWhy, "btn btn-primary", text.ConnectMake(c.Name)
	if before, ok := p.its(c); ok && !there {
		why, class, label = text.ConnectHasToken(browser.Date(before.CreatedAt, browser.FullDate)), "btn", text.ConnectMakeAnother(c.Name)
	}
	rest := part.Button(class, "connect-token", "", part.Icon("key"), part.Text(label)).Attr("disabled", p.busy)
	secret := tag.Div().Class("token-made").Role("status").Body(part.If(there, func() app.UI {
		if made.Token == "" {
			return tag.Box("p", "muted", part.Text(text.TokenPutAway+" "), part.Link(route{Kind: tokensPage}.path(), text.ToTokens), part.Text("."))
		}
		return shownOnce(made)
	}))
	return part.Section("h-connect-token", text.ConnectTokenHead, nil,
		tag.Words("p", "muted", why), secret,
		part.If(!there, func() app.UI { return tag.Box("p", "line", rest) }))
}

func (p *Connect) steps(c api.ConnectClient) app.UI {
	why := text.ConnectOneOf
	if p.made[c.ID].Token != "" {
		why = text.ConnectOneDoes
	}
	body := []app.UI{tag.Words("p", "muted", why)}
	for i, s := range c.Steps {
		id := "step-" + strconv.Itoa(i)
		head := text.ConnectStep(s.Kind, text.ConnectPlaces(c.Files))
		body = append(body, tag.Box("div", "connect-step",
			tag.P().ID(id).Class("connect-how").Text(head),
			tag.Box("div", "code code-block", tag.Words("span", "", p.filled(c, s)),
				part.Button("btn btn-sm btn-quiet grow-0", "copy-step", strconv.Itoa(i), part.Icon("copy"), part.Text(text.Copy)).Aria("describedby", id))))
	}
	body = append(body, tag.Words("p", "meta", text.ConnectHistory))
	if c.ID != api.ConnectAny && p.S.terminal() != nil {
		body = append(body, tag.Box("div", "connect-step", tag.Words("p", "connect-how", text.ConnectLocal), copyable(p.S.command("connect", c.ID, "--user", p.S.me.Name))))
	}
	return part.Section("h-connect-steps", text.ConnectStepsHead, nil, body...)
}

// call says whether the client's token was used yet. It stays in sight while there is
// something to wait for.
func (p *Connect) call(c api.ConnectClient) app.UI {
	its, there := p.its(c)
	_, here := p.made[c.ID]
	at := its.LastUsedAt
	class, said := "connect-call", app.UI(nil)
	switch {
	case !there:
		class, said = "", tag.Words("p", "muted", text.ConnectNoToken)
	case at == nil:
		said = tag.Box("p", "state connect-wait", part.Icon("clock"), tag.Box("span", "", part.Bold(text.ConnectWaiting), part.Text(" "+text.ConnectStart(c.Name, c.Look))))
	default:
		called := text.ConnectSeen
		if here {
			called = text.ConnectCalled
		}
		said = tag.Box("p", "state state-ok connect-done", part.Icon("circle-check"), tag.Box("span", "", part.Bold(text.ConnectDone),
			part.Text(" "+called(c.Name, browser.Date(*at, browser.FullTime))+" "), part.Link("/memory", text.ToTheList), part.Text(".")))
	}
	return tag.Section().Class(class).Aria("label", text.ConnectCallHead).Role("status").Body(said)
}

func (p *Connect) saving(c api.ConnectClient) app.UI {
	said := text.ConnectPrompt(c.Remember)
	if c.SavesAll {
		said = text.ConnectByItself
	}
	return part.Section("h-connect-save", text.ConnectSaveHead, nil, tag.Words("p", "muted", said))
}
