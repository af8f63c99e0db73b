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

// Render draws the page.
func (p *Chat) Render() app.UI {
	return part.Safe("chat", func() app.UI {
		body := []app.UI{p.conversations(), p.thread()}
		class := "chat"
		if p.folded {
			class += " chat-folded"
		}
		return tag.Div().Class(class).DataSet("open", p.pane).OnClick(p.click).OnInput(p.input).OnKeyDown(p.key).Body(append(body, p.context())...)
	})
}

// conversations is the pane of the list.
func (p *Chat) conversations() app.UI {
	items := make([]app.UI, 0, len(p.list.Rows))
	for i := range p.list.Rows {
		c := &p.list.Rows[i].Conversation
		l := tag.A().Attr("href", browser.Path(route{Kind: chatPage, ID: c.ID}.path()))
		if c.ID == p.ID {
			l = l.Aria("current", "page")
		}
		items = append(items, l.Body(
			tag.B().Attr("dir", "auto").Text(or(c.Title, text.Untitled)),
			tag.Words("span", "meta", text.Join(stateWord(*c), text.Ago(p.S.now(), c.UpdatedAt), p.S.projectOf(c.ProjectID)))))
	}
	if p.list.Loaded && len(items) == 0 {
		items = append(items, tag.Words("p", "muted convs-none", text.NoChatsYet))
	}
	return tag.Section().Class("pane pane-convs").Aria("label", text.Conversations).Body(
		tag.Box("div", "topbar", tag.Words("h2", "chat-head", text.Conversations), tag.Words("span", "grow", ""),
			part.Button("btn btn-sm", "chat-new", "", part.Icon("plus"), part.Text(text.NewChat)),
			part.IconButton("btn btn-quiet chat-back", "chat-thread", "", text.Close, "x")),
		tag.Nav().Class("scroll convs").Aria("label", text.Conversations).Body(items...),
	)
}

func stateWord(c api.Conversation) string {
	switch c.State {
	case api.ChatRunning:
		return text.WritingNow
	case api.ChatFailed, api.ChatInterrupted:
		return text.FailedNow
	}
	return ""
}

func (s *Session) projectOf(id *int64) string {
	if id == nil {
		return ""
	}
	return s.projectName(*id)
}

// thread is the pane of what is said.
func (p *Chat) thread() app.UI {
	body := []app.UI{p.head()}
	box := tag.Div().ID("thread").Class("scroll").TabIndex(0).Role("region").Aria("label", text.WasSaid)
	switch {
	case p.problem != "":
		body = append(body, box.Body(tag.Box("div", "thread", part.Banner("plain", "info", part.Text(p.problem)))))
	case p.open > 0 && !p.talk.Loaded:
		body = append(body, box.Body(app.Raw(`<div class="thread" aria-hidden="true"><div class="skeleton w-60"></div><div class="skeleton w-90"></div><div class="skeleton w-90"></div></div>`)))
	default:
		body = append(body, box.Body(tag.Box("div", "thread", p.said()...)), p.composer())
	}
	return tag.Section().Class("pane pane-thread").Aria("label", text.OneConversation).Body(body...)
}

func (p *Chat) head() app.UI {
	c := p.conversation()
	title, model := text.NewChatTitle, p.begun.Model
	if c != nil {
		title = or(c.Title, text.Untitled)
		if c.Model != nil {
			model = c.Model.Model
		}
	}
	if p.renaming {
		return tag.Form().Class("topbar").OnSubmit(p.renamed).Body(
			tag.Input().ID("chat-title").Class("input grow").Attr("type", "text").Attr("autocomplete", "off").Attr("dir", "auto").Aria("label", text.ChatTitleField).Attr("placeholder", text.ChatTitleHint),
			part.Button("btn btn-primary", "chat-rename", "", part.Text(text.Save)),
			part.Button("btn btn-quiet", "chat-rename-end", "", part.Text(text.Cancel)))
	}
	project := p.project
	if c != nil && c.ProjectID != nil {
		project = *c.ProjectID
	}
	return tag.Box("header", "topbar",
		part.IconButton("btn btn-quiet chat-lists", "chat-list", "", text.ToConversations, "list"),
		tag.H1().Class("chat-title").Attr("dir", "auto").Text(title),
		tag.Words("span", "grow", ""),
		part.If(p.S.works(), func() app.UI {
			return part.Button("btn btn-sm btn-quiet chat-project", "chat-project", "", part.Icon("folder"), tag.Words("span", "", or(p.S.projectName(project), text.ProjectNone))).
				Aria("haspopup", "listbox").Aria("label", text.Field(text.Project, or(p.S.projectName(project), text.ProjectNone)))
		}),
		part.If(p.usual() != "", func() app.UI {
			return part.Button("btn btn-sm btn-quiet chat-model", "chat-model", "", tag.Words("span", "", or(model, p.usual()))).
				Aria("haspopup", "listbox").Aria("label", text.Field(text.ModelOf, or(model, p.usual())))
		}),
		part.If(c != nil, func() app.UI {
			return part.IconButton("btn btn-quiet", "chat-menu", "", text.ChatActions, "ellipsis").Aria("haspopup", "listbox")
		}),
		part.If(p.open > 0, func() app.UI {
			return part.IconButton("btn btn-quiet chat-inside", "chat-context", "", choose(p.folded, text.ShowContext, text.HideContext), "panel-right")
		}),
	)
}

func (p *Chat) renamed(ctx app.Context, e app.Event) {
	defer browser.Survive("chat")
	e.PreventDefault()
	p.rename()
}

