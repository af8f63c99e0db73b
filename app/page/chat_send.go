package page

import (
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// saying is what is being sent to a conversation. It outlives the page: whoever looks
// elsewhere while it is on its way comes back to the same.
type saying struct {
	busy   bool
	unsure *api.MessageSend // its answer was lost: said again, it is the same write
	intent sync.Intention   // of the message; of 0, of the conversation that it begins
}

// saying is that of a conversation; 0: of one that is still to be made.
func (s *Session) saying(id int64) *saying {
	if s.sayings == nil {
		s.sayings = map[int64]*saying{}
	}
	if s.sayings[id] == nil {
		s.sayings[id] = &saying{}
	}
	return s.sayings[id]
}

// chatAt is the page of conversations while it shows that one; else nil.
func (s *Session) chatAt(id int64) *Chat {
	if s.chat == nil || s.chat.open != id {
		return nil
	}
	return s.chat
}

// send says what was typed; where there is no conversation yet, it makes one first.
func (p *Chat) send() {
	typed, ok := browser.Value(browser.ByID("say"))
	now := p.S.saying(p.open)
	switch {
	case now.busy:
		return
	case !ok:
		p.S.toast(part.Toast{Text: text.MessageNotText, Danger: true})
		return
	case strings.TrimSpace(typed) == "":
		return
	}
	now.busy = true
	in := api.MessageSend{Content: typed, Steer: p.steer && p.running() && p.editing == 0, Edit: p.editing}
	if u := now.unsure; u != nil && u.Content == in.Content && u.Edit == in.Edit {
		in = *u // whether it came or not: its turn may run by now
	}
	if p.open > 0 {
		p.S.deliver(p.open, p.open, in)
		return
	}
	add := api.ConversationAdd{ProjectID: p.project}
	if p.begun.Model != "" {
		add.Model = &p.begun
	}
	s := p.S
	var made api.Conversation
	s.send(sync.Write{Method: "POST", Path: api.PathConversations, Body: add, Out: &made, Key: now.intent.Key(api.PathConversations, add)}, func(err error) {
		if err != nil {
			now.busy = false
			s.fail(err)
			return
		}
		now.intent.Done()
		s.deliver(0, made.ID, in)
	})
}

// deliver sends a message from the page of one conversation (0: a new one) to the
// conversation id. It is in the field, and kept as a draft, until the server has it.
func (s *Session) deliver(from, id int64, in api.MessageSend) {
	now, path := s.saying(id), api.ConversationPath(id, "messages")
	s.send(sync.Write{Method: "POST", Path: path, Body: in, Key: now.intent.Key(path, in)}, func(err error) {
		s.saying(from).busy = false
		now.unsure = nil
		if sync.Lost(err) {
			now.unsure = &in
		}
		if err != nil {
			s.fail(err)
		} else {
			now.intent.Done()
			s.delivered(from, in)
		}
		if from == id {
			return
		}
		if err != nil { // the conversation exists; what failed is the message
			s.dropSaid(from, in.Content)
			browser.SetDraft(chatForm(id), in.Content)
		}
		if s.chatAt(from) != nil {
			s.visit(route{Kind: chatPage, ID: id})
		}
	})
}

// delivered empties what was said out of the draft of its conversation, and out of the
// field if that is still shown.
func (s *Session) delivered(from int64, in api.MessageSend) {
	if in.Edit == 0 {
		s.dropSaid(from, in.Content)
	}
	p := s.chatAt(from)
	if p == nil {
		return
	}
	p.stuck = true
	if now, _ := browser.Value(browser.ByID("say")); now == in.Content && p.editing == in.Edit {
		clearField("say")
		if p.editing > 0 {
			p.editing = 0
			browser.SetValue(browser.ByID("say"), browser.DraftOf(chatForm(from)).Text)
		}
	}
	p.ctx.Defer(func(app.Context) { toEnd(browser.ByID("thread")) })
	p.ctx.Update()
}

// dropSaid removes the draft of a conversation where it is what was said, and nothing
// that was typed since.
func (s *Session) dropSaid(id int64, content string) {
	if browser.DraftOf(chatForm(id)).Text == content {
		browser.SetDraft(chatForm(id), "")
	}
}

func clearField(id string) {
	if field := browser.ByID(id); field.Truthy() {
		field.Set("value", "")
	}
}
