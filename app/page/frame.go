package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// frame is the rail, the page and the bottom bar, and what floats over them.
func (a *App) frame() app.UI {
	rev := a.s.rev
	return tag.Div().Class("app").OnClick(a.click).Body(
		part.Button("btn skip", "skip", "", part.Text(text.SkipToContent)),
		&piece{A: a, Rev: rev, Which: pieceRail},
		tag.Main().ID("main").Class("main").TabIndex(-1).Body(append([]app.UI{&piece{A: a, Rev: rev, Which: pieceNotice}}, a.content()...)...),
		&piece{A: a, Rev: rev, Which: pieceBottom},
		&piece{A: a, Rev: rev, Which: pieceFloats},
	)
}

// piece is a part of the frame that is drawn anew only when the session changed:
// go-app renders every ancestor of what moved, and that is always the whole frame.
type piece struct {
	app.Compo
	A     *App
	Rev   int
	Which pieceKind
}

type pieceKind uint8

const (
	pieceRail pieceKind = iota
	pieceNotice
	pieceBar
	pieceBottom
	pieceFloats
)

// Render draws the piece.
func (p *piece) Render() app.UI {
	return part.Safe("frame", func() app.UI {
		switch p.Which {
		case pieceRail:
			return p.A.rail()
		case pieceNotice:
			return p.A.notice()
		case pieceBar:
			return p.A.memoryBar()
		case pieceBottom:
			return p.A.bottom()
		}
		return p.A.floats()
	})
}

// content is the page itself.
func (a *App) content() []app.UI {
	s, r := a.s, a.route
	if !a.ready || s.client == nil && r.Kind != missing {
		return a.waiting()
	}
	switch r.Kind {
	case listPage:
		return []app.UI{heading(r), &piece{A: a, Rev: s.rev, Which: pieceBar}, a.listBody()}
	case trashPage:
		return []app.UI{heading(r), &piece{A: a, Rev: s.rev, Which: pieceBar}, &TrashBin{S: s, Rev: s.rev, Query: r.Query}}
	case mapPage:
		return []app.UI{heading(r), &piece{A: a, Rev: s.rev, Which: pieceBar}, &Map{S: s, Rev: s.rev}}
	case chatPage:
		return []app.UI{&Chat{S: s, Rev: s.rev, ID: r.ID}}
	case checkPage:
		return []app.UI{heading(r), &piece{A: a, Rev: s.rev, Which: pieceBar}, &Check{S: s, Rev: s.rev, Query: r.Query}}
	case categoriesPage:
		return []app.UI{heading(r), &piece{A: a, Rev: s.rev, Which: pieceBar}, &Categories{S: s, Rev: s.rev, Open: r.ID, Compose: r.Compose}}
	}
	if whole := r.Kind.whole(); whole == accountPage || whole == settingsPage {
		title, note := text.Account, text.AccountNote
		if whole == settingsPage {
			title, note = text.Settings, text.SettingsNote
		}
		return []app.UI{pageBar(title, note), a.partPage()}
	}
	return []app.UI{tag.Box("div", "empty",
		tag.Words("h2", "", text.NothingHere), tag.Words("p", "", text.NothingHereWhy),
		tag.A().Class("btn").Attr("href", browser.Path("/memory")).Text(text.ToMemories),
	)}
}

// partPage is a part of the settings or of the account.
func (a *App) partPage() app.UI {
	s := a.s
	switch a.route.Kind {
	case peoplePage:
		return &People{S: s, Rev: s.rev}
	case backupsPage:
		return &Backups{S: s, Rev: s.rev}
	case storagePage:
		return &Storage{S: s, Rev: s.rev}
	case healthPage:
		return &Health{S: s, Rev: s.rev}
	case modelsPage:
		return &Models{S: s, Rev: s.rev}
	case maintenancePage:
		return &Maintenance{S: s, Rev: s.rev}
	case projectsPage:
		return &Projects{S: s, Rev: s.rev}
	case recallSettings:
		return &Tuning{S: s, Rev: s.rev}
	case connectPage:
		return &Connect{S: s, Rev: s.rev}
	case serversPage:
		return &Servers{S: s, Rev: s.rev}
	case tokensPage:
		return &Tokens{S: s, Rev: s.rev}
	case transferPage:
		return &Transfer{S: s, Rev: s.rev}
	case settingsPage:
		return &Retention{S: s, Rev: s.rev}
	}
	return &Account{S: s, Rev: s.rev}
}

func (a *App) waiting() []app.UI {
	if a.failed == nil {
		return []app.UI{tag.Box("header", "topbar", tag.Words("h1", "sr", pageName(a.route)))}
	}
	return []app.UI{tag.Box("div", "empty",
		tag.Words("h2", "", text.CannotStart), tag.Words("p", "", words(a.failed)),
		part.Button("btn", "retry", "", part.Text(text.Retry)),
	)}
}