// usual is the model that answers where none was picked; "" where there is none.
func (p *Chat) usual() string {
	if p.shown == nil || p.shown.Chat == nil {
		return ""
	}
	return p.shown.Chat.Model
}

// said is everything in the thread.
func (p *Chat) said() []app.UI {
	var items []app.UI
	if p.talk.From > len(p.older) && p.cursor != "-" {
		items = append(items, tag.Box("p", "thread-more", part.Button("btn btn-sm", "chat-earlier", "", part.Text(text.EarlierMessages)).Attr("disabled", p.asking)))
	}
	rows := append(append([]live.TalkRow(nil), p.older...), p.talk.Rows...)
	results, taken := answered(rows)
	var speaking []app.UI
	for i := range rows {
		e := rows[i].Entry
		if e == nil {
			if rows[i].Piece != nil {
				speaking = append(speaking, pieceOf(rows[i].Piece))
			}
			continue
		}
		if taken[e.ID] {
			continue // shown with its call
		}
		items = append(items, &said{S: p.S, Entry: e, Results: results[e.ID], Still: p.running()})
	}
	if len(items) == 0 && p.turn() == nil {
		items = append(items, p.nothing())
	}
	return append(items, p.now(speaking)...)
}

// nothing is what stands in a conversation without a word.
func (p *Chat) nothing() app.UI {
	body := []app.UI{part.GrowthFaint(), tag.Words("h2", "", text.ChatEmptyHead), tag.Words("p", "", text.ChatEmptyWhy)}
	if p.shown != nil && p.usual() == "" {
		body = append(body, tag.Box("p", "", part.Bold(text.NoChatModel), part.If(p.S.admin(), func() app.UI {
			return tag.Box("span", "", part.Text(" "), part.Link(route{Kind: modelsPage}.path(), text.ChooseModel), part.Text("."))
		})))
	}
	return tag.Box("div", "empty thread-empty", body...)
}

// now is what goes on at the end of the thread: what is being said, how the turn ended
// if not well, and what waits.
func (p *Chat) now(speaking []app.UI) []app.UI {
	var items []app.UI
	c := p.conversation()
	if c == nil {
		return items
	}
	if t := p.turn(); t != nil {
		status := tag.P().Class("turn-now").Role("status").Body(app.Raw(`<span class="caret" aria-hidden="true"></span>`), tag.Words("span", "meta", text.Phase(*t)))
		body := []app.UI{tag.Box("p", "msg-who", part.Bold(text.Assistant))}
		body = append(body, tag.Box("div", "markdown", speaking...))
		items = append(items, tag.Article().Class("msg msg-now").Body(append(body, status)...))
	}
	switch c.State {
	case api.ChatFailed:
		said := []app.UI{part.Text(c.Problem + " ")}
		if c.RetryAt != nil && *c.RetryAt > p.S.now() {
			said = append(said, part.Text(text.RetryFrom(browser.Date(*c.RetryAt, browser.FullTime))+" "))
		}
		items = append(items, tag.Div().Class("turn-end").Role("alert").Body(part.Banner("warn", "triangle-alert", append(said, part.Button("btn btn-sm", "chat-retry", "", part.Text(text.Retry)))...)))
	case api.ChatStopped, api.ChatInterrupted:
		items = append(items, tag.Box("div", "turn-end", part.Banner("plain", "square", part.Text(choose(c.State == api.ChatStopped, text.TurnStopped, text.TurnInterrupted)+" "),
			part.Button("btn btn-sm", "chat-retry", "", part.Text(text.GoOn)))))
	}
	for _, q := range c.Queued {
		items = append(items, tag.Box("article", "msg msg-user msg-queued",
			tag.Box("p", "msg-who", tag.Words("span", "tag", choose(q.Steer, text.WaitingSteer, text.Waiting))),
			tag.Box("div", "line", tag.P().Class("msg-text").Attr("dir", "auto").Text(q.Content),
				part.IconButton("btn btn-quiet btn-sm", "chat-unqueue", strconv.FormatInt(q.ID, 10), text.TakeBack, "x"))))
	}
	return items
}

func (p *Chat) composer() app.UI {
	running := p.running()
	hint := text.MessageHint
	if running {
		hint = text.SteerHint
	}
	return tag.Form().Class("composer").OnSubmit(p.submit).Body(
		part.If(p.editing > 0, func() app.UI {
			return tag.Box("p", "composer-note", tag.Words("span", "grow", text.EditingMessage), part.Button("btn btn-sm btn-quiet", "chat-end-edit", "", part.Text(text.Cancel)))
		}),
		tag.Box("div", "composer-box",
			tag.Textarea().ID("say").Attr("rows", "1").Attr("dir", "auto").Aria("label", text.MessageField).Attr("placeholder", hint),
			tag.Box("div", "line",
				part.If(running && p.editing == 0, func() app.UI {
					return part.Choose(text.SendAs, "chat-steer", choose(p.steer, "steer", "queue"), part.Choice{Value: "steer", Label: text.Steer}, part.Choice{Value: "queue", Label: text.QueueIt})
				}),
				tag.Words("span", "grow", ""),
				part.If(running, func() app.UI {
					return part.Button("btn btn-sm", "chat-stop", "", part.Icon("square"), part.Text(text.StopTurn), part.KbdHint("Esc"))
				}),
				tag.Button().Class("btn btn-primary btn-sm").Attr("type", "submit").Attr("disabled", p.S.saying(p.open).busy).Body(part.Icon("arrow-up"), part.Text(choose(p.editing > 0, text.SendAnew, text.Send))),
			)))
}
