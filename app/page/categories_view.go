package page

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Render draws the page: the list, and the form beside it.
func (c *Categories) Render() app.UI {
	return part.Safe("categories", func() app.UI {
		open := "list"
		if c.shown != noForm {
			open = "detail"
		}
		return tag.Div().Class("split split-even").DataSet("open", open).OnClick(c.click).Body(c.shelves(), c.pane())
	})
}

func (c *Categories) shelves() app.UI {
	list, known := c.list()
	items := make([]app.UI, 0, len(list))
	for _, k := range list {
		items = append(items, c.shelf(k))
	}
	body := []app.UI{tag.Box("header", "listhead shelf-head",
		tag.Words("p", "muted grow", text.CategoriesWhy),
		part.Button("btn", "new-category", "", part.Icon("plus"), part.Text(text.AddCategory)),
	)}
	var rest app.UI = tag.Ul().Class("shelves").Aria("label", text.Categories).Body(items...)
	switch {
	case !known && c.S.disconnected():
		rest = c.S.notHere()
	case !known:
		rest = tag.Div().Class("skeleton-rows").Aria("hidden", "true").Body(skeletonRows(0, 0)...)
	case len(list) == 0:
		rest = tag.Box("div", "empty", tag.Words("h2", "", text.NoCategories), tag.Words("p", "", text.NoCategoriesWhy))
	}
	var none app.UI = tag.Span().Hidden(true)
	if o := c.S.overview; o != nil && o.Stats.Uncategorized > 0 {
		r := route{Kind: listPage, Query: api.MemoryQuery{Uncategorized: true}}
		none = tag.Box("p", "shelf-none", part.Banner("warn", "tag",
			part.Text(text.Unfiled(o.Stats.Uncategorized)+" "), part.Link(r.path(), text.SeeThem), part.Text(".")))
	}
	return tag.Section().Class("pane").Aria("label", text.Categories).Body(append(body, tag.Box("div", "scroll", none, rest))...)
}

// shelf is one category in the list.
func (c *Categories) shelf(k api.Category) app.UI {
	r := route{Kind: categoriesPage, ID: k.ID}
	all := route{Kind: listPage, Query: api.MemoryQuery{CategoryID: k.ID}}
	about := tag.Words("p", "meta shelf-about", k.Description)
	if k.Description == "" {
		about = tag.Words("p", "meta shelf-about", text.NoDescription)
	}
	li := tag.Li().Class("shelf").DataSet("cat", k.Color)
	if k.ID == c.shown {
		li = li.Aria("current", "true")
	}
	return li.Body(
		part.ShelfIcon(k.Icon, k.Color),
		tag.Box("div", "shelf-body",
			tag.Box("p", "line shelf-name",
				tag.A().ID(shelfID(k.ID)).Class("shelf-link").Attr("href", browser.Path(r.path())).Attr("dir", "auto").Text(k.Name),
				part.If(k.Default, func() app.UI {
					return tag.Box("span", "tag tag-accent", part.Icon("check"), part.Text(text.DefaultTag))
				}),
				part.If(k.ProjectID != nil, func() app.UI {
					return tag.Box("span", "tag", part.Icon("folder"), part.Text(or(c.S.projectName(*k.ProjectID), text.AnotherProject)))
				}),
			),
			about,
		),
		tag.A().Class("shelf-count num").Attr("href", browser.Path(all.path())).Text(text.Memories(k.Count)),
		part.If(!k.Default, func() app.UI {
			return part.Button("btn btn-sm btn-quiet", "set-default", strconv.FormatInt(k.ID, 10), part.Text(text.MakeDefault)).Aria("label", text.MakeDefaultOf(k.Name))
		}),
		part.If(k.Default, func() app.UI {
			return part.Button("btn btn-sm btn-quiet", "no-default", strconv.FormatInt(k.ID, 10), part.Text(text.ClearDefault)).Aria("label", text.ClearDefaultOf(k.Name))
		}),
	)
}

func (c *Categories) pane() app.UI {
	if c.shown == noForm {
		return tag.Section().Class("pane pane-none").Aria("hidden", "true").Body(
			tag.Box("div", "empty", part.GrowthFaint(), tag.Words("p", "", text.PickCategory)))
	}
	title := text.AddCategory
	if c.shown != newForm {
		title = text.EditCategory
	}
	return tag.Section().Class("pane").Aria("label", title).Body(
		tag.Box("header", "topbar",
			part.IconButton("btn btn-quiet detail-back", "close-category", "", text.BackToCategories, "chevron-left"),
			tag.Words("h2", "", title),
			tag.Span().Class("grow"),
			part.IconButton("btn btn-quiet detail-close", "close-category", "", text.CloseDetail, "x"),
		),
		tag.Box("div", "scroll", c.form()),
	)
}

