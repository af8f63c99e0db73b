package page

import (
	"context"
	"strconv"

	"elowen/app/browser"
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/live"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Chat is the page of conversations: which there are, what is said in one, and which
// memories stand before its model.
type Chat struct {
	app.Compo
	S   *Session
	Rev int
	ID  int64 // of the conversation that is open; 0: a new one

	ctx      app.Context
	list     state.Window[live.ConversationRow]
	lists    *sync.Watch[live.ConversationRow]
	open     int64 // whose windows are followed
	mounted  bool
	talk     state.Window[live.TalkRow]
	talks    *sync.Watch[live.TalkRow]
	inside   state.Window[live.ContextRow]
	insides  *sync.Watch[live.ContextRow]
	older    []live.TalkRow // entries before the window, that were asked for
	cursor   string         // where the ones before those begin; "-": there are none
	asking   bool
	problem  string        // why there is no window
	shown    *settingsNow  // nil until they are read
	pane     string        // of a narrow window: "", list or context
	folded   bool          // of a wide one: the context isn't shown
	steer    bool          // what is sent joins the turn that runs
	editing  int64         // the message that is said anew
	begun    api.ModelPick // of a conversation that is still to be made
	project  int64
	renaming bool
	listing  bool // the models are asked for
	stuck    bool // the end of the thread is to stay in sight
}

// OnMount follows the conversations.
func (p *Chat) OnMount(ctx app.Context) {
	defer browser.Survive("chat")
	p.ctx, p.mounted, p.S.chat = ctx, true, p
	var read settingsNow
	p.S.async(api.PathSettings, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathSettings, &read) }, func(err error) {
		if err == nil {
			p.shown = &read
		}
		p.ctx.Update()
	})
	p.lists = sync.Subscribe(p.S.client, live.Request{View: live.ViewConversations, Limit: setting.Int("conversation.rows")}, func(e sync.Event[live.ConversationRow]) {
		if e.Outcome != state.Refused {
			p.update(func() { p.list = e.After })
		}
	})
	p.follow()
}

// OnUpdate follows the address.
func (p *Chat) OnUpdate(app.Context) {
	defer browser.Survive("chat")
	if p.mounted && p.ID != p.open {
		p.follow()
		p.ctx.Update()
	}
}

// OnDismount ends it.
func (p *Chat) OnDismount() {
	defer browser.Survive("chat")
	if p.S.chat == p {
		p.S.chat = nil
	}
	p.keepDraft()
	p.lists.Close()
	p.unfollow()
}

// update shows what changed without drawing the frame anew: a reply comes word by word.
func (p *Chat) update(f func()) {
	p.ctx.Dispatch(func(app.Context) {
		defer browser.Survive("chat")
		f()
	})
}

func (p *Chat) unfollow() {
	if p.talks != nil {
		p.talks.Close()
		p.insides.Close()
		p.talks, p.insides = nil, nil
	}
}

// follow opens the conversation of the address.
func (p *Chat) follow() {
	p.unfollow()
	p.open = p.ID
	p.talk, p.inside = state.Window[live.TalkRow]{}, state.Window[live.ContextRow]{}
	p.older, p.cursor, p.problem, p.editing, p.pane, p.renaming = nil, "", "", 0, "", false
	p.stuck, p.steer = true, true
	id := p.ID
	if id > 0 {
		p.talks = sync.Subscribe(p.S.client, live.Request{View: live.ViewConversation, Of: id, Limit: setting.Int("conversation.rows")}, func(e sync.Event[live.TalkRow]) {
			p.update(func() { p.heard(id, e) })
		})
		p.insides = sync.Subscribe(p.S.client, live.Request{View: live.ViewContext, Of: id}, func(e sync.Event[live.ContextRow]) {
			p.update(func() {
				if p.open == id && e.Outcome != state.Refused {
					p.inside = e.After
				}
			})
		})
	}
	if id == 0 {
		p.begin()
	}
}

// begin puts what was typed before into the field, and the focus, once it is there.
func (p *Chat) begin() {
	p.ctx.Defer(func(app.Context) {
		browser.SetValue(browser.ByID("say"), browser.DraftOf(chatForm(p.open)).Text)
		if !p.S.narrow() {
			browser.Focus(browser.ByID("say"))
		}
	})
}

