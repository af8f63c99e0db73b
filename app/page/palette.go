package page

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"elowen/app/browser"
	"elowen/app/state"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// What the palette shows of each.
const (
	paletteMemories = 6
	paletteCommands = 12
)

// Palette finds memories and does what there is to do, by typing.
type Palette struct {
	app.Compo
	S   *Session
	Nth int // time that it is opened

	ctx      app.Context
	begun    int       // the time it was begun for
	back     app.Value // what had the focus
	commands []command
	typed    string
	at       int
	found    []api.Memory
	total    int    // memories that match
	foundFor string // what was typed when they were asked for
	timer    *time.Timer
}

// command is one thing that the palette offers.
type command struct {
	group string
	label string
	note  string
	key   string // that does the same
	icon  string
	color int  // of a category, when there is no icon
	shy   bool // offered only when its name is typed
	run   func()

	memory *api.Memory // it is one that was found
}

// openPalette opens it over the page.
func (s *Session) openPalette() {
	if !s.palette {
		s.paletteNth++
	}
	s.menu, s.palette = nil, true
	s.changed()
}

func (s *Session) closePalette() { s.palette = false; s.changed() }

// summoned opens the palette for its key, wherever the focus is.
func (a *App) summoned(e app.Event, key string) bool {
	if key != "k" && key != "K" || !browser.Flag(e, "ctrlKey") && !browser.Flag(e, "metaKey") || browser.Flag(e, "altKey") || browser.Flag(e, "shiftKey") {
		return false
	}
	if a.s.client == nil || a.route.Kind == loginPage || a.route.Kind == setupPage {
		return false
	}
	e.PreventDefault()
	browser.ExpectField()
	a.ctx.Dispatch(func(app.Context) {
		defer browser.Survive("palette")
		a.s.openPalette()
	})
	return true
}

// OnMount takes the focus and lists what there is to do.
func (p *Palette) OnMount(ctx app.Context) {
	defer browser.Survive("palette")
	p.begin(ctx)
	ctx.Update()
}

// OnUpdate begins anew where it was closed and opened before that was drawn.
func (p *Palette) OnUpdate(ctx app.Context) {
	defer browser.Survive("palette")
	if p.begun != p.Nth {
		browser.SetValue(browser.ByID("palette-input"), "")
		p.typed, p.at, p.found, p.total, p.foundFor = "", 0, nil, 0, ""
		p.begin(ctx)
		ctx.Update()
	}
}

func (p *Palette) begin(ctx app.Context) {
	p.ctx, p.back, p.begun = ctx, browser.Active(), p.Nth
	p.commands = p.S.commands()
	ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("palette-input")) })
}

// OnDismount gives the focus back.
func (p *Palette) OnDismount() {
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.back != nil && browser.Active().Equal(browser.Document().Get("body")) {
		browser.Focus(p.back)
	}
}

// surely is how well a name must answer to what was typed for what it does to stand
// before the memories with these words: it begins so.
const surely = 700

// visible is what is offered for what is typed, in its order. The best answer to
// what one types is first in its group.
func (p *Palette) visible() []command {
	words := strings.TrimSpace(p.typed)
	mode := ""
	if strings.HasPrefix(words, ">") || strings.HasPrefix(words, "#") {
		mode, words = words[:1], strings.TrimSpace(words[1:])
	}
	type ranked struct {
		command
		score int
	}
	var list []ranked
	for _, c := range p.commands {
		shelf := c.group == text.PaletteShelves
		if mode == "#" && !shelf || mode == ">" && shelf || words == "" && c.shy && mode != "#" {
			continue
		}
		if n := state.Match(words, c.label); n > 0 {
			list = append(list, ranked{c, n})
		}
	}
	if words != "" {
		slices.SortStableFunc(list, func(a, b ranked) int { return b.score - a.score })
		list = list[:min(len(list), paletteCommands)]
		// Those of a group stand together, under the best of them.
		order := map[string]int{}
		for _, r := range list {
			if _, ok := order[r.group]; !ok {
				order[r.group] = len(order)
			}
		}
		slices.SortStableFunc(list, func(a, b ranked) int { return order[a.group] - order[b.group] })
	}
	var out []command
	for _, r := range list {
		out = append(out, r.command)
	}
	if mode != "" || words == "" {
		return out
	}
	if len(list) > 0 && list[0].score >= surely {
		out = append(out, p.memories(words)...)
	} else {
		out = append(p.memories(words), out...)
	}
	return append(out, command{group: text.PaletteKeep, label: text.NewNamed(words), icon: "plus", run: func() { p.S.composeWith(words) }})
}

