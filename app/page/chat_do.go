package page

import (
	"context"
	"net/url"
	"slices"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func (p *Chat) click(ctx app.Context, e app.Event) {
	defer browser.Survive("chat")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "chat-new":
		p.project, p.begun = 0, api.ModelPick{}
		p.S.visit(route{Kind: chatPage})
	case "chat-list":
		p.pane = choose(p.pane == "list", "", "list")
	case "chat-context":
		if p.S.sheets() {
			p.pane = choose(p.pane == "context", "", "context")
		} else {
			p.folded = !p.folded
		}
	case "chat-thread":
		p.pane = ""
	case "chat-stop":
		p.stop()
	case "chat-retry":
		p.tell("retry", nil, "")
	case "chat-steer":
		p.steer = act.Arg == "steer"
	case "chat-unqueue":
		p.unqueue(act.ID())
	case "chat-end-edit":
		p.endEdit()
	case "chat-earlier":
		p.earlier()
	case "chat-branch":
		p.tell("leaf", api.EntryPick{EntryID: act.ID(), Newest: true}, "")
	case "chat-message":
		p.messageMenu(act.Element, act.ID())
	case "chat-menu":
		p.menu(act.Element)
	case "chat-project":
		p.chooseProject(act.Element)
	case "chat-model":
		p.chooseModel(act.Element)
	case "chat-rename":
		p.rename()
	case "chat-rename-end":
		p.renaming = false
	default:
		ctx.PreventUpdate()
	}
}

// sheets tells whether the context is a sheet over the thread rather than beside it.
func (s *Session) sheets() bool { return browser.Matches("(max-width: 900px)") }

// tell does something with the open conversation; what comes of it comes live.
func (p *Chat) tell(what string, body any, said string) {
	path := api.ConversationPath(p.open, what)
	p.S.send(sync.Write{Method: "POST", Path: path, Body: body}, func(err error) {
		if err != nil {
			p.S.fail(err)
		} else if said != "" {
			p.S.say(said, nil)
		}
	})
}

func (p *Chat) stop() { p.tell("stop", nil, "") }

// unqueue takes a message back that waits, into the field if that is empty.
func (p *Chat) unqueue(id int64) {
	c := p.conversation()
	if c == nil {
		return
	}
	at := slices.IndexFunc(c.Queued, func(q api.Queued) bool { return q.ID == id })
	if at < 0 {
		return
	}
	content := c.Queued[at].Content
	p.S.send(sync.Write{Method: "DELETE", Path: api.QueuedPath(p.open, id)}, func(err error) {
		if err != nil {
			p.S.fail(err)
			return
		}
		field := browser.ByID("say")
		if now, _ := browser.Value(field); now == "" {
			browser.SetValue(field, content)
			p.keepDraft()
		}
	})
}

// earlier reads the entries before those that are here.
func (p *Chat) earlier() {
	if p.asking || p.cursor == "-" {
		return
	}
	p.asking = true
	id, path := p.open, api.ConversationPath(p.open, "messages")
	if p.cursor != "" {
		path += "?cursor=" + url.QueryEscape(p.cursor)
	}
	var page api.Page[api.ConversationEntry]
	p.S.async(path, func(ctx context.Context) error { return p.S.api.Get(ctx, path, &page) }, func(err error) {
		p.asking = false
		if err != nil || p.open != id {
			if err != nil {
				p.S.fail(err)
			}
			return
		}
		rows, fits := earlierOf(page.Items, p.first())
		if !fits {
			p.cursor = "" // the branch is another one by now
			p.ctx.Update()
			return
		}
		p.cursor = or(page.NextCursor, "-")
		box := browser.ByID("thread")
		below := browser.Number(box, "scrollHeight") - browser.Number(box, "scrollTop")
		p.older = append(rows, p.older...)
		p.ctx.Defer(func(app.Context) { box.Set("scrollTop", browser.Number(box, "scrollHeight")-below) })
		p.ctx.Update()
		if len(rows) == 0 && p.cursor != "-" {
			p.earlier() // all of that page is here already
		}
	})
}

// first is the first entry that is here; nil: there is none.
func (p *Chat) first() *api.ConversationEntry {
	for _, rows := range [][]live.TalkRow{p.older, p.talk.Rows} {
		for i := range rows {
			if rows[i].Entry != nil {
				return rows[i].Entry
			}
		}
	}
	return nil
}

func (p *Chat) entry(id int64) *api.ConversationEntry {
	for _, rows := range [][]live.TalkRow{p.talk.Rows, p.older} {
		for i := range rows {
			if e := rows[i].Entry; e != nil && e.ID == id {
				return e
			}
		}
	}
	return nil
}

