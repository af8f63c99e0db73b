package part

import (
	"strconv"
	"time"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Chart is the vitality chart of one memory with the sentence under it.
type Chart struct {
	app.Compo
	History *api.VitalityHistory
	Shown   int    // the vitality as the row shows it
	Days    int    // of the past
	Status  string // of the memory
	Limit   int    // how many a sweep takes, where the memory and more than that are due already; else 0

	width   float64
	at      int // index of the mark that is read out
	reading bool
	stop    []func()
}

// chartWidth is the width that the last chart had, so that the next one is drawn
// right at once.
var chartWidth = 640.0

// OnMount measures the box and follows its size.
func (c *Chart) OnMount(ctx app.Context) {
	defer browser.Survive("chart")
	box := browser.Query(ctx.JSSrc(), ".chart-box")
	c.measure(browser.RectOf(box).Width)
	c.stop = append(c.stop, browser.Observe(box, func(width, _ float64) {
		if width > 0 && width != c.width {
			ctx.Dispatch(func(app.Context) { c.measure(width) })
		}
	}))
}

func (c *Chart) measure(width float64) {
	if width > 100 {
		c.width, chartWidth = width, width
	}
}

// OnDismount stops following the size.
func (c *Chart) OnDismount() {
	for _, stop := range c.stop {
		stop()
	}
	c.stop = nil
}

func (c *Chart) plot() plot {
	if c.width == 0 {
		c.width = chartWidth
	}
	return newPlot(c.History, c.Days, c.width, time.Local)
}

func (c *Chart) move(ctx app.Context, e app.Event) {
	defer browser.Survive("chart")
	p := c.plot()
	x := browser.Number(e.Value, "clientX") - browser.RectOf(ctx.JSSrc()).Left
	i := p.nearest(x)
	if i < 0 || c.reading && i == c.at {
		ctx.PreventUpdate()
		return
	}
	c.at, c.reading = i, true
}

func (c *Chart) leave(app.Context, app.Event) { c.reading = false }

func (c *Chart) key(ctx app.Context, e app.Event) {
	defer browser.Survive("chart")
	p := c.plot()
	last := len(p.marks) - 1
	if last < 0 {
		return
	}
	at := min(max(c.at, 0), last)
	if !c.reading {
		at = p.nearest(p.nowX)
	}
	switch browser.Key(e) {
	case "ArrowLeft":
		at--
	case "ArrowRight":
		at++
	case "ArrowUp", "PageUp":
		at = p.nextRecall(at, -1)
	case "ArrowDown", "PageDown":
		at = p.nextRecall(at, 1)
	case "Home":
		at = 0
	case "End":
		at = last
	case "Escape":
		if c.reading {
			e.PreventDefault()
			e.Call("stopPropagation")
			c.reading = false
		}
		return
	default:
		ctx.PreventUpdate()
		return
	}
	e.PreventDefault()
	e.Call("stopPropagation")
	c.at, c.reading = min(max(at, 0), last), true
}

// Render draws the chart.
func (c *Chart) Render() app.UI {
	return Safe("chart", func() app.UI {
		p := c.plot()
		reading := c.reading && c.at < len(p.marks)
		return tag.Box("div", "chart-part",
			tag.Box("div", "chart-box", c.draw(&p, reading)),
			c.legend(),
			c.said(&p, reading),
			c.table(&p),
		)
	})
}

func (c *Chart) draw(p *plot, reading bool) app.UI {
	line := func(class string, x1, y1, x2, y2 float64) app.UI {
		return svg("line").Class(class).Attr("x1", num(x1)).Attr("y1", num(y1)).Attr("x2", num(x2)).Attr("y2", num(y2))
	}
	label := func(class, anchor string, x, y float64, s string) app.UI {
		t := svg("text").Class(class).Attr("x", num(x)).Attr("y", num(y)).Text(s)
		if anchor != "" {
			t = t.Attr("text-anchor", anchor)
		}
		return t
	}
	dot := func(class string, x, y float64, r string) app.UI {
		return svg("circle").Class(class).Attr("cx", num(x)).Attr("cy", num(y)).Attr("r", r)
	}
	path := func(class, d string) app.UI { return svg("path").Class(class).Attr("d", d) }

	var grid, curve, over []app.UI
	for _, r := range p.rows {
		grid = append(grid, line("chart-grid", p.left, r.pos, p.right, r.pos), label("", "end", p.left-8, r.pos+4, r.label))
	}
	for _, k := range p.columns {
		grid = append(grid, line("chart-grid", k.pos, p.bottom, k.pos, p.bottom+5), label("", "", k.pos, p.h-6, k.label))
	}
	if p.fill != "" {
		curve = append(curve, path("chart-fill", p.fill))
	}
	if p.hasFloor {
		x, y := p.floorLabel()
		curve = append(curve, line("chart-floor", p.left, p.floorY, p.right, p.floorY),
			label("floor-text", "", x, y, text.FloorLabel(*c.History.Floor)))
	}
	if p.line != "" {
		curve = append(curve, path("chart-line", p.line))
	}
	for _, s := range p.stems {
		curve = append(curve, line("chart-recall-stem", s.x, s.y1, s.x, s.y2), dot("chart-recall", s.x, s.y2, recallRadius(len(p.stems))))
	}
	if p.forecast != "" {
		curve = append(curve, path("chart-forecast", p.forecast))
	}
	over = append(over, line("chart-now", p.nowX, p.top-6, p.nowX, p.bottom), dot("chart-dot", p.nowX, p.nowY, "5"))
	anchor, x, y := p.nowLabel()
	over = append(over, label("now-text", anchor, x, y, text.NowLabel(c.Shown)))
	if e := p.end; e != nil {
		if !e.beyond {
			over = append(over, dot("chart-end", e.x, e.y, "4.5"))
		}
		over = append(over, c.endLabel(e, label)...)
	}
	if reading {
		m := p.marks[c.at]
		over = append(over, line("chart-hair", m.x, p.top-6, m.x, p.bottom), dot("chart-dot", m.x, m.y, "4"))
	}
	return svg("svg").Class("chart").
		Attr("viewBox", "0 0 "+num(p.w)+" "+num(p.h)).
		Attr("role", "img").Attr("tabindex", "0").Attr("aria-label", c.title(p)).
		On("mousemove", c.move, app.PassiveEvent()).On("mouseleave", c.leave).On("keydown", c.key).On("blur", c.leave).
		Body(svg("g").Body(grid...), svg("g").Body(curve...), svg("g").Body(over...))
}

// endLabel is the date at the sweep that would take it.
func (c *Chart) endLabel(e *endMark, label func(class, anchor string, x, y float64, s string) app.UI) []app.UI {
	if e.silent {
		return nil
	}
	x := e.x + 4
	if e.anchor == "start" {
		x = e.x - 4
	}
	return []app.UI{
		label("end-text", e.anchor, x, e.labelY-14, text.EligibleFrom),
		label("end-text", e.anchor, x, e.labelY, text.EligibleDate(browser.Date(*c.History.EvictableAt, browser.FullDate), e.beyond)),
	}
}

func recallRadius(n int) string {
	if n > 24 {
		return "3"
	}
	return "4.5"
}

func (c *Chart) title(p *plot) string {
	s := text.ChartTitle(c.Shown, len(c.History.Recalls), c.Days)
	if c.History.EvictableAt != nil {
		s += " " + text.ChartEnd(*c.History.Floor, browser.Date(*c.History.EvictableAt, browser.FullDate))
	}
	return s
}

func (c *Chart) legend() app.UI {
	key := func(svg, label string) app.UI {
		return tag.Box("span", "", app.Raw(svg), app.Text(label))
	}
	parts := []app.UI{
		key(`<svg viewBox="0 0 20 8"><path class="chart-line" d="M0 4H20"></path></svg>`, text.LegendPast),
	}
	if len(c.History.Forecast) > 1 {
		parts = append(parts, key(`<svg viewBox="0 0 20 8"><path class="chart-forecast" d="M1 4H20"></path></svg>`, text.LegendAhead))
	}
	parts = append(parts, key(`<svg viewBox="0 0 20 8"><circle class="chart-recall" cx="10" cy="4" r="3.5"></circle></svg>`, text.LegendRecalled))
	if c.History.Floor != nil {
		parts = append(parts, key(`<svg viewBox="0 0 20 8"><path class="chart-floor" d="M0 4H20"></path></svg>`, text.LegendFloor))
	}
	return tag.P().Class("legend").Aria("hidden", true).Body(parts...)
}

// said is the sentence, and in its place, without moving anything, what is read out.
func (c *Chart) said(p *plot, reading bool) app.UI {
	words := ""
	if reading {
		words = c.read(p.marks[c.at])
	}
	state := "sentence"
	if reading {
		state = "reading"
	}
	return tag.Output().Class("banner banner-plain chart-said").DataSet("state", state).Body(
		Icon("info"),
		tag.Box("span", "chart-sentence", c.sentence()...),
		tag.Words("span", "chart-reading", words),
	)
}

func (c *Chart) read(m mark) string {
	when := browser.Date(m.at, browser.FullTime)
	v := strconv.FormatFloat(m.vitality, 'f', 1, 64)
	switch {
	case m.recall:
		return text.ReadRecall(when, strconv.FormatFloat(m.before, 'f', 1, 64), v)
	case m.ahead:
		return text.ReadAhead(when, v)
	}
	return text.ReadPast(when, v)
}

func (c *Chart) sentence() []app.UI {
	h := c.History
	switch {
	case c.Status == api.StatusDeleted:
		return []app.UI{Text(text.SentenceTrash)}
	case c.Status == api.StatusConsolidated:
		return []app.UI{Text(text.SentenceConsolidated)}
	case h.Floor == nil:
		return []app.UI{Text(text.SentenceOff), Link("/settings", text.RetentionLink)}
	case h.EvictableAt == nil:
		return []app.UI{Text(text.SentenceNever)}
	}
	sweep := Bold(browser.Date(*h.EvictableAt, browser.FullTime))
	if h.CrossesAt == nil || *h.CrossesAt <= h.Now {
		if c.Limit > 0 {
			return []app.UI{Text(text.SentenceQueue), sweep, Text(text.SentenceQueueEnd(c.Limit))}
		}
		return []app.UI{Text(text.SentenceBelow), sweep, Text(text.SentenceBelowEnd)}
	}
	return []app.UI{
		Text(text.SentenceReaches(browser.Date(*h.CrossesAt, browser.FullDate))), sweep,
		Text(text.SentenceMoves),
	}
}

// table says the same for those who can't see the curve: its ends and its recalls.
func (c *Chart) table(p *plot) app.UI {
	row := func(when, what string) app.UI {
		return tag.Box("tr", "", tag.Words("td", "", when), tag.Words("td", "", what))
	}
	one := func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
	const most = 12 // the latest recalls; the rest is a number
	var recalls []mark
	for _, m := range p.marks {
		if m.recall {
			recalls = append(recalls, m)
		}
	}
	var rows []app.UI
	if len(p.marks) > 0 && !p.marks[0].ahead {
		rows = append(rows, row(browser.Date(p.marks[0].at, browser.FullTime), one(p.marks[0].vitality)))
	}
	if n := len(recalls); n > most {
		rows = append(rows, row("", text.EarlierRecalls(n-most)))
		recalls = recalls[n-most:]
	}
	for _, m := range recalls {
		rows = append(rows, row(browser.Date(m.at, browser.FullTime), text.TableRecall(one(m.before), one(m.vitality))))
	}
	rows = append(rows, row(text.TableNow, strconv.Itoa(c.Shown)))
	if c.History.EvictableAt != nil {
		rows = append(rows, row(browser.Date(*c.History.EvictableAt, browser.FullTime), text.TableEnd))
	}
	return tag.Box("div", "sr", tag.Box("table", "",
		tag.Words("caption", "", text.TableCaption),
		tag.Box("thead", "", tag.Box("tr", "", tag.Words("th", "", text.TableWhen), tag.Words("th", "", text.Vitality))),
		tag.Box("tbody", "", rows...),
	))
}
