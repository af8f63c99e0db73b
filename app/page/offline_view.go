package page

import (
	"context"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// disconnected tells whether the server has not answered for long enough to say so.
func (s *Session) disconnected() bool {
	return s.lost && s.client != nil && s.status.Phase != sync.Online
}

// notHere says that something isn't kept, in place of its shape: without the server it
// would stay a shape.
func (s *Session) notHere() app.UI {
	age := ""
	if s.off.asOf > 0 {
		age = text.Ago(s.now(), s.off.asOf)
	}
	return tag.Div().Class("banner banner-warn not-kept").Role("status").Body(
		part.Icon("cloud-off"), tag.Words("span", "", text.NotKeptSince(age)))
}

// among says of a list that was made here that it is only of what is kept.
func (l *rowWindow) among() app.UI {
	n := 0
	if l.window.Kept {
		key, _, _ := keptAs(l.request(l.of))
		n = l.s.off.among[key]
	}
	return part.If(n > 0, func() app.UI {
		return tag.Box("div", "filters kept-among", tag.Box("div", "banner banner-plain grow", part.Icon("search"), tag.Words("span", "", text.Searching(n))))
	})
}

// failed says why there are no rows.
func (l *rowWindow) failed() app.UI {
	head, icon := text.ListFailed, "triangle-alert"
	if l.absent {
		head, icon = text.NotKeptHere, "cloud-off"
	}
	return tag.Box("div", "empty list-empty", part.Icon(icon), tag.Words("h2", "", head), tag.Words("p", "", l.problem),
		part.Button("btn", "again", "", part.Text(text.Retry)))
}

// connection says what is not as when connected: the age of what is seen, what waits
// to be sent, and that there is a newer version.
func (s *Session) connection() app.UI {
	waiting, stuck := s.counts()
	show := part.If(waiting+stuck > 0, func() app.UI { return part.Button("linkish", "queue", "", part.Text(text.ShowQueue)) })
	banner := func(kind, icon, said string, more ...app.UI) app.UI {
		body := append([]app.UI{part.Icon(icon), tag.Words("span", "grow", said)}, more...)
		return tag.Div().Class("banner banner-" + kind).Body(body...)
	}
	count := ""
	switch {
	case stuck > 0:
		count = text.Stuck(stuck)
	case waiting > 0:
		count = text.Waits(waiting)
	}
	first := tag.Span().Hidden(true)
	switch {
	case s.disconnected():
		said := text.AsOf(s.now(), s.off.asOf)
		if count != "" {
			said += " " + count + "."
		}
		first = banner("warn", "cloud-off", said, show, part.Button("linkish", "wake", "", part.Text(text.TryNow))).(tag.Element)
	case stuck > 0:
		first = banner("warn", "git-compare", count, show).(tag.Element)
	case waiting > 0:
		first = banner("plain", "clock", count, show).(tag.Element)
	}
	return tag.Div().Class("notice notice-connection").Role("status").Body(
		first,
		s.draftBanner(),
		part.If(s.off.outdated, func() app.UI {
			return banner("plain", "rotate-ccw", text.NewVersion, part.Button("linkish", "reload", "", part.Text(text.Reload)))
		}),
	)
}

// pending says of an open memory what is not sent.
func (s *Session) pending(flag string) app.UI {
	return part.If(flag != "", func() app.UI {
		return tag.Box("p", "line pending",
			tag.Box("span", "tag", part.Icon("clock"), part.Text(flag)),
			part.Button("linkish meta", "queue", "", part.Text(text.ShowQueue)))
	})
}

// newWaiting shows the new memories that the server doesn't have yet: they have no
// rank in the list.
func (s *Session) newWaiting() app.UI {
	const most = 3
	var items []app.UI
	n := 0
	for _, c := range s.off.changes {
		if c.Action != state.ActAdd {
			continue
		}
		if n++; n <= most {
			items = append(items, tag.Box("li", "", tag.A().Class("unsent-new").Attr("href", browser.Path(s.route.unsent(c.ID).path())).Body(
				tag.Span().Class("memory-text").Attr("dir", "auto").Text(part.Cut(c.Text)),
				tag.Box("span", "flag flag-waiting", part.Icon("clock"), tag.Words("span", "", unsentFlag(c))))))
		}
	}
	return part.If(n > 0, func() app.UI {
		return tag.Ul().Class("unsent-news").Aria("label", text.WaitingNew(n)).Body(append(items, part.If(n > most, func() app.UI {
			return tag.Box("li", "", part.Button("linkish meta", "queue", "", part.Text(text.AndOthers(n-most))))
		}))...)
	})
}

// unsentFlag is the state of a new memory that is not sent.
func unsentFlag(c state.Change) string {
	switch c.State {
	case state.ChangeWaiting:
		return text.WaitingFlag
	case state.ChangeHeld:
		return text.HeldFlag
	}
	return text.RefusedFlag
}

// showQueue opens the list of changes that are not sent.
func (s *Session) showQueue() {
	s.ask(&part.DialogSpec{Title: text.QueueTitle, Body: []string{text.QueueNote}, Extra: &queueList{S: s}, Wide: true})
}

// queueList is the list of changes that are not sent.
type queueList struct {
	app.Compo
	S   *Session
	ctx app.Context
}

// OnMount lets the list be told of changes.
func (q *queueList) OnMount(ctx app.Context) {
	defer browser.Survive("queue")
	q.ctx = ctx
	q.S.off.view = &q.ctx
}

// OnDismount ends that.
func (q *queueList) OnDismount() { q.S.off.view = nil }

func (q *queueList) click(ctx app.Context, e app.Event) {
	defer browser.Survive("queue")
	act, ok := browser.Acted(e)
	if !ok {
		return
	}
	e.Call("stopPropagation")
	s := q.S
	for _, c := range s.off.changes {
		if c.ID != act.ID() {
			continue
		}
		done := func(string, bool) { s.readQueue() }
		switch act.Do {
		case "queue-again":
			browser.Kept(done, "again", c.ID, 0)
		case "queue-mine":
			browser.Kept(done, "again", c.ID, int(c.Current.Revision))
		case "queue-drop":
			s.discard(c)
		case "queue-open":
			s.closeDialog()
			s.reopen(c)
		case "queue-restore":
			var now api.Memory
			s.restoreOne(c.Memories[0], &now, func() { browser.Kept(done, "again", c.ID, int(now.Revision)) })
		}
	}
}

// Render draws the list.
func (q *queueList) Render() app.UI {
	return part.Safe("queue", func() app.UI {
		items := make([]app.UI, 0, len(q.S.off.changes))
		now := browser.Instant(time.Now())
		for _, c := range q.S.off.changes {
			items = append(items, part.Change(c, now))
		}
		return tag.Div().OnClick(q.click).Body(
			tag.Box("ul", "unsents", items...),
			part.If(len(items) == 0, func() app.UI { return tag.Words("p", "", text.QueueNone) }),
		)
	})
}

// readThen reads a memory that no row of is here, and goes on with it.
func (s *Session) readThen(id int64, then func(api.Memory)) {
	var m api.Memory
	path := api.MemoryPath(id)
	s.async(path, func(ctx context.Context) error { return s.api.Get(ctx, path, &m) }, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		then(m)
	})
}

