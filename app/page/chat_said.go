package page

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// said is one entry of a conversation, with what its tools answered. It is drawn anew
// only when it is another one: a thread has hundreds, and a reply comes word by word.
type said struct {
	app.Compo
	S       *Session
	Entry   *api.ConversationEntry
	Results []*api.ConversationEntry // of the entry's calls, in their order; nil: not answered
	Still   bool                     // a turn runs: branches stay as they are
}

// Render draws the entry.
func (p *said) Render() app.UI {
	return part.Safe("entry", func() app.UI {
		e := p.Entry
		switch e.Type {
		case api.EntryMessage:
			return p.message()
		case api.EntryTurnContext:
			return chips(e.Via, e.Memories, e.InContext)
		case api.EntryCompaction:
			return tag.Box("div", "thread-cut", app.Elem("details").Class("tool").Body(
				app.Elem("summary").Body(part.Icon("chevron-right"), part.Icon("history"), tag.Words("span", "", text.Summarized)),
				tag.P().Class("thread-summary").Attr("dir", "auto").Text(e.Summary)))
		case api.EntryContextCleared:
			return tag.Words("p", "meta thread-note", text.ContextCleared)
		}
		return tag.Span().Hidden(true)
	})
}

func (p *said) message() app.UI {
	e := p.Entry
	class, who := "msg", text.Assistant
	switch e.Role {
	case api.MessageUser:
		class, who = "msg msg-user", or(e.Speaker, p.S.myName())
	case api.MessageToolResult:
		return p.tool(api.ToolCall{Name: text.ToolResult}, e)
	}
	if !e.InContext {
		class += " msg-out"
	}
	head := []app.UI{tag.B().Attr("dir", "auto").Text(who), tag.Words("span", "", browser.Date(e.At, browser.DayMonthTime))}
	if e.Model != "" {
		head = append(head, tag.Words("span", "msg-model", e.Model))
	}
	if e.Cut != "" {
		head = append(head, tag.Words("span", "tag tag-warn", choose(e.Cut == "stopped", text.CutStopped, text.CutError)))
	}
	head = append(head, tag.Words("span", "grow", ""), p.wordings(),
		part.IconButton("btn btn-quiet btn-sm msg-more", "chat-message", strconv.FormatInt(e.ID, 10), text.MessageActions, "ellipsis").Aria("haspopup", "listbox"))
	body := []app.UI{tag.Box("p", "msg-who", head...)}
	switch {
	case e.Role == api.MessageUser:
		body = append(body, tag.P().Class("msg-text").Attr("dir", "auto").Text(e.Content))
	case len(e.Nodes) > 0:
		body = append(body, part.Nodes(e.Nodes))
	case e.Content != "":
		body = append(body, tag.P().Class("msg-text").Attr("dir", "auto").Text(e.Content))
	}
	for i, c := range e.Calls {
		var answer *api.ConversationEntry
		if i < len(p.Results) {
			answer = p.Results[i]
		}
		body = append(body, p.tool(c, answer))
	}
	return tag.Article().ID("entry-" + strconv.FormatInt(e.ID, 10)).Class(class).Body(body...)
}

// wordings leads to what was said otherwise in the same place.
func (p *said) wordings() app.UI {
	e := p.Entry
	if len(e.Siblings) < 2 || p.Still {
		return tag.Span().Hidden(true)
	}
	at := 0
	for i, id := range e.Siblings {
		if id == e.ID {
			at = i
		}
	}
	to := func(i int, label, icon string) app.UI {
		id := ""
		if i >= 0 && i < len(e.Siblings) {
			id = strconv.FormatInt(e.Siblings[i], 10)
		}
		return part.IconButton("btn btn-quiet btn-sm", "chat-branch", id, label, icon).Attr("disabled", id == "")
	}
	return tag.Span().Class("wordings").Role("group").Aria("label", text.OtherWording).Body(
		to(at-1, text.OlderWording, "chevron-left"), tag.Words("span", "num", text.WordingOf(at+1, len(e.Siblings))), to(at+1, text.NewerWording, "chevron-right"))
}

// tool is one call, folded, with its answer once there is one.
func (p *said) tool(c api.ToolCall, answer *api.ConversationEntry) app.UI {
	state := app.UI(tag.Words("span", "meta", text.Writing))
	body := []app.UI{part.If(c.Arguments != "", func() app.UI { return printed(text.ToolArguments, c.Arguments) })}
	var shown app.UI = tag.Span().Hidden(true)
	if answer != nil {
		state = part.Icon(choose(answer.Failed, "triangle-alert", "check"))
		body = append(body, printed(text.ToolResult, answer.Content))
		if len(answer.Memories) > 0 {
			shown = chips("tool", answer.Memories, answer.InContext)
		}
	}
	fold := app.Elem("details").Class("tool").Body(append([]app.UI{
		app.Elem("summary").Body(part.Icon("chevron-right"), part.Icon("terminal"), tag.Words("span", "", c.Name),
			tag.Words("span", "mono tool-args", text.Clip(c.Arguments, 80)), tag.Words("span", "grow", ""), state)}, body...)...)
	return tag.Box("div", "stack", fold, shown)
}

// printed is what went into a tool, or came out of it.
func printed(label, s string) app.UI {
	return app.Elem("pre").TabIndex(0).Aria("label", label).Text(s)
}

// pieceOf is a part of what is being said.
func pieceOf(x *live.Piece) app.UI {
	if x.Call != nil {
		return tag.Box("p", "tool tool-now", part.Icon("terminal"), tag.Words("span", "", x.Call.Name), tag.Words("span", "mono tool-args", text.Clip(x.Call.Arguments, 80)))
	}
	if x.Node == nil {
		return tag.Span().Hidden(true)
	}
	return part.Node(*x.Node)
}

// chips are the memories that the model was shown at one place.
func chips(via string, list []api.Delivered, inside bool) app.UI {
	items := []app.UI{tag.Box("span", "lead", part.Icon("leaf"), part.Text(text.Via(via)))}
	for _, d := range list {
		items = append(items, chip(d, inside))
	}
	return tag.Div().Class("recalled").Role("group").Aria("label", text.Via(via)).Body(items...)
}

func chip(d api.Delivered, inside bool) app.UI {
	class, importance := "chip", 1
	if d.Why != nil {
		importance = d.Why.Importance
	}
	why := text.PickedBy(d)
	if !inside || !d.InContext {
		class += " chip-left"
		why = append(why, text.OutOfContext)
	}
	body := []app.UI{part.Rings(importance, 0), tag.Span().Class("chip-text").Attr("dir", "auto").Text(or(d.Body, text.GoneSince))}
	if d.Why != nil && d.Why.Similarity != nil {
		body = append(body, tag.Words("span", "num", text.Percent(*d.Why.Similarity)))
	}
	if d.Edited && !d.Gone {
		body = append(body, tag.Words("span", "tag tag-warn", text.EditedSince))
	}
	return tag.A().Class(class).Attr("href", browser.Path(route{Kind: listPage, ID: d.ID}.path())).Title(text.Join(why...)).Body(body...)
}

// myName is what the person is called.
func (s *Session) myName() string {
	if s.me == nil {
		return text.You
	}
	return or(s.me.DisplayName, s.me.Name)
}
