package page

import (
	"context"
	"strconv"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// viewKey is where it is kept how texts are shown.
const viewKey = "elowen.textView"

// rangeKey is where the chosen range of the chart is kept.
const rangeKey = "elowen.chartDays"

// Detail is one memory: its text, fields, chart, history and what resembles it.
type Detail struct {
	app.Compo
	S   *Session
	Rev int
	ID  int64

	ctx     app.Context
	gen     int
	watch   *sync.Watch[live.DetailRow]
	row     *live.DetailRow
	problem string
	why     string // more about the problem
	slow    bool
	days    int
	plain   bool     // shows the text as it was written, not what its Markdown means
	whole   int64    // the memory whose long text is shown as a whole
	fits    [2]int64 // the memory, and its revision, whose long text needs no folding

	editing bool
	older   []api.Event // beyond the first page
	cursor  string
	oldDone bool
	loading bool
	intent  sync.Intention
}

// OnMount asks for the memory.
func (d *Detail) OnMount(ctx app.Context) {
	defer browser.Survive("detail")
	d.ctx = ctx
	d.days = 90
	if n, err := strconv.Atoi(browser.Local.Get(rangeKey)); err == nil && (n == 30 || n == 365) {
		d.days = n
	}
	d.plain = browser.Local.Get(viewKey) == text.AsText
	d.S.detail = d
	d.load()
}

// OnUpdate follows the address.
func (d *Detail) OnUpdate(ctx app.Context) {
	defer browser.Survive("detail")
	if d.ctx.Context == nil {
		return
	}
	if d.watch == nil || d.watch.Request().Memory != d.ID {
		d.load()
	}
	d.startEdit()
	ctx.Defer(func(app.Context) { d.short() })
}

// OnDismount ends the subscription.
func (d *Detail) OnDismount() {
	defer browser.Survive("detail")
	d.gen++
	if d.watch != nil {
		d.watch.Close()
	}
	if d.S.detail == d {
		d.S.detail = nil
	}
}

// load asks for the memory of the address. The one that was shown stays until the
// answer comes, so that walking down the list doesn't flicker.
func (d *Detail) load() {
	if d.watch != nil {
		d.watch.Close()
	}
	d.gen++
	gen, id := d.gen, d.ID
	if d.row != nil && d.row.Memory.ID != id {
		d.editing, d.older, d.cursor, d.oldDone = false, nil, "", false
	}
	d.problem = ""
	d.watch = sync.Subscribe(d.S.client, live.Request{View: live.ViewMemory, Memory: id, Days: d.days}, func(e sync.Event[live.DetailRow]) {
		d.ctx.Dispatch(func(ctx app.Context) {
			defer browser.Survive("detail")
			if gen == d.gen {
				d.event(e)
			}
		})
	})
	d.ctx.After(250*time.Millisecond, func(app.Context) {
		d.slow = gen == d.gen && (d.row == nil || d.row.Memory.ID != id)
	})
}

func (d *Detail) event(e sync.Event[live.DetailRow]) {
	d.slow = false
	switch {
	case e.Outcome == state.Refused:
		d.row, d.problem, d.why = nil, text.NoSuchMemory, text.GoneWhy
		if e.Problem != nil && e.Problem.Code == notKept {
			d.why = text.NotKeptWhy
		}
		if e.Problem != nil && e.Problem.Code != "not_found" {
			d.problem = e.Problem.Detail
		}
		return
	case len(e.After.Rows) == 0:
		d.row, d.problem, d.why = nil, text.GoneMemory, text.GoneWhy
		return
	}
	changed := d.row == nil || d.row.Memory.ID != d.ID
	row := e.After.Rows[0]
	d.row, d.problem = &row, ""
	d.S.tell(e.After.AsOf, e.After.Kept)
	if changed {
		if scroller := browser.ByID("detail-scroll"); scroller.Truthy() {
			scroller.Set("scrollTop", 0)
			if d.S.narrow() {
				browser.Focus(scroller) // the page that was under it is gone
			}
		}
		d.older, d.cursor, d.oldDone = nil, "", false
		if l := d.S.list; l != nil {
			l.track()
		}
	}
	d.startEdit()
}

// startEdit opens the form where the list, or what was typed before, asks for it.
func (d *Detail) startEdit() {
	if d.row == nil || d.row.Memory.ID != d.ID || d.editing {
		return
	}
	if d.S.edit == d.ID || browser.DraftOf(editFormOf(d.ID)).Text != "" {
		d.editing = true
	}
	if d.S.edit == d.ID {
		d.S.edit = 0
	}
}

// unfold shows a long text as a whole.
func (d *Detail) unfold() {
	if m, ok := d.memory(); ok {
		d.whole = m.ID
	}
	d.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("detail-text")) }) // where one reads on
}