// discard throws a change away, with a way back for a moment.
func (s *Session) discard(c state.Change) {
	browser.Kept(func(string, bool) { s.readQueue() }, "drop", c.ID)
	s.say(text.Dropped, func() {
		c.State, c.Problem, c.Current = "", "", nil
		s.enqueue(c, true, func(err error) {
			if err != nil && !waits(err) {
				s.fail(err)
			}
		})
	})
}

// reopen puts what a change would have saved into its form, where it can be mended and
// is compared with what the server has. It is not sent before, and leaves the queue when
// the form is done.
func (s *Session) reopen(c state.Change) {
	if c.State == state.ChangeWaiting {
		browser.Kept(func(held string, ok bool) {
			s.do(func() {
				if !ok || held == "" {
					s.say(text.SentMeanwhile, nil)
					return
				}
				c.State = state.ChangeHeld
				s.reopen(c)
			})
		}, "hold", c.ID)
		return
	}
	form := formNew
	var m api.Memory
	if c.Action == state.ActAdd {
		var ok bool
		if m, ok = c.Added(); !ok {
			return
		}
		if kept, at := keptDraft(formNew); at > 0 && kept.Change != c.ID {
			s.release(c.ID)
			s.compose()
			s.say(text.FinishFirst, nil)
			return
		}
	} else {
		id := c.Memories[0]
		if c.Current != nil {
			m = *c.Current
		} else if row, ok := s.rowOf(id); ok {
			m = row
		} else {
			s.readThen(id, func(now api.Memory) { c.Current = &now; s.reopen(c) })
			return
		}
		if m.Status != api.StatusActive {
			s.say(text.RestoreFirst, nil)
			return
		}
		m = c.Patched(m)
		m.Revision = c.Revision
		form = editFormOf(id)
	}
	d := draftOf(m)
	d.Change = c.ID
	keepDraft(form, d)
	if s.detail != nil && form == editFormOf(s.detail.ID) {
		s.detail.editing = false
	}
	s.openForm(form)
}

