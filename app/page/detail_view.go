package page

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Render draws the pane of the detail.
func (d *Detail) Render() app.UI {
	return part.Safe("detail", func() app.UI {
		return tag.Section().Class("pane").Aria("label", text.DetailPane).OnClick(d.click).Body(
			d.bar(),
			tag.Div().ID("detail-scroll").Class("scroll").TabIndex(-1).Body(d.content()),
		)
	})
}

func (d *Detail) bar() app.UI {
	m, ok := d.memory()
	position := ""
	if p := d.S.place; p.id == d.ID && p.rank >= 0 {
		position = text.Position(p.rank+1, p.total)
	}
	body := []app.UI{
		part.IconButton("btn btn-quiet detail-back", "back", "", text.BackToList, "chevron-left"),
		tag.Words("span", "meta num", position),
		tag.Span().Class("grow"),
	}
	if ok && !d.editing && len(d.row.Shape) > 0 {
		body = append(body, d.views())
	}
	if ok && !d.editing {
		switch m.Status {
		case api.StatusActive:
			body = append(body,
				part.Button("btn btn-quiet btn-edit", "edit", "", part.Icon("square-pen"), tag.Words("span", "", text.Edit), part.KbdHint("e")).Aria("label", text.Edit),
				part.IconButton("btn btn-quiet", "trash", "", text.ToTrash, "trash-2"))
		default:
			body = append(body, part.Button("btn btn-quiet", "restore", "", part.Icon("archive-restore"), part.Text(text.Restore)))
		}
		body = append(body, part.IconButton("btn btn-quiet", "more", "", text.MoreActions, "ellipsis").Aria("haspopup", "listbox"))
	}
	body = append(body, part.IconButton("btn btn-quiet detail-close", "back", "", text.CloseDetail, "x"))
	return tag.Box("header", "topbar", body...)
}

func (d *Detail) content() app.UI {
	switch {
	case d.problem != "":
		return tag.Box("div", "empty", tag.Words("h2", "", d.problem), tag.Words("p", "", d.why), d.stray())
	case d.row == nil || d.slow:
		return tag.Div().Class("detail detail-shape").Aria("hidden", "true").Body(
			app.Raw(`<div class="stack"><div class="skeleton skeleton-xl w-90"></div><div class="skeleton skeleton-xl w-90"></div><div class="skeleton skeleton-xl w-60"></div></div>`),
			app.Raw(`<div class="stack"><div class="skeleton w-90"></div><div class="skeleton w-60"></div></div>`),
			app.Raw(`<div class="skeleton skeleton-chart"></div>`),
		)
	}
	m, waiting := d.S.overlay(d.row.Memory)
	if d.editing {
		return tag.Article().Class("detail").Aria("label", text.EditMemory).Body(&Editor{
			S: d.S, Rev: d.Rev, Mode: editMode, Now: &m, By: d.lastBy(), Done: d.done,
		})
	}
	return tag.Article().Class("detail").Aria("label", text.Memory).Body(
		d.banner(m),
		d.S.pending(waiting),
		d.unfiled(m),
		d.body(m),
		d.fields(m),
		part.If(!d.sketched(), func() app.UI { return d.vitality(m) }),
		part.If(!d.sketched(), func() app.UI { return d.history(m) }),
		part.If(d.sketched(), func() app.UI { return tag.Words("p", "meta", text.NoChartKept) }),
		d.similar(),
	)
}

// stray is what was typed for a memory that can't be shown any more.
func (d *Detail) stray() app.UI {
	typed, at := keptDraft(editFormOf(d.ID))
	return part.If(at > 0, func() app.UI {
		return tag.Box("div", "stack stray",
			tag.Words("p", "muted", text.StrayDraft),
			tag.P().Class("memory-text").Attr("dir", "auto").Text(typed.Body),
			tag.Box("p", "line",
				part.Button("btn btn-primary", "stray-new", "", part.Text(text.AsNew)),
				part.Button("btn btn-quiet", "stray-drop", "", part.Text(text.DropChange))))
	})
}

// views choose between the text as it was written and what its Markdown means.
func (d *Detail) views() app.UI {
	choice := func(label string) part.Choice { return part.Choice{Value: label, Label: label} }
	return part.Choose(text.ViewAs, "view", choose(d.plain, text.AsText, text.AsMarkdown), choice(text.AsText), choice(text.AsMarkdown))
}

