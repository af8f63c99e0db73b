package turn

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/model/chat"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Relayed is what another program asks a model by way of us: it keeps the conversation
// itself, and sends all of it each time.
type Relayed struct {
	// Conversation is what the program calls it, whatever that be; it is made when it is
	// called so first. Empty: it is known by what was said in it.
	Conversation string
	Model        *api.ModelPick             // nil: the role chat
	ProjectPath  string                     // where the program works, a path or a project's name; for a new conversation
	Messages     []chat.Message             // all of them, what the system says too
	Tools        []chat.Tool                // the program's own; none of ours are offered
	Fields       map[string]json.RawMessage // as chat.Request has them
}

// relayed is one on its way.
type relayed struct {
	Relayed
	model   Model
	chain   chain
	said    []int   // of Messages those that are entries, by their place
	entries []int64 // what they are, in the same order
	id      int64   // the conversation

	events chan chat.Event
	done   *chat.Done
	over   chan struct{} // closed at the end; then:
	err    error
}

// Relay has a model answer a request of another program: with what is recalled for it, in
// a conversation like any other. Its messages are matched with what was said in it, from
// the first one on, and what is new is stored; where they part, a branch begins. Of each
// conversation the blocks stand where they stood before.
//
// The events are those of the model, Done the last one, when all is stored. They must be
// read; an error is the last. Whoever stops reading, or ends ctx, stops the turn, and what
// was said until then is kept. Errors: Invalid; NotFound and Unavailable for a model that
// isn't there; Taken where a turn runs in the conversation that was named; TooMany.
func (s *Store) Relay(ctx context.Context, owner db.AccountID, in Relayed) (id int64, events iter.Seq2[chat.Event, error], err error) {
	r := &relayed{Relayed: in, events: make(chan chat.Event), over: make(chan struct{})}
	if r.model, err = s.o.Models.Preflight(ctx, owner, in.Model); err != nil {
		return 0, nil, err
	}
	r.link()
	leave, err := s.enter(owner)
	if err != nil {
		return 0, nil, err
	}
	if err = s.db.Update(ctx, func(tx *db.Tx) error { return s.arrive(tx, owner, r) }); err != nil {
		leave()
		return 0, nil, err
	}
	s.beginWith(owner, r.id, work{
		do: func(t *turn, ctx2 context.Context) error {
			t.relayed, t.model = r, r.model
			defer t.endsWith(ctx)()
			return t.relay(ctx2)
		},
		ended: func(err error) { r.err = err; leave(); close(r.over) },
	})
	return r.id, r.read, nil
}

// read yields the answer.
func (r *relayed) read(yield func(chat.Event, error) bool) {
	for {
		select {
		case e := <-r.events:
			if !yield(e, nil) {
				return
			}
		case <-r.over:
			switch {
			case r.err != nil:
				yield(chat.Event{}, told(r.err))
			case r.done != nil:
				yield(chat.Event{Done: r.done}, nil)
			}
			return
		}
	}
}

// told is how a turn ended, for whoever asked.
func told(err error) error {
	switch {
	case errors.Is(err, errStopped):
		return fault.Wrap(fault.Cancelled, err, "The answer was stopped. What was said until then is kept.")
	case errors.Is(err, errClosing):
		return fault.Wrap(fault.Unavailable, err, "The server is going down. Try again.")
	case errors.Is(err, errLost):
		return fault.Wrap(fault.Unavailable, err, "The answer was cut off. Try again.")
	}
	return err
}

// enter bounds how many answers an account may have on their way for other programs.
func (s *Store) enter(owner db.AccountID) (leave func(), err error) {
	s.relaying.Lock()
	defer s.relaying.Unlock()
	if most := setting.Int("v1.running"); s.relaying.by[owner] >= most {
		return nil, fault.Newf(fault.TooMany, "%d answers are on their way already. Wait for the end of one.", most)
	}
	s.relaying.by[owner]++
	return func() {
		s.relaying.Lock()
		defer s.relaying.Unlock()
		if s.relaying.by[owner]--; s.relaying.by[owner] <= 0 {
			delete(s.relaying.by, owner)
		}
	}, nil
}

