package turn

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"elowen/server/servertest/scripted"
	"elowen/server/tool"
	"elowen/shared/api"
)

// One scoped retrieval for the person's message: at most 10 memories and 20,000 bytes of
// bodies by default.
func TestOneScopedRetrievalForTheMessage(t *testing.T) {
	h := newHouse(t)
	for i := range 12 {
		h.remember(fmt.Sprintf("The ferry number %d leaves at noon.", i))
	}
	h.turn("When do the ferry boats leave?")
	asked := h.finder.questions()
	if len(asked) != 1 || asked[0].Query != "When do the ferry boats leave?" || asked[0].Limit != 10 || asked[0].Bytes != 20_000 || asked[0].Project != 0 {
		t.Fatalf("%+v", asked)
	}
	h.want("the branch", h.branch(), "u [start 1,2,3,4,5,6,7,8,9,10] a")
	h.want("the request", shape(h.request()), "s u u(1)(2)(3)(4)(5)(6)(7)(8)(9)(10)")
}

// Steps: recall is waited for at most recallWaitMs; 0 never waits. What comes late joins
// a later call.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name  string
		wait  int // recallWaitMs
		takes time.Duration
		first string // the first request
		later string // the second one
	}{
		{"0 s", 5_000, 0, "s u u(1)", "s u u(1) a t"},
		{"1 s", 5_000, time.Second, "s u u(1)", "s u u(1) a t"},
		{"4.9 s", 5_000, 4_900 * time.Millisecond, "s u u(1)", "s u u(1) a t"},
		{"5.1 s", 5_000, 5_100 * time.Millisecond, "s u", "s u a t u(1)"},
		{"29 s", 5_000, 29 * time.Second, "s u", "s u a t u(1)"},
		{"31 s", 5_000, 31 * time.Second, "s u", "s u a t u(1)"},
		{"29 s, the longest wait", 30_000, 29 * time.Second, "s u u(1)", "s u u(1) a t"},
		{"31 s, the longest wait", 30_000, 31 * time.Second, "s u", "s u a t u(1)"},
		{"1 s, no wait", 0, time.Second, "s u", "s u a t u(1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			ferry := h.remember("The ferry to Amrum leaves at noon.")
			h.limits(api.LimitsChange{RecallWaitMs: api.Some(c.wait)})
			found := make(chan struct{})
			h.finder.next(found)
			answer := make(chan struct{})
			h.endpoint.Next(scripted.Says(scripted.Gate(answer), scripted.Calls("c1", "Look", `{}`)))
			h.tools["Look"] = says("Nothing.")
			begun := h.clock.Now()
			h.say("When does the ferry leave?")
			limit := begun + int64(c.wait)
			if c.wait > 0 {
				h.until("the wait", func() bool { return h.clock.waits(limit) })
			}
			if c.takes.Milliseconds() <= int64(c.wait) && c.wait > 0 {
				if c.takes > 0 {
					h.clock.advance(c.takes)
					if n := len(h.endpoint.Requests()); n != 0 {
						t.Fatalf("%d requests before recall has ended", n)
					}
				}
				close(found)
			} else {
				if c.wait > 0 {
					h.clock.advance(time.Duration(c.wait-1) * time.Millisecond)
					if n := len(h.endpoint.Requests()); n != 0 {
						t.Fatalf("%d requests before the limit", n)
					}
					h.clock.advance(time.Millisecond)
				}
				h.until("the first request", func() bool { return len(h.endpoint.Requests()) == 1 })
				h.clock.advance(c.takes - time.Duration(c.wait)*time.Millisecond)
				close(found)
				h.settled()
			}
			close(answer)
			h.rest(api.ChatIdle)
			h.want("the first request", shape(h.request()), c.first)
			h.want("the second request", shape(h.request()), c.later)
			if n := h.uses(ferry); n != 1 {
				t.Errorf("%d uses", n)
			}
			if asked := h.finder.questions(); len(asked) != 1 {
				t.Errorf("asked %d times", len(asked))
			}
		})
	}
}

// settled waits until every search of the conversation that runs has ended.
func (h *house) settled() {
	h.t.Helper()
	h.until("the end of the searches", func() bool { return h.searching.Load() == 0 })
}

// Late results are not thrown away: the same retrieval goes on, and joins the next turn
// if this one ends first. It never uses up a live search.
func TestLateRecallJoinsTheNextTurn(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry to Amrum leaves at noon.")
	h.limits(api.LimitsChange{RecallWaitMs: api.Some(0)})
	found := make(chan struct{})
	h.finder.next(found)
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u a")
	if h.uses(ferry) != 0 {
		t.Error("it was counted, and nobody saw it")
	}
	close(found)
	h.settled()
	h.turn("Thanks!")
	h.want("the branch", h.branch(), "u a u [start 1] a")
	h.want("the first request", shape(h.request()), "s u")
	h.want("the second request", shape(h.request()), "s u a u u(1)")
	if h.uses(ferry) != 1 {
		t.Errorf("%d uses", h.uses(ferry))
	}
	if asked := h.finder.questions(); len(asked) != 2 || asked[0].Query != "When does the ferry leave?" || asked[1].Query != "Thanks!" {
		t.Errorf("%+v", asked)
	}
}

