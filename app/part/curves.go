package part

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Curves are the half-lives of a policy as one sees them: a curve for each level of
// importance. Every point comes from the server; here they are only put in place.
type Curves struct {
	app.Compo
	Now     *api.Curves // of what stands in the form
	Saved   *api.Curves // of the policy in force; nil where it isn't known
	Floor   float64     // where the floor is; negative: there is none
	Changed []int       // levels whose curve isn't as saved
	Words   []string    // of each changed level: what changed

	width float64
	at    int // index of the day that is read out
	read  bool
	stop  func()
}

// curvesWidth is the width that the curves had last, so that they are drawn right at
// once.
var curvesWidth = 428.0

// The frame of the curves in CSS pixels, and the vitality at its top.
const (
	curvesHeight = 262.0
	curvesLeft   = 26.0
	curvesTop    = 18.0
	curvesBottom = 236.0
	curvesMost   = 80.0
	// keysMost is how many changed levels the key inside the frame names.
	keysMost = 4
)

// OnMount measures the box and follows its size.
func (c *Curves) OnMount(ctx app.Context) {
	defer browser.Survive("curves")
	box := ctx.JSSrc()
	c.measure(browser.RectOf(box).Width)
	c.stop = browser.Observe(box, func(width, _ float64) {
		if width > 0 && width != c.width {
			ctx.Dispatch(func(app.Context) { c.measure(width) })
		}
	})
}

// OnDismount stops following the size.
func (c *Curves) OnDismount() {
	if c.stop != nil {
		c.stop()
	}
}

func (c *Curves) measure(width float64) {
	if width > 100 {
		c.width, curvesWidth = width, width
	}
}

func (c *Curves) right() float64 { return c.width - 26 }

func (c *Curves) days() float64 { return c.Now.Days[len(c.Now.Days)-1] }

func (c *Curves) x(day float64) float64 {
	return curvesLeft + (c.right()-curvesLeft)*day/c.days()
}

func (c *Curves) y(vitality float64) float64 {
	return curvesBottom - (curvesBottom-curvesTop)*min(vitality, curvesMost)/curvesMost
}

func (c *Curves) move(ctx app.Context, e app.Event) {
	defer browser.Survive("curves")
	day := (browser.Number(e.Value, "clientX") - browser.RectOf(ctx.JSSrc()).Left - curvesLeft) / (c.right() - curvesLeft) * c.days()
	at, best := 0, -1.0
	for i, d := range c.Now.Days {
		if off := max(d-day, day-d); best < 0 || off < best {
			at, best = i, off
		}
	}
	if c.read && at == c.at {
		ctx.PreventUpdate()
		return
	}
	c.at, c.read = at, true
}

func (c *Curves) leave(app.Context, app.Event) { c.read = false }

func (c *Curves) key(ctx app.Context, e app.Event) {
	defer browser.Survive("curves")
	last := len(c.Now.Days) - 1
	at := c.at
	switch browser.Key(e) {
	case "ArrowLeft", "ArrowDown":
		at--
	case "ArrowRight", "ArrowUp":
		at++
	case "Home":
		at = 0
	case "End":
		at = last
	case "Escape":
		c.read = false
		return
	default:
		ctx.PreventUpdate()
		return
	}
	e.PreventDefault()
	e.Call("stopPropagation")
	c.at, c.read = min(max(at, 0), last), true
}

// Render draws the curves.
func (c *Curves) Render() app.UI {
	return Safe("curves", func() app.UI {
		if c.width == 0 {
			c.width = curvesWidth
		}
		c.at = min(c.at, len(c.Now.Days)-1)
		return tag.Box("div", "chart-part", c.draw(), c.said(), c.table())
	})
}

func (c *Curves) path(days, vitality []float64) string {
	var b strings.Builder
	for i, d := range days {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(num(c.x(d)))
		b.WriteByte(' ')
		b.WriteString(num(c.y(vitality[i])))
	}
	return b.String()
}