// heading is the page's name where it isn't seen.
func heading(r route) app.UI { return tag.H1().Class("sr").TabIndex(-1).Text(pageName(r)) }

func pageBar(title, note string) app.UI {
	return tag.Box("header", "topbar", tag.H1().TabIndex(-1).Text(title), tag.Words("span", "meta", note))
}

// listBody is the list with what is open beside it, or the way on for somebody who
// has nothing yet.
func (a *App) listBody() app.UI {
	s, r := a.s, a.route
	if a.nothingYet() {
		return a.empty()
	}
	open := "list"
	var beside app.UI
	done := func() {
		s.merging = nil
		if s.route.Compose {
			s.visit(s.route.close())
		}
		s.changed()
	}
	switch {
	case len(s.merging) > 0:
		open, beside = "detail", &sheet{Title: text.Merge, Form: &Editor{S: s, Rev: s.rev, Mode: mergeMode, Sources: s.merging, Done: done}}
	case r.Compose:
		open, beside = "detail", &sheet{Title: text.NewHead, Form: &Editor{S: s, Rev: s.rev, Mode: newMode, Done: done}}
	case r.Unsent > 0:
		open, beside = "detail", &Unsent{S: s, Rev: s.rev, Change: r.Unsent}
	case r.ID > 0:
		open, beside = "detail", &Detail{S: s, Rev: s.rev, ID: r.ID}
	default:
		beside = tag.Section().Class("pane pane-none").Aria("hidden", "true").Body(
			tag.Box("div", "empty", part.GrowthFaint(), tag.Words("p", "", text.PickOne)))
	}
	return tag.Div().Class("split").DataSet("open", open).Body(
		&List{S: s, Rev: s.rev, Query: r.Query, Open: r.ID}, beside)
}

// sheet is a pane with a form.
type sheet struct {
	app.Compo
	Title string
	Form  *Editor
}

// Render draws the pane.
func (p *sheet) Render() app.UI {
	return tag.Section().Class("pane").Aria("label", p.Title).Body(
		tag.Box("header", "topbar", tag.Words("h2", "", p.Title)),
		tag.Box("div", "scroll", tag.Box("div", "detail", p.Form)),
	)
}

// memoryBar is the bar over the views of the memories.
func (a *App) memoryBar() app.UI {
	r := a.route
	trash := r.Kind == trashPage || r.Query.Status == api.StatusDeleted
	count := ""
	if o := a.s.overview; o != nil && o.Stats.Deleted > 0 {
		count = text.Number(o.Stats.Deleted)
	}
	tab := func(path string, current bool, body ...app.UI) app.UI {
		l := tag.A().Attr("href", browser.Path(path))
		if current {
			l = l.Aria("current", "page")
		}
		return l.Body(body...)
	}
	class := "topbar memory-bar"
	if r.Kind == listPage && (r.ID > 0 || r.Compose || r.Unsent > 0 || len(a.s.merging) > 0) {
		class += " memory-bar-open"
	}
	return tag.Box("header", class,
		tag.Nav().Class("tabs").Aria("label", text.MemoryViews).Body(
			tab("/memory", r.Kind == listPage && !trash, part.Text(text.ListTab)),
			tab("/memory/map", r.Kind == mapPage, part.Text(text.MapTab)),
			tab("/memory/recall", r.Kind == checkPage, part.Text(text.RecallCheck)),
			tab("/memory/trash", trash, part.Text(text.Trash+"\u00a0"), tag.Words("span", "meta num", count)),
			tab("/categories", r.Kind == categoriesPage, part.Text(text.Categories)),
		),
		tag.Span().Class("grow"),
		part.IconButton("btn btn-quiet btn-cmd", "palette", "", text.PaletteOpen, "command"),
		part.Button("btn btn-primary btn-wide", "compose", "", part.Icon("plus"), tag.Words("span", "", text.NewMemory)).Aria("label", text.NewMemory),
	)
}

// notice is the one banner over the page: the connection first, then what needs a
// look.
func (a *App) notice() app.UI {
	s := a.s
	switch {
	case s.disconnected() || s.off.outdated || len(s.off.changes) > 0 || s.anyUnsaved():
		return s.connection()
	case a.due() > 0:
		return tag.Box("div", "notice", tag.Box("div", "banner banner-plain",
			part.Icon("leaf"), tag.Box("span", "",
				part.Text(text.Due(a.due(), int(s.policy.Policy.DailyDeletionLimit), browser.Date(s.policy.NextSweepAt, browser.FullTime))+" "),
				part.Link("/memory?sort=evictable&fades=1", text.SeeThem), part.Text(" · "), part.Link("/settings", text.PauseOrChange),
			),
			part.IconButton("btn btn-sm btn-quiet end", "dues-seen", "", text.Close, "x"),
		))
	}
	return tag.Span().Hidden(true)
}

