package turn

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/servertest/scripted"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Errors from the provider end the turn with a plain message and a Retry: 401, 429 with
// Retry-After, 5xx, a stream cut in the middle, malformed JSON.
func TestProviderErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer scripted.Answer
		branch string
		after  string // what is left after it is tried again
		retry  bool   // says when to try again
	}{
		{"401", scripted.Status(401, ""), "u", "u a", false},
		{"429", scripted.Status(429, "600"), "u", "u a", true},
		{"500", scripted.Status(500, ""), "u", "u a", false},
		{"cut in the middle", scripted.Says(scripted.Text("Half of"), scripted.Cut()), "u a!", "u a", false},
		{"fails within", scripted.Says(scripted.Text("Half of"), scripted.Fails()), "u a!", "u a", false},
		{"malformed", scripted.Says(scripted.Text("Half of"), scripted.Raw("data: {\"choices\": [{\n\n")), "u a!", "u a", false},
		{"a page", scripted.HTML(), "u", "u a", false},
		{"as long as it may be", scripted.Says(scripted.Text("Half of"), scripted.Stop("length")), "u a!", "u a", false},
		{"as long as it may be, in a call", scripted.Says(scripted.Text("Half of"), scripted.Calls("c1", "Look", `{"n":`), scripted.Stop("length")), "u a!", "u a", false},
		{"nothing but thoughts", scripted.Says(scripted.Stop("length")), "u", "u a", false},
		{"refused in the middle", scripted.Says(scripted.Text("Half of"), scripted.Stop("content_filter")), "u a!", "u a", false},
		{"refused", scripted.Says(scripted.Stop("content_filter")), "u", "u a", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.endpoint.Next(c.answer)
			if strings.HasPrefix(c.name, "5") { // it is asked again by itself
				h.endpoint.Next(c.answer, c.answer)
			}
			h.say("Hello?")
			now := h.rest(api.ChatFailed)
			if now.Problem == "" || strings.Contains(now.Problem, "provider's own words") || (now.RetryAt != nil) != c.retry {
				t.Errorf("%+v", now)
			}
			h.want("the branch", h.branch(), c.branch)
			if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
				t.Fatal(err)
			}
			h.rest(api.ChatIdle)
			h.want("tried again", h.branch(), c.after)
			if _, err := h.Retry(ctx, h.ann, h.id); !fault.Is(err, fault.Invalid) {
				t.Errorf("there is nothing to try again: %v", err)
			}
		})
	}
}

// Stop cancels the provider's stream and tools at once and keeps what was said.
func TestStop(t *testing.T) {
	t.Run("the stream", func(t *testing.T) {
		h := newHouse(t)
		h.endpoint.Next(scripted.Says(scripted.Text("So far"), scripted.Gate(make(chan struct{}))))
		h.say("Hello?")
		r := h.request()
		h.until("what is said", func() bool { n, _ := h.Now(h.ann, h.id); return n.Text == "So far" })
		if n, _ := h.Now(h.ann, h.id); n.Turn.Phase != api.PhaseAnswering {
			t.Errorf("%+v", n)
		}
		if _, ok := h.Now(h.bob, h.id); ok {
			t.Error("somebody else sees it")
		}
		if _, err := h.Stop(ctx, h.ann, h.id); err != nil {
			t.Fatal(err)
		}
		h.rest(api.ChatStopped)
		<-r.Gone()
		h.want("the branch", h.branch(), "u a!")
		h.turn("And?")
		h.want("after it", h.branch(), "u a! u a")
	})
	t.Run("a tool", func(t *testing.T) {
		h := newHouse(t)
		h.endpoint.Next(scripted.Says(scripted.Calls("c1", "Slow", `{}`), scripted.Calls("c2", "Slow", `{}`)))
		begun := make(chan struct{}, 2)
		h.tools["Slow"] = func(ctx context.Context, _ tool.Place, _ string) tool.Outcome {
			begun <- struct{}{}
			<-ctx.Done()
			return tool.Outcome{Text: "stopped"}
		}
		h.say("Hello?")
		<-begun
		if n, _ := h.Now(h.ann, h.id); n.Turn.Phase != api.PhaseTool || n.Turn.Tool != "Slow" {
			t.Errorf("%+v", n)
		}
		if _, err := h.Stop(ctx, h.ann, h.id); err != nil {
			t.Fatal(err)
		}
		h.rest(api.ChatStopped)
		h.want("the branch", h.branch(), "u a")
		h.turn("And?")
		// Each call has a result, as providers demand.
		h.want("the next request", shape(h.endpoint.Requests()[1]), "s u a t t u")
	})
}

