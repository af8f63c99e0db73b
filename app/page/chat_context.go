package page

import (
	"context"
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// context is the pane of what stands before the model, and what has left.
func (p *Chat) context() app.UI {
	var now, left []app.UI
	inside := 0
	via := ""
	for i := range p.inside.Rows {
		m := &p.inside.Rows[i].Memory
		if m.Left != "" {
			left = append(left, p.contextItem(m))
			continue
		}
		if m.Via != via {
			via = m.Via
			now = append(now, tag.Words("h3", "", text.Via(via)))
		}
		inside++
		now = append(now, p.contextItem(m))
	}
	if p.inside.Loaded && inside == 0 {
		now = append(now, tag.Words("p", "muted convs-none", text.NothingInside))
	}
	if len(left) > 0 {
		left = append([]app.UI{tag.Box("h3", "", part.Text(text.LeftContext), tag.Words("span", "num", text.Number(len(left))))}, left...)
	}
	return tag.Aside().Class("context").Aria("label", text.InContextNow).Hidden(p.open == 0).Body(
		tag.Box("header", "topbar", tag.Words("h2", "", text.InContextNow), tag.Words("span", "grow", ""),
			tag.Words("span", "meta num", text.InsideOf(inside)),
			part.IconButton("btn btn-quiet chat-back", "chat-thread", "", text.Close, "x")),
		tag.Div().Class("scroll").TabIndex(0).Body(append(now, left...)...),
		p.room(),
	)
}

func (p *Chat) contextItem(m *api.ContextMemory) app.UI {
	importance := 1
	if m.Why != nil {
		importance = m.Why.Importance
	}
	said := text.PickedBy(m.Delivered)
	item := tag.Div().Class("context-item")
	switch {
	case m.Left != "":
		item = item.DataSet("state", "left")
		when := ""
		if m.LeftAt != nil {
			when = browser.Date(*m.LeftAt, browser.DayMonthTime)
		}
		said = []string{choose(m.Left == "compaction", text.LeftCompaction, text.LeftCleared), when, text.MayComeAgain}
	default:
		said = append(said, browser.Date(m.Since, browser.DayMonthTime))
	}
	meta := make([]app.UI, 0, len(said))
	for _, s := range said {
		if s != "" {
			meta = append(meta, tag.Words("span", "", s))
		}
	}
	return item.Body(part.Rings(importance, 0),
		tag.A().Class("memory-text").Attr("href", browser.Path(route{Kind: listPage, ID: m.ID}.path())).Attr("dir", "auto").Text(or(m.Body, text.GoneSince)),
		tag.Box("p", "meta", meta...))
}

// room is how full the model's context is.
func (p *Chat) room() app.UI {
	c := p.conversation()
	if c == nil || c.Window == 0 || c.Tokens == 0 {
		return tag.Span().Hidden(true)
	}
	share := min(c.Tokens*100/c.Window, 100)
	bar := `<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-track" width="100" height="6" rx="2"></rect>` +
		`<rect class="bar-fill" width="` + strconv.Itoa(share) + `" height="6" rx="2"></rect>`
	if c.CompactAt > 0 {
		bar += `<rect class="bar-floor" x="` + strconv.Itoa(c.CompactAt) + `" y="-2" width=".7" height="10"></rect>`
	}
	return tag.Box("footer", "listfoot", app.Raw(`<span class="grow">`+bar+`</svg></span>`), tag.Words("span", "num", text.ContextShare(share, c.CompactAt)))
}

// chooseModel opens the models that the providers list, and has the chosen one answer
// from now on. An administrator is also offered those that have a role, as a list may not
// come.
func (p *Chat) chooseModel(el app.Value) {
	if p.listing || p.usual() == "" {
		return
	}
	p.listing = true
	var list api.ModelList
	p.S.async(api.PathModelList, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathModelList, &list) }, func(error) {
		p.listing = false
		p.offerModels(el, list.Items)
	})
}

func (p *Chat) offerModels(el app.Value, listed []api.ListedModel) {
	at := p.begun
	if c := p.conversation(); c != nil && c.Model != nil {
		at = *c.Model
	}
	choices := []part.Choice{{Value: "", Label: text.ModelDefault, Note: p.usual(), Picked: at.Model == ""}}
	picks := map[string]api.ModelPick{}
	offer := func(m api.ModelPick) {
		key := m.Provider + " " + m.Model
		if _, there := picks[key]; m.Model == "" || there {
			return
		}
		picks[key] = m
		choices = append(choices, part.Choice{Value: key, Label: m.Model, Note: m.Provider, Picked: m == at})
	}
	offer(at)
	offer(*p.shown.Chat)
	if m := p.shown.Models; m != nil {
		for _, r := range []*api.Role{m.Roles.Utility, m.Roles.Maintenance} {
			if r != nil {
				offer(api.ModelPick{Provider: r.Provider, Model: r.Model})
			}
		}
	}
	for _, m := range listed {
		if m.Chat {
			offer(api.ModelPick{Provider: m.Provider, Model: m.ID})
		}
	}
	custom := func(name string) part.Choice {
		return part.Choice{Value: "=" + name, Label: name, Icon: "plus"}
	}
	p.S.menuAt(el, part.MenuSpec{Label: text.ModelOf, Choices: choices, Search: true, Custom: custom, Right: true, Pick: func(v string) {
		pick, ok := picks[v]
		if !ok && v != "" {
			pick = api.ModelPick{Provider: p.shown.Chat.Provider, Model: v[1:]}
		}
		p.pickModel(pick)
	}})
}

// pickModel has a model answer; the zero one is the usual.
func (p *Chat) pickModel(pick api.ModelPick) {
	if p.open == 0 {
		p.begun = pick
		p.ctx.Update()
		return
	}
	in := api.ConversationPatch{Model: &pick}
	p.S.send(sync.Write{Method: "PATCH", Path: api.ConversationPath(p.open), Body: in}, func(err error) {
		if err != nil {
			p.S.fail(err)
		}
	})
}