func (c *Categories) form() app.UI {
	field := func(id, label, help string, input app.UI, name string) app.UI {
		return tag.Box("div", "field",
			tag.Label().Attr("for", id).Text(label),
			input,
			tag.P().ID(id+"-help").Class("meta").Text(help),
			part.If(c.errs[name] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(c.errs[name]) }),
		)
	}
	name := tag.Input().ID("category-name").Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("dir", "auto")
	if c.errs["name"] != "" {
		name = name.Aria("invalid", "true")
	}
	about := tag.Textarea().ID("category-description").Class("input").Attr("rows", 3).Attr("dir", "auto").Attr("spellcheck", "true").
		Aria("describedby", "category-description-help")
	save := text.Save
	if c.saving {
		save = text.Saving
	}
	return tag.Form().Class("detail category-form").Attr("novalidate", "true").OnInput(c.input).OnChange(c.change).OnKeyDown(c.key).OnSubmit(swallowSubmit).Body(
		c.collision(),
		field("category-name", text.CategoryName, text.CategoryNameHelp, name, "name"),
		field("category-description", text.DescriptionField, text.DescriptionHelp, about, "description"),
		c.colors(),
		c.icons(),
		c.project(),
		tag.Box("label", "set-line",
			tag.Input().Class("switch").Attr("type", "checkbox").Role("switch").DataSet("do", "default").Attr("checked", c.typed.def),
			tag.Box("span", "", tag.Words("span", "", text.DefaultField), tag.Words("span", "meta", text.DefaultHelp)),
		),
		part.If(c.problem != "", func() app.UI { return part.Banner("danger", "triangle-alert", part.Text(c.problem)) }),
		tag.Box("p", "line editor-foot",
			part.Button("btn btn-primary", "save-category", "", part.Text(save)).Attr("disabled", c.saving || c.stale != nil),
			part.Button("btn btn-quiet", "close-category", "", part.Text(text.Cancel)),
			tag.Span().Class("grow"),
			part.If(c.shown != newForm, func() app.UI {
				return part.Button("btn btn-danger", "delete-category", "", part.Icon("trash-2"), part.Text(text.DeleteEllipsis))
			}),
		),
	)
}

// project is where the category's memories are recalled. It is there for those who work
// in a project; a shared category stays in its own.
func (c *Categories) project() app.UI {
	at := c.typed.project
	if at == 0 && !c.S.works() {
		return tag.Span().Hidden(true)
	}
	name := text.Everywhere
	if at != 0 {
		name = or(c.S.projectName(at), text.AnotherProject)
	}
	var pick app.UI = part.Button("btn field-pick", "category-project", "", part.Icon("folder"), tag.Words("span", "pick-label", name), part.Icon("chevron-down")).
		ID("category-project").Aria("haspopup", "listbox").Aria("label", text.Field(text.ProjectOf, name)).Aria("describedby", "category-project-h")
	help := text.ProjectOfHelp
	if c.base.Shared {
		pick, help = tag.Box("p", "line", part.Icon("folder"), part.Text(name)), text.ProjectShared
	}
	return tag.Box("div", "field", tag.Span().ID("category-project-l").Class("label").Text(text.ProjectOf), pick,
		tag.P().ID("category-project-h").Class("meta").Text(help))
}

// collision says that somebody else saved the category, with both ways on.
func (c *Categories) collision() app.UI {
	if c.stale == nil {
		return tag.Span().Hidden(true)
	}
	t := c.stale
	return tag.Div().Class("conflict").Role("alert").Body(
		part.Banner("warn", "git-compare", part.Bold(text.CategoryStale), part.Text(" "+text.TextIsKept)),
		tag.Box("p", "conflict-other", part.Text(text.SavedNow+" "), part.Bold(t.Name), part.Text(" "+t.Description)),
		tag.Box("div", "change-head",
			part.Button("btn btn-primary btn-sm", "save-mine", "", part.Text(text.SaveMineAnyway)),
			part.Button("btn btn-sm", "keep-theirs", "", part.Text(text.KeepTheirs)),
		),
	)
}

// colors are the ten colours, by their names.
func (c *Categories) colors() app.UI {
	var items []app.UI
	for n, name := range text.Colors {
		items = append(items, tag.Label().Class("swatch").DataSet("cat", n+1).Title(name).Body(
			tag.Input().Class("swatch-input").Attr("type", "radio").Attr("name", "category-color").DataSet("do", "color").DataSet("arg", n+1).
				Attr("checked", c.typed.color == n+1).Aria("label", name),
			part.CategoryRings(n+1),
		))
	}
	return tag.Box("fieldset", "field", tag.Words("legend", "", text.ColorField), tag.Box("div", "swatch-row", items...))
}

// icons are the icons that a category may have, and none.
func (c *Categories) icons() app.UI {
	item := func(icon, name string, picture app.UI) app.UI {
		return tag.Label().Class("swatch").Title(name).Body(
			tag.Input().Class("swatch-input").Attr("type", "radio").Attr("name", "category-icon").DataSet("do", "icon").DataSet("arg", icon).
				Attr("checked", c.typed.icon == icon).Aria("label", name),
			picture,
		)
	}
	items := []app.UI{item("", text.NoIcon, part.CategoryRings(c.typed.color))}
	for _, name := range part.ShelfIcons {
		items = append(items, item(name, text.IconName(name), part.Icon(name)))
	}
	return tag.FieldSet().Class("field").DataSet("cat", c.typed.color).Body(tag.Words("legend", "", text.IconField), tag.Box("div", "swatch-row swatch-icons", items...))
}