// A turn that is stopped, or fails, before it knows what it goes by ends as any other: at
// once, and not when its lease does.
func TestEndBeforeTheBeginning(t *testing.T) {
	h := newHouse(t)
	h.turn("One?")
	h.update(func(tx *db.Tx) error { return h.take(tx, h.ann, h.id) })
	// All readers are taken, so that it can read nothing.
	let, taken := make(chan struct{}), make(chan struct{})
	readers := max(4, runtime.GOMAXPROCS(0))
	for range readers {
		go func() {
			_ = h.d.View(ctx, func(*db.Tx) error { taken <- struct{}{}; <-let; return nil })
		}()
	}
	for range readers {
		<-taken
	}
	h.begin(h.ann, h.id)
	stopped := make(chan error)
	go func() { _, err := h.Stop(ctx, h.ann, h.id); stopped <- err }()
	h.until("the end of the session", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		ss := h.sessions[h.id]
		return ss == nil || ss.end == nil
	})
	close(let)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatStopped)
	h.turn("Two?")

	// What can't be read is a failure.
	h.update(func(tx *db.Tx) error {
		if _, err := tx.Exec(`ALTER TABLE chat_compaction RENAME TO elsewhere`); err != nil {
			return err
		}
		return h.take(tx, h.ann, h.id)
	})
	h.begin(h.ann, h.id)
	h.until("the end of the turn", func() bool {
		var state string
		if err := h.d.View(ctx, func(tx *db.Tx) error {
			return tx.Row(`SELECT state FROM chat WHERE conversation_id = ?`, []any{h.id}, &state)
		}); err != nil {
			t.Fatal(err)
		}
		return state == api.ChatFailed
	})
	h.update(func(tx *db.Tx) error {
		_, err := tx.Exec(`ALTER TABLE elsewhere RENAME TO chat_compaction`)
		return err
	})
	h.rest(api.ChatFailed)
}

// So many turns run at a time; another one waits, and can be stopped meanwhile.
func TestTurnsWaitTheirTurn(t *testing.T) {
	h := newHouse(t)
	h.Close()
	h.running = 1
	h.serve()
	first := h.id
	gate := make(chan struct{})
	h.endpoint.Next(scripted.Says(scripted.Text("So far"), scripted.Gate(gate)))
	h.say("One?")
	h.until("what is said", func() bool { n, _ := h.Now(h.ann, first); return n.Text == "So far" })
	c, err := h.Create(ctx, h.ann, api.ConversationAdd{})
	if err != nil {
		t.Fatal(err)
	}
	h.id = c.ID
	h.say("Two?")
	h.until("its phase", func() bool { n, _ := h.Now(h.ann, h.id); return n.Turn.Phase == api.PhaseWaiting })
	if _, err := h.Stop(ctx, h.ann, h.id); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatStopped)
	h.say("Three?")
	if n := len(h.endpoint.Requests()); n != 1 || h.chat().State != api.ChatRunning {
		t.Errorf("%d requests, %s", n, h.chat().State)
	}
	close(gate)
	h.rest(api.ChatIdle)
	h.want("the second", h.branch(), "u u a")
	h.id = first
	h.rest(api.ChatIdle)
	h.want("the first", h.branch(), "u a")
}

