package page

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// editorMode is what the form makes.
type editorMode uint8

const (
	newMode editorMode = iota
	editMode
	mergeMode
)

// Editor is the form of a memory: a new one, a changed one, or one made of several.
type Editor struct {
	app.Compo
	S       *Session
	Rev     int
	Mode    editorMode
	Now     *api.Memory  // the memory as the server has it
	Sources []api.Memory // of a merge
	By      string       // who changed it last
	Done    func()

	ctx      app.Context
	base     api.Memory // what the form was begun with
	typed    draft
	kept     int64 // when what stands here was typed, where that was before the form was opened; else 0
	conflict *api.Memory
	errs     map[string]string
	problem  string
	saving   bool
	broken   bool // the field holds what isn't text
	intent   sync.Intention
}

func (f *Editor) id() int64 {
	if f.Mode == editMode && f.Now != nil {
		return f.Now.ID
	}
	return 0
}

// form is under which name what is typed is kept.
func (f *Editor) form() string {
	switch f.Mode {
	case newMode:
		return formNew
	case mergeMode:
		return mergeFormOf(idsOf(f.Sources))
	}
	return editFormOf(f.id())
}

// OnMount begins the form, with what was typed before where there is something.
func (f *Editor) OnMount(ctx app.Context) {
	defer browser.Survive("editor")
	f.ctx = ctx
	f.S.typing = f
	f.begin()
	f.restore()
	f.compare()
	f.fill()
	ctx.Defer(func(app.Context) {
		field := browser.ByID("editor-body")
		if field.Truthy() {
			field.Call("setSelectionRange", len(f.typed.Body), len(f.typed.Body))
		}
		browser.Focus(field)
	})
}

// OnDismount lets what was typed be offered elsewhere.
func (f *Editor) OnDismount() {
	defer browser.Survive("editor")
	if f.S.typing == f {
		f.S.typing = nil
	}
	f.S.readDrafts()
}

// restore shows what was typed before, and tells whether there was something.
func (f *Editor) restore() bool {
	d, at := keptDraft(f.form())
	if at == 0 {
		return false
	}
	f.typed, f.kept = d, at
	return true
}

func (f *Editor) begin() {
	switch f.Mode {
	case editMode:
		f.base = *f.Now
	case mergeMode:
		f.base = merged(f.Sources)
	default:
		f.base = blank(f.S)
	}
	f.typed = draftOf(f.base)
}

// blank is what the form of a new memory begins with.
func blank(s *Session) api.Memory {
	m := api.Memory{Kind: setting.Get("memory.kind").DefaultText, Importance: setting.Int("memory.importance"), Confidence: setting.Get("memory.confidence").Default}
	if s.me != nil {
		m.CategoryID = s.me.DefaultCategoryID
	}
	return m
}

func draftOf(m api.Memory) draft {
	return draft{
		Revision: m.Revision, Body: m.Body, Kind: m.Kind, Importance: m.Importance,
		Confidence: strconv.FormatFloat(m.Confidence, 'f', -1, 64), Category: m.CategoryID,
	}
}

// merged is what a merge begins with: all texts, to be made one of.
func merged(ms []api.Memory) api.Memory {
	var m api.Memory
	bodies := make([]string, len(ms))
	for i, s := range ms {
		bodies[i] = s.Body
		m.Importance = max(m.Importance, s.Importance)
	}
	m.Body = strings.Join(bodies, "\n\n")
	return m
}

// fill puts the typed text into its fields; what a person types there stays theirs.
func (f *Editor) fill() {
	f.ctx.Defer(func(app.Context) {
		browser.SetValue(browser.ByID("editor-body"), f.typed.Body)
		browser.SetValue(browser.ByID("editor-confidence"), f.typed.Confidence)
		browser.SetValue(browser.ByID("editor-importance"), strconv.Itoa(f.typed.Importance))
	})
}

// OnUpdate looks whether somebody else changed the memory meanwhile.
func (f *Editor) OnUpdate(app.Context) {
	defer browser.Survive("editor")
	if f.ctx.Context == nil {
		return
	}
	if !f.dirty() && !f.saving && f.restore() {
		f.fill() // it was typed in a tab that is gone, or in this one before a reload
	}
	f.compare()
}

func (f *Editor) compare() {
	if f.Mode != editMode || f.Now == nil || f.Now.Revision <= f.typed.Revision || f.saving {
		return
	}
	if !f.dirty() {
		f.begin()
		f.fill()
		return
	}
	theirs := *f.Now
	f.conflict = &theirs
}

func (f *Editor) dirty() bool {
	was := draftOf(f.base)
	was.Revision = f.typed.Revision
	return was.Body != f.typed.Body || was.Kind != f.typed.Kind || was.Importance != f.typed.Importance ||
		was.Confidence != f.typed.Confidence || !same(was.Category, f.typed.Category)
}

