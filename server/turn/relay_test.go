package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/server/model/chat"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// program is another one, which keeps its conversation itself.
type program struct {
	h    *house
	who  db.AccountID
	name string // of the conversation; empty: none
	said []chat.Message
}

func (h *house) program(name string) *program { return &program{h: h, who: h.ann, name: name} }

func user(text string) chat.Message  { return chat.Message{Role: chat.User, Text: text} }
func rules(text string) chat.Message { return chat.Message{Role: chat.System, Text: text} }

// heard is an answer as a program got it.
type heard struct {
	id    int64
	text  string
	calls []chat.Call
	done  *chat.Done
	err   error
}

// send sends what was said with more of it, and keeps both and the answer.
func (p *program) send(more ...chat.Message) heard {
	p.h.t.Helper()
	p.said = append(p.said, more...)
	out := p.ask(ctx, p.said)
	if out.err == nil {
		p.said = append(p.said, chat.Message{Role: chat.Assistant, Text: out.text, Calls: out.calls})
	}
	return out
}

// ask sends messages, and reads the answer.
func (p *program) ask(ctx context.Context, said []chat.Message) (out heard) {
	id, events, err := p.h.Relay(ctx, p.who, Relayed{Conversation: p.name, Messages: slices.Clone(said)})
	if err != nil {
		return heard{err: err}
	}
	if out.id = id; p.who == p.h.ann {
		p.h.id = id
	}
	for e, err := range events {
		switch {
		case err != nil:
			out.err = err
		case e.Call != nil:
			out.calls = append(out.calls, *e.Call)
		case e.Done != nil:
			out.done = e.Done
		default:
			out.text += e.Text
		}
	}
	return out
}

// last is the last request that the endpoint got, in short.
func (h *house) last() string {
	all := h.endpoint.Requests()
	return shape(all[len(all)-1])
}

// Memory is recalled for a program's last message, stands behind it from then on, and is
// counted once; the conversation is known again by what was said, whatever the system says
// meanwhile.
func TestAProgramsConversationIsKnownByWhatWasSaid(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ferry := h.remember("The ferry to Amrum leaves at noon.")
		p := h.program("")
		first := p.send(rules("It is 9 o'clock."), user("When does the ferry leave?"))
		if first.err != nil || first.text != "ok" || first.done == nil {
			t.Fatalf("%+v", first)
		}
		h.want("the first request", h.last(), fmt.Sprintf("s u u(%d)", ferry))
		h.want("the branch", h.branch(), fmt.Sprintf("u [start %d] a", ferry))
		if c := h.chat(); c.Title != "When does the ferry leave?" || c.Kind != "chat" || c.State != api.ChatIdle {
			t.Errorf("%+v", c)
		}
		p.said[0] = rules("It is 10 o'clock.")
		if again := p.send(user("And is the ferry back by night?")); again.err != nil || again.id != first.id {
			t.Fatalf("%+v, not %d", again, first.id)
		}
		h.want("the second request", h.last(), fmt.Sprintf("s u u(%d) a u", ferry))
		h.want("the branch", h.branch(), fmt.Sprintf("u [start %d] a u a", ferry))
		if n := h.uses(ferry); n != 1 {
			t.Errorf("counted %d times", n)
		}

		// Edited, it is another one: it comes once more, and only once.
		h.edit(ferry, "The ferry to Amrum leaves at one.")
		p.send(user("The ferry, once more?"))
		h.want("after the edit", h.last(), fmt.Sprintf("s u u(%d) a u a u u(%d)", ferry, ferry))
		p.send(user("So the ferry leaves when?"))
		h.want("after that", h.last(), fmt.Sprintf("s u u(%d) a u a u u(%d) a u", ferry, ferry))

		// A restart forgets nothing.
		h.restart()
		if again := p.send(user("Still the ferry?")); again.err != nil || again.id != first.id {
			t.Fatalf("%+v, not %d", again, first.id)
		}
		h.want("after a restart", h.last(), fmt.Sprintf("s u u(%d) a u a u u(%d) a u a u", ferry, ferry))
	})
}