// A tool that panics, is unknown, or takes too long is a result, not the end of a turn.
func TestToolsThatFail(t *testing.T) {
	h := newHouse(t)
	h.endpoint.Next(scripted.Says(scripted.Calls("c1", "Panics", `{}`), scripted.Calls("c1", "Nobody", `not json`), scripted.Calls("", "Slow", `{}`)))
	h.tools["Panics"] = func(context.Context, tool.Place, string) tool.Outcome { panic("no") }
	h.tools["Slow"] = func(ctx context.Context, _ tool.Place, _ string) tool.Outcome {
		h.clock.advance(120_000_000_000)
		<-ctx.Done()
		return tool.Outcome{}
	}
	h.turn("Go.")
	h.want("the branch", h.branch(), "u a t t t a")
	said := h.endpoint.Requests()[1].Said("tool")
	for _, want := range []string{"The tool failed.", "no tool of this name", "took longer than"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	ids := map[string]bool{}
	for _, m := range h.endpoint.Requests()[1].Asked().Messages {
		for _, c := range m.Calls {
			ids[c.ID] = true
		}
	}
	if len(ids) != 3 {
		t.Errorf("%v", ids)
	}
}

// One answer may call so many tools; the model is told of those that were not run.
func TestCallsBeyondTheMostAreTold(t *testing.T) {
	h := newHouse(t)
	most := setting.Int("turn.calls")
	var steps []scripted.Step
	for i := range most + 2 {
		steps = append(steps, scripted.Calls(fmt.Sprint("c", i), "Look", `{}`))
	}
	h.endpoint.Next(scripted.Says(steps...))
	n := 0
	h.tools["Look"] = func(context.Context, tool.Place, string) tool.Outcome { n++; return tool.Outcome{Text: "Seen."} }
	h.turn("Go.")
	said := h.endpoint.Requests()[1].Said("tool")
	if n != most || strings.Count(said, "Seen.") != most || strings.Count(said, "was not run") != 2 {
		t.Errorf("%d ran: %s", n, said)
	}
	h.want("the branch", h.branch(), "u a"+strings.Repeat(" t", most+2)+" a")
	shown, err := h.Entries(ctx, h.ann, h.id, "", 3)
	if err != nil || len(shown.Items) != 3 || !shown.Items[0].Failed || !shown.Items[1].Failed {
		t.Errorf("%+v %v", shown, err)
	}
}

// A turn has so many rounds; then it ends, and can be gone on with.
func TestRoundsAreBounded(t *testing.T) {
	h := newHouse(t)
	h.endpoint.Handle(func(r *scripted.Request) scripted.Answer {
		return scripted.Says(scripted.Calls(fmt.Sprint("c", len(r.Body)), "Look", `{}`))
	})
	h.tools["Look"] = says("Go on.")
	h.say("Go.")
	if c := h.rest(api.ChatFailed); !strings.Contains(c.Problem, "60 times") {
		t.Errorf("%q", c.Problem)
	}
	h.endpoint.Handle(nil)
	if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
		t.Fatal(err)
	}
	h.rest(api.ChatIdle)
}

// A message that arrives during a turn is queued durably: the end of the program loses
// none, and the turn that it cut off can be tried again.
func TestQueueOutlivesTheProgram(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.endpoint.Next(scripted.Says(scripted.Text("So far"), scripted.Gate(make(chan struct{}))))
		h.say("One?")
		h.until("what is said", func() bool { n, _ := h.Now(h.ann, h.id); return n.Text == "So far" })
		h.say("Two?")
		queued := h.say("Three?")
		if _, err := h.Send(ctx, h.ann, h.id, api.MessageSend{Content: "x", Edit: 1}); !fault.Is(err, fault.Taken) {
			t.Errorf("an edit while a turn runs: %v", err)
		}
		h.restart()
		if c := h.chat(); c.State != api.ChatInterrupted || len(c.Queued) != 2 {
			t.Fatalf("%+v", c)
		}
		if err := h.Unqueue(ctx, h.ann, h.id, queued.Queued.ID); err != nil {
			t.Fatal(err)
		}
		if err := h.Unqueue(ctx, h.ann, h.id, queued.Queued.ID); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
		if _, err := h.Retry(ctx, h.ann, h.id); err != nil {
			t.Fatal(err)
		}
		h.rest(api.ChatIdle)
		h.want("the branch", h.branch(), "u a u a")
	})
}

// One turn at a time: another program leaves a turn alone whose lease holds, and takes a
// conversation over whose holder gives no sign any more.
func TestTwoPrograms(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.endpoint.Next(scripted.Says(scripted.Gate(make(chan struct{}))))
		h.say("One?")
		h.request()
		first := h.Store
		h.serve() // another program
		if n, err := h.Recover(ctx, false); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if sent := h.say("Two?"); sent.Queued == nil {
			t.Errorf("%+v", sent)
		}
		if _, err := h.Stop(ctx, h.ann, h.id); err != nil {
			t.Fatal(err)
		}
		h.clock.advance(20_000_000_000) // the first one looks, and goes on with what waits
		h.rest(api.ChatIdle)
		h.want("the branch", h.branch(), "u u a")
		first.Close()
		h.turn("Three?")
		h.want("the branch", h.branch(), "u u a u a")
	})
}