// A turn ends first, then the program restarts: what was still being looked for is gone,
// and counts nothing.
func TestLateRecallDoesNotOutliveTheProgram(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry to Amrum leaves at noon.")
	h.limits(api.LimitsChange{RecallWaitMs: api.Some(0)})
	h.finder.next(make(chan struct{}))
	h.turn("When does the ferry leave?")
	h.restart()
	h.turn("Thanks!")
	h.want("the branch", h.branch(), "u a u a")
	if h.uses(ferry) != 0 {
		t.Error("it was counted, and nobody saw it")
	}
	// It is found again by whoever asks for it.
	h.limits(api.LimitsChange{RecallWaitMs: api.Null[int]()})
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u a u a u [start 1] a")
}

// It queues only once a preflight has succeeded.
func TestRecallQueuesOnlyAfterPreflight(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry to Amrum leaves at noon.")
	h.role("", false)
	for name, found := range map[string]chan struct{}{"in time": nil, "late": make(chan struct{})} {
		h.finder.next(found)
		if found != nil {
			h.limits(api.LimitsChange{RecallWaitMs: api.Some(0)})
		}
		h.say("When does the ferry leave?")
		c := h.rest(api.ChatFailed)
		if !strings.Contains(c.Problem, "No chat model") {
			t.Errorf("%s: %q", name, c.Problem)
		}
		h.mu.Lock()
		if ss := h.sessions[h.id]; ss != nil && len(ss.late) > 0 {
			t.Errorf("%s: it is queued", name)
		}
		h.mu.Unlock()
	}
	if len(h.endpoint.Requests()) != 0 || h.uses(ferry) != 0 || strings.Contains(h.branch(), "[") {
		t.Errorf("%d requests, %d uses, %s", len(h.endpoint.Requests()), h.uses(ferry), h.branch())
	}
	h.role(h.endpoint.OpenAI(), false)
	h.limits(api.LimitsChange{RecallWaitMs: api.Null[int]()})
	h.finder.free()
	if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatIdle)
	h.want("after it is mended", h.branch(), "u u [start 1] a")
	if h.uses(ferry) != 1 {
		t.Errorf("%d uses", h.uses(ferry))
	}
}

// Bodies are bounded as they are when they come in: one that grew since it was found
// leaves the others their place.
func TestRecallIsBoundedWhenItComesIn(t *testing.T) {
	h := newHouse(t)
	grows := h.remember("The ferry leaves at noon.")
	h.remember("The ferry is white.")
	h.remember("The ferry to Föhr is green.")
	h.limits(api.LimitsChange{RecallBytes: api.Some(200)})
	gate := make(chan struct{})
	h.finder.next(gate)
	h.say("When does the ferry leave?")
	h.until("the search", func() bool { return len(h.finder.questions()) == 1 })
	h.edit(grows, "The ferry leaves at noon. "+strings.Repeat("x", 150))
	close(gate)
	h.rest(api.ChatIdle)
	h.want("the branch", h.branch(), "u [start 1,2] a") // a third would be too much
	if h.uses(grows) != 1 {
		t.Errorf("%d uses", h.uses(grows))
	}
}

// At injection it is checked against what has been delivered meanwhile; if that shortens
// it, the retrieval runs again once against the current set, for a later call, and not
// again after that.
func TestShortenedRecallRunsAgainOnce(t *testing.T) {
	h := newHouse(t)
	for _, what := range []string{"leaves at noon", "costs nine euros", "takes two hours", "is white"} {
		h.remember("The ferry " + what + ".")
	}
	h.limits(api.LimitsChange{RecallWaitMs: api.Some(0), RecallCount: api.Some(2), LiveSearches: api.Some(0)})
	first, again := make(chan struct{}), make(chan struct{})
	h.finder.next(first)
	call := func(id, args string) scripted.Answer { return scripted.Says(scripted.Calls(id, "MemorySearch", args)) }
	h.endpoint.Next(
		call("c1", `{"query":"ferry","limit":1}`), // delivers 1 by another path, before recall (1, 2) has ended
		scripted.Says(scripted.Calls("c2", "Wait", `{}`)),
		scripted.Says(scripted.Calls("c3", "MemorySearch", `{"query":"white ferry","limit":2}`)),
		scripted.Says(scripted.Calls("c4", "Again", `{}`)),
	)
	h.tools["Wait"] = func(context.Context, tool.Place, string) tool.Outcome {
		close(first)
		h.settled()
		h.finder.next(again)
		return tool.Outcome{Text: "Waited."}
	}
	h.tools["Again"] = func(context.Context, tool.Place, string) tool.Outcome {
		close(again)
		h.settled()
		return tool.Outcome{Text: "Waited."}
	}
	h.turn("Tell me about the ferry.")
	// c1 brings 1; recall had found 1 and 2, and runs again: it finds 2 and 3, but c3 has
	// brought 2 meanwhile, so 3 alone comes in.
	h.want("the branch", h.branch(), "u a t(1) a t a t(2) a t [start 3] a")
	for i := range 4 {
		if n := h.uses(int64(i + 1)); n != []int64{1, 1, 1, 0}[i] {
			t.Errorf("memory %d has %d uses", i+1, n)
		}
	}
	starts := 0
	for _, q := range h.finder.questions() {
		if q.Query == "Tell me about the ferry." {
			starts++
		}
	}
	if starts != 2 {
		t.Errorf("%d searches for the message", starts)
	}
}