// body is the text; one that goes on and on is folded until somebody asks for all of it,
// or the keyboard comes to something in it.
func (d *Detail) body(m api.Memory) app.UI {
	if !long(m.Body) || d.fits == [2]int64{m.ID, m.Revision} {
		return d.text(m)
	}
	if d.whole == m.ID {
		return tag.Box("div", "stack", tag.Div().ID("detail-text").TabIndex(-1).Body(d.text(m)),
			part.Button("btn btn-sm fold-do", "fold", "", part.Text(text.ShowLess)).Aria("expanded", "true").Aria("controls", "detail-text"))
	}
	return tag.Box("div", "stack", tag.Div().ID("detail-text").Class("fold").On("focusin", d.metFocus).Body(d.text(m)),
		part.Button("btn btn-sm fold-do", "whole", "", part.Icon("chevron-down"), part.Text(text.ShowAll(len(m.Body)))).Aria("expanded", "false").Aria("controls", "detail-text"))
}

// long tells whether a text is so long that it is folded.
func long(body string) bool {
	const most, lines = 2400, 36 // bytes; about a screen and a half
	return len(body) > most || strings.Count(body, "\n") > lines
}

// text is the text as it was written, or what its Markdown means. A change that waits to
// be sent has no tree yet.
func (d *Detail) text(m api.Memory) app.UI {
	if d.plain || len(d.row.Shape) == 0 || m.Body != d.row.Memory.Body {
		return part.Body("detail-body", m)
	}
	return part.Markdown(m, d.row.Shape)
}

// unfiled says what it means to be in no category, with the way out.
func (d *Detail) unfiled(m api.Memory) app.UI {
	return part.If(m.CategoryID == nil && m.Status == api.StatusActive, func() app.UI {
		return tag.Box("div", "banner banner-warn unfiled", part.Icon("tag"), tag.Words("span", "", text.NeverRecalled),
			part.Button("linkish end", "edit-category", "", part.Text(text.FileIt)).Aria("haspopup", "listbox"))
	})
}

// lastBy is who made the newest change, for the sentence of a conflict.
func (d *Detail) lastBy() string {
	if len(d.row.Events) == 0 {
		return ""
	}
	return d.row.Events[0].Who
}

// banner says what is special about a memory that isn't active.
func (d *Detail) banner(m api.Memory) app.UI {
	switch m.Status {
	case api.StatusDeleted:
		when := ""
		if m.DeletedAt != nil {
			when = browser.Date(*m.DeletedAt, browser.FullTime)
		}
		return tag.Box("div", "stack",
			part.Banner("warn", "trash-2", part.Bold(text.WentToTrash(when)), part.Text(" "+text.WhyTrash(m))),
			part.Banner("plain", "info", part.Text(text.RestoreNote+" "), part.Link("/settings", text.PauseRetention), part.Text(".")),
			tag.Box("p", "line",
				part.Button("btn btn-primary", "restore", "", part.Icon("archive-restore"), part.Text(text.Restore)),
				part.Button("btn btn-danger", "purge", "", part.Text(text.PurgeEllipsis)),
			),
		)
	case api.StatusConsolidated:
		return part.Banner("plain", "merge", part.Text(text.SentenceConsolidated))
	}
	return tag.Span().Hidden(true)
}

func (d *Detail) fields(m api.Memory) app.UI {
	field := func(name string, value ...app.UI) app.UI {
		return tag.Box("div", "", tag.Words("dt", "", name), tag.Box("dd", "", value...))
	}
	meta := func(s string) app.UI { return tag.Words("span", "meta", s) }
	editable := func(do, label string, value ...app.UI) app.UI {
		if m.Status != api.StatusActive {
			return tag.Box("span", "line", value...)
		}
		return part.Button("field-edit", do, "", value...).Title(label).Aria("haspopup", "listbox")
	}
	name, color := d.S.category(m.CategoryID)
	if name == "" {
		name = text.NoCategory
	}
	search := text.NotIndexedYet
	if m.Indexed {
		search = text.Indexed
	}
	fields := []app.UI{
		field(text.Category, editable("edit-category", text.ChangeCategory, part.CategoryRings(color), tag.Span().Class("nav-name").Attr("dir", "auto").Title(name).Text(name))),
		field(text.Kind, editable("edit-kind", text.ChangeKind, part.Text(m.Kind))),
		field(text.ImportanceField, editable("edit-importance", text.ChangeImportance, part.Text(strconv.Itoa(m.Importance)), meta(text.Word(m.Importance)))),
		field(text.Confidence, d.confidence(m)...),
		field(text.Source, part.Text(text.SourceName(m.Source)), meta(browser.Date(m.CreatedAt, browser.FullDate))),
		field(text.Updated, tag.Words("span", "num", d.date(m.UpdatedAt)), meta(browser.Date(m.UpdatedAt, browser.Zone))),
		field(text.Used, d.used(m)...),
	}
	if d.S.indexes() {
		fields = append(fields, field(text.Search, part.Text(search)))
	} else if m.Status == api.StatusActive {
		fields = append(fields, field(text.Eligible, d.eligible(m)...))
	}
	if m.Subject != "" {
		fields = append(fields, field(text.Subject, part.Text(m.Subject)))
	}
	return tag.Box("dl", "fields", fields...)
}

