package page

import (
	"context"
	"strconv"
	"strings"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Check is the recall check: what a question would bring, and why not the rest.
type Check struct {
	app.Compo
	S     *Session
	Rev   int
	Query api.MemoryQuery // its words are the question

	ctx     app.Context
	asked   api.MemoryQuery
	asking  bool
	found   *api.Retrieved
	took    int // milliseconds
	problem string
	set     settingsNow // floor, weights, limits
}

// OnMount asks what the address asks.
func (p *Check) OnMount(ctx app.Context) {
	defer browser.Survive("check")
	p.ctx = ctx
	var read settingsNow
	p.S.async(api.PathSettings, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathSettings, &read) }, func(err error) {
		if err == nil {
			p.set = read
		}
		p.ctx.Update()
	})
	p.follow()
	ctx.Defer(func(app.Context) {
		field := browser.ByID("search")
		browser.SetValue(field, p.Query.Q)
		if p.Query.Q == "" {
			browser.Focus(field)
		}
	})
}

// OnUpdate follows the address.
func (p *Check) OnUpdate(app.Context) {
	defer browser.Survive("check")
	if p.ctx.Context != nil {
		p.follow()
	}
}

func (p *Check) follow() {
	if p.Query == p.asked {
		return
	}
	p.asked, p.found, p.problem = p.Query, nil, ""
	browser.SetValue(browser.ByID("search"), p.Query.Q)
	if p.Query.Q != "" {
		p.ask()
	}
}

// ask asks the server for what the address says.
func (p *Check) ask() {
	q := p.asked
	p.asking = true
	began := time.Now()
	var out api.Retrieved
	body := api.RetrieveRequest{Query: q.Q, ProjectID: q.ProjectID}
	p.S.async(api.PathRetrieve, func(ctx context.Context) error {
		return p.S.api.Send(ctx, sync.Write{Method: "POST", Path: api.PathRetrieve, Body: body, Out: &out})
	}, func(err error) {
		if q != p.asked {
			return // another question was asked since
		}
		p.asking = false
		if err != nil {
			p.problem = words(err)
		} else {
			p.found, p.took = &out, int(time.Since(began).Milliseconds())
		}
		p.ctx.Update()
	})
}

// submit asks what stands in the field.
func (p *Check) submit(ctx app.Context, e app.Event) {
	defer browser.Survive("check")
	e.PreventDefault()
	typed, ok := browser.Value(browser.ByID("search"))
	if typed = strings.TrimSpace(typed); !ok {
		return
	}
	if typed == p.asked.Q {
		p.asked = api.MemoryQuery{} // the same again, of memories that may have changed
		p.follow()
		return
	}
	p.S.visit(p.S.route.with(func(q *api.MemoryQuery) { q.Q = typed }))
}

func (p *Check) click(ctx app.Context, e app.Event) {
	defer browser.Survive("check")
	act, ok := browser.Acted(e)
	if !ok || act.Do != "check-project" {
		ctx.PreventUpdate()
		return
	}
	p.S.pickProject(act.Element, p.Query.ProjectID)
}

// number is a field of the settings, else its default; the model's own of null.
func (p *Check) number(key string) int {
	group, name := ofGroup(p.set, key)
	if v, ok := group[name].(float64); ok {
		return int(v)
	}
	if v, ok := p.set.Profile[name].(float64); ok {
		return int(v)
	}
	return setting.Int(key)
}

func (p *Check) floor() float64 { return float64(p.number("runtime.relevanceFloor")) / 1000 }

// Render draws the page.
func (p *Check) Render() app.UI {
	return part.Safe("check", func() app.UI {
		project := or(p.S.projectName(p.Query.ProjectID), text.AnyProject)
		return tag.Div().Class("scroll").OnClick(p.click).Body(tag.Box("div", "page page-wide recall-check",
			tag.Form().Class("line check-form").Role("search").OnSubmit(p.submit).Body(
				tag.Box("div", "search grow", part.Icon("search"),
					tag.Input().ID("search").Class("input").Attr("type", "search").Attr("autocomplete", "off").
						Attr("placeholder", text.QuestionHint).Aria("label", text.Question), part.KbdHint("/")),
				part.If(p.S.works() || p.Query.ProjectID > 0, func() app.UI {
					return part.Button("btn", "check-project", "", part.Icon("folder"), tag.Words("span", "", project), part.Icon("chevron-down")).
						Aria("haspopup", "listbox").Aria("label", text.Field(text.Project, project))
				}),
				tag.Button().Class("btn btn-primary").Attr("type", "submit").Attr("disabled", p.asking).Text(text.Check),
			),
			p.sum(),
			p.table(),
		))
	})
}

