package turn

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"elowen/server/recall"
	"elowen/server/servertest/scripted"
	"elowen/server/tool"
	"elowen/shared/api"
)

// harbour is a tool's answer that is long enough to be searched by.
const harbour = "The timetable of the harbour says nothing of it."

// rounds scripts n answers that call Look, and gives the requests that come.
func (h *house) rounds(n int) {
	for i := range n {
		h.endpoint.Next(scripted.Says(scripted.Calls(fmt.Sprint("c", i), "Look", fmt.Sprintf(`{"n":%d}`, i))))
	}
}

// look has Look answer, and do more as the n-th time that it is called (from 1).
func (h *house) look(answer string, also map[int]func()) {
	n := 0
	h.tools["Look"] = func(context.Context, tool.Place, string) tool.Outcome {
		n++
		if f := also[n]; f != nil {
			f()
		}
		h.settled()
		return tool.Outcome{Text: fmt.Sprintf(answer, n)}
	}
}

// lively switches recall for the message off, so that what comes in is by live recall.
func (h *house) lively() { h.switches(false, true) }

// queries are what was searched for.
func (h *house) queries() (list []string) {
	for _, q := range h.finder.questions() {
		list = append(list, q.Query)
	}
	return list
}

// While the turn works, before a model call: a query from the tail of tool results and
// assistant text; the result joins a later call as a frozen block (role user) after the
// newest complete entry, never between a tool call and its results; there it stays. Never
// awaited.
func TestLiveRecallJoinsALaterCall(t *testing.T) {
	h := newHouse(t)
	h.lively()
	ferry := h.remember("The harbour is closed on Mondays.")
	h.endpoint.Next(
		scripted.Says(scripted.Text("I look at it. "), scripted.Calls("c1", "Look", `{}`), scripted.Calls("c2", "Look", `{}`)),
		scripted.Says(scripted.Calls("c3", "Look", `{}`)),
		scripted.Says(scripted.Calls("c4", "Look", `{}`)),
	)
	h.look("%d. "+harbour, nil)
	h.turn("When does it leave?")
	h.want("the branch", h.branch(), "u a t t a t [working 1] a t a")
	shapes := []string{}
	for _, r := range h.endpoint.Requests() {
		shapes = append(shapes, shape(r))
	}
	h.want("the requests", strings.Join(shapes, "; "), "s u; s u a t t; s u a t t a t u(1); s u a t t a t u(1) a t")
	if asked := h.finder.questions(); !strings.HasPrefix(asked[0].Query, "I look at it.\n1. The timetable") || asked[0].Limit != 2 || asked[0].Bytes != 20_000 {
		t.Errorf("%+v", asked)
	}
	if h.uses(ferry) != 1 {
		t.Errorf("%d uses", h.uses(ferry))
	}
	if !strings.Contains(h.log.String(), "a search while a turn works has ended") || !strings.Contains(h.log.String(), "milliseconds=") {
		t.Error("its latency is not logged")
	}
}

// At most 2,000 characters, our own injected frames stripped.
func TestLiveQueryIsTheTail(t *testing.T) {
	h := newHouse(t)
	h.lively()
	h.remember("Nothing to see in this secret frame.")
	long := strings.Repeat("é", 1_990) + " the end of it."
	h.endpoint.Next(
		scripted.Says(scripted.Calls("c1", "MemorySearch", `{"query":"secret frame"}`), scripted.Calls("c2", "Look", `{}`)),
		scripted.Says(scripted.Calls("c3", "Long", `{}`)),
	)
	h.look("%d. "+harbour, nil)
	h.tools["Long"] = says(long)
	h.turn("Go.")
	q := h.queries() // the first is the tool's own search
	if len(q) != 3 || strings.Contains(q[1], "secret") || strings.Contains(q[1], "<memor") || !strings.Contains(q[1], "1. The timetable") {
		t.Fatalf("%q", q)
	}
	if n := utf8.RuneCountInString(q[2]); n > 2_000 || n < 1_990 || !strings.HasSuffix(q[2], "the end of it.") {
		t.Errorf("%d characters, %q", n, q[2][len(q[2])-30:])
	}
}

