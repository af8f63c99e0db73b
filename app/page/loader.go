package page

import (
	"context"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/fault"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// refreshEvery is how often a page asks again for what isn't projected to it.
const refreshEvery = 10 * time.Second

// loader keeps up to date what a page shows of the server beside the projections: it
// asks when the page opens, and again and again while it is seen.
type loader struct {
	s      *Session
	path   string
	while  string                          // what to say until it is there, where that takes its time
	fetch  func(ctx context.Context) error // reads it, away from go-app's goroutine
	take   func()                          // takes over what was read
	every  time.Duration                   // 0: refreshEvery; negative: only when told to
	timer  *time.Timer
	asking bool
	gone   bool
	loaded bool
	err    error // of the last time
}

// loading is the loader of what a path answers as a T.
func loading[T any](s *Session, path string, take func(T)) *loader {
	var read T
	return &loader{s: s, path: path,
		fetch: func(ctx context.Context) error {
			var fresh T
			err := s.api.Get(ctx, path, &fresh)
			if err == nil {
				read = fresh
			}
			return err
		},
		take: func() { take(read) }}
}

// longest is how long the server may take over what reads or copies everything.
const longest = 15 * time.Minute

// sendLong is send for such a work.
func (s *Session) sendLong(w sync.Write, then func(err error)) {
	w.Key = sync.NewKey()
	browser.Go(w.Path, func() {
		ctx, cancel := context.WithTimeout(context.Background(), longest)
		defer cancel()
		err := s.api.Send(ctx, w)
		s.do(func() {
			if fault.Is(err, fault.Unauthenticated) && !s.signIn() {
				return
			}
			then(err)
		})
	})
}

// now asks at once.
func (l *loader) now() {
	if l.asking || l.gone {
		return
	}
	l.asking = true
	l.s.async(l.path, l.fetch, func(err error) {
		l.asking = false
		if l.gone {
			return
		}
		if l.err = err; err == nil {
			l.loaded = true
			l.take()
		}
		l.wait()
	})
}

func (l *loader) wait() {
	every := l.every
	if every < 0 {
		return
	}
	if every == 0 {
		every = refreshEvery
	}
	l.timer = time.AfterFunc(every, func() {
		browser.Guard(l.path, func() {
			if browser.Hidden() {
				l.wait()
				return
			}
			l.s.do(l.now)
		})
	})
}

// after says how a change ended ("" says nothing of one that went well), and asks what
// is there now.
func (l *loader) after(err error, said string) {
	if err != nil {
		l.s.fail(err)
	} else if said != "" {
		l.s.say(said, nil)
	}
	l.now()
}

// stop ends it, with its page.
func (l *loader) stop() {
	l.gone = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// show is the content once it is there; before, its shape or what went wrong.
func (l *loader) show(content func() app.UI) app.UI {
	switch {
	case l.loaded:
		return content()
	case l.err != nil && !sync.Lost(l.err):
		return part.Banner("danger", "triangle-alert", part.Text(words(l.err)))
	case l.err != nil:
		return part.Banner("warn", "cloud-off", part.Text(text.NeedsServer))
	case l.s.disconnected():
		return l.s.notHere()
	}
	if l.while != "" {
		return tag.P().Class("muted").Role("status").Text(l.while)
	}
	return app.Raw(`<div class="stack detail-shape"><div class="skeleton w-60"></div><div class="skeleton w-90"></div><div class="skeleton w-60"></div></div>`)
}

// settingsFrame is a page inside the settings, for administrators.
func settingsFrame(s *Session, at kind, title, why string, click app.EventHandler, content func() []app.UI) app.UI {
	body := []app.UI{part.PageHead(title, why)}
	if s.admin() {
		body = append(body, content()...)
	} else {
		body = append(body, part.Banner("plain", "info", part.Text(text.OnlyAdmins)))
	}
	return framed(subnav(at, s.admin()), click, body...)
}

// framed is a page beside the navigation of its place.
func framed(nav app.UI, click app.EventHandler, body ...app.UI) app.UI {
	return tag.Div().Class("settings").OnClick(click).Body(nav, tag.Box("div", "scroll", tag.Box("div", "page page-form", body...)))
}

// menu is a navigation inside a page.
func menu(label string, at kind, items ...menuItem) app.UI {
	links := make([]app.UI, len(items))
	for i, item := range items {
		l := tag.A().Attr("href", browser.Path(route{Kind: item.kind}.path()))
		if item.kind == at {
			l = l.Aria("current", "page")
		}
		links[i] = l.Text(item.label)
	}
	return tag.Nav().Class("subnav nav").Aria("label", label).Body(links...)
}

// reveal scrolls the navigation of a narrow window to the page that is shown.
func reveal(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		if at := browser.Query(browser.Document(), ".subnav [aria-current]"); at.Truthy() {
			at.Call("scrollIntoView", map[string]any{"block": "nearest", "inline": "center"})
		}
	})
}

type menuItem struct {
	kind  kind
	label string
}

// subnav is the navigation inside the settings.
func subnav(at kind, admin bool) app.UI { return menu(text.Settings, at, settingsParts(admin)...) }

// settingsParts are the pages inside the settings.
func settingsParts(admin bool) []menuItem {
	items := []menuItem{{settingsPage, text.RetentionHead}, {maintenancePage, text.MaintenanceHead}}
	if admin {
		items = append(items, menuItem{modelsPage, text.Models}, menuItem{recallSettings, text.RecallHead}, menuItem{projectsPage, text.Projects}, menuItem{peoplePage, text.People}, menuItem{backupsPage, text.BackupsHead}, menuItem{storagePage, text.StorageHead}, menuItem{healthPage, text.HealthHead})
	}
	return items
}

// accountNav is the navigation inside the account.
func accountNav(at kind) app.UI { return menu(text.Account, at, accountParts()...) }

// accountParts are the pages inside the account.
func accountParts() []menuItem {
	return []menuItem{{accountPage, text.ProfileHead}, {connectPage, text.Connect}, {serversPage, text.Servers}, {tokensPage, text.Tokens}, {transferPage, text.TransferHead}}
}
