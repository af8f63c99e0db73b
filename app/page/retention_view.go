package page

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Render draws the page.
func (p *Retention) Render() app.UI {
	return part.Safe("retention", func() app.UI {
		return tag.Div().Class("settings-page").OnClick(p.click).OnInput(p.input).Body(
			tag.Box("div", "settings",
				subnav(settingsPage, p.S.admin()),
				tag.Box("div", "scroll", tag.Box("div", "page",
					part.PageHead(text.RetentionHead, text.RetentionWhy,
						part.If(p.base != nil && p.S.admin() && !p.standard(true), func() app.UI {
							return part.Button("btn btn-sm", "ret-all-defaults", "", part.Icon("rotate-ccw"), part.Text(text.AllDefaults))
						})),
					part.If(p.clashes(), func() app.UI {
						return part.Banner("warn", "git-compare", part.Bold(text.PolicyStale), part.Text(" "+text.PolicyStaleKept))
					}),
					part.If(p.base != nil && !p.S.admin(), func() app.UI { return part.Banner("plain", "info", part.Text(text.OnlyAdminsChange)) }),
					tag.Box("div", "two", p.form(), p.would()),
				)),
			),
			p.savebar(),
		)
	})
}

func (p *Retention) form() app.UI {
	if p.base == nil && p.S.disconnected() {
		return p.S.notHere()
	}
	if p.base == nil {
		return app.Raw(`<div class="stack"><div class="skeleton w-60"></div><div class="skeleton w-90"></div><div class="skeleton w-60"></div></div>`)
	}
	on := setting.Get("retention.enabled")
	rows := []app.UI{
		tag.Div().Class(p.setClass("set", p.enabled != p.base.Policy.Enabled)).Body(
			tag.Label().Attr("for", "ret-enabled").Text(on.Label),
			tag.P().ID("ret-enabled-h").Class("meta").Text(on.Help),
			tag.Box("div", "set-control", tag.Input().ID("ret-enabled").Class("switch").Attr("type", "checkbox").Role("switch").
				Aria("describedby", "ret-enabled-h").Attr("checked", p.enabled).Attr("disabled", !p.S.admin())),
		),
		p.number(fieldGrace), p.number(fieldFloor), p.number(fieldLimit),
	}
	levels := setting.Levels()
	var lives []app.UI
	for i := len(levels) - 1; i >= 0; i-- {
		lives = append(lives, p.life(levels[i]))
	}
	return tag.Form().Class("stack").OnSubmit(swallowSubmit).Body(
		tag.Box("div", "", rows...),
		tag.Box("fieldset", "",
			tag.Words("legend", "sr", text.HalfLifeHead),
			tag.Box("div", "section-head",
				tag.Words("h2", "", text.HalfLifeHead), tag.Words("span", "meta", text.HalfLifeUnit),
				part.If(p.S.admin() && !p.standard(false), func() app.UI {
					return part.Button("btn btn-sm btn-quiet end", "ret-defaults", "", part.Icon("rotate-ccw"), part.Text(text.Defaults))
				}),
			),
			tag.Box("div", "", lives...),
		),
	)
}

func (p *Retention) setClass(class string, dirty bool) string {
	if dirty {
		return class + " set-dirty"
	}
	return class
}

func (p *Retention) changed(field string) bool {
	return strings.TrimSpace(p.typed[field]) != valuesOf(p.base.Policy)[field]
}

func (p *Retention) number(field string) app.UI {
	s := fieldSetting(field)
	id := "ret-" + field
	input := tag.Input().ID(id).Class("input num-input").Attr("type", "text").Attr("inputmode", "decimal").Attr("autocomplete", "off").
		Aria("describedby", id+"-h").Attr("disabled", !p.S.admin())
	if p.errs[field] != "" {
		input = input.Aria("invalid", "true")
	}
	unit := s.Unit
	if s.Unit == "a day" {
		unit = ""
	}
	if p.clash[field] && p.changed(field) {
		unit = text.Join(unit, text.Was(valuesOf(p.base.Policy)[field]))
	}
	return tag.Div().Class(p.setClass("set", p.changed(field))).Body(
		tag.Label().Attr("for", id).Text(s.Label),
		tag.P().ID(id+"-h").Class("meta").Text(text.HelpRange(s)),
		tag.Box("div", "set-control", input, part.If(unit != "", func() app.UI { return tag.Words("span", "meta", unit) })),
		part.If(p.errs[field] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(p.errs[field]) }),
	)
}

func (p *Retention) life(l setting.Level) app.UI {
	field := hl(l.Importance)
	row := tag.Div().Class("hl").DataSet("imp", l.Importance)
	note := text.DaysUnit
	if p.changed(field) {
		row = row.DataSet("state", "dirty")
		note = text.Was(valuesOf(p.base.Policy)[field])
	}
	input := tag.Input().ID("ret-"+field).Class("input num-input").Attr("type", "text").Attr("inputmode", "decimal").Attr("autocomplete", "off").Attr("disabled", !p.S.admin())
	if p.errs[field] != "" {
		input = input.Aria("invalid", "true").Aria("describedby", "ret-"+field+"-err")
	}
	return row.Body(
		tag.Words("span", "lvl", strconv.Itoa(l.Importance)),
		tag.Label().Class("word").Attr("for", "ret-"+field).Text(l.Word),
		tag.Input().ID("range-"+field).Class("range").Attr("type", "range").Attr("min", 0).Attr("max", sliderSteps).
			Aria("label", text.HalfLifeFor(l.Importance)).Aria("valuetext", p.typed[field]+" days").Attr("disabled", !p.S.admin()),
		input,
		tag.Words("span", "meta num", note),
		part.If(p.errs[field] != "", func() app.UI {
			return tag.P().ID("ret-" + field + "-err").Class("err").Role("alert").Text(p.errs[field])
		}),
	)
}