// metFocus unfolds a text in which the keyboard has come to a link that may be cut off.
func (d *Detail) metFocus(ctx app.Context, _ app.Event) {
	defer browser.Survive("detail")
	if m, ok := d.memory(); ok {
		d.whole = m.ID
	}
	ctx.Defer(func(app.Context) { browser.Reveal(browser.Active()) }) // it went down as the rest came
}

// short leaves a text unfolded that has many bytes and yet no more than fits, such as a line of
// code.
func (d *Detail) short() {
	defer browser.Survive("detail")
	m, ok := d.memory()
	box := browser.Query(browser.Document(), "#detail-text.fold")
	if !ok || !box.Truthy() || d.whole == m.ID {
		return
	}
	if h := browser.Number(box, "clientHeight"); h > 0 && browser.Number(box, "scrollHeight") <= h+1 {
		d.fits = [2]int64{m.ID, m.Revision}
		d.ctx.Update()
	}
}

// memory is the memory that is shown.
func (d *Detail) memory() (api.Memory, bool) {
	if d.row == nil {
		return api.Memory{}, false
	}
	m, _ := d.S.overlay(d.row.Memory)
	return m, true
}

func (d *Detail) click(ctx app.Context, e app.Event) {
	defer browser.Survive("detail")
	act, ok := browser.Acted(e)
	m, have := d.memory()
	if !ok {
		ctx.PreventUpdate()
		return
	}
	s := d.S
	switch act.Do {
	case "stray-new":
		s.asNew(editFormOf(d.ID), text.GoneAsNew)
	case "stray-drop":
		s.dropDraft(editFormOf(d.ID))
	case "back":
		s.visit(s.route.close())
	case "range":
		d.setRange(int(act.ID()))
	case "view":
		d.plain, d.fits = act.Arg == text.AsText, [2]int64{}
		browser.Local.Set(viewKey, act.Arg)
	case "whole":
		d.unfold()
	case "fold":
		d.whole = 0
		browser.ByID("detail-scroll").Set("scrollTop", 0)
	case "older":
		d.loadOlder()
	case "edit":
		d.editing = have
	case "edit-category":
		s.pickCategory(act.Element, m.CategoryID, func(id int64) { s.setCategory(one(m), id) })
		s.changed()
	case "edit-importance":
		s.pickImportance(act.Element, m.Importance, func(n int) { s.setImportance(one(m), n) })
		s.changed()
	case "edit-kind":
		s.pickKind(act.Element, m.Kind, func(k string) { s.setKind(one(m), k) })
		s.changed()
	case "trash":
		s.trash(one(m))
	case "restore":
		s.restore(one(m))
	case "purge":
		s.purge(one(m))
	case "more":
		d.more(act.Element, m)
	case "put-back":
		d.putBack(act.ID())
	default:
		ctx.PreventUpdate()
	}
}

func (d *Detail) setRange(days int) {
	d.days = days
	browser.Local.Set(rangeKey, strconv.Itoa(days))
	d.load()
}