// link makes the chain of what was said. What the system says is no part of it: programs
// write the time of day there. Where nobody else says anything, it is.
func (r *relayed) link() {
	alone := !slices.ContainsFunc(r.Messages, func(m chat.Message) bool { return m.Role != chat.System })
	for i, m := range r.Messages {
		if alone || m.Role != chat.System {
			r.said = append(r.said, i)
		}
	}
	for _, i := range r.said {
		m := r.Messages[i]
		r.chain.say(m.Role, storable(m.Text), m.Calls, chat.Images(m.Raw))
	}
}

// arrive finds or makes the conversation, stores what is new, and takes the turn.
func (s *Store) arrive(tx *db.Tx, owner db.AccountID, r *relayed) error {
	r.entries = nil // the decision may be made again
	c, place, err := s.place(tx, owner, r)
	if err != nil {
		return err
	}
	if c.ID == 0 {
		if c, err = s.settleIn(tx, owner, r); err != nil {
			return err
		}
	}
	r.id = c.ID
	leaf := place.entry
	if leaf != 0 {
		b, err := s.o.Snapshots.At(tx, owner, c.ID, place.entry)
		if err != nil {
			return err
		}
		for _, e := range b.Branch {
			if _, ok := e.Payload.(*journal.Message); ok {
				r.entries = append(r.entries, e.ID)
			}
		}
		if len(r.entries) != place.said {
			return fault.Wrap(fault.Corrupt, errors.New("a print of another branch"), "The conversation cannot be found again.")
		}
		if leaf, err = journal.Behind(tx, owner, c.ID, leaf); err != nil {
			return err
		}
	}
	if leaf != c.Leaf {
		if err := recount(tx, owner, c.ID); err != nil {
			return err
		}
	}
	if err := s.hear(tx, owner, c, r, leaf); err != nil {
		return err
	}
	if r.pick() != c.pick {
		if err := tx.Must(`UPDATE chat SET provider = ?, model = ?, tokens = 0, context_window = 0 WHERE conversation_id = ? AND owner_id = ?`, r.pick().Provider, r.pick().Model, c.ID, int64(owner)); err != nil {
			return err
		}
	}
	return s.take(tx, owner, c.ID)
}

func (r *relayed) pick() (pick api.ModelPick) {
	if r.Model != nil {
		pick = *r.Model
	}
	return pick
}

// hear stores what is new behind a leaf, and makes that the active branch.
func (s *Store) hear(tx *db.Tx, owner db.AccountID, c row, r *relayed, leaf int64) error {
	from := len(r.entries)
	if from == len(r.said) {
		if leaf == c.Leaf {
			return nil
		}
		return journal.Go(tx, owner, c.ID, leaf)
	}
	var drafts []journal.Draft
	for _, i := range r.said[from:] {
		m := entryFor(r.Messages[i])
		drafts = append(drafts, journal.Draft{Payload: m})
		if c.titled == titledNo && m.Role == journal.RoleUser {
			if err := entitle(tx, owner, c.ID, firstWords(m.Content), titledWords); err != nil {
				return err
			}
			c.titled = titledWords
		}
	}
	list, err := journal.Append(tx, owner, c.ID, leaf, drafts...)
	if err != nil {
		return err
	}
	for _, e := range list {
		r.entries = append(r.entries, e.ID)
	}
	return r.chain.keep(tx, owner, c.ID, from, r.entries[from:])
}

// entryFor is a program's message as it is stored: its words, with a sign for what has
// none.
func entryFor(m chat.Message) *journal.Message {
	text := m.Text
	for range chat.Images(m.Raw) {
		text = strings.TrimSpace(text + "\n[image]")
	}
	out := &journal.Message{Role: journal.RoleUser, Content: storable(text)}
	switch m.Role {
	case chat.Assistant:
		out.Role = journal.RoleAssistant
		for _, c := range m.Calls {
			out.Calls = append(out.Calls, callOf(c, out.Calls))
		}
	case chat.ToolResult:
		out.Role, out.CallID = journal.RoleToolResult, storable(m.CallID)
	}
	return out
}

