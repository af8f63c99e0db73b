package turn

import (
	"fmt"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// By hand, with instructions if wanted. The summary and the first kept entry are stored
// before the next call; what left the context is deliverable again.
func TestCompactionByHand(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry to Amrum leaves at noon.")
	if _, err := h.Compact(ctx, h.ann, h.id, api.CompactStart{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("nothing to summarize: %v", err)
	}
	h.turn("When does the ferry leave?")
	h.turn("Thanks!")
	h.endpoint.Next(scripted.Says(scripted.Text("They spoke of boats.")))
	if _, err := h.Compact(ctx, h.ann, h.id, api.CompactStart{Instructions: "Mention boats."}); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatIdle)
	h.want("the branch", h.branch(), "u [start 1] a u a compaction")
	r := h.endpoint.Requests()[2]
	if said := r.Said("user"); !strings.Contains(said, "Summarize the conversation so far") || !strings.HasSuffix(said, "Mention boats.") || strings.Contains(said, "Thanks!") {
		t.Errorf("%q", said)
	}
	now, err := h.Context(ctx, h.ann, h.id)
	if err != nil || len(now.Items) != 0 || len(now.Left) != 1 || now.Left[0].Left != "compaction" {
		t.Errorf("%+v %v", now, err)
	}
	h.turn("When does the ferry leave again?")
	h.want("the branch", h.branch(), "u [start 1] a u a compaction u [start 1] a")
	h.want("the request", shape(h.endpoint.Requests()[3]), "s u u a u u(1)")
	if said := h.endpoint.Requests()[3].Said("user"); !strings.Contains(said, "They spoke of boats.") || h.uses(ferry) != 2 {
		t.Errorf("%q, %d uses", said, h.uses(ferry))
	}
	// A summary that fails, or is not whole, leaves everything as it was.
	for what, answer := range map[string]scripted.Answer{
		"refused":        scripted.Status(401, ""),
		"too long":       scripted.Says(scripted.Text("They spoke of"), scripted.Stop("length")),
		"not to the end": scripted.Says(scripted.Text("They spoke of"), scripted.Stop("content_filter")),
		"a call":         scripted.Says(scripted.Text("I look."), scripted.Calls("c1", "Look", `{}`)),
		"cut":            scripted.Says(scripted.Text("They spoke of"), scripted.Cut()),
		"nothing":        scripted.Says(),
	} {
		h.endpoint.Next(answer)
		if _, err := h.Compact(ctx, h.ann, h.id, api.CompactStart{}); err != nil {
			t.Fatal(err)
		}
		h.rest(api.ChatFailed)
		h.want(what, h.branch(), "u [start 1] a u a compaction u [start 1] a")
	}
}

// At 80% of the model's context, before the next call.
func TestCompactionAtItsShare(t *testing.T) {
	h := newHouse(t)
	window := h.window()
	h.turn("One?" + share(window, 15))
	h.endpoint.Next(scripted.Says(scripted.Text("Long."), scripted.Usage(window*79/100, 1, 0)))
	h.turn("Two?")
	h.endpoint.Next(scripted.Says(scripted.Text("Longer."), scripted.Usage(window*80/100, 1, 0)))
	h.turn("Three?")
	h.want("below it", h.branch(), "u a u a u a u a")
	h.endpoint.Next(scripted.Says(scripted.Text("The summary.")))
	h.turn("Four?")
	b := h.branch()
	if !strings.Contains(b, "compaction") || !strings.HasSuffix(b, "a") {
		t.Fatalf("%q", b)
	}
	last := h.endpoint.Requests()
	if said := last[len(last)-1].Said("user"); !strings.Contains(said, "The summary.") || !strings.Contains(said, "Four?") {
		t.Errorf("%q", said)
	}
	// Off: the account never wants it for this model.
	if _, err := h.Patch(ctx, h.ann, h.id, api.ConversationPatch{CompactAt: api.Some(0)}); err != nil {
		t.Fatal(err)
	}
	h.endpoint.Next(scripted.Says(scripted.Text("Longer."), scripted.Usage(window*95/100, 1, 0)))
	h.turn("Five?")
	n := strings.Count(h.branch(), "compaction")
	h.turn("Six?")
	if strings.Count(h.branch(), "compaction") != n {
		t.Error("it was summarized all the same")
	}
	for _, share := range []int{1, 29, 96} {
		if _, err := h.Patch(ctx, h.ann, h.id, api.ConversationPatch{CompactAt: api.Some(share)}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d percent: %v", share, err)
		}
	}
}

// window is how much the model takes, in tokens.
func (h *house) window() int {
	h.t.Helper()
	h.turn("Hello.")
	n := h.chat().Window
	if n == 0 {
		h.t.Fatal("the model's context is not known")
	}
	return n
}

// share is a text that takes a share of a window, in percent.
func share(window, percent int) string { return strings.Repeat("x", window*percent/100*bytesPerToken) }

// A summary is written where it frees something: what takes the context otherwise, as
// the schemas of many tools do, is not made less by one in each turn.
func TestASummaryFreesSomething(t *testing.T) {
	h := newHouse(t)
	window := h.window()
	h.turn("One?" + share(window, 30))
	full := func(text string) {
		h.t.Helper()
		h.endpoint.Next(scripted.Says(scripted.Text("Yes."), scripted.Usage(window*90/100, 1, 0)))
		h.turn(text)
	}
	full("Two?")
	h.endpoint.Next(scripted.Says(scripted.Text("The summary.")))
	full("Three?")
	if n := strings.Count(h.branch(), "compaction"); n != 1 {
		t.Fatalf("%d summaries: %s", n, h.branch())
	}
	for range 4 { // what is left is small, and the context as full as before
		full("Go on.")
	}
	if n := strings.Count(h.branch(), "compaction"); n != 1 {
		t.Errorf("%d summaries: %s", n, h.branch())
	}
	h.turn("More!" + share(window, 12))
	h.turn("Much more!" + share(window, 12))
	h.endpoint.Next(scripted.Says(scripted.Text("Yes."), scripted.Usage(window*90/100, 1, 0)), scripted.Says(scripted.Text("The second summary.")))
	h.turn("Five?")
	h.turn("Six?")
	if n := strings.Count(h.branch(), "compaction"); n != 2 {
		t.Errorf("%d summaries: %s", n, h.branch())
	}
}

// What was measured of one branch says nothing of another: an edit, another try and a
// way back begin to count anew.
func TestAnotherBranchIsCountedAnew(t *testing.T) {
	for what, move := range map[string]func(h *house, second int64){
		"an edit": func(h *house, second int64) { h.turn("Two, edited?", editing(second)) },
		"another try": func(h *house, _ int64) {
			h.endpoint.Next(scripted.Says(scripted.Text("Half of"), scripted.Usage(h.chat().Window*90/100, 1, 0), scripted.Stop("length")))
			h.say("Three?")
			h.rest(api.ChatFailed)
			if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
				h.t.Fatal(err)
			}
			h.rest(api.ChatIdle)
		},
		"a way back": func(h *house, second int64) {
			if _, err := h.Go(ctx, h.ann, h.id, api.EntryPick{EntryID: second}); err != nil {
				h.t.Fatal(err)
			}
			h.turn("Two, again?")
		},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHouse(t)
			h.turn("One?" + share(h.window(), 40))
			used := 90
			if what == "another try" {
				used = 50
			}
			h.endpoint.Next(scripted.Says(scripted.Text("Yes."), scripted.Usage(h.chat().Window*used/100, 1, 0)))
			second := h.say("Two?").Entry.ID
			h.rest(api.ChatIdle)
			move(h, second)
			if b := h.branch(); strings.Contains(b, "compaction") {
				t.Error(b)
			}
		})
	}
}