// Skipped if the query is under 24 characters or equal to the last one.
func TestLiveQueryTooShortOrTheSame(t *testing.T) {
	h := newHouse(t)
	h.lively()
	h.rounds(2)
	h.tools["Look"] = says("Twenty three letters..")
	h.endpoint.Handle(nil)
	h.tools["Look"] = func(context.Context, tool.Place, string) tool.Outcome { return tool.Outcome{Text: ""} }
	h.turn("Go.")
	if q := h.queries(); len(q) != 0 {
		t.Errorf("%q", q)
	}
	h.endpoint.Next(scripted.Says(scripted.Calls("x", "Short", `{}`)))
	h.tools["Short"] = says("Twenty-three letters...")
	h.turn("Go.")
	if q := h.queries(); len(q) != 0 {
		t.Errorf("%q", q)
	}
	h.endpoint.Next(scripted.Says(scripted.Calls("y", "Short", `{}`)))
	h.tools["Short"] = says("Twenty-four letters are.")
	h.turn("Go.")
	if q := h.queries(); len(q) != 1 {
		t.Errorf("%q", q)
	}
	// What was said is the same as long as nothing is added: an answer that only calls
	// adds nothing, and a result that says nothing neither.
	h.endpoint.Next(scripted.Says(scripted.Calls("z", "Short", `{}`)), scripted.Says(scripted.Calls("c1", "Look", `{}`)), scripted.Says(scripted.Calls("c2", "Look", `{}`)))
	h.tools["Look"] = func(context.Context, tool.Place, string) tool.Outcome { h.settled(); return tool.Outcome{} }
	h.turn("Go.")
	if q := h.queries(); len(q) != 2 {
		t.Errorf("%q", q)
	}
}

// Limits: searches per turn, memories per search, bytes per turn, the whole framed block
// counted; 0 searches or memories is off.
func TestLiveLimits(t *testing.T) {
	t.Run("searches", func(t *testing.T) {
		h := newHouse(t)
		h.lively()
		h.limits(api.LimitsChange{LiveSearches: api.Some(3)})
		h.rounds(6)
		h.look("%d. "+harbour, nil)
		h.turn("Go.")
		if q := h.queries(); len(q) != 3 {
			t.Errorf("%d searches", len(q))
		}
		h.rounds(1)
		h.turn("Once more.")
		if q := h.queries(); len(q) != 4 {
			t.Errorf("%d searches after another turn", len(q))
		}
	})
	t.Run("ten by default", func(t *testing.T) {
		h := newHouse(t)
		h.lively()
		h.rounds(13)
		h.look("%d. "+harbour, nil)
		h.turn("Go.")
		if q := h.queries(); len(q) != 10 {
			t.Errorf("%d searches", len(q))
		}
	})
	for name, off := range map[string]api.LimitsChange{"no searches": {LiveSearches: api.Some(0)}, "no memories": {LivePerSearch: api.Some(0)}} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.lively()
			h.remember("The harbour is closed on Mondays.")
			h.limits(off)
			h.rounds(3)
			h.look("%d. "+harbour, nil)
			h.turn("Go.")
			if q := h.queries(); len(q) != 0 {
				t.Errorf("%q", q)
			}
		})
	}
	t.Run("bytes", func(t *testing.T) {
		h := newHouse(t)
		h.lively()
		h.limits(api.LimitsChange{LiveBytes: api.Some(10_000), LivePerSearch: api.Some(2)})
		for i := range 4 {
			h.remember(fmt.Sprintf("The harbour, part %d. %s", i, strings.Repeat("x", 4_000)))
		}
		h.rounds(5)
		h.look("%d. "+harbour, nil)
		h.turn("Go.")
		// Two of over 4,000 bytes each fit in with their frame; the third would not.
		h.want("the branch", h.branch(), "u a t a t [working 1,2] a t a t a t a")
		if h.uses(3) != 0 {
			t.Error("what did not fit in was counted")
		}
	})
}

