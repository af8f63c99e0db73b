package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Backups is the administrator's page of the copies of the store.
type Backups struct {
	app.Compo
	S   *Session
	Rev int

	ctx      app.Context
	load     *loader
	list     *api.Backups
	writing  bool
	checking string // name of the one that is being read back
}

// OnMount asks for the list.
func (p *Backups) OnMount(ctx app.Context) {
	defer browser.Survive("backups")
	p.ctx = ctx
	reveal(ctx)
	p.load = loading(p.S, api.PathBackups, func(list api.Backups) { p.list = &list })
	if p.S.admin() {
		p.load.now()
	}
}

// OnDismount stops asking.
func (p *Backups) OnDismount() { p.load.stop() }

func (p *Backups) click(ctx app.Context, e app.Event) {
	defer browser.Survive("backups")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	s := p.S
	switch act.Do {
	case "backup":
		if p.writing {
			return
		}
		p.writing = true
		s.sendLong(sync.Write{Method: "POST", Path: api.PathBackups}, func(err error) {
			p.writing = false
			p.load.after(err, text.BackedUp)
		})
	case "check":
		if p.checking != "" {
			return
		}
		p.checking = act.Arg
		var b api.Backup
		s.sendLong(sync.Write{Method: "POST", Path: api.BackupPath(act.Arg, "check"), Out: &b}, func(err error) {
			p.checking = ""
			said := text.CheckedWell
			if len(b.Faults) > 0 {
				said = b.Faults[0]
			}
			p.load.after(err, said)
		})
	case "remove":
		name := act.Arg
		s.confirm(text.RemoveBackup, []string{name, text.RemoveBackupWhy}, text.RemoveBackup, func() {
			s.send(sync.Write{Method: "DELETE", Path: api.BackupPath(name)}, func(err error) { p.load.after(err, text.BackupRemoved) })
		})
	}
}

// Render draws the page.
func (p *Backups) Render() app.UI {
	return part.Safe("backups", func() app.UI {
		return settingsFrame(p.S, backupsPage, text.BackupsHead, text.BackupsWhy, p.click, func() []app.UI {
			if p.load == nil {
				return nil
			}
			return []app.UI{p.load.show(p.content)}
		})
	})
}

func (p *Backups) content() app.UI {
	l := p.list
	next := ""
	if l.NextAt != nil {
		next = text.NextBackup(browser.Date(*l.NextAt, browser.FullTime), l.Kept)
	}
	label := text.BackupNow
	if p.writing {
		label = text.BackingUp
	}
	rows := make([]app.UI, len(l.Items))
	for i, b := range l.Items {
		rows[i] = p.row(b)
	}
	example := "FILE"
	if len(l.Items) > 0 {
		example = l.Items[0].Name
	}
	return tag.Box("div", "stack page-parts",
		tag.Box("div", "line",
			part.Button("btn btn-primary", "backup", "", part.Text(label)).Attr("disabled", p.writing || l.Running),
			tag.Span().Class("meta grow").Role("status").Text(choose(l.Running && !p.writing, text.BackupRuns, next)),
		),
		part.If(len(rows) == 0, func() app.UI { return tag.Words("p", "muted", text.NoBackups) }),
		part.If(len(rows) > 0, func() app.UI {
			return tag.Box("table", "table table-cards",
				tag.Box("thead", "", tag.Box("tr", "", tag.Words("th", "", text.BackupName), tag.Words("th", "r", text.BackupSize), tag.Words("th", "", text.BackupState), tag.Box("th", "", tag.Words("span", "sr", text.MoreActions)))),
				tag.Box("tbody", "", rows...),
			)
		}),
		part.Section("h-restore", text.RestoreHead, nil,
			tag.Words("p", "muted", text.RestoreSteps),
			copyable(p.S.command("admin", "restore", l.Directory+"/"+example)),
			tag.Words("p", "meta", text.BackupHoldsAll),
		),
	)
}

func choose(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}

// copyable is a command with a button that copies it.
func copyable(command string) app.UI {
	return tag.Box("p", "code",
		tag.Span().Title(command).Text(command),
		part.Button("btn btn-sm btn-quiet grow-0", "copy-line", command, part.Icon("copy"), part.Text(text.Copy)),
	)
}

func (p *Backups) row(b api.Backup) app.UI {
	kind := text.ByHand
	if b.Daily {
		kind = text.Daily
	}
	state := []app.UI{part.Icon("check"), tag.Words("span", "", text.CheckedAt(text.Ago(p.S.now(), b.CheckedAt)))}
	if len(b.Faults) > 0 {
		state = []app.UI{part.Icon("triangle-alert"), tag.Words("span", "", b.Faults[0])}
	}
	class := "state state-ok"
	if len(b.Faults) > 0 {
		class = "state state-failed"
	}
	check := text.CheckAgain
	if p.checking == b.Name {
		check = text.Checking
	}
	return tag.Box("tr", "",
		tag.Box("td", "cell-wide", tag.Box("p", "", part.Bold(browser.Date(b.WrittenAt, browser.FullTime))), tag.Words("p", "meta", text.Join(kind, b.Name))),
		tag.Td().Class("r num nowrap").DataSet("label", text.BackupSize).Text(text.Size(b.Size)),
		tag.Box("td", "cell-state", tag.Box("span", class, state...)),
		tag.Box("td", "cell-do", tag.Box("span", "line",
			part.Button("btn btn-sm btn-quiet", "check", b.Name, part.Text(check)).Attr("disabled", p.checking != ""),
			tag.A().Class("btn btn-sm btn-quiet").Attr("href", browser.Path(api.BackupPath(b.Name))).Attr("download", b.Name).Body(part.Icon("download"), part.Text(text.Download)),
			part.IconButton("btn btn-sm btn-quiet", "remove", b.Name, text.RemoveEllipsis, "trash-2"),
		)),
	)
}