// Titles are the utility model's, only where there is one; else the first words stay, and
// a person's own title always.
func TestTitles(t *testing.T) {
	h := newHouse(t)
	h.turn("When does the very first ferry of the day leave for Amrum?")
	h.want("the first words", h.chat().Title, "When does the very first ferry of the…")
	if n := len(h.endpoint.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	h.role(h.endpoint.OpenAI(), true)
	h.endpoint.Next(scripted.Says(scripted.Text("You are welcome.")), scripted.Says(scripted.Text("\"The first ferry.\"\n")))
	h.turn("Thanks!")
	h.until("the title", func() bool { return h.chat().Title == "The first ferry" })
	if last := h.endpoint.Requests()[2]; last.Asked().Model != "u" || !strings.Contains(string(last.Body), fmt.Sprintf(`_tokens":%d`, titleTokens)) {
		t.Errorf("%s", last.Body)
	}
	if _, err := h.Patch(ctx, h.ann, h.id, api.ConversationPatch{Title: api.Ptr("Mine")}); err != nil {
		t.Fatal(err)
	}
	h.turn("Again.")
	h.Close()
	h.want("a person's", h.chat().Title, "Mine")
}

// A title is worth one request: a utility model that is busy is not asked again for it.
func TestATitleIsAskedForOnce(t *testing.T) {
	h := newHouse(t)
	h.role(h.endpoint.OpenAI(), true)
	h.endpoint.Next(scripted.Says(scripted.Text("At noon.")), scripted.Status(503, ""))
	h.turn("When does the very first ferry of the day leave for Amrum?")
	h.until("the failure", func() bool { return strings.Contains(h.log.String(), "keeps its first words") })
	if n := len(h.endpoint.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
	h.want("the first words", h.chat().Title, "When does the very first ferry of the…")
}

// A cold conversation clears its blocks where they hold more than half of the recall
// budget; the person's words are never rewritten.
func TestColdConversation(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		idle int64 // minutes
		want string
	}{
		"cold and large": {10_100, 61, "u [start 1] a u context_cleared [start 1] a"},
		"cold and small": {1_000, 61, "u [start 1] a u a"},
		"warm and large": {10_100, 59, "u [start 1] a u a"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.remember("The ferry. " + strings.Repeat("x", c.size))
			h.turn("When does the ferry leave?")
			h.clock.Advance(c.idle * 60_000)
			h.turn("And the ferry back?")
			h.want("the branch", h.branch(), c.want)
			last := h.endpoint.Requests()[1].Said("user")
			if !strings.Contains(last, "When does the ferry leave?") {
				t.Errorf("%q", last)
			}
		})
	}
}

