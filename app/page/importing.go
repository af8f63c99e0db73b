package page

import (
	"encoding/json"
	"strings"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Transfer is the page that brings memories in and takes them out. A file goes from
// the disk to the server without passing through the program: once to be looked
// through, and once more to be brought in.
type Transfer struct {
	app.Compo
	S   *Session
	Rev int

	ctx  app.Context
	stop []func()
	over bool // a file is held over the page

	file    app.Value // a form of one or more
	from    string    // the format that the person named; empty: it is found out
	shown   int       // fates
	name    string
	size    int64
	up      *browser.Upload
	dry     bool
	stage   string // empty while the file is on its way
	sent    int64
	step    api.ImportStep
	began   time.Time // of the lines
	rate    int
	report  *api.ImportReport
	problem string
	ended   bool // cancelled by the person
}

// OnMount listens for files that are dropped.
func (p *Transfer) OnMount(ctx app.Context) {
	defer browser.Survive("transfer")
	p.ctx = ctx
	reveal(ctx)
	box := ctx.JSSrc()
	hold := func(over bool) func(e app.Event) {
		return func(e app.Event) {
			e.PreventDefault() // else the browser opens the file
			if p.over != over {
				p.over = over
				p.S.changed()
			}
		}
	}
	p.stop = append(p.stop,
		browser.Listen(box, "dragover", false, hold(true)),
		browser.Listen(box, "dragleave", false, hold(false)),
		browser.Listen(box, "drop", false, func(e app.Event) {
			hold(false)(e)
			p.take(e.Get("dataTransfer"))
		}),
	)
}

// OnDismount ends what is under way: what was written by then stands.
func (p *Transfer) OnDismount() {
	for _, stop := range p.stop {
		stop()
	}
	if p.up != nil {
		p.up.Cancel()
	}
	p.ctx = app.Context{}
}

func (p *Transfer) chosen(ctx app.Context, e app.Event) {
	defer browser.Survive("transfer")
	p.take(e.Get("target"))
	browser.SetValue(e.Get("target"), "") // the same file again is a choice, too
}

// take takes a file over and has it looked through.
func (p *Transfer) take(from app.Value) {
	if p.up != nil {
		return
	}
	file, name, n, size := browser.Files(from)
	if n == 0 {
		return
	}
	p.file, p.name, p.size = file, text.FilesOf(name, n), int64(size)
	p.report, p.problem = nil, ""
	if most := int64(setting.Get("import.file").Max); p.size > most {
		p.file, p.problem = nil, text.TooLargeFile(p.size, most)
		p.S.changed()
		return
	}
	p.send(true)
}

func (p *Transfer) send(dry bool) {
	p.dry, p.stage, p.sent, p.step, p.rate, p.problem, p.ended = dry, "", 0, api.ImportStep{Total: p.size}, 0, "", false
	path := api.PathImport + "?progress=1" + choose(dry, "&dryRun=1", "") + choose(p.from != "", "&from="+p.from, "")
	if !dry && p.report != nil && p.report.Held > 0 { // the person has seen what is refused
		path += "&skip=1"
	}
	p.shown = fatesShown
	up := &browser.Upload{}
	mine := func(f func()) {
		p.S.do(func() {
			if p.up == up && p.ctx.Context != nil {
				f()
			}
		})
	}
	up.Sent = func(done, _ float64) { mine(func() { p.sent = int64(done) }) }
	up.Said = func(all string) { mine(func() { p.read(all) }) }
	up.Done = func(status int, all string) { mine(func() { p.done(status, all) }) }
	p.up = up
	up.Start(path, p.file)
	p.S.changed()
}

// read takes the last whole line of the answer.
func (p *Transfer) read(all string) {
	end := strings.LastIndexByte(all, '\n')
	if end < 0 {
		return
	}
	line := all[strings.LastIndexByte(all[:end], '\n')+1 : end]
	var step api.ImportStep
	if json.Unmarshal([]byte(line), &step) != nil {
		return
	}
	if p.stage == "" {
		p.began = time.Now()
	}
	p.stage, p.step = step.Stage, step
	if took := time.Since(p.began).Seconds(); took > 0.2 {
		p.rate = int(float64(step.Lines) / took)
	}
}

func (p *Transfer) done(status int, all string) {
	p.up = nil
	if status == 200 {
		p.read(all)
	}
	whole := p.dry || p.stage == "" || p.report != nil && p.report.Format != api.FormatJSONL // all or nothing
	switch {
	case p.ended && p.step.Report == nil:
		p.problem = text.Cancelled + choose(whole, text.NothingDone, text.ImportKept)
	case status == 401:
		p.S.signIn()
	case status == 200 && p.step.Report != nil:
		p.report = p.step.Report
		if !p.dry {
			p.S.duesSeen = false // there is something new to say
			browser.Session.Set(duesKey, "")
		}
	case status == 200 && p.step.Problem != nil:
		p.problem = p.step.Problem.Detail
	case status == 0 || status == 200:
		p.problem = text.NoAnswer
	default:
		var f fault.Problem
		p.problem = text.ImportFailed + " (" + text.Number(status) + ")."
		if json.Unmarshal([]byte(all), &f) == nil && f.Detail != "" {
			p.problem = f.Detail
		}
	}
	if p.problem != "" && !whole && !p.ended {
		p.problem += " " + text.ImportKept
	}
}

func (p *Transfer) click(ctx app.Context, e app.Event) {
	defer browser.Survive("transfer")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "choose":
		if field := browser.ByID("import-file"); field.Truthy() {
			field.Call("click")
		}
	case "bring":
		p.send(false)
	case "stop":
		if p.up != nil {
			p.ended = true
			p.up.Cancel()
		}
	case "another":
		p.file, p.report, p.problem, p.from = nil, nil, "", ""
	case "pause":
		p.pause()
	case "more":
		p.shown += fatesShown
	case "format":
		choices := []part.Choice{{Label: text.FormatName(""), Picked: p.from == ""}}
		for _, f := range api.ImportFormats() {
			choices = append(choices, part.Choice{Value: f, Label: text.FormatName(f), Picked: p.from == f})
		}
		p.S.menuAt(act.Element, part.MenuSpec{Label: text.FormatHead, Choices: choices, Pick: func(v string) {
			if p.from = v; p.file != nil && p.up == nil {
				p.report = nil
				p.send(true)
			}
			p.S.changed()
		}})
	}
}

