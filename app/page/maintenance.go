package page

import (
	"context"
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Maintenance is the settings page of long work on one's own memories: what runs, what
// ended lately, and how alike memories are to the model in use.
type Maintenance struct {
	app.Compo
	S   *Session
	Rev int

	ctx       app.Context
	jobs      []api.Maintenance // the newest first
	known     bool
	watch     *sync.Watch[live.MaintenanceRow]
	starting  string // the operation that is being started
	measuring bool
	found     *api.Calibrated
	revision  int64 // of the settings that found was measured beside
	problem   string
	intent    sync.Intention
}

// OnMount follows the jobs.
func (p *Maintenance) OnMount(ctx app.Context) {
	defer browser.Survive("maintenance")
	p.ctx = ctx
	reveal(ctx)
	p.watch = sync.Subscribe(p.S.client, live.Request{View: live.ViewMaintenance}, func(e sync.Event[live.MaintenanceRow]) {
		if e.Outcome == state.Refused {
			return
		}
		p.S.do(func() {
			p.jobs, p.known = nil, true
			for _, r := range e.After.Rows {
				p.jobs = append(p.jobs, r.Maintenance)
			}
		})
	})
}

// OnDismount ends it.
func (p *Maintenance) OnDismount() {
	defer browser.Survive("maintenance")
	p.watch.Close()
}

func (p *Maintenance) click(ctx app.Context, e app.Event) {
	defer browser.Survive("maintenance")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "start":
		p.begin(api.MaintenanceStart{Operation: act.Arg})
	case "sort-all":
		p.S.ask(&part.DialogSpec{Title: text.SortAllHead, Body: []string{text.SortAllWhy}, Action: text.SortAllDo,
			Run: func() {
				p.begin(api.MaintenanceStart{Operation: api.OperationRecategorize, Mode: api.RecategorizeAll})
			}})
	case "stop-job":
		p.tell(act.ID(), "stop", text.StoppedIt)
	case "ack":
		p.tell(act.ID(), "ack", "")
	case "measure":
		p.measure()
	case "apply":
		p.apply()
	default:
		ctx.PreventUpdate()
	}
}

func (p *Maintenance) begin(in api.MaintenanceStart) {
	p.starting = in.Operation
	p.S.send(sync.Write{Method: "POST", Path: api.PathMaintenance, Body: in, Key: p.intent.Key(api.PathMaintenance, in)}, func(err error) {
		p.intent.Done()
		p.starting = ""
		p.said(err, text.Started)
	})
}

// tell stops a job or takes note of its end; what becomes of it comes live.
func (p *Maintenance) tell(id int64, what, said string) {
	p.S.send(sync.Write{Method: "POST", Path: api.MaintenancePath(id, what)}, func(err error) { p.said(err, said) })
}

func (p *Maintenance) said(err error, what string) {
	if err != nil {
		p.S.fail(err)
	} else if what != "" {
		p.S.say(what, nil)
	}
	p.ctx.Update()
}

func (p *Maintenance) measure() {
	if p.measuring {
		return
	}
	p.measuring, p.problem = true, ""
	var now settingsNow
	p.S.async(api.PathSettings, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathSettings, &now) }, func(err error) {
		if err != nil {
			p.measuring, p.problem = false, words(err)
			p.ctx.Update()
			return
		}
		p.measured(now.Revision)
	})
}

// measured goes on with measure beside the settings of a revision.
func (p *Maintenance) measured(revision int64) {
	var found api.Calibrated
	p.S.sendLong(sync.Write{Method: "POST", Path: api.PathCalibrate, Out: &found}, func(err error) {
		p.measuring = false
		if err != nil {
			p.problem = words(err)
		} else {
			p.found, p.revision = &found, revision
		}
		p.ctx.Update()
	})
}

// apply saves what is proposed, on top of the settings that it was measured beside.
func (p *Maintenance) apply() {
	body := map[string]any{"revision": p.revision, "duplicateThreshold": p.found.Proposed.DuplicateThreshold, "paraphraseThreshold": p.found.Proposed.ParaphraseThreshold}
	p.S.send(sync.Write{Method: "PUT", Path: api.PathRuntime, Body: body, Key: p.intent.Key(api.PathRuntime, body)}, func(err error) {
		p.intent.Done()
		switch {
		case fault.Is(err, fault.Stale):
			p.problem, p.found = text.CalibrateStale, nil
		case err != nil:
			p.problem = words(err)
		default:
			p.found.Current.DuplicateThreshold, p.found.Current.ParaphraseThreshold = p.found.Proposed.DuplicateThreshold, p.found.Proposed.ParaphraseThreshold
			p.problem = ""
			p.S.say(text.CalibrateSaved, nil)
		}
		p.ctx.Update()
	})
}

// Render draws the page.
func (p *Maintenance) Render() app.UI {
	return part.Safe("maintenance", func() app.UI {
		return framed(subnav(maintenancePage, p.S.admin()), p.click,
			part.PageHead(text.MaintenanceHead, text.MaintenanceWhy),
			part.Section("h-reindex", text.ReindexHead, nil, tag.Words("p", "muted", text.ReindexWhy), p.S.indexLine(true),
				p.work(api.OperationReindex, p.button(api.OperationReindex, text.ReindexDo))),
			part.Section("h-sort", text.SortHead, nil, tag.Words("p", "muted", text.SortWhy),
				p.work(api.OperationRecategorize, p.button(api.OperationRecategorize, text.SortDo), part.Button("btn btn-quiet", "sort-all", "", part.Text(text.SortAll)).Attr("disabled", p.starting != ""))),
			p.calibration(), p.receipts(),
		)
	})
}

