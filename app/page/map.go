package page

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Map is all active memories on one canvas. What it draws, and how one moves on it, is
// in assets/js/map.js and dots.js; this is the frame around it.
type Map struct {
	app.Compo
	S   *Session
	Rev int

	ctx     app.Context
	drawing app.Value // what the script gave; nil before
	shelves string    // the categories as the script knows them
	stop    func()
	watch   *sync.Watch[live.MapRow]
	reading *time.Timer // of the map, after changes
	looking *time.Timer // at what is under the pointer
	said    mapSaid     // of what is drawn
	loaded  bool
	problem string
	lasso   bool
	at      mapSaid     // where the pointer is
	shown   *api.Memory // what is there
}

// mapSaid is what the script tells.
type mapSaid struct {
	Do         string   `json:"do"`
	ID         int64    `json:"id"`
	X          float64  `json:"x"`
	Y          float64  `json:"y"`
	IDs        []int64  `json:"ids"`
	Total      int      `json:"total"`
	Placed     int      `json:"placed"`
	Model      string   `json:"model"`
	ComputedAt api.Time `json:"computedAt"`
	Problem    string   `json:"problem"`
}

const (
	mapPause   = 1500 * time.Millisecond // of changes, before the map is read again
	hoverPause = 110 * time.Millisecond  // on a point, before it is asked what it is
)

// OnMount loads the script and lets it draw.
func (p *Map) OnMount(ctx app.Context) {
	defer browser.Survive("map")
	p.ctx = ctx
	ctx.Defer(func(app.Context) {
		browser.Script(ctx, "dots.js", "elowenDots", func(app.Value) {
			browser.Script(ctx, "map.js", "elowenMap", p.draw)
		})
	})
	first := true
	p.watch = sync.Subscribe(p.S.client, live.Request{View: live.ViewMap}, func(sync.Event[live.MapRow]) {
		p.S.do0(func() {
			if first {
				first = false // the script reads it by itself
				return
			}
			p.later(&p.reading, mapPause, func() { p.call("load") })
		})
	})
}

// draw lets the script draw, once it is there.
func (p *Map) draw(script app.Value) {
	canvas := browser.ByID("map")
	if !canvas.Truthy() || !script.Truthy() {
		return
	}
	p.shelves = p.categories()
	o, _ := json.Marshal(map[string]any{"url": browser.Path(api.PathMap), "memories": text.MemoriesUnit, "categories": json.RawMessage(p.shelves)})
	p.stop = browser.Listen(canvas, "elowen-map", true, p.told)
	p.drawing = app.Window().Call("elowenMap", canvas, string(o))
}

// OnUpdate tells the script of other categories.
func (p *Map) OnUpdate(app.Context) {
	defer browser.Survive("map")
	if now := p.categories(); p.drawing != nil && now != p.shelves {
		p.shelves = now
		p.drawing.Call("categories", now)
	}
	if p.S.picked.empty() {
		p.call("clear")
	}
}

// OnDismount ends it.
func (p *Map) OnDismount() {
	defer browser.Survive("map")
	p.call("close")
	if p.stop != nil {
		p.stop()
	}
	p.later(&p.reading, 0, nil)
	p.later(&p.looking, 0, nil)
	p.watch.Close()
	p.drawing = nil
}

func (p *Map) call(what string, args ...any) {
	if p.drawing != nil {
		p.drawing.Call(what, args...)
	}
}

// later does something after a pause, in place of what waits for the same timer; nil
// does nothing.
func (p *Map) later(timer **time.Timer, pause time.Duration, f func()) {
	if *timer != nil {
		(*timer).Stop()
	}
	if f != nil {
		*timer = time.AfterFunc(pause, func() { p.S.do(f) })
	}
}

// categories are names and colours by id, as JSON.
func (p *Map) categories() string {
	type shelf struct {
		Name  string `json:"name"`
		Color int    `json:"color"`
	}
	all := map[string]shelf{}
	if o := p.S.overview; o != nil {
		for _, c := range o.Categories {
			all[strconv.FormatInt(c.ID, 10)] = shelf{c.Name, c.Color}
		}
	}
	b, _ := json.Marshal(all) // plain; can't fail
	return string(b)
}

// told hears the script.
func (p *Map) told(e app.Event) {
	var said mapSaid
	if json.Unmarshal([]byte(browser.Detail(e)), &said) != nil {
		return
	}
	p.S.do(func() {
		switch said.Do {
		case "loaded":
			p.said, p.loaded, p.problem = said, true, ""
		case "failed":
			p.problem = cmp.Or(said.Problem, text.NoAnswer)
		case "open":
			p.S.visit(route{Kind: listPage, ID: said.ID})
		case "lasso":
			p.lasso = false
			p.S.picked.clear()
			for _, id := range said.IDs {
				p.S.picked.add(api.Memory{ID: id, Status: api.StatusActive})
			}
		case "hover":
			p.at, p.shown = said, nil
			if said.ID > 0 {
				p.later(&p.looking, hoverPause, p.look)
			}
		}
	})
}