// place finds the conversation, and where in it most of what was said stands. The row is
// empty where there is none.
func (s *Store) place(tx *db.Tx, owner db.AccountID, r *relayed) (c row, at known, err error) {
	var id int64
	if r.Conversation != "" {
		if id, err = named(tx, owner, r.Conversation); err != nil || id == 0 {
			return c, at, err
		}
		if c, err = get(tx, owner, id); err != nil {
			return c, at, err
		}
		if c.running() {
			return c, at, errBusy
		}
	}
	list, err := r.chain.find(tx, owner, id)
	if err != nil {
		return c, at, err
	}
	for _, k := range list {
		if id != 0 {
			return c, k, nil
		}
		found, err := get(tx, owner, k.conversation)
		if err != nil {
			return c, at, err
		}
		// One that runs is another one of the same beginning: programs ask several models at
		// once. And that somebody has begun so before, long ago, says nothing.
		if found.running() || !r.answered(k.said) && tx.Now-found.usedAt > int64(setting.Int("turn.coldMinutes"))*60_000 {
			continue
		}
		return found, k, nil
	}
	return c, at, nil
}

// errBusy says that a conversation that was named has a turn that runs.
var errBusy = func() *fault.Error {
	e := fault.New(fault.Taken, "An answer is on its way in this conversation. Wait for its end.")
	e.RetryAfterMillis = 1_000
	return e
}()

// answered tells whether a model has said something among the first messages.
func (r *relayed) answered(said int) bool {
	return slices.ContainsFunc(r.said[:said], func(i int) bool { return r.Messages[i].Role == chat.Assistant })
}

// settleIn makes a conversation.
func (s *Store) settleIn(tx *db.Tx, owner db.AccountID, r *relayed) (c row, err error) {
	c = row{titled: titledNo, pick: r.pick()}
	if c.project, err = project.Choose(tx, owner, 0, r.ProjectPath); err != nil {
		return c, err
	}
	if c.Conversation, err = journal.Begin(tx, owner, journal.KindChat, "", tx.Now); err != nil {
		return c, err
	}
	if err = create(tx, owner, c); err == nil && r.Conversation != "" {
		err = call(tx, owner, r.Conversation, c.ID)
	}
	return c, err
}

// endsWith stops the turn where whoever asked is gone, until it is called.
func (t *turn) endsWith(ctx context.Context) func() bool {
	t.s.mu.Lock()
	end := t.ss.end
	t.s.mu.Unlock()
	return context.AfterFunc(ctx, func() { end(errStopped) })
}

// relay is the turn.
func (t *turn) relay(ctx context.Context) error {
	r := t.relayed
	t.phase(api.PhaseWaiting, "")
	if err := t.thaw(ctx); err != nil {
		return err
	}
	found := t.recall()
	t.wait(ctx, found)
	if ctx.Err() != nil {
		if found != nil {
			found.stop()
		}
		return context.Cause(ctx)
	}
	if found != nil {
		t.ss.late = append(t.ss.late, found)
	}
	if !r.open() {
		if err := t.takeIn(ctx); err != nil {
			return err
		}
	}
	c, err := t.context(ctx)
	if err != nil {
		return err
	}
	_, r.done, err = t.answer(ctx, c.Leaf, r.request(c.Parts), answering{
		bytes: int(setting.Get("chat.answer").Max), passed: true,
		hear: func(e chat.Event) error {
			select {
			case r.events <- e:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	})
	return err
}

// open tells whether the model waits for results that the program has not sent: nothing
// may come between them.
func (r *relayed) open() bool {
	var calls []chat.Call
	for _, m := range r.Messages {
		switch m.Role {
		case chat.Assistant:
			calls = m.Calls
		case chat.ToolResult:
			calls = slices.DeleteFunc(slices.Clone(calls), func(c chat.Call) bool { return c.ID == m.CallID })
		}
	}
	return len(calls) > 0
}

// request is what the model is asked: the program's messages as they came, with each block
// behind the message that it was put behind.
func (r *relayed) request(parts []journal.Part) chat.Request {
	blocks := map[int64][]string{}
	for _, p := range parts {
		if p.Context != nil {
			blocks[p.Context.Anchor] = append(blocks[p.Context.Anchor], p.Context.Block)
		}
	}
	out := chat.Request{Tools: r.Tools, Fields: r.Fields}
	next := 0
	for i, m := range r.Messages {
		out.Messages = append(out.Messages, m)
		if next == len(r.said) || r.said[next] != i {
			continue
		}
		for _, b := range blocks[r.entries[next]] {
			out.Messages = append(out.Messages, chat.Message{Role: chat.User, Text: b})
		}
		next++
	}
	return out
}