// Stop while recall is waited for: the turn ends at once, and asks nobody.
func TestStopWhileWaiting(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry to Amrum leaves at noon.")
	h.finder.next(make(chan struct{}))
	limit := h.clock.Now() + 5_000
	h.say("When does the ferry leave?")
	h.until("the wait", func() bool { return h.clock.waits(limit) })
	if _, err := h.Stop(ctx, h.ann, h.id); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatStopped)
	h.want("the branch", h.branch(), "u")
	if len(h.endpoint.Requests()) != 0 || h.uses(ferry) != 0 {
		t.Errorf("%d requests, %d uses", len(h.endpoint.Requests()), h.uses(ferry))
	}
	if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatIdle)
	h.want("tried again", h.branch(), "u [start 1] a")
}

// A new message while recall is waited for waits for the end of the turn; one that
// steers joins the first call.
func TestNewMessageWhileWaiting(t *testing.T) {
	h := newHouse(t)
	h.remember("The ferry to Amrum leaves at noon.")
	found := make(chan struct{})
	h.finder.next(found)
	limit := h.clock.Now() + 5_000
	h.say("When does the ferry leave?")
	h.until("the wait", func() bool { return h.clock.waits(limit) })
	queued := h.say("And the train?")
	steered := h.say("To Amrum, that is.", steering)
	if queued.Queued == nil || queued.Entry != nil || steered.Queued == nil || !steered.Queued.Steer {
		t.Fatalf("%+v %+v", queued, steered)
	}
	if list := h.chat().Queued; len(list) != 2 || list[0].Content != "And the train?" {
		t.Errorf("%+v", list)
	}
	close(found)
	h.rest(api.ChatIdle)
	h.want("the branch", h.branch(), "u u [start 1] a u a")
	h.want("the first request", h.request().Said("user")[:46], "When does the ferry leave?\nTo Amrum, that is.\n")
	h.want("the second request", shape(h.request()), "s u u u(1) a u")
}

// Switched off, nothing is recalled for a message.
func TestRecallIsSwitchedOff(t *testing.T) {
	h := newHouse(t)
	h.remember("The ferry to Amrum leaves at noon.")
	h.switches(false, true)
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u a")
	if len(h.finder.questions()) != 0 {
		t.Error("somebody was asked")
	}
}

// Recall that fails is not a turn that fails.
func TestRecallThatFails(t *testing.T) {
	h := newHouse(t)
	h.finder.fail = fmt.Errorf("no index")
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u a")
	if !strings.Contains(h.log.String(), "no index") {
		t.Error("nobody is told")
	}
}

// A memory that was edited or went to the trash since it was found comes in as it is now,
// or not at all.
func TestRecallIsTakenAsItIsNow(t *testing.T) {
	h := newHouse(t)
	edited, gone := h.remember("The ferry leaves at noon."), h.remember("The ferry is white.")
	h.limits(api.LimitsChange{RecallWaitMs: api.Some(0)})
	found := make(chan struct{})
	h.finder.next(found)
	h.endpoint.Next(scripted.Says(scripted.Calls("c1", "Wait", `{}`)))
	h.tools["Wait"] = func(context.Context, tool.Place, string) tool.Outcome {
		h.edit(edited, "The ferry leaves at one.")
		h.trash(gone)
		close(found)
		h.settled()
		return tool.Outcome{Text: "Waited."}
	}
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u a t [start 1] a")
	if r := h.endpoint.Requests()[1]; !strings.Contains(r.Said("user"), "at one.") || strings.Contains(r.Said("user"), "at noon") {
		t.Errorf("%s", r.Said("user"))
	}
	if h.uses(gone) != 0 {
		t.Error("what is in the trash was counted")
	}
}