func (c *Curves) draw() app.UI {
	var b strings.Builder
	put := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
		}
	}
	line := func(class string, x1, y1, x2, y2 float64) {
		put(`<line class="`, class, `" x1="`, num(x1), `" y1="`, num(y1), `" x2="`, num(x2), `" y2="`, num(y2), `"></line>`)
	}
	label := func(attributes string, x, y float64, words string) {
		put(`<text x="`, num(x), `" y="`, num(y), `" `, attributes, `>`, words, `</text>`)
	}
	for v := 0.0; v < curvesMost; v += 25 {
		line("chart-grid", curvesLeft, c.y(v), c.right(), c.y(v))
		label(`text-anchor="end"`, curvesLeft-7, c.y(v)+4, strconv.Itoa(int(v)))
	}
	step := float64(int(c.days()/4/10)) * 10 // whole tens, and the last day
	for day := 0.0; day < c.days()-step/2; day += max(step, 1) {
		words := strconv.Itoa(int(day))
		if day == 0 {
			words = text.DayZero
		}
		label(`text-anchor="middle"`, c.x(day), curvesBottom+20, words)
	}
	label(`text-anchor="middle"`, c.x(c.days()), curvesBottom+20, strconv.Itoa(int(c.days())))
	if c.Saved != nil {
		for _, n := range c.Changed {
			put(`<path class="chart-curve-old" d="`, c.path(c.Saved.Days, c.Saved.Levels[n-1].Vitality), `"></path>`)
		}
	}
	free := curvesTop
	for i := len(c.Now.Levels) - 1; i >= 0; i-- {
		l := c.Now.Levels[i]
		class := "chart-curve"
		for _, n := range c.Changed {
			if n == l.Importance {
				class += " chart-curve-new"
			}
		}
		put(`<path class="`, class, `" data-imp="`, strconv.Itoa(l.Importance), `" d="`, c.path(c.Now.Days, l.Vitality), `"></path>`)
		if end := c.y(l.Vitality[len(l.Vitality)-1]); end > free && end < curvesBottom-6 {
			label("", c.right()+6, end+4, strconv.Itoa(l.Importance))
			free = end + 12
		}
	}
	if c.Floor >= 0 {
		line("chart-floor", curvesLeft, c.y(c.Floor), c.right(), c.y(c.Floor))
		label(`class="floor-text" text-anchor="end"`, c.right(), c.y(c.Floor)-5, text.FloorLabel(c.Floor))
	}
	c.keys(put, line, label)
	if c.read {
		x := c.x(c.Now.Days[c.at])
		line("chart-hair", x, curvesTop, x, curvesBottom)
	}
	return tag.Div().Class("curves").Role("img").Attr("tabindex", "0").Aria("label", text.CurvesTitle(c.Now.Uses)).
		On("mousemove", c.move, app.PassiveEvent()).On("mouseleave", c.leave).On("keydown", c.key).On("blur", c.leave).
		Body(app.Raw(`<svg class="chart" aria-hidden="true" viewBox="0 0 ` + num(c.width) + ` ` + num(curvesHeight) + `">` + b.String() + `</svg>`))
}

// keys names the curves that changed, where there is room: high up on the right, where
// only the slowest pass.
func (c *Curves) keys(put func(...string), line func(string, float64, float64, float64, float64), label func(string, float64, float64, string)) {
	n := min(len(c.Changed), keysMost)
	if n == 0 || len(c.Words) < n || c.width < 360 {
		return
	}
	x, y := c.right()-184, curvesTop+6
	put(`<g class="chart-key">`)
	for i := range n {
		put(`<path class="chart-curve chart-curve-new" data-imp="`, strconv.Itoa(c.Changed[i]), `" d="M`, num(x), ` `, num(y), `H`, num(x+22), `"></path>`)
		label("", x+30, y+4, c.Words[i])
		y += 19
	}
	if rest := len(c.Changed) - n; rest > 0 {
		label("", x+30, y+4, text.AndMore(rest))
		y += 19
	}
	if c.Saved != nil {
		put(`<path class="chart-curve-old" d="M`, num(x), ` `, num(y), `H`, num(x+22), `"></path>`)
		label("", x+30, y+4, text.AsSaved)
	}
	put(`</g>`)
}

// said is what the curves come to, and in its place what is read out.
func (c *Curves) said() app.UI {
	words, state := text.FloorAfter(c.Floor, c.after(1), c.after(5), c.after(10)), "sentence"
	if c.read {
		state = "reading"
		var parts []string
		for i := len(c.Now.Levels) - 1; i >= 0; i-- {
			l := c.Now.Levels[i]
			parts = append(parts, strconv.Itoa(l.Importance)+": "+strconv.FormatFloat(l.Vitality[c.at], 'f', 0, 64))
		}
		words = text.ReadDay(c.Now.Days[c.at], strings.Join(parts, " · "))
	}
	return tag.Output().Class("meta curves-said").DataSet("state", state).Text(words)
}

func (c *Curves) after(importance int) float64 { return c.Now.Levels[importance-1].FloorDays }

// table says the same for those who can't see the curves.
func (c *Curves) table() app.UI {
	rows := make([]app.UI, 0, len(c.Now.Levels))
	for i := len(c.Now.Levels) - 1; i >= 0; i-- {
		l := c.Now.Levels[i]
		rows = append(rows, tag.Box("tr", "", tag.Words("td", "", strconv.Itoa(l.Importance)), tag.Words("td", "", text.AfterDays(l.FloorDays))))
	}
	return tag.Box("div", "sr", tag.Box("table", "",
		tag.Words("caption", "", text.CurvesTable),
		tag.Box("thead", "", tag.Box("tr", "", tag.Words("th", "", text.ImportanceField), tag.Words("th", "", text.BelowFloor))),
		tag.Box("tbody", "", rows...),
	))
}

// Meter is a bar that shows how much of a whole there is, for the eye only.
func Meter(done, total float64) app.UI {
	share := 0.0
	if total > 0 {
		share = min(max(done/total, 0), 1) * 100
	}
	return app.Raw(`<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-track" width="100" height="6"></rect><rect class="bar-fill" width="` + num(share) + `" height="6"></rect></svg>`)
}