// A search unsettled after 30 s is abandoned; one of 29 s joins.
func TestLiveSearchIsAbandoned(t *testing.T) {
	for takes, want := range map[time.Duration]string{
		29 * time.Second: "u a t a t [working 1] a t a",
		31 * time.Second: "u a t a t a t [working 1] a", // by the search that comes after it
	} {
		t.Run(takes.String(), func(t *testing.T) {
			h := newHouse(t)
			h.lively()
			h.remember("The harbour is closed on Mondays.")
			gate := make(chan struct{})
			h.finder.next(gate)
			h.rounds(3)
			h.look("%d. "+harbour, nil)
			n := 0
			look := h.tools["Look"]
			h.tools["Look"] = func(ctx context.Context, at tool.Place, args string) tool.Outcome {
				if n++; n == 2 { // the search began before this call
					h.until("the search", func() bool { return len(h.finder.questions()) == 1 })
					h.clock.advance(takes)
					if takes < 30*time.Second {
						close(gate)
					}
				}
				return look(ctx, at, args)
			}
			h.turn("Go.")
			h.want("the branch", h.branch(), want)
			if h.uses(1) != 1 {
				t.Errorf("%d uses", h.uses(1))
			}
		})
	}
}

// Steering resets the budget and keeps the blocks; the steering message is what is
// searched for.
func TestSteeringResetsTheBudget(t *testing.T) {
	h := newHouse(t)
	h.lively()
	h.remember("The harbour is closed on Mondays.")
	h.remember("Trains to Dagebüll run hourly.")
	h.limits(api.LimitsChange{LiveSearches: api.Some(1)})
	h.rounds(5)
	h.look("%d. "+harbour, map[int]func(){3: func() { h.say("What about the trains to Dagebüll?", steering) }})
	h.turn("Go.")
	h.want("the branch", h.branch(), "u a t a t [working 1] a t u a t [working 2] a t a")
	if q := h.queries(); len(q) != 2 || q[1] != "What about the trains to Dagebüll?" {
		t.Errorf("%q", q)
	}
}

// If all that a search found was delivered by another path meanwhile, its query lock is
// released and the next pass may repeat it, within the limit.
func TestLiveQueryLockIsReleased(t *testing.T) {
	h := newHouse(t)
	h.lively()
	for i := range 4 {
		h.remember(fmt.Sprintf("The harbour has a rule, number %d.", i))
	}
	gate := make(chan struct{})
	h.finder.next(gate)
	quiet := func(context.Context, tool.Place, string) tool.Outcome { return tool.Outcome{} }
	h.tools["Quiet"] = quiet
	h.tools["Finish"] = func(context.Context, tool.Place, string) tool.Outcome {
		close(gate)
		h.settled()
		return tool.Outcome{}
	}
	h.tools["Settle"] = func(context.Context, tool.Place, string) tool.Outcome { h.settled(); return tool.Outcome{} }
	h.tools["Look"] = says(harbour)
	h.endpoint.Next(
		scripted.Says(scripted.Calls("c1", "Look", `{}`)),                                         // searched for: finds 1 and 2, slowly
		scripted.Says(scripted.Calls("c2", "MemorySearch", `{"query":"harbour rule","limit":2}`)), // which come by this
		scripted.Says(scripted.Calls("c3", "Finish", `{}`)),
		scripted.Says(scripted.Calls("c4", "Settle", `{}`)),
	)
	h.turn("Go.")
	h.want("the branch", h.branch(), "u a t a t(1)(2) a t a t [working 3,4] a")
	live := []recall.Request{}
	for _, q := range h.finder.questions() {
		if q.Limit == 2 && strings.HasPrefix(q.Query, harbour) {
			live = append(live, q)
		}
	}
	if len(live) != 2 {
		t.Errorf("%d searches: %q", len(live), h.queries())
	}
	if got := h.uses(1) + h.uses(2) + h.uses(3) + h.uses(4); got != 4 {
		t.Errorf("%d uses", got)
	}
}

// Switched off, nothing is searched for while a turn works.
func TestLiveRecallIsSwitchedOff(t *testing.T) {
	h := newHouse(t)
	h.switches(false, false)
	h.rounds(2)
	h.look("%d. "+harbour, nil)
	h.turn("Go.")
	if q := h.queries(); len(q) != 0 {
		t.Errorf("%q", q)
	}
}