// messageMenu offers what can be done with a message.
func (p *Chat) messageMenu(el app.Value, id int64) {
	e := p.entry(id)
	if e == nil {
		return
	}
	choices := []part.Choice{{Value: "copy", Label: text.CopyMessage, Icon: "copy"}}
	if e.Role == api.MessageUser && !p.running() {
		choices = append(choices, part.Choice{Value: "edit", Label: text.EditMessage, Icon: "square-pen"})
	}
	choices = append(choices, part.Choice{Value: "fork", Label: text.ForkHere, Icon: "merge"})
	p.S.menuAt(el, part.MenuSpec{Label: text.MessageActions, Choices: choices, Right: true, Pick: func(v string) {
		switch v {
		case "copy":
			browser.Copy(e.Content, func(bool) { p.S.do(func() { p.S.say(text.Copied, nil) }) })
		case "edit":
			p.keepDraft()
			p.editing = id
			browser.SetValue(browser.ByID("say"), e.Content)
			p.ctx.Update()
			p.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("say")) })
		case "fork":
			p.fork(id)
		}
	}})
}

func (p *Chat) fork(entry int64) {
	var made api.Conversation
	path := api.ConversationPath(p.open, "fork")
	p.S.send(sync.Write{Method: "POST", Path: path, Body: api.EntryPick{EntryID: entry}, Out: &made}, func(err error) {
		if err != nil {
			p.S.fail(err)
			return
		}
		p.S.visit(route{Kind: chatPage, ID: made.ID})
	})
}

// menu offers what can be done with the conversation.
func (p *Chat) menu(el app.Value) {
	c := p.conversation()
	if c == nil {
		return
	}
	choices := []part.Choice{{Value: "rename", Label: text.RenameChat, Icon: "square-pen"}}
	if c.LeafID > 0 {
		choices = append(choices, part.Choice{Value: "fork", Label: text.ForkChat, Icon: "merge"})
		if c.State != api.ChatRunning {
			choices = append(choices, part.Choice{Value: "compact", Label: text.CompactChat, Icon: "history"}, part.Choice{Value: "clear", Label: text.ClearChat, Icon: "leaf"})
		}
	}
	choices = append(choices, part.Choice{Value: "delete", Label: text.DeleteChat, Icon: "trash-2", Rule: true, Danger: true})
	p.S.menuAt(el, part.MenuSpec{Label: text.ChatActions, Choices: choices, Right: true, Pick: func(v string) {
		switch v {
		case "rename":
			p.renaming = true
			p.ctx.Update()
			p.ctx.Defer(func(app.Context) {
				browser.SetValue(browser.ByID("chat-title"), c.Title)
				browser.Focus(browser.ByID("chat-title"))
			})
		case "fork":
			p.fork(c.LeafID)
		case "compact":
			p.tell("compact", api.CompactStart{}, text.Compacting)
		case "clear":
			p.S.send(sync.Write{Method: "DELETE", Path: api.ConversationPath(c.ID, "context")}, func(err error) {
				if err != nil {
					p.S.fail(err)
					return
				}
				p.S.say(text.ClearedContext, nil)
			})
		case "delete":
			p.remove(c.ID)
		}
	}})
}

func (p *Chat) remove(id int64) {
	p.S.confirm(text.DeleteChatHead, []string{text.DeleteChatWhy}, text.DeleteChat, func() {
		p.S.send(sync.Write{Method: "DELETE", Path: api.ConversationPath(id)}, func(err error) {
			if err != nil {
				p.S.fail(err)
				return
			}
			p.S.say(text.DeletedChat, nil)
			if p.open == id {
				p.S.visit(route{Kind: chatPage})
			}
		})
	})
}

// change patches the open conversation.
func (p *Chat) change(in api.ConversationPatch) {
	p.S.send(sync.Write{Method: "PATCH", Path: api.ConversationPath(p.open), Body: in}, func(err error) {
		if err != nil {
			p.S.fail(err)
		}
	})
}

func (p *Chat) rename() {
	title, ok := browser.Value(browser.ByID("chat-title"))
	if !ok {
		p.S.toast(part.Toast{Text: text.MessageNotText, Danger: true})
		return
	}
	p.renaming = false
	p.change(api.ConversationPatch{Title: &title})
}

func (p *Chat) chooseProject(el app.Value) {
	at := p.project
	if c := p.conversation(); c != nil && c.ProjectID != nil {
		at = *c.ProjectID
	}
	p.S.chooseProject(el, at, func(id int64) {
		switch {
		case p.open == 0:
			p.project = id
			p.ctx.Update()
		case id == 0:
			p.change(api.ConversationPatch{ProjectID: api.Null[int64]()})
		default:
			p.change(api.ConversationPatch{ProjectID: api.Some(id)})
		}
	})
}