// would is what the typed policy would do, beside what the saved one does.
func (p *Retention) would() app.UI {
	note := ""
	switch {
	case p.thinking:
		note = text.Asking
	case p.dirty() > 0:
		note = text.NotSavedYet
	}
	return tag.Box("div", "stack would",
		p.fading(),
		tag.Section().Class("well stack").Aria("labelledby", "h-do").Aria("live", "polite").Body(
			tag.Box("div", "section-head", tag.H2().ID("h-do").Text(text.Would), tag.Words("span", "meta end", note)),
			p.effect(),
		),
	)
}

// fading shows the half-lives as curves.
func (p *Retention) fading() app.UI {
	uses := setting.Int("preview.uses")
	var box app.UI = app.Raw(`<div class="skeleton skeleton-chart"></div>`)
	if p.curves == nil && p.S.disconnected() {
		box = p.S.notHere()
	}
	if p.curves != nil && p.base != nil {
		c := &part.Curves{Now: p.curves, Saved: p.savedCurves, Floor: -1}
		if floor, ok := p.checkField(fieldFloor); ok && p.enabled {
			c.Floor = floor
		}
		saved := valuesOf(p.base.Policy)
		for i := len(p.base.Policy.HalfLifeDays); i >= 1; i-- {
			if field := hl(i); p.changed(field) && p.errs[field] == "" {
				c.Changed = append(c.Changed, i)
				c.Words = append(c.Words, text.CurveChange(i, saved[field], strings.TrimSpace(p.typed[field])))
			}
		}
		box = c
	}
	return tag.Section().Class("well stack").Aria("labelledby", "h-fades").Body(
		tag.Box("div", "section-head", tag.H2().ID("h-fades").Text(text.CurvesHead), tag.Words("span", "meta end", text.CurvesNote(uses))),
		box,
	)
}

func (p *Retention) effect() app.UI {
	if p.preview == nil && p.S.disconnected() {
		return p.S.notHere()
	}
	if p.preview == nil || p.base == nil {
		return app.Raw(`<div class="stack"><div class="skeleton w-60"></div><div class="skeleton w-90"></div></div>`)
	}
	if !p.enabled {
		return tag.Words("p", "muted", text.WouldNothing)
	}
	stat := func(label string, now int, was *int) app.UI {
		instead := ""
		if was != nil && *was != now {
			instead = " " + text.InsteadOf(*was)
		}
		return tag.Box("div", "stat grow", tag.Words("span", "meta", label),
			tag.Box("b", "", part.Text(text.Number(now)), tag.Words("s", "", instead)))
	}
	var nextWas, monthWas *int
	if p.saved != nil && p.base.Policy.Enabled {
		nextWas, monthWas = &p.saved.NextSweep, &p.saved.Within30
	}
	rows := make([]app.UI, 0, len(p.preview.First))
	for _, r := range p.preview.First {
		rows = append(rows, p.going(r))
	}
	return tag.Box("div", "stack",
		tag.Box("div", "line would-stats",
			stat(text.NextSweep(browser.Date(p.preview.SweepAt, browser.DayMonthTime)), p.preview.NextSweep, nextWas),
			stat(text.Within30, p.preview.Within30, monthWas),
		),
		part.If(len(rows) > 0, func() app.UI {
			return tag.Box("div", "", append([]app.UI{tag.Words("p", "meta", text.FirstToGo)}, rows...)...)
		}),
		part.If(len(rows) == 0, func() app.UI { return tag.Words("p", "muted", text.Nobody(p.preview.Within30)) }),
	)
}

func (p *Retention) going(r api.PreviewRow) app.UI {
	_, color := p.S.category(r.CategoryID)
	return tag.Box("div", "going",
		part.Rings(r.Importance, color),
		tag.A().Class("memory-text").Attr("href", browser.Path(route{Kind: listPage, ID: r.ID}.path())).Attr("dir", "auto").Text(part.Cut(r.Body)),
		tag.Span().Class("meta num").Title(r.Reason).Text(strconv.FormatFloat(r.Vitality, 'f', 1, 64)),
	)
}

func (p *Retention) savebar() app.UI {
	n := p.dirty()
	return part.If(n > 0 && p.S.admin(), func() app.UI {
		note := []app.UI{part.Bold(text.Count(n, "change", "changes") + ": "), part.Text(text.Sentences(p.changes()) + " " + text.ApplyNext)}
		if p.problem != "" {
			note = []app.UI{part.Text(p.problem)}
		}
		return tag.Box("footer", "savebar",
			tag.Span().Class("grow muted").Role("status").Body(note...),
			part.Button("btn btn-quiet", "ret-discard", "", part.Text(text.Discard)),
			part.Button("btn btn-primary", "ret-save", "", part.Text(text.Save)).Attr("disabled", len(p.errs) > 0 || p.busy),
		)
	})
}