// Where a program says something else than it did, a branch begins, and what stood before
// stands there. What it only asks again is answered beside the answer there was.
func TestAProgramsDivergenceBranches(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry leaves at noon.")
	p := h.program("")
	first := p.send(user("When does the ferry leave?"))
	p.send(user("Thanks."))
	p.said = append(p.said[:2:2], user("And who says so?"))
	if out := p.ask(ctx, p.said); out.err != nil || out.id != first.id {
		t.Fatalf("%+v", out)
	}
	h.want("a branch", h.last(), fmt.Sprintf("u u(%d) a u", ferry))
	h.want("its journal", h.branch(), fmt.Sprintf("u [start %d] a u a", ferry))
	h.endpoint.Next(scripted.Says(scripted.Text("something else")))
	if out := p.ask(ctx, p.said[:1]); out.err != nil || out.id != first.id || out.text != "something else" {
		t.Fatalf("%+v", out)
	}
	h.want("asked again", h.last(), fmt.Sprintf("u u(%d)", ferry))
	h.want("beside the first answer", h.branch(), fmt.Sprintf("u [start %d] a", ferry))
	if n := h.uses(ferry); n != 1 || len(h.finder.questions()) != 3 {
		t.Errorf("counted %d times, asked %d times", n, len(h.finder.questions()))
	}
	// Space around a text and the form of arguments mean nothing.
	h.endpoint.Next(scripted.Says(scripted.Text(" spaced \n"), scripted.Calls("c", "Look", `{"b": 1, "a": 2}`)))
	q := h.program("")
	out := q.send(user("look there"))
	q.said[1].Text, q.said[1].Calls = "spaced", []chat.Call{{ID: "other", Name: "Look", Arguments: `{"a":2,"b":1}`}}
	if again := q.send(chat.Message{Role: chat.ToolResult, CallID: "other", Text: "a bird"}); again.err != nil || again.id != out.id {
		t.Errorf("%+v, not %d", again, out.id)
	}
	h.want("with tools", h.branch(), "u a t a")
}

// A program's name for a conversation is the account's own, and holds whatever is said.
func TestAProgramsNameForAConversation(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry leaves at noon.")
	p := h.program("ferries")
	first := p.send(user("When does the ferry leave?"))
	p.said = nil // it forgot all of it: nothing of it stands before the model any more
	if again := p.send(user("The ferry again?")); again.id != first.id {
		t.Errorf("%+v, not %d", again, first.id)
	}
	h.want("a new beginning", h.last(), fmt.Sprintf("u u(%d)", ferry))
	other := h.program("ships")
	if out := other.send(user("When does the ferry leave?")); out.err != nil || out.id == first.id {
		t.Errorf("%+v", out)
	}
	bob := &program{h: h, who: h.bob, name: "ferries"}
	out := bob.send(user("When does the ferry leave?"))
	if out.err != nil || out.id == first.id {
		t.Errorf("%+v", out)
	}
	h.want("another account's", h.last(), "u")
	if _, err := h.Get(ctx, h.bob, first.id); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	unnamed := &program{h: h, who: h.bob}
	if out := unnamed.send(user("The ferry again?")); out.err != nil || out.id == first.id {
		t.Errorf("%+v", out)
	}

	// Deleted, it begins anew under the same name.
	if err := h.Delete(ctx, h.ann, first.id); err != nil {
		t.Fatal(err)
	}
	if again := h.program("ferries").send(user("When does the ferry leave?")); again.err != nil || again.id == first.id {
		t.Errorf("%+v", again)
	}
}

// That somebody has begun with the same words long ago says nothing.
func TestTheSameBeginningLongAgoIsAnotherConversation(t *testing.T) {
	h := newHouse(t)
	first := h.program("").send(user("Good morning!"))
	if again := h.program("").send(user("Good morning!")); again.id != first.id {
		t.Errorf("asked again at once: %d, not %d", again.id, first.id)
	}
	h.clock.advance(24 * time.Hour)
	if again := h.program("").send(user("Good morning!")); again.err != nil || again.id == first.id {
		t.Errorf("the next day: %+v", again)
	}
	// But what was answered is known for ever.
	if again := h.program("").send(user("Good morning!"), chat.Message{Role: chat.Assistant, Text: "ok"}, user("And so on.")); again.err != nil {
		t.Errorf("%+v", again)
	}
	h.want("goes on", h.branch(), "u a u a")
}

