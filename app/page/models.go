package page

import (
	"context"
	"slices"
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

// roles are the roles of models, in the order of the page.
var roles = []string{api.RoleEmbedding, api.RoleUtility, api.RoleChat, api.RoleMaintenance}

// providerKinds are the kinds that can be added.
var providerKinds = []string{api.ProviderOpenAI, api.ProviderOllama, api.ProviderOpenRouter, api.ProviderAnthropic}

// Models is the settings page of model providers and their roles. Its fields are
// "ID.kind", "ID.baseUrl" and "ID.key" of a provider, and "role/ROLE.provider" and so on.
type Models struct {
	app.Compo
	S   *Session
	Rev int

	form
	tested map[string]api.ModelTested // by role
	asking string                     // the role that is being tested
}

// OnMount begins the form.
func (p *Models) OnMount(ctx app.Context) {
	defer browser.Survive("models")
	p.values, p.named, p.tested = modelled, p.naming, map[string]api.ModelTested{}
	p.begin(p.S, ctx)
}

// OnUpdate follows what others save.
func (p *Models) OnUpdate(app.Context) { p.follow() }

// OnDismount ends it.
func (p *Models) OnDismount() { p.load.stop() }

func rolesOf(m *api.Models) []*api.Role {
	return []*api.Role{m.Roles.Embedding, m.Roles.Utility, m.Roles.Chat, m.Roles.Maintenance}
}

// modelled are the values of the fields. A key is never read.
func modelled(now settingsNow) map[string]string {
	out := map[string]string{}
	if now.Models == nil {
		return out
	}
	for _, p := range now.Models.Providers {
		out[p.ID+".kind"], out[p.ID+".baseUrl"], out[p.ID+".key"] = p.Kind, p.BaseURL, ""
	}
	for i, r := range rolesOf(now.Models) {
		f := "role/" + roles[i]
		out[f+".provider"], out[f+".model"], out[f+".dimensions"], out[f+".window"] = "", "", "", ""
		if r == nil {
			continue
		}
		out[f+".provider"], out[f+".model"] = r.Provider, r.Model
		if r.Dimensions != nil {
			out[f+".dimensions"] = strconv.Itoa(*r.Dimensions)
		}
		if r.Window != nil {
			out[f+".window"] = strconv.Itoa(*r.Window)
		}
	}
	return out
}

// providers are the ids of the providers of a form, the built-in one first.
func providers(values map[string]string) (ids []string) {
	for field := range values {
		if id, found := strings.CutSuffix(field, ".kind"); found {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if values[a+".kind"] == api.ProviderLocal {
			return -1
		}
		if values[b+".kind"] == api.ProviderLocal {
			return 1
		}
		return strings.Compare(a, b)
	})
	return ids
}

// newProvider is an id for one more provider of a kind.
func newProvider(values map[string]string, kind string) string {
	for n := 1; ; n++ {
		id := kind
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		if _, taken := values[id+".kind"]; !taken {
			return id
		}
	}
}

// naming is the field that a problem of the server is about, such as
// "roles.embedding.model" or "providers[1].baseUrl".
func (p *Models) naming(problem string) string {
	if rest, found := strings.CutPrefix(problem, "roles."); found {
		return "role/" + rest
	}
	rest, found := strings.CutPrefix(problem, "providers[")
	number, field, more := strings.Cut(rest, "].")
	n, err := strconv.Atoi(number)
	ids := providers(p.typed)
	if !found || !more || err != nil || n < 0 || n >= len(ids) {
		return ""
	}
	return ids[n] + "." + strings.Replace(field, "apiKey", "key", 1)
}

// provider is one as it is sent. An empty key leaves the stored one.
func (p *Models) provider(id string) api.ProviderChange {
	c := api.ProviderChange{ID: id, Kind: p.typed[id+".kind"], BaseURL: strings.TrimSpace(p.typed[id+".baseUrl"])}
	if key := strings.TrimSpace(p.typed[id+".key"]); key != "" {
		c.APIKey = api.Some(key)
	}
	return c
}

// role is one as it is sent; nil is nobody.
func (p *Models) role(name string) *api.Role {
	f := "role/" + name
	if p.typed[f+".provider"] == "" {
		return nil
	}
	r := &api.Role{Provider: p.typed[f+".provider"], Model: strings.TrimSpace(p.typed[f+".model"])}
	if n, ok := p.number(f+".dimensions", "model.dimensions"); ok && name == api.RoleEmbedding {
		r.Dimensions = &n
	}
	if n, ok := p.number(f+".window", "chat.window"); ok && name != api.RoleEmbedding {
		r.Window = &n
	}
	return r
}

func (p *Models) change() sync.Write {
	body := map[string]any{}
	var list []api.ProviderChange
	for _, id := range providers(p.typed) {
		list = append(list, p.provider(id))
	}
	given := map[string]*api.Role{}
	for _, name := range roles {
		given[name] = p.role(name)
	}
	body["providers"], body["roles"] = list, given
	return sync.Write{Path: api.PathModels, Body: body}
}

func (p *Models) typing(_ app.Context, e app.Event) {
	defer browser.Survive("models")
	p.input(e)
}

func (p *Models) click(ctx app.Context, e app.Event) {
	defer browser.Survive("models")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "form-save":
		p.save(text.ModelsSaved, p.change())
	case "form-discard":
		p.discard()
	case "provider-add":
		var choices []part.Choice
		for _, kind := range providerKinds {
			choices = append(choices, part.Choice{Value: kind, Label: text.KindName(kind), Icon: "plug"})
		}
		p.S.menuAt(act.Element, part.MenuSpec{Label: text.AddProvider, Choices: choices, Pick: func(kind string) {
			id := newProvider(p.typed, kind)
			p.typed[id+".kind"], p.typed[id+".baseUrl"], p.typed[id+".key"] = kind, "", ""
			p.ctx.Update()
		}})
	case "provider-drop":
		for _, field := range []string{".kind", ".baseUrl", ".key"} {
			delete(p.typed, act.Arg+field)
		}
		for _, name := range roles {
			if p.typed["role/"+name+".provider"] == act.Arg {
				p.typed["role/"+name+".provider"] = ""
			}
		}
	case "role-provider":
		p.pickProvider(act)
	case "role-test":
		p.test(act.Arg)
	}
}