// format shows which format it is and lets another be chosen.
func (p *Transfer) format() app.UI {
	name := text.FormatName(p.from)
	if r := p.report; r != nil {
		name = text.FormatName(r.Format) + choose(r.Detected, text.AsItSeems, "")
	}
	return part.Button("btn btn-sm", "format", "", tag.Words("span", "", text.FormatHead+": "+name), part.Icon("chevron-down")).Aria("haspopup", "listbox")
}

// pause switches the sweep off, for whoever needs time after an import.
func (p *Transfer) pause() {
	s := p.S
	if s.policy == nil {
		return
	}
	change := api.PolicyChange{Revision: s.policy.Revision, Enabled: api.Ptr(false)}
	s.send(sync.Write{Method: "PUT", Path: api.PathSettings + "/retention", Body: change}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		s.say(text.DuePaused, nil)
	})
}

// Render draws the page.
func (p *Transfer) Render() app.UI {
	return part.Safe("transfer", func() app.UI {
		return framed(accountNav(transferPage), p.click,
			part.PageHead(text.TransferHead, ""),
			part.Section("h-import", text.ImportHead, nil,
				tag.Words("p", "muted", text.ImportWhy),
				p.importing(),
			),
			p.export(),
		)
	})
}

func (p *Transfer) importing() app.UI {
	field := tag.Input().ID("import-file").Class("sr").Attr("type", "file").Attr("multiple", true).Attr("accept", ".jsonl,.ndjson,.json,.txt,.md,.markdown,.zip").Attr("tabindex", "-1").Aria("label", text.ChooseFile).OnChange(p.chosen)
	body := []app.UI{field, problem(p.problem)}
	switch {
	case p.up != nil:
		body = append(body, p.progress())
	case p.report != nil:
		body = append(body, p.outcome())
	default:
		state := ""
		if p.over {
			state = "over"
		}
		body = append(body, tag.Div().Class("drop").DataSet("state", state).Body(
			part.IconLarge("upload"),
			tag.Box("p", "", part.Bold(text.DropHere)),
			part.Button("btn", "choose", "", part.Text(text.ChooseFile)),
			tag.Words("p", "meta", text.LooksFirst),
			p.format(),
		))
		if p.S.terminal() != nil {
			body = append(body, tag.Words("p", "meta", text.OlderHead), copyable(p.S.command("admin", "import", "--from", "elowen", "FILE")))
		}
	}
	return tag.Box("div", "stack", body...)
}

