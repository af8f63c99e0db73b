package part

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Event is one entry of a memory's history: who did what and why, what it changed,
// the other memories that it is about, and, where the text of that time still exists,
// a way back to it.
func Event(e api.Event, others []app.UI, back bool) app.UI {
	var fields, bodies []app.UI
	for _, c := range e.Changes {
		if c.Field == "body" {
			if len(c.Diff) > 0 {
				bodies = append(bodies, tag.Div().Class("diff").Attr("dir", "auto").Body(Runs(c.Diff)...))
			}
			continue
		}
		if c.Field == "sources" {
			continue // ids; the action counts them
		}
		fields = append(fields, value(c)...)
	}
	what := append([]app.UI{tag.Words("b", "", e.Who), app.Text(" " + text.EventWhat(e))}, fields...)
	body := []app.UI{
		Icon(eventIcon(e)),
		tag.Box("p", "event-what", what...),
		If(back, func() app.UI {
			return Button("btn btn-sm btn-quiet", "put-back", strconv.FormatInt(e.Revision, 10), Icon("undo-2"), Text(text.PutThisBack))
		}),
		tag.Words("p", "meta", meta(e)),
	}
	if len(others) > 0 {
		body = append(body, tag.Box("p", "recalled event-others", others...))
	}
	return tag.Box("li", "event", append(body, bodies...)...)
}

// value is one changed field: before → after.
func value(c api.FieldChange) []app.UI {
	out := []app.UI{app.Text(" " + text.FieldName(c.Field) + " ")}
	if c.Before != "" {
		out = append(out, tag.Words("del", "val", c.Before), app.Text(" → "))
	}
	after := c.After
	if after == "" {
		after = text.None
	}
	return append(out, tag.Words("ins", "val", after))
}

func meta(e api.Event) string {
	revision := ""
	if e.Revision > 0 {
		revision = text.Revision(e.Revision)
	}
	reason := ""
	if _, imported := e.Imported(); e.Reason != "" && !imported {
		reason = text.Quote(e.Reason)
	}
	foreign := ""
	if e.Foreign {
		foreign = text.Foreign
	}
	return text.Join(browser.Date(e.At, browser.FullTime), revision, e.Model, reason, text.TokenMay(e.Scopes), foreign)
}

func eventIcon(e api.Event) string {
	switch e.Action {
	case "add":
		if _, imported := e.Imported(); imported {
			return "upload"
		}
		return "plus"
	case "category":
		return "tag"
	case "merge", "consolidate":
		return "merge"
	case "trash":
		return "trash-2"
	case "auto-evict":
		return "leaf"
	case "restore":
		return "archive-restore"
	case "purge":
		return "x"
	case "review":
		return "eye"
	}
	switch e.Actor {
	case "daemon":
		return "sparkles"
	case "migration", "import":
		return "upload"
	}
	return "square-pen"
}