// A person's personal conversation uses its owner, a room only the verified writer of the
// turn, and without one there is no recall.
func TestRecallAccount(t *testing.T) {
	for _, c := range []struct {
		kind          string
		owner, writer int64
		want          int64
		ok            bool
	}{
		{journal.KindChat, 1, 0, 1, true},
		{journal.KindChat, 1, 2, 1, true},
		{journal.KindAgent, 1, 0, 1, true},
		{journal.KindVoice, 1, 2, 1, true},
		{journal.KindRoom, 1, 2, 2, true},
		{journal.KindRoom, 1, 0, 0, false},
		{journal.KindRoom, 1, -1, -1, false},
		{journal.KindChat, 0, 2, 0, false},
	} {
		who, ok := RecallAccount(journal.Conversation{Kind: c.kind}, db.AccountID(c.owner), db.AccountID(c.writer))
		if int64(who) != c.want || ok != c.ok {
			t.Errorf("%+v: %d %v", c, who, ok)
		}
	}
	// Rooms use the writer's global categories only.
	if recallProject(journal.Conversation{Kind: journal.KindRoom}, 7) != 0 || recallProject(journal.Conversation{Kind: journal.KindChat}, 7) != 7 {
		t.Error("a project")
	}
}

// An edited body counts as new, and is sent once; an unchanged one is not sent again, nor
// after a restart, nor in a fork.
func TestEditedBodyIsSentOnce(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry leaves at noon.")
	h.turn("When does the ferry leave?")
	h.turn("The ferry, really?")
	h.edit(ferry, "The ferry leaves at one.")
	h.turn("And the ferry now?")
	h.turn("So the ferry?")
	h.restart()
	h.turn("The ferry!")
	h.want("the branch", h.branch(), "u [start 1] a u a u [start 1] a u a u a")
	f, err := h.Fork(ctx, h.ann, h.id, api.EntryPick{EntryID: h.chat().LeafID})
	if err != nil {
		t.Fatal(err)
	}
	h.id = f.ID
	h.turn("The ferry, once more.")
	h.want("the fork", h.branch(), "u [start 1] a u a u [start 1] a u a u a u a")
	if h.uses(ferry) != 2 {
		t.Errorf("%d uses", h.uses(ferry))
	}
}

// A read tool shows an unchanged, visible memory as an id-only line, and counts nothing of
// it; what was cut off by the bound of a result is not delivered.
func TestToolsMarkWhatIsThere(t *testing.T) {
	h := newHouse(t)
	ferry := h.remember("The ferry leaves at noon.")
	h.endpoint.Next(scripted.Says(scripted.Calls("c1", "MemorySearch", `{"query":"ferry","full":true}`)))
	h.turn("When does the ferry leave?")
	h.want("the branch", h.branch(), "u [start 1] a t a")
	said := h.endpoint.Requests()[1].Said("tool")
	if !strings.Contains(said, fmt.Sprintf(`<memory id="%d" note="already in context"></memory>`, ferry)) || strings.Contains(said, "noon") {
		t.Errorf("%q", said)
	}
	if h.uses(ferry) != 1 {
		t.Errorf("%d uses", h.uses(ferry))
	}
}