// sum says in words what came of it.
func (p *Check) sum() app.UI {
	score := ""
	if p.set.Runtime != nil {
		score = text.ScoreIs(p.floor(), p.number("runtime.importanceWeight"), p.number("runtime.vitalityWeight"))
	}
	foot := tag.Box("div", "check-how", p.S.indexLine(p.S.behind() || p.S.index != nil && p.S.index.Model == ""),
		tag.Box("p", "meta", part.Text(score), part.If(p.S.admin() && score != "", func() app.UI {
			return tag.Box("span", "", part.Text(" · "), part.Link(route{Kind: recallSettings}.path(), text.Change))
		})))
	said := []app.UI{part.Text(text.CheckIntro)}
	switch {
	case p.problem != "":
		return part.Banner("danger", "triangle-alert", part.Text(p.problem))
	case p.asking && p.found == nil:
		return app.Raw(`<div class="stack" aria-hidden="true"><div class="skeleton w-60"></div><div class="skeleton w-90"></div><div class="skeleton w-90"></div></div>`)
	case p.found != nil && len(p.found.Memories) > 0:
		bytes := 0
		for _, m := range p.found.Memories {
			bytes += len(m.Body)
		}
		said = []app.UI{part.Bold(text.WouldRecall(len(p.found.Memories))), part.Text(text.RecallCost(bytes, p.number("limits.recallBytes"), p.took))}
	case p.found != nil:
		said = []app.UI{part.Bold(text.NoneRecalled), part.Text(text.NoneWhy(p.found.Considered))}
	}
	body := []app.UI{tag.P().Class("muted").Role("status").Body(said...)}
	if p.found != nil {
		note := p.found.Note
		if note == "" && p.found.Path == api.PathKeyword && len(p.found.Memories) > 0 {
			note = text.ByWordsAlone
		}
		if note != "" {
			body = append(body, tag.Words("p", "meta", note))
		}
	}
	return tag.Box("div", "check-sum", append(body, foot)...)
}

func (p *Check) table() app.UI {
	if p.found == nil || len(p.found.Candidates) == 0 {
		return tag.Span().Hidden(true)
	}
	rank := map[int64]int{}
	for i, m := range p.found.Memories {
		rank[m.ID] = i + 1
	}
	var in, out []app.UI
	for _, c := range p.found.Candidates {
		row := p.row(c, rank)
		if c.Reason == api.ReasonPicked {
			in = append(in, row)
		} else {
			out = append(out, row)
		}
	}
	if len(out) > 0 {
		in = append(in, tag.Box("tr", "cut", tag.Td().Attr("colspan", "10").Text(text.NotRecalled(len(out), max(p.found.Considered-len(rank), len(out))))))
	}
	heads := []app.UI{tag.Words("th", "r", "#"), tag.Words("th", "", text.Memory)}
	for _, h := range []string{text.Similarity, text.Keyword, text.Late, text.Relevance, text.ImportanceField, text.Vitality} {
		heads = append(heads, tag.Words("th", "", h))
	}
	heads = append(heads, tag.Words("th", "r", text.Score), tag.Words("th", "", text.Outcome))
	return tag.Box("table", "table check-table",
		tag.Words("caption", "sr", text.CheckCaption),
		tag.Box("thead", "", tag.Box("tr", "", heads...)),
		tag.Box("tbody", "", append(in, out...)...))
}

// keywordHalf is the keyword evidence whose bar is half full, as it counts half.
const keywordHalf = 12

func (p *Check) row(c api.Candidate, rank map[int64]int) app.UI {
	optional := func(label, kind string, v *float64) app.UI {
		if v == nil {
			return part.Metric(label, kind, text.NoNumber, 0, -1)
		}
		return part.Metric(label, kind, text.Percent(*v), *v, -1)
	}
	keyword := text.NoNumber
	if c.Keyword > 0 {
		keyword = strconv.FormatFloat(c.Keyword, 'f', 1, 64)
	}
	state, number := "out", "–"
	outcome := tag.Words("span", "muted", text.WhyNot(c, p.floor(), rank[c.DuplicateOf], p.number("limits.recallCount"), p.number("limits.recallBytes")))
	if c.Reason == api.ReasonPicked {
		state, number = "in", strconv.Itoa(rank[c.ID])
		outcome = tag.Box("span", "tag tag-flower", part.Icon("leaf"), part.Text(text.Recalled))
	}
	return tag.Tr().DataSet("state", state).Body(
		tag.Words("td", "r num muted cell-hide", number),
		tag.Box("td", "cell-wide", part.MemoryLink(route{Kind: listPage, ID: c.ID}.path(), c.Body)),
		optional(text.Similarity, "sim", c.Similarity),
		part.Metric(text.Keyword, "key", keyword, c.Keyword/(c.Keyword+keywordHalf), -1),
		optional(text.Late, "late", c.Late),
		part.Metric(text.Relevance, "rel", text.Percent(c.Relevance), c.Relevance, p.floor()),
		part.Metric(text.ImportanceField, "imp", strconv.Itoa(c.Importance), float64(c.Importance)/10, -1),
		part.Metric(text.Vitality, "vit", strconv.Itoa(int(c.Vitality)), c.Vitality/100, -1),
		tag.Td().Class("r num cell-score").DataSet("label", text.Score).Body(part.Bold(text.Percent(c.Score))),
		tag.Box("td", "outcome", outcome),
	)
}

// step moves the focus to the next or the previous candidate.
func (s *Session) stepCandidate(by int) {
	all := browser.Document().Call("querySelectorAll", ".check-table a.memory-text")
	n := all.Length()
	at := -1
	for i := range n {
		if all.Index(i).Equal(browser.Active()) {
			at = i
		}
	}
	if at += by; at >= 0 && at < n {
		all.Index(at).Call("focus")
	}
}