// memories are those that were found, and the way to all of them.
func (p *Palette) memories(words string) []command {
	var out []command
	for i := range p.found {
		m := &p.found[i]
		out = append(out, command{group: text.PaletteMemories, label: m.Body, memory: m, run: func() {
			p.S.visit(route{Kind: listPage, ID: m.ID})
		}})
	}
	if p.total > 0 {
		out = append(out, command{group: text.PaletteMemories, label: text.ShowMatches(p.total), icon: "list", key: "Ctrl ↵", run: func() { p.showAll(words) }})
	}
	return out
}

// showAll leads to the list with the words in its search.
func (p *Palette) showAll(words string) {
	p.S.visit(route{Kind: listPage, Query: api.MemoryQuery{Q: words}})
}

func (p *Palette) input(ctx app.Context, e app.Event) {
	defer browser.Survive("palette")
	p.typed, _ = browser.Value(e.Get("target"))
	p.at = 0
	if p.timer != nil {
		p.timer.Stop()
	}
	words := strings.TrimSpace(p.typed)
	if words == "" || strings.HasPrefix(words, ">") || strings.HasPrefix(words, "#") {
		p.found, p.total, p.foundFor = nil, 0, ""
		return
	}
	p.timer = time.AfterFunc(typePause, func() {
		browser.Guard("palette", func() { p.S.do(func() { p.search(words) }) })
	})
}

func (p *Palette) search(words string) {
	if !p.S.palette || words == p.foundFor {
		return
	}
	p.foundFor = words
	var page api.Page[api.Memory]
	path := listPath(api.MemoryQuery{Q: words}, paletteMemories)
	p.S.async(path, func(ctx context.Context) error { return p.S.api.Get(ctx, path, &page) }, func(err error) {
		if p.foundFor != words {
			return
		}
		p.found, p.total = nil, 0
		if err == nil {
			p.found, p.total = page.Items, page.Total
		}
		p.ctx.Update()
	})
}

func (p *Palette) click(ctx app.Context, e app.Event) {
	defer browser.Survive("palette")
	e.Call("stopPropagation")
	act, ok := browser.Acted(e)
	switch {
	case !ok:
	case act.Do == "offer":
		p.pick(int(act.ID()))
	case act.Do == "close-palette" && e.Get("target").Equal(act.Element):
		p.S.closePalette()
	}
}

func (p *Palette) pick(at int) {
	list := p.visible()
	if at < 0 || at >= len(list) {
		return
	}
	p.S.closePalette()
	list[at].run()
}

func (p *Palette) key(ctx app.Context, e app.Event) {
	defer browser.Survive("palette")
	e.Call("stopPropagation")
	n := len(p.visible())
	switch key := browser.Key(e); key {
	case "ArrowDown", "Tab":
		p.at++
		if key == "Tab" && browser.Flag(e, "shiftKey") {
			p.at -= 2
		}
	case "ArrowUp":
		p.at--
	case "PageDown":
		p.at = min(p.at+8, n-1)
	case "PageUp":
		p.at = max(p.at-8, 0)
	case "Enter":
		e.PreventDefault()
		if words := strings.TrimSpace(p.typed); words != "" && (browser.Flag(e, "ctrlKey") || browser.Flag(e, "metaKey")) {
			p.S.closePalette()
			p.showAll(words)
			return
		}
		p.pick(p.at)
		return
	case "Escape":
		e.PreventDefault()
		p.S.closePalette()
		return
	case "k", "K":
		if browser.Commanding(e) {
			e.PreventDefault()
			p.S.closePalette()
		}
		ctx.PreventUpdate()
		return
	default:
		ctx.PreventUpdate()
		return
	}
	e.PreventDefault()
	if n > 0 {
		p.at = (p.at + n) % n
	}
	ctx.Defer(func(ctx app.Context) {
		if at := browser.ByID(offerID(p.at)); at.Truthy() {
			at.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

func offerID(i int) string { return "offer-" + strconv.Itoa(i) }

// The page keys after g.

// goPause is how long g waits for the letter of a page.
const goPause = 1500 * time.Millisecond

// goes is the page that a letter after g stands for.
func goes(key string) kind {
	switch key {
	case "m":
		return listPage
	case "t":
		return trashPage
	case "r":
		return checkPage
	case "p":
		return mapPage
	case "c":
		return categoriesPage
	case "h":
		return chatPage
	case "s":
		return settingsPage
	case "a":
		return accountPage
	}
	return missing
}

// travel takes g and the letter after it; it tells whether the key was one of these.
func (s *Session) travel(key string) bool {
	if s.going {
		s.going = false
		if k := goes(key); k != missing {
			s.open(k)
			return true
		}
	}
	if key != "g" {
		return false
	}
	s.going = true
	s.ctx.After(goPause, func(app.Context) { s.going = false })
	return true
}

// open goes to a page, and the focus with it.
func (s *Session) open(k kind) {
	s.landing = s.route.Kind != k
	s.visit(route{Kind: k})
}