func same(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// keep remembers the draft.
func (f *Editor) keep() {
	if !f.dirty() {
		browser.SetDraft(f.form(), "")
		return
	}
	keepDraft(f.form(), f.typed)
}

func (f *Editor) forget() {
	browser.SetDraft(f.form(), "")
	if f.Mode != mergeMode {
		f.S.settle(f.id(), f.typed.Change)
	}
}

func (f *Editor) input(ctx app.Context, e app.Event) {
	defer browser.Survive("editor")
	field := e.Get("target")
	value, ok := browser.Value(field)
	switch id := field.Get("id"); {
	case !id.Truthy():
		return
	case id.String() == "editor-body":
		f.typed.Body, f.broken = value, !ok
	case id.String() == "editor-confidence":
		f.typed.Confidence = value
	case id.String() == "editor-importance":
		f.typed.Importance = within(value, 1, 10)
	}
	f.keep()
}

func (f *Editor) click(ctx app.Context, e app.Event) {
	defer browser.Survive("editor")
	act, ok := browser.Acted(e)
	if !ok {
		return
	}
	e.Call("stopPropagation")
	s := f.S
	switch act.Do {
	case "save":
		f.save(f.typed.Revision)
	case "cancel":
		f.cancel()
	case "form-category":
		s.pickCategory(act.Element, f.typed.Category, func(id int64) {
			f.typed.Category = nil
			if id > 0 {
				f.typed.Category = &id
			}
			f.keep()
			f.ctx.Update()
		})
		s.changed()
	case "form-kind":
		s.pickKind(act.Element, f.typed.Kind, func(k string) {
			f.typed.Kind = k
			f.keep()
			f.ctx.Update()
		})
		s.changed()
	case "mine":
		f.save(f.conflict.Revision)
	case "theirs":
		f.conflict = nil
		f.forget()
		f.Done()
	case "both":
		mine, theirs := f.typed.Body, *f.conflict
		f.conflict = nil
		f.base = theirs
		f.typed.Revision = theirs.Revision
		if theirs.Body != mine {
			f.typed.Body = mine + "\n\n" + theirs.Body
		}
		f.keep()
		f.fill()
		f.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("editor-body")) })
	case "restore-mine":
		f.restoreAndSave()
	case "draft-anew":
		f.anew()
	case "reload":
		browser.Reload()
	}
}

// anew throws away what was kept from before, and begins again.
func (f *Editor) anew() {
	f.S.dropDraft(f.form())
	f.kept, f.conflict = 0, nil
	f.begin()
	f.compare()
	f.fill()
	f.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("editor-body")) })
}

// restoreAndSave takes the memory out of the trash, and then saves what was typed on top.
func (f *Editor) restoreAndSave() {
	var now api.Memory
	f.S.restoreOne(f.id(), &now, func() { f.save(now.Revision) })
}

func (f *Editor) key(ctx app.Context, e app.Event) {
	defer browser.Survive("editor")
	switch key := browser.Key(e); {
	case key == "Enter" && (browser.Flag(e, "ctrlKey") || browser.Flag(e, "metaKey")):
		e.PreventDefault()
		e.Call("stopPropagation")
		f.save(f.typed.Revision)
	case key == "Escape":
		e.PreventDefault()
		e.Call("stopPropagation")
		f.cancel()
	default:
		ctx.PreventUpdate()
	}
}

// cancel leaves the form. What was typed can be had back for a moment.
func (f *Editor) cancel() {
	if f.dirty() {
		f.S.release(f.typed.Change)
		f.S.dropDraft(f.form())
	}
	f.Done()
}

// save sends the form, against the revision that its writer has seen.
func (f *Editor) save(seen int64) {
	if f.saving || !f.check() {
		return
	}
	if f.Mode == editMode && f.conflict == nil && !f.dirty() {
		f.forget()
		f.Done()
		return
	}
	f.saving = true
	w, then := f.write(seen)
	w.Key = f.intent.Key(w.Path, w.Body)
	f.S.send(w, func(err error) {
		f.saving = false
		defer f.ctx.Update()
		if theirs, stale := sync.Current[api.Memory](err); stale {
			f.intent.Done()
			f.conflict = &theirs
			return
		}
		if err != nil && !waits(err) {
			f.show(err)
			return
		}
		f.intent.Done()
		f.forget()
		if err != nil {
			f.S.fail(err)
			f.Done()
			return
		}
		then()
	})
}

// check finds what the server would refuse anyway.
func (f *Editor) check() bool {
	f.errs, f.problem = map[string]string{}, ""
	if f.broken {
		f.errs["body"] = text.NotText
	} else if strings.TrimSpace(f.typed.Body) == "" {
		f.errs["body"] = text.BodyEmpty
	} else if n := len(f.typed.Body); float64(n) > setting.Get("memory.body").Max {
		f.errs["body"] = text.BodyLong(n, int(setting.Get("memory.body").Max))
	}
	if _, err := f.confidence(); err != nil && f.Mode != mergeMode {
		f.errs["confidence"] = text.Bounds(setting.Get("memory.confidence").Range())
	}
	f.ctx.Update()
	return len(f.errs) == 0
}