func (p *Maintenance) button(operation, label string) app.UI {
	return part.Button("btn", "start", operation, part.Text(label)).Attr("disabled", p.starting != "" || !p.known)
}

// work is how far an operation is, or what starts it.
func (p *Maintenance) work(operation string, start ...app.UI) app.UI {
	for _, m := range p.jobs {
		if m.Operation != operation || !m.Running() {
			continue
		}
		head := text.OperationName(operation)
		return tag.Div().Class("card progress").Role("group").Aria("label", head).Body(
			tag.Box("p", "line",
				part.Bold(head), tag.Words("span", "meta num", text.JobDone(m)), tag.Span().Class("grow"),
				part.Button("btn btn-sm", "stop-job", strconv.FormatInt(m.ID, 10), part.Text(text.StopIt))),
			tag.Div().Role("progressbar").Aria("label", head).Aria("valuemin", 0).Aria("valuemax", m.Total).Aria("valuenow", m.Processed).
				Body(part.Meter(float64(m.Processed), float64(max(m.Total, 1)))),
			part.If(m.Error != "", func() app.UI { return tag.Words("p", "meta", m.Error) }),
		)
	}
	return tag.Box("p", "line", start...)
}

// receipts are the jobs that ended.
func (p *Maintenance) receipts() app.UI {
	var items []app.UI
	for _, m := range p.jobs {
		if !m.Running() {
			items = append(items, p.receipt(m))
		}
	}
	var list app.UI = tag.Words("p", "muted", text.NoReceipts)
	if len(items) > 0 {
		list = part.Items(items...)
	}
	return part.Section("h-receipts", text.ReceiptsHead, part.Beside(text.ReceiptsWhy),
		tag.Div().Role("status").Body(list))
}

func (p *Maintenance) receipt(m api.Maintenance) app.UI {
	icon, class := "check", "state state-ok"
	switch m.Status {
	case api.JobStopped:
		icon, class = "square", "state"
	case api.JobInterrupted:
		icon, class = "info", "state state-warn"
	case api.JobFailed:
		icon, class = "triangle-alert", "state state-failed"
	}
	when := ""
	if m.FinishedAt != nil {
		when = text.Ago(p.S.now(), *m.FinishedAt)
	}
	name := text.OperationName(m.Operation)
	return tag.Li().Class("item receipt").DataSet("state", m.Status).Body(
		tag.Box("span", class, part.Icon(icon), tag.Words("span", "", text.JobEnd(m))),
		tag.Box("div", "grow",
			tag.Box("p", "", part.Bold(name)),
			tag.Words("p", "meta", text.Join(text.JobDone(m), when, text.JobBy(m.UIInitiated))),
			part.If(m.Error != "", func() app.UI { return tag.Words("p", "", m.Error) })),
		part.If(m.AcknowledgedAt == nil, func() app.UI {
			return part.Button("btn btn-sm btn-quiet", "ack", strconv.FormatInt(m.ID, 10), part.Text(text.SeenIt)).Aria("label", text.Field(text.SeenIt, name))
		}),
	)
}

func (p *Maintenance) calibration() app.UI {
	label := text.CalibrateDo
	if p.measuring {
		label = text.Calibrating
	}
	return part.Section("h-calibrate", text.CalibrateHead, nil, tag.Words("p", "muted", text.CalibrateWhy),
		part.If(p.problem != "", func() app.UI { return part.Banner("warn", "info", part.Text(p.problem)) }),
		tag.Div().Class("stack").Role("status").Body(part.If(p.found != nil, p.proposal)),
		tag.Box("p", "line", part.Button("btn", "measure", "", part.Text(label)).Attr("disabled", p.measuring)))
}

// proposal is what was measured, with what follows from it beside what holds.
func (p *Maintenance) proposal() app.UI {
	c := p.found
	switch {
	case c.Model == "":
		return tag.Words("p", "", text.CalibrateNone)
	case !c.Enough:
		return tag.Words("p", "", text.CalibrateFew)
	}
	row := func(what string, now, then *int) app.UI {
		return tag.Tr().Body(tag.Words("td", "", what),
			tag.Td().Class("num r").DataSet("label", text.NowHead).Text(text.PerCent(now)),
			tag.Td().Class("num r").DataSet("label", text.ProposedHead).Text(text.PerCent(then)))
	}
	var apply app.UI
	switch {
	case equalInt(c.Current.DuplicateThreshold, c.Proposed.DuplicateThreshold) && equalInt(c.Current.ParaphraseThreshold, c.Proposed.ParaphraseThreshold):
		apply = tag.Words("p", "meta", text.CalibrateSame)
	case !p.S.admin():
		apply = tag.Words("p", "meta", text.CalibrateAdmin)
	default:
		apply = tag.Box("p", "line", part.Button("btn btn-primary", "apply", "", part.Text(text.CalibrateApply)))
	}
	return tag.Box("div", "stack",
		tag.Words("p", "", text.Compared(*c)),
		tag.Box("table", "table table-plain",
			tag.Box("thead", "", tag.Box("tr", "", tag.Words("th", "", text.WhatHead), tag.Words("th", "num r", text.NowHead), tag.Words("th", "num r", text.ProposedHead))),
			tag.Box("tbody", "", row(text.DuplicateRow, c.Current.DuplicateThreshold, c.Proposed.DuplicateThreshold), row(text.ParaphraseRow, c.Current.ParaphraseThreshold, c.Proposed.ParaphraseThreshold))),
		apply)
}

func equalInt(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
