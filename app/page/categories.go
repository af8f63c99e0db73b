package page

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"elowen/app/browser"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Categories is the page of the categories: the list of them, and the form of the
// one that is open or being made.
type Categories struct {
	app.Compo
	S       *Session
	Rev     int
	Open    int64
	Compose bool

	ctx     app.Context
	shown   int64        // the category that the form was begun with; −1: a new one
	base    api.Category // as it was then
	typed   categoryForm
	stale   *api.Category // somebody else saved this meanwhile
	problem string
	errs    map[string]string
	saving  bool
	intent  sync.Intention
}

// categoryForm is what is typed and chosen.
type categoryForm struct {
	name, description string
	color             int // 0: the server chooses the least used one
	icon              string
	def               bool
	project           int64 // recalled in that one only; 0: everywhere
}

// shelfForm is the form of a category as it is saved.
func shelfForm(k api.Category) categoryForm {
	f := categoryForm{k.Name, k.Description, k.Color, k.Icon, k.Default, 0}
	if k.ProjectID != nil {
		f.project = *k.ProjectID
	}
	return f
}

// noForm is what shown is while nothing is open.
const noForm = 0

// newForm is what shown is while a new category is being made.
const newForm = -1

// OnMount opens the form of the address.
func (c *Categories) OnMount(ctx app.Context) {
	defer browser.Survive("categories")
	c.ctx = ctx
	c.S.shelves = c
	c.follow()
}

// OnDismount lets the keys go.
func (c *Categories) OnDismount() {
	if c.S.shelves == c {
		c.S.shelves = nil
	}
}

// OnUpdate follows the address, and what others change.
func (c *Categories) OnUpdate(app.Context) {
	defer browser.Survive("categories")
	if c.ctx.Context != nil {
		c.follow()
	}
}

// list are the account's categories; ok tells whether they are known.
func (c *Categories) list() (list []api.Category, ok bool) {
	if c.S.overview == nil {
		return nil, false
	}
	return c.S.overview.Categories, true
}

func (c *Categories) find(id int64) (api.Category, bool) {
	list, _ := c.list()
	for _, k := range list {
		if k.ID == id {
			return k, true
		}
	}
	return api.Category{}, false
}

// follow begins the form that the address asks for, and brings one in which nothing
// was typed up to date.
func (c *Categories) follow() {
	want := c.Open
	if c.Compose {
		want = newForm
	}
	now, known := c.find(want)
	switch {
	case want != c.shown && (want <= 0 || known):
		c.begin(want, now)
	case known && now.Revision > c.base.Revision && !c.saving:
		if c.dirty() {
			c.stale = &now
		} else {
			c.begin(want, now)
		}
	case known && now.Default != c.base.Default && c.typed.def == c.base.Default:
		c.base.Default, c.typed.def = now.Default, now.Default
	}
}

// begin fills the form.
func (c *Categories) begin(id int64, k api.Category) {
	was, other := c.shown, c.shown != id
	c.shown, c.base, c.stale, c.problem, c.errs = id, k, nil, "", nil
	c.typed = shelfForm(k)
	if id == noForm {
		c.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID(shelfID(was))) })
		return
	}
	c.ctx.Defer(func(app.Context) {
		name := browser.ByID("category-name")
		browser.SetValue(name, c.typed.name)
		browser.SetValue(browser.ByID("category-description"), c.typed.description)
		if id == newForm || other && !c.S.narrow() {
			browser.Focus(name)
		}
	})
	c.ctx.Update()
}

func (c *Categories) dirty() bool {
	return c.typed != shelfForm(c.base)
}

func (c *Categories) input(ctx app.Context, e app.Event) {
	defer browser.Survive("categories")
	field := e.Get("target")
	value, _ := browser.Value(field)
	id := field.Get("id")
	switch {
	case !id.Truthy():
	case id.String() == "category-name":
		c.typed.name = value
		delete(c.errs, "name")
		c.bound("name", strings.TrimSpace(value))
	case id.String() == "category-description":
		c.typed.description = value
		delete(c.errs, "description")
	}
}

func (c *Categories) change(ctx app.Context, e app.Event) {
	defer browser.Survive("categories")
	act, ok := browser.Acted(e)
	if !ok {
		return
	}
	switch act.Do {
	case "color":
		c.typed.color, _ = strconv.Atoi(act.Arg)
	case "icon":
		c.typed.icon = act.Arg
	case "default":
		c.typed.def = browser.Checked(act.Element)
	}
}