func (p *Models) pickProvider(act browser.Act) {
	field := "role/" + act.Arg + ".provider"
	choices := []part.Choice{{Value: "", Label: text.NoOne, Picked: p.typed[field] == ""}}
	for _, id := range providers(p.typed) {
		switch kind := p.typed[id+".kind"]; {
		case kind == api.ProviderLocal && act.Arg != api.RoleEmbedding, kind == api.ProviderAnthropic && act.Arg == api.RoleEmbedding:
			continue // it has no such models
		}
		choices = append(choices, part.Choice{Value: id, Label: id, Note: text.KindName(p.typed[id+".kind"]), Picked: p.typed[field] == id})
	}
	p.S.menuAt(act.Element, part.MenuSpec{Label: text.RoleName(act.Arg), Choices: choices, Pick: func(id string) {
		p.typed[field] = id
		delete(p.errs, field)
		p.ctx.Update()
	}})
}

// test asks the provider of a role, as it stands in the form.
func (p *Models) test(name string) {
	r := p.role(name)
	if r == nil || p.asking != "" {
		return
	}
	p.asking = name
	provider := p.provider(r.Provider)
	var out api.ModelTested
	p.S.async(api.PathModelsTest, func(ctx context.Context) error {
		return p.S.api.Send(ctx, sync.Write{Method: "POST", Path: api.PathModelsTest, Body: api.ModelTest{Role: name, Provider: &provider, Choice: r}, Out: &out})
	}, func(err error) {
		p.asking = ""
		if err != nil {
			out = api.ModelTested{Message: words(err)}
		}
		p.tested[name] = out
		p.ctx.Update()
	})
}

// Render draws the page.
func (p *Models) Render() app.UI {
	return part.Safe("models", func() app.UI {
		return p.page(p.S, modelsPage, text.Models, text.ModelsWhy, p.click, p.typing, func() []app.UI {
			list := []app.UI{tag.Box("div", "section-head", tag.Words("h2", "", text.RolesHead))}
			for _, name := range roles {
				list = append(list, p.roleRow(name))
			}
			shown := []app.UI{tag.Box("div", "section-head", tag.Words("h2", "", text.Providers),
				part.Button("btn btn-sm end", "provider-add", "", part.Icon("plus"), part.Text(text.AddProvider)).Aria("haspopup", "listbox"))}
			for _, id := range providers(p.typed) {
				shown = append(shown, p.providerRow(id))
			}
			return []app.UI{p.S.indexLine(false), tag.Box("section", "section", list...), tag.Box("section", "section", shown...)}
		})
	})
}

