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

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Servers is the page of MCP servers whose tools a model may call.
type Servers struct {
	app.Compo
	S   *Session
	Rev int

	ctx     app.Context
	load    *loader
	servers []api.Server
	tested  map[int64]*api.ServerTested // nil while it is asked
	kind    string
	errs    map[string]string
	intent  sync.Intention
}

// OnMount asks for the servers.
func (p *Servers) OnMount(ctx app.Context) {
	defer browser.Survive("servers")
	p.ctx, p.errs, p.kind, p.tested = ctx, map[string]string{}, api.ServerHTTP, map[int64]*api.ServerTested{}
	reveal(ctx)
	p.load = loading(p.S, api.PathServers, func(page api.Page[api.Server]) { p.servers = page.Items })
	p.load.now()
}

// OnDismount stops asking.
func (p *Servers) OnDismount() { p.load.stop() }

func (p *Servers) click(ctx app.Context, e app.Event) {
	defer browser.Survive("servers")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "kind":
		p.kind, p.errs = act.Arg, map[string]string{}
	case "test-server":
		p.test(act.ID())
	case "turn-server":
		for _, s := range p.servers {
			if s.ID == act.ID() {
				p.write(sync.Write{Method: "PATCH", Path: api.ServerPath(s.ID), Body: api.ServerPatch{Enabled: api.Ptr(!s.Enabled)}}, "")
			}
		}
	case "remove-server":
		p.remove(act.ID())
	}
}

// write changes something and shows what is there then.
func (p *Servers) write(w sync.Write, said string) {
	p.S.send(w, func(err error) { p.load.after(err, said) })
}

func (p *Servers) test(id int64) {
	p.tested[id] = nil
	var out api.ServerTested
	p.S.send(sync.Write{Method: "POST", Path: api.ServerPath(id, "test"), Out: &out}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			delete(p.tested, id)
			p.S.fail(err)
			return
		}
		p.tested[id] = &out
		p.load.now()
	})
}

func (p *Servers) remove(id int64) {
	for _, s := range p.servers {
		if s.ID != id {
			continue
		}
		p.S.confirm(text.RemoveServerTitle(s.Name), []string{text.RemoveServerBody}, text.RemoveIt, func() {
			p.write(sync.Write{Method: "DELETE", Path: api.ServerPath(id)}, text.ServerRemoved)
		})
	}
}

// pairs reads lines with a name, a sign and a value. ok is false where one is none.
func pairs(lines, sign string) (out map[string]string, ok bool) {
	for _, line := range strings.Split(lines, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, found := strings.Cut(line, sign)
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, false
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = strings.TrimSpace(value)
	}
	return out, true
}

func (p *Servers) add(_ app.Context, e app.Event) {
	defer browser.Survive("servers")
	e.PreventDefault()
	p.errs = map[string]string{}
	in := api.ServerAdd{Name: strings.TrimSpace(value("srv-name")), Kind: p.kind}
	where, sign, bad := strings.TrimSpace(value("srv-where")), ":", text.BadHeader
	if p.kind == api.ServerStdio {
		in.Command, sign, bad = where, "=", text.BadVariable
		for _, line := range strings.Split(value("srv-args"), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				in.Args = append(in.Args, line)
			}
		}
	} else {
		in.URL = where
	}
	if in.Name == "" {
		p.errs["name"] = text.NeedServerName
	}
	if where == "" {
		p.errs["where"] = text.NeedAddress
	}
	var ok bool
	if in.Secrets, ok = pairs(value("srv-secrets"), sign); !ok {
		p.errs["secrets"] = bad
	}
	if len(p.errs) > 0 {
		return
	}
	var made api.Server
	p.S.send(sync.Write{Method: "POST", Path: api.PathServers, Body: in, Out: &made, Key: p.intent.Key(api.PathServers, in)}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			p.S.failForm(err, p.errs)
			for _, field := range []string{"url", "command"} {
				if p.errs[field] != "" {
					p.errs["where"] = p.errs[field]
				}
			}
			return
		}
		p.intent.Done()
		for _, id := range []string{"srv-name", "srv-where", "srv-args", "srv-secrets"} {
			if at := browser.ByID(id); at.Truthy() {
				browser.SetValue(at, "")
			}
		}
		p.load.after(nil, text.ServerAdded)
	})
}

// Render draws the page.
func (p *Servers) Render() app.UI {
	return part.Safe("servers", func() app.UI {
		return framed(accountNav(serversPage), p.click, p.content()...)
	})
}