// date leaves the year out while it is the present one.
func (d *Detail) date(t api.Time) string {
	const year = 300 * 86_400_000
	if diff := d.S.now() - t; diff > year || diff < -year {
		return browser.Date(t, browser.FullDate)
	}
	return browser.Date(t, browser.DayMonthTime)
}

func (d *Detail) confidence(m api.Memory) []app.UI {
	out := []app.UI{tag.Words("span", "num", strconv.FormatFloat(m.Confidence, 'f', -1, 64))}
	if m.ReviewedAt != nil {
		out = append(out, tag.Words("span", "meta", text.ReviewedOn(browser.Date(*m.ReviewedAt, browser.DayMonth))))
	}
	return out
}

func (d *Detail) eligible(m api.Memory) []app.UI {
	if m.EvictableAt == nil {
		return []app.UI{part.Text(text.Stays)}
	}
	return []app.UI{tag.Words("span", "num", browser.Date(*m.EvictableAt, browser.FullDate))}
}

func (d *Detail) used(m api.Memory) []app.UI {
	if m.UseCount == 0 {
		return []app.UI{part.Text(text.Never)}
	}
	out := []app.UI{tag.Words("span", "num", text.Times(m.UseCount))}
	if m.LastUsedAt != nil {
		out = append(out, tag.Words("span", "meta", text.LastUsed(browser.Date(*m.LastUsedAt, browser.DayMonth))))
	}
	return out
}

func (d *Detail) vitality(m api.Memory) app.UI {
	h := &d.row.History
	ranges := part.Choose(text.Range, "range", strconv.Itoa(d.days), part.Choice{Value: "30", Label: "30 d"}, part.Choice{Value: "90", Label: "90 d"}, part.Choice{Value: "365", Label: "1 y"})
	return part.Section("h-vit", text.Vitality, append(part.Beside(text.HalfLife(h.HalfLifeDays)), ranges.Class("end")),
		&part.Chart{History: h, Shown: m.VitalityShown, Days: d.days, Status: m.Status, Limit: d.S.queue(m)},
	)
}

// queue is how many memories a sweep takes, where this one is due and more are than
// that; else 0.
func (s *Session) queue(m api.Memory) int {
	if s.policy == nil || s.overview == nil || m.EvictableAt == nil || *m.EvictableAt > s.policy.NextSweepAt {
		return 0
	}
	limit := int(s.policy.Policy.DailyDeletionLimit)
	if s.overview.Stats.DueNow <= limit {
		return 0
	}
	return limit
}

func (d *Detail) history(m api.Memory) app.UI {
	events, more := d.events()
	items := make([]app.UI, 0, len(events))
	for _, e := range events {
		items = append(items, part.Event(e, d.others(e), e.Restores && e.Revision != m.Revision && m.Status == api.StatusActive))
	}
	return part.Section("h-hist", text.History, part.Beside(text.Revision(m.Revision)),
		tag.Box("ol", "", items...),
		part.If(more, func() app.UI {
			return part.Button("btn btn-sm btn-older", "older", "", part.Icon("history"), part.Text(text.Older))
		}),
	)
}

// others are the memories that an event is about beside its own, to go to.
func (d *Detail) others(e api.Event) []app.UI {
	const most = 8
	var out []app.UI
	for i, o := range e.Others {
		if i == most {
			out = append(out, tag.Words("span", "meta", text.AndOthers(len(e.Others)-most)))
			break
		}
		if o.Body == "" {
			out = append(out, tag.Words("span", "meta", text.PurgedOther(o.ID)))
			continue
		}
		r := route{Kind: listPage, ID: o.ID}
		out = append(out, tag.A().Class("chip").Attr("href", browser.Path(r.path())).Body(
			tag.Span().Class("chip-text").Attr("dir", "auto").Text(part.Cut(o.Body))))
	}
	return out
}

func (d *Detail) similar() app.UI {
	chips := make([]app.UI, 0, len(d.row.Similar))
	for _, x := range d.row.Similar {
		chips = append(chips, tag.A().Class("chip").Attr("href", browser.Path(d.S.route.open(x.ID).path())).Body(
			tag.Span().Class("chip-text").Attr("dir", "auto").Text(part.Cut(x.Body)),
			tag.Words("span", "num", strconv.FormatFloat(x.Similarity, 'f', 2, 64)),
		))
	}
	if len(chips) == 0 {
		return tag.Span().Hidden(true)
	}
	return part.Section("h-sim", text.SimilarHead, part.Beside(text.SimilarBy(d.row.Similar[0].By)),
		tag.Box("p", "recalled", chips...),
	)
}