func (p *Models) roleRow(name string) app.UI {
	f := "role/" + name
	at := p.typed[f+".provider"]
	shown := at
	if at == "" {
		shown = text.NoOne
	}
	controls := []app.UI{part.Button("btn field-pick", "role-provider", name, tag.Words("span", "pick-label", shown), part.Icon("chevron-down")).
		ID("f-"+f+".provider").Aria("haspopup", "listbox")}
	hint := ""
	if p.typed[at+".kind"] == api.ProviderLocal {
		hint = "multilingual-e5-small"
	}
	named := func(in tag.Element, label string) app.UI {
		return in.Aria("label", text.RoleName(name)+": "+label).Attr("hidden", at == "")
	}
	controls = append(controls, named(p.field(f+".model", "input", "text", or(hint, text.ModelField)), text.ModelField))
	if name == api.RoleEmbedding && p.typed[at+".kind"] != api.ProviderLocal {
		controls = append(controls, named(p.field(f+".dimensions", "input num-input", "text", text.WidthHint), text.WidthField))
	}
	if name != api.RoleEmbedding {
		controls = append(controls, named(p.field(f+".window", "input num-input", "text", text.WindowHint), text.WindowField))
	}
	label := text.TestIt
	if p.asking == name {
		label = text.Testing
	}
	controls = append(controls, part.Button("btn btn-sm", "role-test", name, part.Text(label)).Attr("disabled", p.asking != "").Attr("hidden", at == ""))
	wrong := or(p.errs[f+".model"], or(p.errs[f+".dimensions"], p.errs[f+".window"]))
	t, done := p.tested[name]
	return tag.Box("div", "role",
		p.row(f+".provider", text.RoleName(name), text.RoleWhy(name), controls...),
		part.If(wrong != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(wrong) }),
		part.If(done, func() app.UI {
			icon, class := "check", "state state-ok"
			if !t.OK {
				icon, class = "triangle-alert", "state state-failed"
			}
			return tag.P().Class(class).Role("status").Body(part.Icon(icon), tag.Words("span", "", text.Tested(t)))
		}),
	)
}

func (p *Models) providerRow(id string) app.UI {
	kind := p.typed[id+".kind"]
	if kind == api.ProviderLocal {
		return tag.Box("div", "item", part.Icon("plug"), tag.Box("div", "grow", tag.Box("p", "", part.Bold(id)), tag.Words("p", "meta", text.BuiltIn)))
	}
	hint := text.NoKey
	for _, saved := range p.base.Models.Providers {
		switch {
		case saved.ID != id:
		case saved.KeyLost:
			hint = text.KeyLost
		case saved.HasKey:
			hint = text.HasKey
		}
	}
	labelled := func(field, label string, in tag.Element) app.UI {
		return tag.Box("div", "field grow",
			tag.Label().Class("label").Attr("for", "f-"+id+field).Text(label), in,
			part.If(p.errs[id+field] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(p.errs[id+field]) }))
	}
	fields := []app.UI{}
	if kind != api.ProviderOpenRouter {
		at := "https://api.openai.com/v1"
		switch kind {
		case api.ProviderOllama:
			at = "http://127.0.0.1:11434"
		case api.ProviderAnthropic:
			at = "https://api.anthropic.com/v1"
		}
		fields = append(fields, labelled(".baseUrl", text.Address, p.field(id+".baseUrl", "input", "url", at)))
	}
	fields = append(fields, labelled(".key", text.KeyOf, p.field(id+".key", "input", "password", hint)))
	return tag.Box("div", "item provider", part.Icon("plug"),
		tag.Box("div", "grow stack",
			tag.Box("p", "line", part.Bold(id), tag.Words("span", "meta", text.KindName(kind)),
				part.IconButton("btn btn-sm btn-quiet end", "provider-drop", id, text.RemoveIt+" "+id, "trash-2")),
			tag.Box("div", "form-row", fields...)))
}
