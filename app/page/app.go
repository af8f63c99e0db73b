// Package page holds the pages of the app, one file a page, and what they share:
// the session, the addresses, the frame.
//
// Concepts. App is the one root component of every address; the address says which
// page it shows and with which filters, sort and open memory (route), so that a
// deep link, going back and a reload find everything again. A Session is what a
// signed-in person's pages share: the connection, the live overview, toasts, menus,
// dialogs. Pages read it and are told of its changes through Rev.
//
// Invariants. State changes happen on go-app's goroutine only. Everything that
// could panic on its own (handler, goroutine, timer, Render) is guarded, so that a
// defect in one part shows a message there and the rest lives. What a person types
// is kept until it is saved or thrown away on purpose.
//
// What it doesn't do: it computes no vitality, date or order, and parses no text:
// the server sends both as they are to be shown.
//
// # How to write small pages
//
// All of this is downloaded before anything is seen, and ./build.sh wasm fails above
// a limit. Of some 1,300 kB with brotli, the runtime and the standard library take
// 700, go-app and the websocket 100, this app 500: a page is 10 to 25. What costs:
//
//   - Calls. Every call is some hundred bytes of code before compression: it is a point
//     where a goroutine can be left and entered again. tag.Box and tag.Words do in one what
//     Div, Class and Body do in three; a piece that is seen twice belongs in package part.
//   - Element types. app.Div and its like bring a hundred methods each; package tag has
//     one type for all.
//   - Imports. fmt is there but not cheap to call: strconv and + are. Anything of the
//     library that isn't linked yet may bring tables: time zones, Unicode, templates, XML.
//     Package wasm/overlay cuts out what go-app imports for servers only.
//   - Type parameters. Every type that a generic function is used with is another copy
//     of it; with an interface or a closure there is one. slices.SortFunc is 15 kB a
//     type before compression.
//   - Structs that are compared with ==, as a map's keys, or are passed by value in
//     interfaces: each gets functions of its own to compare and to hash. Pointers don't.
//   - JSON is read by reflection: a type costs its description, a few hundred bytes,
//     and no code. Types that many answers share are in shared/api.
//   - Texts and drawings cost about what they weigh, a third of it where it is prose.
//     What is seen on one page only can be a file of its own (package assets).
package page