// due is how many memories the next sweep finds, where that is more than an
// ordinary night's.
func (a *App) due() int {
	s := a.s
	if s.duesSeen || s.policy == nil || s.overview == nil || !s.policy.Policy.Enabled || a.route.Kind != listPage {
		return 0
	}
	if n := s.overview.Stats.DueNow; float64(n) > s.policy.Policy.DailyDeletionLimit {
		return n
	}
	return 0
}

func (a *App) floats() app.UI {
	s := a.s
	body := []app.UI{part.Toasts(s.toasts)}
	if s.palette {
		body = append(body, &Palette{S: s, Nth: s.paletteNth})
	}
	if s.menu != nil {
		body = append(body, tag.Div().Class("menu-scrim").DataSet("do", "close-menu"), &part.Menu{Spec: s.menu, Close: s.closeMenu})
	}
	if s.dialog != nil {
		body = append(body, &part.Dialog{Spec: s.dialog, Close: s.closeDialog})
	}
	return tag.Box("div", "floats", body...)
}

// bottom is the navigation of narrow windows.
func (a *App) bottom() app.UI {
	item := func(path, label, icon string, current bool) app.UI {
		l := tag.A().Attr("href", browser.Path(path))
		if current {
			l = l.Aria("current", "page")
		}
		return l.Body(part.Icon(icon), part.Text(label))
	}
	k := a.route.Kind
	if !a.s.narrow() {
		return tag.Span().Hidden(true)
	}
	return tag.Nav().Class("bottombar").Aria("label", text.Pages).Body(
		item("/memory", text.Memory, "list", k.ofMemories()),
		item("/chat", text.Chat, "message-square", k == chatPage),
		item("/settings", text.Settings, "settings", k.whole() == settingsPage),
		item("/account", text.Account, "user", k.whole() == accountPage),
	)
}

// rail is the navigation of wide windows.
func (a *App) rail() app.UI {
	if a.s.narrow() {
		return tag.Span().Hidden(true)
	}
	k := a.route.Kind
	item := func(path, label, icon string, current bool) app.UI {
		l := tag.A().Attr("href", browser.Path(path)).Title(label)
		if current {
			l = l.Aria("current", "page")
		}
		return l.Body(part.Icon(icon), tag.Words("span", "", label))
	}
	return tag.Box("aside", "rail",
		tag.A().Class("brand").Attr("href", browser.Path("/memory")).Aria("label", text.Home).Body(part.Brand()...),
		tag.Nav().Class("nav").Aria("label", text.Pages).Body(
			item("/memory", text.Memory, "list", k.ofMemories()),
			item("/chat", text.Chat, "message-square", k == chatPage),
			item("/settings", text.Settings, "settings", k.whole() == settingsPage),
		),
		a.categories(),
		tag.Box("div", "rail-foot",
			tag.Words("p", "meta", a.indexed()),
			tag.Nav().Class("nav").Aria("label", text.YouHere).Body(a.install("nav-install"), item("/account", a.personName(), "user", k.whole() == accountPage)),
		),
	)
}

func (a *App) personName() string {
	if a.s.me == nil {
		return text.Account
	}
	if a.s.me.DisplayName != "" {
		return a.s.me.DisplayName
	}
	return a.s.me.Name
}

func (a *App) indexed() string {
	if !a.s.indexes() {
		return ""
	}
	st := a.s.overview.Stats
	return text.IndexedOf(st.Active-st.NotIndexed, st.Active)
}

func (a *App) categories() app.UI {
	o := a.s.overview
	if o == nil || len(o.Categories) == 0 {
		return tag.Nav().Hidden(true)
	}
	items := []app.UI{tag.Box("h2", "", tag.A().Class("nav-head").Attr("href", browser.Path("/categories")).Title(text.ChangeCategories).Body(
		tag.Words("span", "", text.Categories), part.Icon("square-pen")))}
	for _, c := range o.Categories {
		r := route{Kind: listPage, Query: api.MemoryQuery{CategoryID: c.ID}}
		l := tag.A().Attr("href", browser.Path(r.path())).Title(c.Name)
		if a.route.Kind == listPage && a.route.Query.CategoryID == c.ID {
			l = l.Aria("current", "true")
		}
		items = append(items, l.Body(
			part.ShelfIcon(c.Icon, c.Color),
			tag.Span().Class("nav-name").Attr("dir", "auto").Text(c.Name),
			tag.Words("span", "num", text.Number(c.Count)),
		))
	}
	return tag.Nav().Class("nav nav-categories").Aria("label", text.Categories).Body(items...)
}
