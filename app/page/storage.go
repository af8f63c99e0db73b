package page

import (
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Storage is the administrator's page of what takes up room.
type Storage struct {
	app.Compo
	S   *Session
	Rev int

	load *loader
	use  *api.Storage
}

// OnMount asks for the figures.
func (p *Storage) OnMount(ctx app.Context) {
	defer browser.Survive("storage")
	reveal(ctx)
	p.load = loading(p.S, api.PathStorage, func(use api.Storage) { p.use = &use })
	p.load.every = time.Minute // it is measured by reading
	if p.S.admin() {
		p.load.now()
	}
}

// OnDismount stops asking.
func (p *Storage) OnDismount() { p.load.stop() }

func nothing(ctx app.Context, _ app.Event) { ctx.PreventUpdate() }

// Render draws the page.
func (p *Storage) Render() app.UI {
	return part.Safe("storage", func() app.UI {
		return settingsFrame(p.S, storagePage, text.StorageHead, text.StorageWhy, nothing, func() []app.UI {
			if p.load == nil {
				return nil
			}
			return []app.UI{p.load.show(p.content)}
		})
	})
}

func (p *Storage) content() app.UI {
	u := p.use
	whole := u.Database + u.Log + u.Backups + u.Aside
	row := func(label string, n int64) app.UI {
		return tag.Box("div", "use",
			tag.Words("span", "use-label", label), part.Meter(float64(n), float64(whole)), tag.Words("span", "num", text.Size(n)))
	}
	rows := []app.UI{row(text.PartMemories, u.Database-u.Words-u.Free), row(text.PartWords, u.Words)}
	if u.Engine == "sqlite" {
		rows = append(rows, row(text.PartFree, u.Free), row(text.PartLog, u.Log))
	}
	rows = append(rows, row(text.PartBackups, u.Backups))
	if u.Aside > 0 {
		rows = append(rows, row(text.PartAside, u.Aside))
	}
	room := ""
	if u.Room != nil {
		room = text.Size(*u.Room) + " " + text.DiskFree
	}
	body := []app.UI{
		tag.Box("div", "line would-stats", tag.Box("div", "stat",
			tag.Words("span", "meta", text.Whole), tag.Words("b", "", text.Size(whole)), tag.Words("span", "meta", room))),
		tag.Box("div", "uses", rows...),
		tag.Words("p", "meta", text.DatabaseFile+": "+choose(u.File != "", u.File, text.Postgres)),
	}
	if u.Engine == "sqlite" {
		body = append(body, part.Section("h-vacuum", text.VacuumHead, nil,
			tag.Words("p", "muted", text.VacuumWhy),
			copyable(p.S.command("admin", "vacuum")),
		))
	}
	return tag.Box("div", "stack page-parts", body...)
}