func (p *Transfer) progress() app.UI {
	head, note, done := text.Sending, text.BytesOf(p.sent, p.size), p.sent
	if p.stage != "" {
		head, note, done = text.BringingIn, text.LinesRate(p.step.Lines, p.rate), p.step.Done
		if p.dry {
			head = text.LookThrough
		}
	}
	return tag.Div().Class("card progress").Role("group").Aria("label", head).Body(
		tag.Box("p", "line",
			part.Bold(head), tag.Words("span", "meta num", note), tag.Span().Class("grow"),
			part.Button("btn btn-sm", "stop", "", part.Text(text.Cancel))),
		tag.Div().Role("progressbar").Aria("label", head).Aria("valuemin", 0).Aria("valuemax", 100).Aria("valuenow", int(100*done/max(p.step.Total, p.size, 1))).
			Body(part.Meter(float64(done), float64(max(p.step.Total, p.size)))),
		tag.Words("p", "meta", text.FileOf(p.name, p.size)),
	)
}

func (p *Transfer) outcome() app.UI {
	r := p.report
	head := text.WasBrought
	if r.DryRun {
		head = text.WouldBe
	}
	stat := func(n int, label string) app.UI {
		return tag.Box("div", "stat", tag.Words("span", "meta", label), tag.Words("b", "", text.Number(n)))
	}
	stats := []app.UI{stat(r.Added, text.LineAdded), stat(r.Existing, text.LineExisting)}
	if r.Kept > 0 {
		stats = append(stats, stat(r.Kept, text.LineKept))
	}
	if r.Held > 0 {
		stats = append(stats, stat(r.Held, text.LineHeld))
	}
	stats = append(stats, stat(r.Refused, text.LineRefused))
	body := []app.UI{
		tag.Box("p", "line", part.Bold(head), tag.Words("span", "meta", text.FileOf(p.name, p.size)), p.format()),
		tag.Box("div", "line would-stats", stats...),
	}
	if len(r.Categories) > 0 {
		body = append(body, part.Banner("plain", "folder", part.Text(text.NewCategories(r.Categories))))
	}
	if !r.DryRun && r.DueNow > 0 {
		body = append(body, p.due())
	}
	for _, note := range r.Notes {
		body = append(body, part.Banner("plain", "info", part.Text(note)))
	}
	body = append(body, p.fates())
	another := part.Button("btn btn-quiet", "another", "", part.Text(text.AnotherFile))
	switch {
	case r.DryRun && r.Added > 0:
		body = append(body, tag.Box("p", "line", part.Button("btn btn-primary", "bring", "", part.Text(text.BringIn(r.Added))), another))
	case r.DryRun && r.Held > 0 && !r.Broken:
		body = append(body, tag.Box("p", "line", part.Button("btn btn-primary", "bring", "", part.Text(text.BringOthersIn(r.Held))), another))
	case r.DryRun:
		body = append(body, part.If(!r.Broken, func() app.UI { return tag.Words("p", "muted", text.NothingNew) }), tag.Box("p", "line", another))
	default:
		body = append(body, tag.Box("p", "line", tag.A().Class("btn btn-primary").Attr("href", browser.Path("/memory")).Text(text.ToTheList), another))
	}
	return tag.Div().Class("stack import-outcome").Role("status").Body(body...)
}