func (f *Editor) confidence() (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(f.typed.Confidence), ",", ".", 1), 64)
	if err != nil || !setting.Get("memory.confidence").Contains(v) {
		return 0, errors.New("not a confidence")
	}
	return v, nil
}

func (f *Editor) show(err error) {
	var e *fault.Error
	if errors.As(err, &e) && len(e.Fields) > 0 {
		for _, field := range e.Fields {
			f.errs[field.Field] = field.Message
		}
		if f.errs["body"] != "" || f.errs["confidence"] != "" {
			return
		}
	}
	f.problem = words(err) + " " + text.TextKept
}

// unmerged says what taking a merge back did, of what it changed.
func unmerged(changed []int64, merged int64) string {
	if slices.Contains(changed, merged) {
		return text.Unmerged(len(changed)-1, true)
	}
	return text.Unmerged(len(changed), false)
}

// write is the request that the form stands for, and what follows its success.
func (f *Editor) write(seen int64) (sync.Write, func()) {
	confidence, _ := f.confidence()
	body := strings.TrimSpace(f.typed.Body)
	s := f.S
	switch f.Mode {
	case mergeMode:
		ids := idsOf(f.Sources)
		out := new(api.MemoryMerged)
		return sync.Write{Method: "POST", Path: api.PathMerge, Body: api.MemoryMerge{IDs: ids, Body: body}, Out: out}, func() {
			s.picked.clear()
			s.say(text.Merged(len(ids)), func() {
				if back := s.takeBackAs(out.Undo, func(done api.BulkDone) string { return unmerged(done.IDs, out.ID) }); back != nil {
					back()
				}
				s.leave(out.ID)
			})
			f.Done()
			s.visit(s.route.open(out.ID))
			s.reveal(out.ID)
		}
	case newMode:
		category := api.Null[int64]()
		if f.typed.Category != nil {
			category = api.Some(*f.typed.Category)
		}
		out := new(api.MemoryAdded)
		add := api.MemoryAdd{Body: body, Kind: f.typed.Kind, Importance: &f.typed.Importance, Confidence: &confidence, CategoryID: category}
		return sync.Write{Method: "POST", Path: api.PathMemory, Body: add, Out: out}, func() {
			if out.Existing {
				s.say(text.AlreadyThere, nil)
			} else {
				s.say(text.Added(len(out.Similar)), func() { s.trash(one(out.Memory)) })
			}
			f.Done()
			s.visit(s.route.open(out.ID))
			s.reveal(out.ID)
		}
	}
	out := new(api.Memory)
	was, patch, path := f.base, f.patch(body, confidence), api.MemoryPath(f.base.ID)
	return sync.Write{Method: "PATCH", Path: path, Body: patch, Out: out, IfMatch: seen}, func() {
		if out.Revision > 0 {
			s.say(text.SavedAs(out.Revision), func() {
				s.send(sync.Write{Method: "PATCH", Path: path, Body: reverse(patch, was), IfMatch: out.Revision}, func(err error) {
					if err != nil {
						s.fail(err)
						return
					}
					s.say(text.PutBackMany(1), nil)
				})
			})
		}
		f.Done()
	}
}

// reverse is the patch that gives a memory again what another patch takes.
func reverse(p api.MemoryPatch, was api.Memory) api.MemoryPatch {
	var back api.MemoryPatch
	if p.Body != nil {
		back.Body = &was.Body
	}
	if p.Kind != nil {
		back.Kind = &was.Kind
	}
	if p.Importance != nil {
		back.Importance = &was.Importance
	}
	if p.Confidence != nil {
		back.Confidence = &was.Confidence
	}
	if p.CategoryID.Set {
		back.CategoryID = api.Optional[int64]{Set: true, Value: was.CategoryID}
	}
	return back
}

// patch names what changed since the form was begun, and nothing else.
func (f *Editor) patch(body string, confidence float64) api.MemoryPatch {
	var p api.MemoryPatch
	if body != f.base.Body {
		p.Body = &body
	}
	if f.typed.Kind != f.base.Kind {
		p.Kind = &f.typed.Kind
	}
	if f.typed.Importance != f.base.Importance {
		p.Importance = api.Ptr(f.typed.Importance)
	}
	if confidence != f.base.Confidence {
		p.Confidence = &confidence
	}
	if !same(f.typed.Category, f.base.CategoryID) {
		p.CategoryID = api.Optional[int64]{Set: true, Value: f.typed.Category}
	}
	return p
}

// reveal shows a memory that the person just made in the list.
func (s *Session) reveal(id int64) {
	if s.list != nil {
		s.list.show(id)
		s.list.ctx.Defer(s.list.settle)
	}
}