// look asks what is under the pointer.
func (p *Map) look() {
	id := p.at.ID
	if id == 0 {
		return
	}
	var m api.Memory
	path := api.MemoryPath(id)
	p.S.async(path, func(ctx context.Context) error { return p.S.api.Get(ctx, path, &m) }, func(err error) {
		if err != nil || p.at.ID != id {
			return
		}
		p.shown = &m
		p.ctx.Defer(func(app.Context) {
			card := browser.ByID("map-card")
			browser.Var(card, "--x", browser.Px(p.at.X))
			browser.Var(card, "--y", browser.Px(p.at.Y))
		})
	})
}

func (p *Map) click(ctx app.Context, e app.Event) {
	defer browser.Survive("map")
	act, ok := browser.Acted(e)
	switch {
	case !ok:
		ctx.PreventUpdate()
	case act.Do == "map-in":
		p.call("zoom", 1.5)
	case act.Do == "map-out":
		p.call("zoom", 1/1.5)
	case act.Do == "map-fit":
		p.call("fit")
	case act.Do == "map-again":
		p.call("load")
	case act.Do == "map-lasso":
		if p.drawing != nil {
			p.lasso = p.drawing.Call("lasso").Truthy()
		}
	case p.S.onPicked(act):
		p.S.changed() // a menu may be open
	}
}

// Render draws the page.
func (p *Map) Render() app.UI {
	return part.Safe("map", func() app.UI {
		tool := func(do, label, icon string) tag.Element { return part.IconButton("btn", do, "", label, icon) }
		return tag.Div().Class("mapwrap").OnClick(p.click).Body(
			app.Elem("canvas").ID("map").Class("map").TabIndex(0).Role("img").Aria("label", text.MapLabel(p.said.Total)).Aria("describedby", "map-hint"),
			tag.P().ID("map-hint").Class("sr").Body(part.Text(text.MapHint+" "), part.Link("/memory", text.MapList)),
			tag.Div().Class("map-tools").Role("toolbar").Aria("label", text.MapTab).Body(
				tool("map-in", text.ZoomIn, "zoom-in"), tool("map-out", text.ZoomOut, "zoom-out"), tool("map-fit", text.ZoomFit, "rotate-ccw"),
				tool("map-lasso", text.Lasso, "lasso").Aria("pressed", strconv.FormatBool(p.lasso))),
			p.card(),
			p.legend(),
			p.nothing(),
		)
	})
}

func (p *Map) legend() app.UI {
	if !p.S.picked.empty() {
		return tag.Box("div", "map-legend map-bulk",
			part.IconButton("btn btn-sm btn-quiet", "pick-none", "", text.PickNone, "x"),
			tag.Span().Class("num").Role("status").Text(text.Selected(p.S.picked.count())),
			p.S.bulkBar(api.StatusActive, false))
	}
	how := text.MapByCategory
	if p.said.Model != "" {
		how = text.MapBy(p.said.Model, text.Ago(p.S.now(), p.said.ComputedAt))
		if rest := p.said.Total - p.said.Placed; rest > 0 {
			how += text.MapRest(rest)
		}
	}
	return tag.Box("div", "map-legend meta",
		tag.Box("span", "line", part.Icon("circle-dot"), part.Text(text.MapSize)),
		tag.Box("span", "line", part.Icon("leaf"), part.Text(text.MapStrength)),
		part.If(p.loaded, func() app.UI {
			return tag.Box("span", "", part.Text(how), part.If(p.said.Model == "" && p.S.admin(), func() app.UI {
				return tag.Box("span", "", part.Text(" "), part.Link(route{Kind: modelsPage}.path(), text.ChooseModel))
			}))
		}))
}

// card says what is under the pointer.
func (p *Map) card() app.UI {
	m := p.shown
	if m == nil {
		return tag.Article().ID("map-card").Role("status").Class("hovercard map-hover map-none")
	}
	name, color := p.S.category(m.CategoryID)
	if name == "" {
		name = text.NoCategory
	}
	used := text.NeverUsed
	if m.LastUsedAt != nil {
		used = text.LastUsed(text.Ago(p.S.now(), *m.LastUsedAt))
	}
	return tag.Article().ID("map-card").Role("status").Class("hovercard map-hover").Body(
		tag.P().Class("memory-text").Attr("lang", m.Lang).Attr("dir", "auto").Text(text.Clip(m.Body, 160)),
		tag.P().Class("row-meta").DataSet("cat", color).Body(tag.Words("span", "row-cat", name), tag.Words("span", "", m.Kind), tag.Words("span", "", text.Importance(m.Importance))),
		tag.Box("p", "line", part.Vitality(m.VitalityShown, p.S.floor()), tag.Words("span", "meta", used)),
	)
}

// nothing says why nothing is seen.
func (p *Map) nothing() app.UI {
	switch {
	case p.problem != "" && !p.loaded:
		return tag.Box("div", "empty map-empty", tag.Words("h2", "", text.MapFailed), tag.Words("p", "", p.problem), part.Button("btn", "map-again", "", part.Text(text.Retry)))
	case !p.loaded:
		return tag.P().Class("meta map-empty").Role("status").Text(text.MapPlacing)
	case p.said.Total == 0:
		return tag.Box("div", "empty map-empty", tag.Words("h2", "", text.NoMemories), tag.Words("p", "", text.NoMemoriesWhy))
	}
	return tag.Span().Hidden(true)
}
