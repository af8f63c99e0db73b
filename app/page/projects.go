package page

import (
	"context"
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Projects is the settings page of projects: their folders, who works in them, and
// whether they share memories. The list comes live; only administrators change it.
type Projects struct {
	app.Compo
	S   *Session
	Rev int

	ctx     app.Context
	open    int64 // the project that is unfolded
	members []api.ProjectMember
	seen    int64 // the revision that members are of
	errs    map[string]string
	filled  map[string]string // what the fields were filled with: what differs is typed
}

// OnMount begins.
func (p *Projects) OnMount(ctx app.Context) {
	defer browser.Survive("projects")
	p.ctx = ctx
	reveal(ctx)
}

// OnUpdate reads the members again where the project is another one than it was.
func (p *Projects) OnUpdate(app.Context) {
	defer browser.Survive("projects")
	if x, ok := p.project(p.open); ok && x.Revision != p.seen {
		p.read(x)
	}
}

func (p *Projects) project(id int64) (api.Project, bool) {
	for _, x := range p.S.projects {
		if x.ID == id {
			return x, true
		}
	}
	return api.Project{}, false
}

func (p *Projects) read(x api.Project) {
	p.seen = x.Revision
	var out api.ProjectMembers
	path := api.ProjectPath(x.ID, "members")
	p.S.async(path, func(ctx context.Context) error { return p.S.api.Get(ctx, path, &out) }, func(err error) {
		if err == nil && p.open == x.ID {
			p.members = out.Items
			p.fill("pro-title", x.Name)
			p.fill("pro-about", x.Description)
			p.fill("pro-roots", strings.Join(x.Roots, "\n"))
			p.fill("pro-aliases", strings.Join(x.Aliases, "\n"))
		}
		p.ctx.Update()
	})
}

// fill brings a field up to date, unless something else was typed into it.
func (p *Projects) fill(id, v string) {
	if was, there := p.filled[id]; there && value(id) != was {
		return
	}
	browser.SetValue(browser.ByID(id), v)
	p.filled[id] = v
}

// lines are those of a field, without empty ones.
func lines(id string) []string {
	list := []string{}
	for _, line := range strings.Split(value(id), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// send makes a change, and says what was done.
func (p *Projects) send(method, path string, body any, said string) {
	p.S.send(sync.Write{Method: method, Path: path, Body: body}, func(err error) {
		if err != nil {
			p.S.fail(err)
			return
		}
		p.seen = 0 // the members may be others
		p.S.say(said, nil)
	})
}

func (p *Projects) click(ctx app.Context, e app.Event) {
	defer browser.Survive("projects")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	x, _ := p.project(p.open)
	path := api.ProjectPath(x.ID)
	switch act.Do {
	case "project":
		p.members, p.filled = nil, map[string]string{}
		if p.open == act.ID() {
			p.open = 0
			return
		}
		p.open = act.ID()
		if now, ok := p.project(p.open); ok {
			p.read(now)
		}
	case "project-add":
		if name := strings.TrimSpace(value("pro-name")); name != "" {
			browser.SetValue(browser.ByID("pro-name"), "")
			p.send("POST", api.PathProjects, api.ProjectAdd{Name: name}, text.ProjectAdded)
		}
	case "project-save":
		p.save(x)
	case "project-share":
		p.send("PATCH", path, api.ProjectPatch{Sharing: api.Ptr(!x.Sharing)}, text.ProjectSaved)
	case "project-delete":
		p.S.confirm(text.DeleteProject, []string{x.Name, text.DeleteProjectWhy}, text.DeleteProject, func() { p.send("DELETE", path, nil, text.ProjectGone) })
	case "member-add":
		if name := strings.TrimSpace(value("pro-member")); name != "" {
			browser.SetValue(browser.ByID("pro-member"), "")
			p.send("POST", path+"/members", api.ProjectMemberSet{Name: name}, text.ProjectSaved)
		}
	case "member-named":
		for _, m := range p.members {
			if m.Name == act.Arg {
				p.send("POST", path+"/members", api.ProjectMemberSet{Name: m.Name, Named: api.Ptr(!m.Named)}, text.ProjectSaved)
			}
		}
	case "member-drop":
		p.send("DELETE", api.MemberPath(x.ID, act.Arg), nil, text.ProjectSaved)
	}
}

// save saves what is typed about a project.
func (p *Projects) save(x api.Project) {
	name, about, roots, aliases := strings.TrimSpace(value("pro-title")), strings.TrimSpace(value("pro-about")), lines("pro-roots"), lines("pro-aliases")
	patch := api.ProjectPatch{Description: &about, Roots: &roots, Aliases: &aliases}
	if name != "" {
		patch.Name = &name
	}
	p.errs = map[string]string{}
	p.S.send(sync.Write{Method: "PATCH", Path: api.ProjectPath(x.ID), Body: patch}, func(err error) {
		defer p.ctx.Update()
		if err != nil {
			p.S.failForm(err, p.errs)
			return
		}
		p.seen, p.filled = 0, map[string]string{}
		p.S.say(text.ProjectSaved, nil)
	})
}

// wrong is what is wrong with a field, or with a line of it.
func (p *Projects) wrong(name string) string {
	for field, message := range p.errs {
		if field == name || strings.HasPrefix(field, name+"[") || strings.HasPrefix(field, name+".") {
			return message
		}
	}
	return ""
}

// Render draws the page.
func (p *Projects) Render() app.UI {
	return part.Safe("projects", func() app.UI {
		return settingsFrame(p.S, projectsPage, text.Projects, text.ProjectsWhy, p.click, func() []app.UI {
			items := make([]app.UI, 0, len(p.S.projects))
			for _, x := range p.S.projects {
				items = append(items, p.item(x))
			}
			if len(items) == 0 {
				items = append(items, tag.Words("li", "muted", text.NoProjects))
			}
			return []app.UI{
				part.Items(items...),
				tag.Form().Class("form-row").OnSubmit(swallowSubmit).Attr("novalidate", "true").Body(
					field("pro-name", text.ProjectName, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off"), ""),
					part.Button("btn", "project-add", "", part.Text(text.AddProject)).Attr("type", "submit"))}
		})
	})
}

func (p *Projects) item(x api.Project) app.UI {
	open := p.open == x.ID
	state := text.NotShared
	if x.Sharing {
		state = text.SharesPool
	}
	return tag.Box("li", "item provider", part.Icon("folder"), tag.Box("div", "grow stack",
		tag.Box("p", "line", part.Bold(x.Name), tag.Words("span", "meta", text.Join(x.Slug, state)),
			part.Button("btn btn-sm end", "project", strconv.FormatInt(x.ID, 10), part.Text(text.ChangeEllipsis)).Aria("expanded", choose(open, "true", "false")).Aria("label", text.Field(text.ChangeEllipsis, x.Name))),
		part.If(!open && x.Description != "", func() app.UI { return tag.Words("p", "", x.Description) }),
		part.If(!open && len(x.Roots)+len(x.Aliases) > 0, func() app.UI {
			return tag.Words("p", "meta", text.Join(append(x.Roots[:len(x.Roots):len(x.Roots)], x.Aliases...)...))
		}),
		part.If(open, func() app.UI { return p.unfolded(x) })))
}

func (p *Projects) unfolded(x api.Project) app.UI {
	rows := make([]app.UI, 0, len(p.members))
	for _, m := range p.members {
		rows = append(rows, tag.Box("li", "line", part.Icon("user"), tag.Words("span", "", or(m.DisplayName, m.Name)),
			part.Button("btn btn-sm btn-quiet end", "member-named", m.Name, part.Text(text.NamedForPool)).Aria("pressed", choose(m.Named, "true", "false")),
			part.IconButton("btn btn-sm btn-quiet", "member-drop", m.Name, text.RemoveIt+" "+m.Name, "x")))
	}
	return tag.Box("div", "stack project-open",
		field("pro-title", text.CategoryName, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("dir", "auto"), p.wrong("name")),
		field("pro-about", text.ProjectAbout, tag.Textarea().Class("input").Attr("rows", "2").Attr("dir", "auto"), p.wrong("description")),
		field("pro-roots", text.RootsField, tag.Textarea().Class("input").Attr("rows", "3").Attr("spellcheck", "false"), p.wrong("roots")),
		field("pro-aliases", text.AliasesField, tag.Textarea().Class("input").Attr("rows", "2").Attr("spellcheck", "false"), p.wrong("aliases")),
		tag.Words("p", "meta", text.AliasesWhy),
		tag.Box("p", "line", part.Button("btn btn-sm btn-primary", "project-save", "", part.Text(text.Save)),
			part.Button("btn btn-sm", "project-share", "", part.Text(choose(x.Sharing, text.StopSharing, text.StartSharing))),
			part.Button("btn btn-sm btn-danger", "project-delete", "", part.Text(text.DeleteProject+"…"))),
		tag.Words("p", "meta", text.SharingWhy),
		tag.Box("ul", "stack", rows...),
		tag.Form().Class("form-row").OnSubmit(swallowSubmit).Body(
			field("pro-member", text.MemberField, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "off").Attr("autocapitalize", "off"), ""),
			part.Button("btn", "member-add", "", part.Text(text.AddMember)).Attr("type", "submit")))
}