func (c *Categories) click(ctx app.Context, e app.Event) {
	defer browser.Survive("categories")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	s := c.S
	switch act.Do {
	case "save-category":
		c.save(c.base.Revision)
	case "save-mine":
		c.save(c.stale.Revision)
	case "keep-theirs":
		c.begin(c.shown, *c.stale)
	case "close-category":
		s.visit(route{Kind: categoriesPage})
	case "new-category":
		s.visit(route{Kind: categoriesPage, Compose: true})
	case "delete-category":
		c.remove(c.base)
	case "category-project":
		s.chooseProject(act.Element, c.typed.project, func(id int64) { c.typed.project = id; c.ctx.Update() })
		s.changed()
	case "set-default":
		c.setDefault(act.ID(), true)
	case "no-default":
		c.setDefault(act.ID(), false)
	default:
		ctx.PreventUpdate()
	}
}

func (c *Categories) key(ctx app.Context, e app.Event) {
	defer browser.Survive("categories")
	switch key := browser.Key(e); {
	case key == "Enter" && (browser.Flag(e, "ctrlKey") || browser.Flag(e, "metaKey") || browser.Typing(e) && e.Get("target").Get("id").String() == "category-name"):
		e.PreventDefault()
		e.Call("stopPropagation")
		c.save(c.base.Revision)
	case key == "Escape":
		e.PreventDefault()
		e.Call("stopPropagation")
		c.S.visit(route{Kind: categoriesPage})
	default:
		ctx.PreventUpdate()
	}
}

// step moves the focus through the list, or closes the form.
func (c *Categories) step(key string) {
	by := 1
	switch key {
	case "k":
		by = -1
	case "Escape":
		c.S.visit(route{Kind: categoriesPage})
		return
	}
	list, _ := c.list()
	at := -1
	active := browser.Active()
	for i, k := range list {
		if active.Truthy() && active.Equal(browser.ByID(shelfID(k.ID))) {
			at = i
		}
	}
	if at < 0 && by < 0 {
		at = 1
	}
	if at += by; at >= 0 && at < len(list) {
		browser.Focus(browser.ByID(shelfID(list[at].ID)))
	}
}

func shelfID(id int64) string { return "shelf-" + strconv.FormatInt(id, 10) }

// save sends the form, against the revision that its writer has seen.
func (c *Categories) save(seen int64) {
	c.errs, c.problem = map[string]string{}, ""
	name := strings.TrimSpace(c.typed.name)
	if name == "" {
		c.errs["name"] = text.NameMissing
	}
	c.bound("name", name)
	c.bound("description", strings.TrimSpace(c.typed.description))
	if c.errs["name"] != "" {
		browser.Focus(browser.ByID("category-name"))
	}
	if c.saving || len(c.errs) > 0 {
		return
	}
	c.saving = true
	var out api.Category
	w := c.write(seen)
	w.Out = &out
	w.Key = c.intent.Key(w.Path, w.Body)
	was, fresh := c.base, c.shown == newForm
	c.S.send(w, func(err error) {
		c.saving = false
		defer c.ctx.Update()
		if theirs, stale := sync.Current[api.Category](err); stale {
			c.intent.Done()
			c.stale = &theirs
			return
		}
		if err != nil {
			c.problem = words(err)
			return
		}
		c.intent.Done()
		if fresh {
			c.S.know(out)
			c.S.say(text.CategoryMade(out.Name), func() { c.discard(out.ID) })
		} else if out.Revision > was.Revision || out.Default != was.Default {
			c.S.say(text.CategorySaved(out.Name), func() { c.putBack(was, out.Revision) })
		}
		c.base = out
		c.typed = shelfForm(out)
		c.S.visit(route{Kind: categoriesPage})
	})
}

// bound refuses a field that is longer than it may be; nothing of it is cut.
func (c *Categories) bound(field, typed string) {
	if c.errs == nil {
		c.errs = map[string]string{}
	}
	if most := setting.Get("category." + field); float64(utf8.RuneCountInString(typed)) > most.Max {
		c.errs[field] = text.TooLong(int(most.Max))
	}
}

