package page

import (
	"strings"

	"elowen/app/part"
	"elowen/app/state"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Render draws the palette: a field, and under it what it offers, in groups.
func (p *Palette) Render() app.UI {
	return part.Safe("palette", func() app.UI {
		list := p.visible()
		active := ""
		if p.at < len(list) {
			active = offerID(p.at)
		}
		return tag.Div().Class("scrim palette-scrim").DataSet("do", "close-palette").OnClick(p.click).OnKeyDown(p.key).OnInput(p.input).Body(
			tag.Div().Class("palette").Role("dialog").Aria("modal", "true").Aria("label", text.PaletteOpen).Body(
				tag.Box("div", "palette-input",
					part.IconLarge("search"),
					tag.Input().ID("palette-input").Attr("type", "text").Attr("autocomplete", "off").Attr("spellcheck", "false").
						Attr("placeholder", text.PaletteHint).Aria("label", text.PaletteHint).
						Role("combobox").Aria("expanded", "true").Aria("autocomplete", "list").Aria("controls", "palette-list").Aria("activedescendant", active),
					part.KbdHint("Esc"),
				),
				tag.Div().ID("palette-list").Class("palette-list").Role("listbox").Aria("label", text.PaletteOpen).Body(p.groups(list)...),
				tag.Div().Class("palette-foot").Aria("hidden", "true").Body(
					foot(text.KeyMove, "↑", "↓"), foot(text.KeyOpen, "↵"), foot(text.KeyCommands, ">"), foot(text.KeyCategory, "#"),
				),
			),
		)
	})
}

func foot(label string, keys ...string) app.UI {
	var body []app.UI
	for _, k := range keys {
		body = append(body, part.Kbd(k), part.Text(" "))
	}
	return tag.Box("span", "", append(body, part.Text(label))...)
}

func (p *Palette) groups(list []command) []app.UI {
	var groups []app.UI
	for i := 0; i < len(list); {
		name := list[i].group
		items := []app.UI{tag.Li().Class("palette-head").Role("presentation").Aria("hidden", "true").Text(name)}
		for ; i < len(list) && list[i].group == name; i++ {
			items = append(items, p.item(i, &list[i]))
		}
		groups = append(groups, tag.Ul().Role("group").Aria("label", name).Body(items...))
	}
	if len(list) == 0 {
		groups = append(groups, tag.Words("p", "meta palette-none", text.NoMatch))
	}
	return groups
}

func (p *Palette) item(i int, c *command) app.UI {
	li := tag.Li().ID(offerID(i)).Role("option").Aria("selected", boolean(i == p.at)).DataSet("do", "offer").DataSet("arg", i)
	if m := c.memory; m != nil {
		_, color := p.S.category(m.CategoryID)
		return li.Body(
			part.Rings(m.Importance, color),
			tag.Span().Class("memory-text").Attr("lang", m.Lang).Attr("dir", "auto").Body(part.Runs(state.Hits(m.Body, p.typed, 160))...),
			tag.Box("span", "end", part.Vitality(m.VitalityShown, p.S.floor())),
		)
	}
	var lead app.UI = part.Icon(c.icon)
	if c.color > 0 {
		lead = part.CategoryRings(c.color - 1)
	}
	var end []app.UI
	if c.note != "" {
		end = append(end, tag.Words("span", "num", c.note))
	}
	for _, k := range strings.Fields(c.key) {
		end = append(end, part.KbdHint(k))
	}
	return li.Body(lead, tag.Span().Class("palette-label").Attr("dir", "auto").Text(c.label), tag.Box("span", "end", end...))
}

func boolean(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