func (d *Detail) more(el app.Value, m api.Memory) {
	choices := []part.Choice{
		{Value: "copy", Label: text.CopyText, Icon: "copy"},
		{Value: "link", Label: text.CopyLink, Icon: "link"},
	}
	if m.ReviewedAt == nil {
		choices = append(choices, part.Choice{Value: "review", Label: text.MarkReviewed, Icon: "eye"})
	}
	if m.Status == api.StatusActive {
		choices = append(choices, part.Choice{Value: "trash", Label: text.ToTrash, Icon: "trash-2", Rule: true})
	} else {
		choices = append(choices, part.Choice{Value: "restore", Label: text.Restore, Icon: "archive-restore", Rule: true})
	}
	if m.Status == api.StatusDeleted {
		choices = append(choices, part.Choice{Value: "purge", Label: text.PurgeEllipsis, Icon: "x", Danger: true})
	}
	d.S.menuAt(el, part.MenuSpec{Label: text.MoreActions, Right: true, Choices: choices, Pick: func(v string) { d.do(v, m) }})
	d.S.changed()
}

func (d *Detail) do(what string, m api.Memory) {
	s := d.S
	copied := func(ok bool) {
		s.do(func() {
			if ok {
				s.say(text.Copied, nil)
			} else {
				s.toast(part.Toast{Text: text.CopyFailed, Danger: true})
			}
		})
	}
	switch what {
	case "copy":
		browser.Copy(m.Body, copied)
	case "link":
		browser.Copy(browser.Origin()+"/memory/"+strconv.FormatInt(m.ID, 10), copied)
	case "review":
		s.send(sync.Write{Method: "PATCH", Path: api.MemoryPath(m.ID), Body: api.MemoryPatch{Reviewed: api.Ptr(true)}, IfMatch: m.Revision}, func(err error) {
			if err != nil {
				s.fail(err)
				return
			}
			s.say(text.Reviewed, nil)
		})
	case "trash":
		s.trash(one(m))
	case "restore":
		s.restore(one(m))
	case "purge":
		s.purge(one(m))
	}
}

// putBack makes an earlier text the current one again: a new revision like any
// other, which can be undone the same way.
func (d *Detail) putBack(revision int64) {
	m, ok := d.memory()
	if !ok {
		return
	}
	s := d.S
	body := api.MemoryPatch{Version: &revision}
	path := api.MemoryPath(m.ID)
	var now api.Memory
	s.send(sync.Write{Method: "PATCH", Path: path, Body: body, Out: &now, IfMatch: m.Revision, Key: d.intent.Key(path, body)}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		d.intent.Done()
		s.say(text.PutBack(revision), func() {
			back := m.Body
			s.send(sync.Write{Method: "PATCH", Path: path, Body: api.MemoryPatch{Body: &back}, IfMatch: now.Revision}, func(err error) {
				if err != nil {
					s.fail(err)
				}
			})
		})
	})
}

// loadOlder fetches the changes before those that the live row holds.
func (d *Detail) loadOlder() {
	if d.loading || d.row == nil {
		return
	}
	d.loading = true
	id, cursor := d.ID, d.cursor
	path := api.MemoryPath(id, "events") + "?limit=100"
	if cursor != "" {
		path += "&cursor=" + cursor
	}
	var page api.Page[api.Event]
	d.S.async(path, func(ctx context.Context) error { return d.S.api.Get(ctx, path, &page) }, func(err error) {
		d.loading = false
		if err != nil {
			d.S.fail(err)
			return
		}
		if d.ID == id {
			d.older = append(d.older, page.Items...)
			d.cursor, d.oldDone = page.NextCursor, page.NextCursor == ""
			d.ctx.Update()
		}
	})
}

// events are all changes that are here, newest first, each once.
func (d *Detail) events() (events []api.Event, more bool) {
	seen := map[int64]bool{}
	for _, list := range [][]api.Event{d.row.Events, d.older} {
		for _, e := range list {
			if !seen[e.ID] {
				seen[e.ID] = true
				events = append(events, e)
			}
		}
	}
	return events, d.row.More && !d.oldDone
}

// key handles the keys of the page that are the detail's.
func (d *Detail) key(e app.Event, key string) bool {
	m, ok := d.memory()
	if !ok || d.editing {
		return false
	}
	switch key {
	case "e":
		d.editing = m.Status == api.StatusActive
	case "#": // of the open one, where no list has a row at hand
		if d.S.list != nil {
			return false
		}
		d.S.trash(one(m))
	default:
		return false
	}
	d.ctx.Update()
	return true
}

// done ends the form.
func (d *Detail) done() {
	d.editing = false
	d.ctx.Update()
}