// rowOf is a memory that is on the screen.
func (s *Session) rowOf(id int64) (m api.Memory, ok bool) {
	if s.detail != nil && s.detail.row != nil && s.detail.row.Memory.ID == id {
		return s.detail.row.Memory, true
	}
	if s.list != nil {
		row, _, found := s.list.window.Find(id)
		return row.Memory, found
	}
	return m, false
}

// sketched tells whether only the row of the memory is here.
func (d *Detail) sketched() bool { return len(d.row.History.Points) == 0 && len(d.row.Events) == 0 }

// unsentFirst goes on with a sign-out: what is not sent goes with it, so that is asked first.
func (s *Session) unsentFirst(then func()) {
	n := len(s.off.changes)
	if n == 0 {
		then()
		return
	}
	s.confirm(text.SignOutTitle, []string{text.Undelivered(n), text.SignOutBody}, text.SignOutAction, then)
}

// leavingKey is set while a session is still to be ended on the server, by somebody who
// has left without it. It names nobody.
const leavingKey = "elowen.leaving"

// signOut ends the session, and forgets the person here. Where the server doesn't answer
// this browser is wiped alone, if that is wanted; the session ends as soon as the server
// is here again, before anything else is asked of it.
func (s *Session) signOut() {
	s.send(sync.Write{Method: "POST", Path: api.PathLogout}, func(err error) {
		leave := func() { browser.Leave("/login") }
		switch {
		case err == nil:
			s.end(leave)
		case sync.Lost(err) || fault.Is(err, fault.Unavailable):
			s.confirm(text.SignOutAloneTitle, []string{text.SignOutAloneBody}, text.SignOutAloneAction, func() {
				browser.Local.Set(leavingKey, "1")
				s.end(leave)
			})
		default:
			s.fail(err)
		}
	})
}

// left ends the session that somebody left without the server.
func (s *Session) left(ctx context.Context) error {
	if browser.Local.Get(leavingKey) == "" {
		return nil
	}
	err := s.api.Send(ctx, sync.Write{Method: "POST", Path: api.PathLogout, Key: sync.NewKey()})
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		return err
	}
	browser.Local.Set(leavingKey, "")
	return nil
}

// install is the offer to install the app, where the browser makes one.
func (a *App) install(class string) app.UI {
	return part.If(installable(a.ctx), func() app.UI {
		return part.Button(class, "install", "", part.Icon("download"), tag.Words("span", "", text.Install)).Title(text.InstallNote)
	})
}

// installable tells whether the browser offers to install the app.
func installable(ctx app.Context) bool {
	return browser.In && ctx.Context != nil && ctx.IsAppInstallable()
}