// write is the request that the form stands for: only what was changed is named.
func (c *Categories) write(seen int64) sync.Write {
	t := c.typed
	t.name, t.description = strings.TrimSpace(t.name), strings.TrimSpace(t.description)
	if c.shown == newForm {
		return sync.Write{Method: "POST", Path: api.PathCategories, Body: api.CategoryAdd{Name: t.name, Description: t.description, Color: t.color, Icon: t.icon, Default: t.def, ProjectID: t.project}}
	}
	var p api.CategoryPatch
	b := c.base
	if t.name != b.Name {
		p.Name = &t.name
	}
	if t.description != b.Description {
		p.Description = &t.description
	}
	if t.color != b.Color {
		p.Color = &t.color
	}
	if t.icon != b.Icon {
		p.Icon = &t.icon
	}
	if t.def != b.Default {
		p.Default = &t.def
	}
	if was := shelfForm(b).project; t.project != was {
		p.ProjectID = projectChoice(t.project)
	}
	return sync.Write{Method: "PATCH", Path: api.CategoryPath(b.ID), Body: p, IfMatch: seen}
}

// projectChoice binds a category to a project, or to none.
func projectChoice(id int64) api.Optional[int64] {
	if id == 0 {
		return api.Null[int64]()
	}
	return api.Some(id)
}

// patch sends a change of a category, and goes on after it.
func (s *Session) patchCategory(id, seen int64, p api.CategoryPatch, then func(api.Category)) {
	var out api.Category
	s.send(sync.Write{Method: "PATCH", Path: api.CategoryPath(id), Body: p, IfMatch: seen, Out: &out}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		then(out)
	})
}

func (c *Categories) setDefault(id int64, on bool) {
	s := c.S
	before := int64(0)
	list, _ := c.list()
	for _, k := range list {
		if k.Default {
			before = k.ID
		}
	}
	s.patchCategory(id, 0, api.CategoryPatch{Default: &on}, func(k api.Category) {
		said := text.NoDefaultNow
		if on {
			said = text.DefaultNow(k.Name)
		}
		s.say(said, func() {
			back := func(api.Category) { s.say(text.Undone, nil) }
			if on && before > 0 {
				s.patchCategory(before, 0, api.CategoryPatch{Default: api.Ptr(true)}, back)
			} else {
				s.patchCategory(id, 0, api.CategoryPatch{Default: api.Ptr(!on)}, back)
			}
		})
	})
}

// putBack gives a category what it had before it was saved.
func (c *Categories) putBack(was api.Category, revision int64) {
	p := api.CategoryPatch{Name: &was.Name, Description: &was.Description, Color: &was.Color, Icon: &was.Icon, Default: &was.Default}
	if !was.Shared {
		p.ProjectID = projectChoice(shelfForm(was).project)
	}
	c.S.patchCategory(was.ID, revision, p, func(api.Category) { c.S.say(text.Undone, nil) })
}

// discard takes back that a category was made.
func (c *Categories) discard(id int64) {
	s := c.S
	s.send(sync.Write{Method: "DELETE", Path: api.CategoryPath(id)}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		s.say(text.Undone, nil)
	})
}

// remove asks and deletes a category. It can be made again, with its memories in it.
func (c *Categories) remove(k api.Category) {
	s := c.S
	s.confirm(text.DeleteCategoryTitle(k.Name), text.DeleteCategoryBody(k.Count, k.Default), text.DeleteCategory, func() {
		var done api.BulkDone
		s.send(sync.Write{Method: "DELETE", Path: api.CategoryPath(k.ID), Out: &done}, func(err error) {
			if err != nil {
				s.fail(err)
				return
			}
			s.visit(route{Kind: categoriesPage})
			s.say(text.CategoryDeleted(k.Name, done.Changed), func() { s.remake(k, done.Undo) })
		})
	})
}

// remake makes a category anew that was deleted, and files its memories there again.
func (s *Session) remake(k api.Category, change int64) {
	var made api.Category
	add := api.CategoryAdd{Name: k.Name, Description: k.Description, Color: k.Color, Icon: k.Icon, Default: k.Default, ProjectID: shelfForm(k).project, Shared: k.Shared}
	s.send(sync.Write{Method: "POST", Path: api.PathCategories, Body: add, Out: &made}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		s.know(made)
		if change == 0 {
			s.say(text.Undone, nil)
			return
		}
		var done api.BulkDone
		s.sendMany(sync.Write{Method: "POST", Path: api.PathUndo, Body: api.MemoryUndo{Change: change, CategoryID: made.ID}, Out: &done}, func(err error) {
			if err != nil {
				s.fail(err)
				return
			}
			s.say(text.PutBackMany(done.Changed), nil)
		})
	})
}