// heard takes over what is new in the conversation, and keeps its end in sight where it
// was.
func (p *Chat) heard(id int64, e sync.Event[live.TalkRow]) {
	if p.open != id {
		return
	}
	if e.Outcome == state.Refused {
		p.problem = e.Problem.Detail
		return
	}
	p.problem = ""
	if !p.talk.Loaded {
		p.begin()
	}
	p.stuck = p.stuck && !p.talk.Loaded || atEnd(browser.ByID("thread"))
	if p.older = olderOf(p.older, p.talk.Rows, e.After.Rows); len(p.older) == 0 {
		p.cursor = ""
	}
	p.talk = e.After
	p.S.tell(e.After.AsOf, e.After.Kept)
	if p.stuck {
		p.ctx.Defer(func(app.Context) { toEnd(browser.ByID("thread")) })
	}
	if c := p.conversation(); c != nil {
		browser.Title(text.Title(or(c.Title, text.Untitled)))
	}
}

// endReach is how near the end of the thread is to count as its end, in CSS pixels.
const endReach = 48

func atEnd(box app.Value) bool {
	return browser.Number(box, "scrollHeight")-browser.Number(box, "scrollTop")-browser.Number(box, "clientHeight") < endReach
}

func toEnd(box app.Value) {
	if box.Truthy() {
		box.Set("scrollTop", browser.Number(box, "scrollHeight"))
	}
}

// conversation is how the open one stands; nil while that isn't known.
func (p *Chat) conversation() *api.Conversation {
	if r := p.talk.At(p.talk.From); r != nil && r.Conversation != nil {
		return r.Conversation
	}
	for i := range p.talk.Rows {
		if c := p.talk.Rows[i].Conversation; c != nil {
			return c
		}
	}
	return nil
}

// turn is what goes on; nil for nothing.
func (p *Chat) turn() *api.TurnNow {
	for i := range p.talk.Rows {
		if p.talk.Rows[i].Conversation != nil {
			return p.talk.Rows[i].Turn
		}
	}
	return nil
}

func (p *Chat) running() bool {
	c := p.conversation()
	return c != nil && c.State == api.ChatRunning
}

// --- what is typed ---

// chatForm is under which name what is typed into a conversation is kept.
func chatForm(id int64) string { return formChat + strconv.FormatInt(id, 10) }

func (p *Chat) keepDraft() {
	if p.editing > 0 {
		return // the message that it would replace is still there
	}
	if typed, ok := browser.Value(browser.ByID("say")); ok {
		browser.SetDraft(chatForm(p.open), typed)
	}
}

func (p *Chat) input(ctx app.Context, e app.Event) {
	defer browser.Survive("chat")
	ctx.PreventUpdate()
	if e.Get("target").Get("id").String() == "say" {
		p.keepDraft()
	}
}

// key sends with Enter; on a device without a keyboard of its own that is a new line.
func (p *Chat) key(ctx app.Context, e app.Event) {
	defer browser.Survive("chat")
	key := browser.Key(e)
	inField := e.Get("target").Get("id").String() == "say"
	switch {
	case key == "Escape" && p.editing > 0:
		e.PreventDefault()
		p.endEdit()
	case key == "Escape" && p.pane != "":
		p.pane = ""
	case key == "Escape" && p.running():
		e.PreventDefault()
		p.stop()
	case key == "Enter" && inField && !browser.Flag(e, "shiftKey") && !browser.Flag(e, "isComposing") &&
		(!browser.Matches("(pointer: coarse)") || browser.Commanding(e)):
		e.PreventDefault()
		p.send()
	default:
		ctx.PreventUpdate()
	}
}

func (p *Chat) submit(ctx app.Context, e app.Event) {
	defer browser.Survive("chat")
	e.PreventDefault()
	p.send()
}

func (p *Chat) endEdit() {
	p.editing = 0
	clearField("say")
	browser.SetValue(browser.ByID("say"), browser.DraftOf(chatForm(p.open)).Text)
	browser.Focus(browser.ByID("say"))
}