// A block never comes between a call and its results, and recall is for the person's
// message alone.
func TestAProgramsToolsPassThrough(t *testing.T) {
	h := newHouse(t)
	h.tools["Own"] = says("ours")
	ferry := h.remember("The ferry leaves at noon.")
	h.endpoint.Next(scripted.Says(scripted.Text("let me see"), scripted.Calls("c1", "Look", `{"at":`, `1}`), scripted.Calls("c2", "Look", `{}`)))
	p := h.program("")
	out := p.send(user("Where is the ferry?"))
	if out.done == nil || out.done.Stop != chat.StopCalls || len(out.calls) != 2 || out.calls[0].Arguments != `{"at":1}` {
		t.Fatalf("%+v", out)
	}
	if r := h.endpoint.Requests()[0].Asked(); len(r.Tools) != 0 {
		t.Errorf("tools of ours were offered: %v", r.Tools)
	}
	p.send(chat.Message{Role: chat.ToolResult, CallID: "c1", Text: "the ferry is away"}, chat.Message{Role: chat.ToolResult, CallID: "c2", Text: "there"})
	h.want("the results", h.last(), fmt.Sprintf("u u(%d) a t t", ferry))
	h.want("the branch", h.branch(), fmt.Sprintf("u [start %d] a t t a", ferry))
	if n := len(h.finder.questions()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	// Recall that comes too late for its request waits while a call has no result.
	gate := make(chan struct{})
	h.finder.next(gate)
	ship := h.remember("The ship is gone.")
	none := 0
	h.limits(api.LimitsChange{RecallWaitMs: api.Optional[int]{Set: true, Value: &none}})
	h.endpoint.Next(scripted.Says(scripted.Calls("d1", "Look", `{}`), scripted.Calls("d2", "Look", `{}`)))
	p.send(user("And the ship?"))
	close(gate)
	h.until("the search", func() bool { return h.searching.Load() == 0 })
	half := p.ask(ctx, append(p.said, chat.Message{Role: chat.ToolResult, CallID: "d1", Text: "no"}))
	if half.err != nil || strings.Contains(h.last(), fmt.Sprintf("(%d)", ship)) {
		t.Errorf("%+v %s", half, h.last())
	}
	p.send(chat.Message{Role: chat.ToolResult, CallID: "d1", Text: "no"}, chat.Message{Role: chat.ToolResult, CallID: "d2", Text: "no"})
	h.want("late", h.last(), fmt.Sprintf("u u(%d) a t t a u a t t u(%d)", ferry, ship))
}

// What fails is told, and asked again it is the same turn: nothing twice.
func TestAProgramAsksAgain(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry leaves at noon.")
	p := h.program("")
	h.endpoint.Next(scripted.Status(401, ""))
	p.said = []chat.Message{user("When does the ferry leave?")}
	if out := p.ask(ctx, p.said); !fault.Is(out.err, fault.Unavailable) || !strings.Contains(out.err.Error(), "key") {
		t.Fatalf("%+v", out)
	}
	if c := h.rest(api.ChatFailed); c.Problem == "" {
		t.Errorf("%+v", c)
	}
	id := h.id
	h.endpoint.Next(scripted.Says(scripted.Text("At n"), scripted.Cut()))
	if out := p.ask(ctx, p.said); !fault.Is(out.err, fault.Unavailable) || out.text != "At n" || out.id != id {
		t.Fatalf("%+v", out)
	}
	h.want("what was said until then", h.branch(), fmt.Sprintf("u [start %d] a!", ferry))
	if out := p.ask(ctx, p.said); out.err != nil || out.id != id {
		t.Fatalf("%+v", out)
	}
	h.want("once more", h.branch(), fmt.Sprintf("u [start %d] a", ferry))
	h.want("what was sent", h.last(), fmt.Sprintf("u u(%d)", ferry))
	if n := h.uses(ferry); n != 1 {
		t.Errorf("counted %d times", n)
	}
	// What ends at its greatest length is the program's to judge, as is an answer that says
	// nothing.
	h.endpoint.Next(scripted.Says(scripted.Text("Half of"), scripted.Calls("c1", "Look", `{"n":`), scripted.Stop("length")))
	q := h.program("")
	if out := q.send(user("Say a lot.")); out.err != nil || out.done == nil || out.done.Stop != chat.StopLength || len(out.calls) != 1 {
		t.Errorf("%+v", out)
	}
	h.rest(api.ChatIdle)
	half := h.id
	if out := q.send(chat.Message{Role: chat.ToolResult, CallID: "c1", Text: "none"}); out.err != nil || out.id != half {
		t.Errorf("%+v", out)
	}
	h.want("goes on", h.branch(), "u a! t a")
	h.endpoint.Next(scripted.Says(scripted.Stop("length")))
	if out := h.program("").send(user("Say nothing.")); out.err != nil || out.done == nil || out.done.Stop != chat.StopLength || out.text != "" {
		t.Errorf("%+v", out)
	}
	h.rest(api.ChatIdle)
	// Nothing is stored for a model that isn't there.
	h.role("", false)
	before := h.id
	if out := h.program("").send(user("Anybody?")); !fault.Is(out.err, fault.Unavailable) || h.id != before {
		t.Errorf("%+v", out)
	}
}

// Whoever goes away stops the turn; a person who stops it is told to the program. Another
// request in the meantime is refused by name, and is a conversation of its own without.
func TestAProgramsTurnIsOneOfMany(t *testing.T) {
	h := newHouse(t)
	for _, by := range []string{"program", "person"} {
		gone, leave := context.WithCancel(ctx)
		h.endpoint.Next(scripted.Says(scripted.Text("At "), scripted.Gate(make(chan struct{})), scripted.Text("noon")))
		p := &program{h: h, who: h.ann, name: by}
		id, events, err := h.Relay(gone, h.ann, Relayed{Conversation: p.name, Messages: []chat.Message{user("When " + by + "?")}})
		if err != nil {
			t.Fatal(err)
		}
		h.id = id
		for e, err := range events {
			if e.Text == "" {
				h.want("the end", fault.KindOf(err).Code(), fault.Cancelled.Code())
				break
			}
			if now, ok := h.Now(h.ann, id); !ok || now.Text != "At " {
				t.Errorf("people see %+v", now)
			}
			if out := p.ask(ctx, []chat.Message{user("And now?")}); !fault.Is(out.err, fault.Taken) || fault.RetryAfter(out.err) == 0 {
				t.Errorf("by name: %+v", out)
			}
			if out := h.program("").ask(ctx, []chat.Message{user("When " + by + "?")}); out.err != nil || out.id == id {
				t.Errorf("without: %+v", out)
			}
			h.id = id
			if by == "person" {
				if _, err := h.Stop(ctx, h.ann, id); err != nil {
					t.Error(err)
				}
			} else {
				leave()
			}
		}
		leave()
		h.rest(api.ChatStopped)
		h.want("what was said until then", h.branch(), "u a!")
		if out := p.ask(ctx, []chat.Message{user("When " + by + "?")}); out.err != nil || out.id != id {
			t.Errorf("%+v", out)
		}
	}
	if n := len(h.relaying.by); n != 0 {
		t.Errorf("%d accounts have answers on their way", n)
	}
}

// A person goes on in the app where a program was, and the program where it was.
func TestAPersonGoesOnWhereAProgramWas(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry leaves at noon.")
	p := h.program("")
	first := p.send(user("When does the ferry leave?"))
	h.rest(api.ChatIdle)
	h.turn("And tomorrow, the ferry?")
	h.want("the person's", h.branch(), fmt.Sprintf("u [start %d] a u a", ferry))
	if out := p.send(user("What did I ask?")); out.err != nil || out.id != first.id {
		t.Fatalf("%+v", out)
	}
	h.want("the program's", h.last(), fmt.Sprintf("u u(%d) a u", ferry))
}

// Whatever a program sends, edits, repeats and forgets: no version of a memory stands
// twice in what is sent, each is counted once for each time that it came, and what goes on
// begins with what was sent before.
func TestRelayedProperty(t *testing.T) {
	h := newHouse(t)
	words := []string{"ferry", "airlock", "garden", "harbour"}
	for _, w := range words {
		h.remember("What is known of the " + w + ".")
	}
	rapid.Check(t, func(r *rapid.T) {
		p := h.program("")
		if rapid.Bool().Draw(r, "named") {
			p.name = rapid.StringMatching("[a-z]{8}").Draw(r, "name")
		}
		seed := rapid.StringMatching("[a-z]{12}").Draw(r, "seed")
		var before []scripted.Message
		grown := false
		for i := range rapid.IntRange(1, 8).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"say", "say", "say", "again", "back", "system", "fail"}).Draw(r, "step") {
			case "again":
				if len(p.said) > 1 {
					p.said = p.said[:len(p.said)-1]
				}
				grown = false
			case "back":
				if n := len(p.said); n > 0 {
					p.said = p.said[:rapid.IntRange(0, n-1).Draw(r, "to")]
				}
				grown = false
			case "system":
				p.said = append(p.said, rules("be "+seed))
			case "fail":
				h.endpoint.Next(scripted.Status(500, ""), scripted.Status(500, ""), scripted.Status(500, ""))
			}
			h.endpoint.Handle(func(*scripted.Request) scripted.Answer {
				return scripted.Says(scripted.Text(fmt.Sprint("answer ", i, seed)))
			})
			out := p.send(user(fmt.Sprint("Tell of the ", rapid.SampledFrom(words).Draw(r, "word"), i, " ", seed)))
			all := h.endpoint.Requests()
			now := all[len(all)-1].Asked().Messages
			seen := map[string]bool{}
			for _, m := range now {
				for _, id := range shownIn(m.Text) {
					if seen[id] {
						r.Fatalf("%s stands twice: %s", id, shape(all[len(all)-1]))
					}
					seen[id] = true
				}
			}
			if grown && (len(now) <= len(before) || fmt.Sprint(now[:len(before)]) != fmt.Sprint(before)) {
				r.Fatalf("another beginning:\n%v\n%v", before, now)
			}
			before, grown = now, out.err == nil
			if out.err == nil {
				inside, err := h.Context(ctx, h.ann, out.id)
				if err != nil || len(inside.Items) != len(seen) {
					r.Fatalf("%d in context, %d sent, %v", len(inside.Items), len(seen), err)
				}
			} else {
				p.said = p.said[:len(p.said)-1]
				grown = false
			}
		}
	})
}