import (
	"context"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Register makes App the page of every address. Called once, before the app runs.
func Register() {
	app.RouteWithRegexp("^/", func() app.Composer { return &App{} })
}

// App is the whole app.
type App struct {
	app.Compo

	ctx    app.Context
	s      *Session
	route  route
	ready  bool // we know who it is, or that nobody is needed
	failed error
	stop   []func()
}

// OnMount finds out who it is and connects.
func (a *App) OnMount(ctx app.Context) {
	defer browser.Survive("app")
	browser.SteadyTimers()
	a.ctx = ctx
	a.s = newSession(ctx)
	browser.OnPanic = func(string, any) {
		browser.Go("panic", func() { a.s.do(func() { a.s.toast(part.Toast{Text: text.PartFailed, Danger: true}) }) })
	}
	a.s.off.outdated = browser.Outdated()
	a.listen()
	a.navigate()
	a.arrive()
}

// OnDismount stops listening.
func (a *App) OnDismount() {
	for _, stop := range a.stop {
		stop()
	}
}

// OnNav follows the address.
func (a *App) OnNav(ctx app.Context) {
	defer browser.Survive("app")
	if a.s == nil {
		return // OnMount is still to come and reads the address itself
	}
	was := a.route
	a.navigate()
	if was.Kind != a.route.Kind {
		a.arrive()
	}
	if a.s.landing && a.route.Kind != listPage && a.route.Kind != trashPage { // these take it themselves
		a.s.landing = false
		ctx.Defer(func(app.Context) { land() })
	}
}

// land moves the focus to the name of the page that a key has opened, unless a field of
// it has taken it.
func land() {
	defer browser.Survive("land")
	if !browser.Query(browser.Document(), "#main :is(input, textarea):focus").Truthy() {
		browser.Focus(browser.Query(browser.Document(), "#main h1"))
	}
}

// OnAppInstallChange shows or hides the offer to install.
func (a *App) OnAppInstallChange(app.Context) {
	if a.s != nil {
		a.s.rev++
	}
}

// OnResize lets the layout follow the window.
func (a *App) OnResize(app.Context) {
	if a.s != nil {
		a.s.rev++
	}
}

func (a *App) navigate() {
	was := a.route
	path, query, fragment := browser.Location()
	a.route = readRoute(path, query, fragment)
	a.s.route = a.route
	same := "" // the list that was shown, with another memory open, or none
	if was.close().path() == a.route.close().path() {
		same = a.s.entry
	}
	a.s.entry = browser.Entry(same)
	stray, filter := a.route.strays(query)
	if stray || path == "/" || a.route.Kind == trashPage && path == "/memory" {
		browser.Replace(a.route.path()) // one address for one page
	}
	if filter {
		a.s.say(text.FilterDropped, nil)
	}
	a.s.menu = nil
	if was.Query != a.route.Query || was.Kind != a.route.Kind {
		a.s.picked.clear()
	}
	if a.route.Kind != listPage || a.route.ID > 0 {
		a.s.merging = nil
	}
	a.s.rev++
	browser.Title(text.Title(pageName(a.route)))
	if was.Kind != a.route.Kind {
		a.ctx.Defer(func(app.Context) { // where there is no room for all tabs
			browser.Reveal(browser.Query(browser.Document(), ".tabs [aria-current], .subnav [aria-current]"))
		})
	}
}

func pageName(r route) string {
	switch r.Kind.whole() {
	case listPage:
		return text.Memory
	case trashPage:
		return text.Trash
	case accountPage:
		return text.Account
	case categoriesPage:
		return text.Categories
	case checkPage:
		return text.RecallCheck
	case mapPage:
		return text.MapTab
	case chatPage:
		return text.Chat
	case settingsPage:
		return text.Settings
	case loginPage:
		return text.SignIn
	case setupPage:
		return text.SetUp
	}
	return text.NothingHere
}

// arrive makes sure that a page which needs a person has one.
func (a *App) arrive() {
	if a.route.Kind == loginPage || a.route.Kind == setupPage || a.route.Kind == missing || a.s.start {
		a.ready = true
		return
	}
	a.whose()
}

// whose asks the server who it is, until it answers. Where it doesn't, or takes too
// long, the page starts as the one who was here last, with what was kept.
func (a *App) whose() {
	was := a.s.me
	var me api.Me
	answered := false
	a.s.async("me", func(ctx context.Context) error {
		if err := a.s.left(ctx); err != nil {
			return err
		}
		return a.s.api.Get(ctx, api.PathMe, &me)
	}, func(err error) {
		answered = true
		if err != nil {
			a.failed, a.ready = err, false
			a.ctx.Defer(func(app.Context) { seen() }) // without the content
			if sync.Lost(err) || fault.Is(err, fault.Unavailable) {
				a.remembered()
				a.ctx.After(3*time.Second, func(app.Context) {
					if !a.ready {
						a.whose()
					}
				})
			}
			return
		}
		if was == nil {
			was = a.s.me // remembered meanwhile
		}
		if was != nil && accountKey(*was) != accountKey(me) {
			browser.Reload() // somebody else's page; what was kept is theirs
			return
		}
		a.s.me, a.ready, a.failed = &me, true, nil
		seen()
		a.s.hold(me)
		a.s.begin()
	})
	a.ctx.After(time.Duration(setting.Int("offline.patienceMillis"))*time.Millisecond, func(app.Context) {
		if !answered && !a.ready {
			a.remembered()
		}
	})
}

// remembered starts, or goes on, as the one who was here last and hasn't signed out.
func (a *App) remembered() {
	a.s.remembered(func(me *api.Me) {
		if a.ready || me == nil || a.s.me != nil && accountKey(*a.s.me) != accountKey(*me) {
			return
		}
		if a.s.me == nil {
			a.s.me = me
		}
		a.ready, a.failed = true, nil
		seen()
		a.s.begin()
		a.s.cut()
	})
}

// again is for a page that the browser kept and shows once more, perhaps after its
// person signed out: nothing of it is seen until the server says who it is.
func (a *App) again() {
	if !a.s.start {
		return
	}
	body := browser.Document().Get("body")
	body.Set("hidden", true) // at once, before anything is drawn
	a.ctx.Dispatch(func(app.Context) {
		defer browser.Survive("app")
		a.whose()
	})
}

// seen shows the page that again has hidden.
func seen() { browser.Document().Get("body").Set("hidden", false) }

// listen connects the app with what happens to the page as a whole.
func (a *App) listen() {
	wake := func(app.Event) {
		if a.s.client != nil && !browser.Hidden() {
			a.s.client.Wake()
		}
	}
	a.stop = append(a.stop,
		browser.Listen(browser.Document(), "visibilitychange", true, wake),
		browser.Listen(browser.Window(), "online", true, wake),
		browser.Listen(browser.Window(), "pageshow", true, func(e app.Event) {
			if browser.Flag(e, "persisted") {
				a.again()
			}
			wake(e)
		}),
		browser.Listen(browser.Window(), "pagehide", true, func(app.Event) {
			if a.s.rows != nil {
				a.s.rows.remember()
			}
			a.s.flush()
		}),
		browser.Listen(browser.Window(), "elowen-queue", true, func(app.Event) { a.s.readQueue() }),
		browser.Listen(browser.Window(), "elowen-drafts", true, func(app.Event) { a.s.readDrafts() }),
		browser.Listen(browser.Window(), "elowen-version", true, func(app.Event) { a.s.do(func() { a.s.off.outdated = true }) }),
		browser.Listen(browser.Window(), "elowen-wiped", true, func(app.Event) {
			if a.s.start {
				a.s.client.Close()
				browser.Leave("/login") // signed out in another tab
			}
		}),
		browser.Listen(browser.Window(), "keydown", false, a.key),
	)
}

// key handles the keys that mean the same wherever the focus is, except in a field.
// It runs before the browser goes on, so that "/" doesn't also type a slash.
func (a *App) key(e app.Event) {
	if browser.KeepAhead(e) || !a.ready || a.s.dialog != nil || a.s.menu != nil || a.s.palette {
		return
	}
	key := browser.Key(e)
	if a.summoned(e, key) || browser.Commanding(e) || browser.Typing(e) {
		return
	}
	if key == "" || key == "Tab" || key == "Shift" || key == " " {
		return
	}
	if key == "Enter" && e.Get("target").Truthy() && e.Get("target").Call("closest", "a, button, input, [role=img]").Truthy() {
		return
	}
	if !a.known(key) {
		return
	}
	e.PreventDefault()
	if key == "n" || key == "/" {
		browser.ExpectField()
	}
	a.ctx.Dispatch(func(app.Context) {
		defer browser.Survive("key")
		a.act(e, key)
	})
}

// known tells whether a key is one of ours on the page that is shown.
func (a *App) known(key string) bool {
	if a.s.going && goes(key) != missing || a.route.Kind == categoriesPage && (key == "j" || key == "k" || key == "Escape") {
		return true
	}
	if a.route.Kind == checkPage && (key == "j" || key == "k" || key == "/") {
		return true
	}
	switch key {
	case "?", "n", "z":
		return a.route.Kind != loginPage && a.route.Kind != setupPage
	case "g":
		return a.route.Kind != loginPage && a.route.Kind != setupPage
	case "j", "k", "J", "K", "x", "e", "#", "/", "Enter", "Escape", "ArrowDown", "ArrowUp":
		return a.route.Kind == listPage || a.route.Kind == trashPage
	}
	return false
}

func (a *App) act(e app.Event, key string) {
	s := a.s
	if s.travel(key) {
		return
	}
	if c := s.shelves; c != nil && (key == "j" || key == "k" || key == "Escape") {
		c.step(key)
		return
	}
	switch key {
	case "j", "k", "/":
		if a.route.Kind != checkPage {
			break
		}
		if key == "/" {
			browser.Focus(browser.ByID("search"))
		} else {
			s.stepCandidate(map[string]int{"j": 1, "k": -1}[key])
		}
		return
	case "?":
		s.help()
		return
	case "z":
		s.undoNewest()
		return
	case "n":
		s.compose()
		return
	}
	if s.detail != nil && s.detail.key(e, key) {
		return
	}
	switch {
	case s.list != nil:
		s.list.key(key)
	case s.rows != nil:
		s.rows.key(key)
	}
}

func (a *App) click(ctx app.Context, e app.Event) {
	defer browser.Survive("app")
	act, ok := browser.Acted(e)
	if !ok || a.s == nil {
		ctx.PreventUpdate()
		return
	}
	s := a.s
	switch act.Do {
	case "undo":
		s.undo(int(act.ID()))
	case "dismiss":
		s.dismiss(int(act.ID()))
	case "close-menu":
		s.closeMenu()
	case "compose":
		s.compose()
	case "skip":
		browser.Focus(browser.ByID("main"))
	case "palette":
		s.openPalette()
	case "wake":
		if s.client != nil {
			s.client.Wake()
		}
	case "dues-seen":
		s.duesSeen = true
		browser.Session.Set(duesKey, "seen")
		s.rev++
	case "reload":
		browser.Reload()
	case "queue":
		s.showQueue()
	case "draft-open", "draft-drop":
		s.onDraft(act.Do, act.Arg)
	case "install":
		a.ctx.ShowAppInstallPrompt()
	case "retry":
		a.failed = nil
		a.whose()
	case "copy-line":
		browser.Copy(act.Arg, func(bool) { s.do(func() { s.say(text.Copied, nil) }) })
	default:
		ctx.PreventUpdate()
	}
}

// Render draws the page of the address.
func (a *App) Render() app.UI {
	return part.Safe("app", func() app.UI {
		if a.s == nil {
			return a.shell()
		}
		if a.s.start && !a.ready {
			return tag.Div().Class("app").OnClick(a.click).Body(
				tag.Box("aside", "rail", tag.Box("span", "brand", part.Brand()...)),
				tag.Box("main", "main", a.waiting()...))
		}
		switch a.route.Kind {
		case loginPage:
			return a.plain(&Login{S: a.s, Next: a.route.Next})
		case setupPage:
			return a.plain(&Setup{S: a.s, Code: a.route.Code})
		}
		return a.frame()
	})
}

// plain is a page without the frame.
func (a *App) plain(content app.UI) app.UI {
	return tag.Div().Class("plain").OnClick(a.click).Body(content, &piece{A: a, Rev: a.s.rev, Which: pieceFloats})
}

// shell is what is shown before anything is known, and all that a prerendering
// server would see.
func (a *App) shell() app.UI {
	return tag.Div().Class("app").Aria("busy", "true").Body(
		tag.Box("aside", "rail", tag.Box("span", "brand", part.Brand()...)),
		tag.Main().Class("main"),
	)
}