func (p *Servers) content() []app.UI {
	if p.load == nil {
		return nil
	}
	return []app.UI{
		part.PageHead(text.Servers, text.ServersWhy),
		p.load.show(p.list),
		p.form(),
	}
}

func (p *Servers) list() app.UI {
	if len(p.servers) == 0 {
		return tag.Words("p", "muted", text.NoServers)
	}
	items := make([]app.UI, 0, len(p.servers))
	for _, s := range p.servers {
		where := s.URL
		if s.Kind == api.ServerStdio {
			where = strings.Join(append([]string{s.Command}, s.Args...), " ")
		}
		holds := ""
		if len(s.SecretNames) > 0 {
			holds = text.ServerHolds(s.SecretNames)
		}
		id, turn := strconv.FormatInt(s.ID, 10), text.ServerOff
		if !s.Enabled {
			turn = text.ServerOn
		}
		items = append(items, part.Item("plug",
			[]app.UI{
				tag.Box("p", "", part.Bold(s.Name), part.Text(" "), part.If(!s.Enabled, func() app.UI { return tag.Words("span", "tag", text.ServerIsOff) })),
				tag.Words("p", "meta", text.Join(where, holds)),
				p.state(s),
			},
			part.Button("btn btn-sm btn-quiet", "test-server", id, part.Text(text.TestServer)),
			part.Button("btn btn-sm btn-quiet", "turn-server", id, part.Text(turn)),
			part.Button("btn btn-sm btn-quiet", "remove-server", id, part.Text(text.RemoveEllipsis)),
		))
	}
	return part.Items(items...)
}

// state is how a server does, as far as is known.
func (p *Servers) state(s api.Server) app.UI {
	tested, asked := p.tested[s.ID]
	body := []app.UI{}
	switch {
	case asked && tested == nil:
		body = append(body, tag.Words("p", "meta", text.TestingServer))
	case asked && tested.Problem != "":
		body = append(body, tag.Words("p", "err", tested.Problem))
	case asked:
		names := make([]string, len(tested.Tools))
		for i, t := range tested.Tools {
			names[i] = t.Name
		}
		body = append(body, tag.Words("p", "", text.ServerAnswers(len(tested.Tools))), tag.Words("p", "meta", strings.Join(names, ", ")))
		if tested.LeftOut > 0 {
			body = append(body, tag.Words("p", "meta", text.ServerLeavesOut(tested.LeftOut)))
		}
	case s.SecretsLost:
		body = append(body, tag.Words("p", "err", text.ServerLost))
	case s.Problem != "":
		body = append(body, tag.Words("p", "err", s.Problem))
	}
	return tag.Div().Role("status").Body(body...)
}

func (p *Servers) form() app.UI {
	stdio := p.kind == api.ServerStdio
	where, secrets := text.ServerAddress, text.ServerHeaders
	if stdio {
		where, secrets = text.ServerCommand, text.ServerVariables
	}
	input := func() tag.Element {
		return tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("spellcheck", "false")
	}
	lines := func() tag.Element { return tag.Textarea().Class("input").Attr("rows", "2").Attr("spellcheck", "false") }
	return part.Section("h-new-server", text.NewServer, nil,
		tag.Form().Class("stack").OnSubmit(p.add).Attr("novalidate", "true").Body(
			part.If(p.S.admin(), func() app.UI {
				return tag.Box("div", "field", tag.Words("span", "label", text.ServerKind),
					tag.Box("span", "line", part.Choose(text.ServerKind, "kind", p.kind,
						part.Choice{Value: api.ServerHTTP, Label: text.ServerAtAddress}, part.Choice{Value: api.ServerStdio, Label: text.ServerProgram})))
			}),
			field("srv-name", text.ServerName, input(), p.errs["name"]),
			tag.Words("p", "meta", text.ServerNameHint),
			field("srv-where", where, input(), p.errs["where"]),
			part.If(stdio, func() app.UI { return field("srv-args", text.ServerArguments, lines(), p.errs["args"]) }),
			field("srv-secrets", secrets, lines(), p.errs["secrets"]),
			tag.Words("p", "meta", text.ServerSecretHint),
			part.If(stdio, func() app.UI { return tag.Words("p", "meta", text.ServerRuns) }),
			tag.Box("p", "line", tag.Button().Class("btn").Attr("type", "submit").Text(text.AddServer)),
		),
	)
}