// due says how many of what is there now have faded already, and what can be done.
func (p *Transfer) due() app.UI {
	s := p.S
	if s.policy == nil || !s.policy.Policy.Enabled {
		return tag.Span().Hidden(true)
	}
	return tag.Box("div", "banner banner-warn", part.Icon("leaf"), tag.Box("span", "",
		part.Text(text.DueAfterImport(p.report.DueNow, int(s.policy.Policy.DailyDeletionLimit), browser.Date(s.policy.NextSweepAt, browser.FullTime))+" "),
		part.Link("/memory?sort=evictable&fades=1", text.SeeThem), part.Text(" · "), part.Link("/settings", text.RetentionLink),
		part.If(s.admin(), func() app.UI {
			return tag.Box("span", "", part.Text(" · "), part.Button("linkish", "pause", "", part.Text(text.DuePause)))
		}),
	))
}

// fatesShown is how many lines are listed; the others are in the numbers.
const fatesShown = 100

// fates lists the lines that aren't simply added: what was refused first.
func (p *Transfer) fates() app.UI {
	var rows []app.UI
	all := 0
	for _, fates := range []string{api.FateRefused, api.FateKept + api.FateExisting, api.FateAdded + api.FateHeld} {
		for _, f := range p.report.Fates {
			if !strings.Contains(fates, f.Fate) {
				continue
			}
			if all++; all > p.shown {
				continue
			}
			class := choose(f.Fate == api.FateRefused, "fate-refused", choose(strings.Contains(fates, api.FateAdded), "muted", ""))
			said := tag.Words("td", "", f.Text)
			if f.CreatedAt != nil {
				said = tag.Box("td", "", tag.Words("span", "", f.Text), part.Text(" "), tag.Words("span", "meta nowrap", browser.Date(*f.CreatedAt, browser.FullDate)))
			}
			rows = append(rows, tag.Box("tr", "", tag.Words("td", "num r", text.PlaceOf(f)), tag.Words("td", class, text.FateName(f)), said))
		}
	}
	if len(rows) == 0 {
		return tag.Span().Hidden(true)
	}
	head := choose(p.report.DryRun, text.FateWould, text.FateHead)
	return tag.Div().Class("fates").Attr("tabindex", "0").Role("region").Aria("label", head).Body(tag.Box("table", "table table-plain",
		tag.Box("thead", "", tag.Box("tr", "", tag.Words("th", "r", text.LineHead), tag.Words("th", "", head), tag.Words("th", "", text.MemoryHead))),
		tag.Box("tbody", "", rows...),
	), part.If(all > p.shown, func() app.UI {
		return part.Button("btn btn-quiet btn-sm", "more", "", part.Text(text.MoreOf(all-p.shown)))
	}))
}

func (p *Transfer) export() app.UI {
	body := []app.UI{
		tag.Words("p", "muted", text.ExportWhy),
		tag.Box("p", "line", tag.A().Class("btn").Attr("href", browser.Path(api.PathExport)).Attr("download", "elowen.jsonl").Body(part.Icon("download"), part.Text(text.ExportDo))),
	}
	if p.S.terminal() != nil {
		body = append(body, tag.Words("p", "meta", text.AtTerminal+":"), copyable(p.S.command("admin", "export", "--user", p.S.me.Name, "elowen.jsonl")))
	}
	return part.Section("h-export", text.ExportHead, nil, body...)
}
