package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"elowen/server/db/dbtest"
	"elowen/server/model"
	"elowen/server/model/chat"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// spoken is the providers that the tests of conversations run against.
var spoken = []string{api.ProviderOpenAI, api.ProviderAnthropic}

// each runs a test against each provider, whose model m has the chat role and the
// utility role.
func each(t *testing.T, test func(t *testing.T, h *house, s *scripted.Server)) {
	for _, kind := range spoken {
		t.Run(kind, func(t *testing.T) {
			h := newHouse(t, dbtest.Open(t, nil), false)
			s := scripted.New(t)
			h.must(fmt.Sprintf(`{"providers":[{"id":"p","kind":%q,"baseUrl":%q,"apiKey":"sk-1"}],"roles":{"chat":{"provider":"p","model":"m"},"utility":{"provider":"p","model":"u"}}}`, kind, s.OpenAI()))
			test(t, h, s)
		})
	}
}

func (h *house) ready(ref model.Ref) model.Ready {
	h.t.Helper()
	r, err := h.Preflight(ctx, h.owner, ref)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) chat(ctx context.Context, r chat.Request) iter.Seq2[chat.Event, error] {
	h.t.Helper()
	return h.Chat(ctx, h.owner, h.ready(model.Ref{}), r)
}

// heard is an answer as a whole.
type heard struct {
	pieces []string
	calls  []chat.Call
	done   *chat.Done
	err    error
}

func (h heard) text() string { return strings.Join(h.pieces, "") }

func hear(events iter.Seq2[chat.Event, error]) (out heard) {
	for e, err := range events {
		switch {
		case err != nil:
			out.err = err
		case e.Call != nil:
			out.calls = append(out.calls, *e.Call)
		case e.Done != nil:
			out.done = e.Done
		default:
			out.pieces = append(out.pieces, e.Text)
		}
	}
	return out
}

func says(text string) chat.Request {
	return chat.Request{Messages: []chat.Message{{Role: chat.User, Text: text}}}
}

// tools is a request with all that one may hold.
var tools = chat.Request{
	Messages: []chat.Message{
		{Role: chat.System, Text: "be <short> & kind"},
		{Role: chat.User, Text: "what's the weather?"},
		{Role: chat.Assistant, Text: "let me see", Calls: []chat.Call{{ID: "c1", Name: "Weather", Arguments: `{"city":"Bern"}`}, {ID: "c2", Name: "Time", Arguments: `{}`}}},
		{Role: chat.ToolResult, Text: "rain", CallID: "c1"},
		{Role: chat.ToolResult, Text: "noon", CallID: "c2"},
		{Role: chat.User, Text: "and now?"},
	},
	Tools:      []chat.Tool{{Name: "Weather", Description: "how it is", Input: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}, {Name: "Time", Input: json.RawMessage(`{"type":"object"}`)}},
	MostTokens: 100,
}

func TestChatSendsExactlyTheMessages(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		if out := hear(h.chat(ctx, tools)); out.err != nil || out.text() != "ok" || out.done == nil || out.done.Stop != chat.StopEnd || out.done.Model != "m" {
			t.Fatalf("%+v", out)
		}
		r := s.Requests()[0]
		asked := r.Asked()
		if r.Key() != "sk-1" || asked.Model != "m" || !asked.Stream || !reflect.DeepEqual(asked.Tools, []string{"Weather", "Time"}) {
			t.Errorf("%+v %+v", r.Header, asked)
		}
		var said []string
		for _, m := range asked.Messages {
			said = append(said, m.Role+":"+m.Text+m.CallID)
			for _, c := range m.Calls {
				said = append(said, "call:"+c.ID+c.Name+c.Arguments)
			}
		}
		want := `system:be <short> & kind|user:what's the weather?|assistant:let me see|call:c1Weather{"city":"Bern"}|call:c2Time{}|tool:rainc1|tool:noonc2|user:and now?`
		// Where a call is a block of its own it stands behind the text as a message.
		if got := strings.ReplaceAll(strings.Join(said, "|"), "assistant:|", ""); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if !strings.Contains(string(r.Body), `:100`) {
			t.Errorf("no bound: %s", r.Body)
		}
	})
}

func TestChatStreams(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		open := make(chan struct{})
		s.Next(scripted.Says(scripted.Text("Grü"), scripted.Gate(open), scripted.Text("ß dich"), scripted.Usage(100, 20, 60)))
		var got []string
		var done *chat.Done
		for e, err := range h.chat(ctx, says("hello")) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Text != "" {
				if got = append(got, e.Text); len(got) == 1 {
					close(open) // the first piece came while the second wasn't even written
				}
			}
			done = e.Done
		}
		if !reflect.DeepEqual(got, []string{"Grü", "ß dich"}) || done == nil || done.Usage != (chat.Usage{Input: 100, Output: 20, Cached: 60}) {
			t.Errorf("%q %+v", got, done)
		}
	})
}

func TestChatGathersCalls(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		steps := []scripted.Step{scripted.Text("let me see"), scripted.Calls("a", "Find", `{"q`, `uery":"x`, `"}`), scripted.Calls("b", "List")}
		for _, a := range []scripted.Answer{scripted.Says(steps...), scripted.Whole(steps...)} {
			s.Next(a)
			out := hear(h.chat(ctx, says("go")))
			want := []chat.Call{{ID: "a", Name: "Find", Arguments: `{"query":"x"}`}, {ID: "b", Name: "List", Arguments: `{}`}}
			if out.err != nil || out.text() != "let me see" || !reflect.DeepEqual(out.calls, want) || out.done.Stop != chat.StopCalls || out.done.Usage.Input != 7 {
				t.Errorf("%+v %+v", out, out.done)
			}
		}
		s.Next(scripted.Says(scripted.Text("too"), scripted.Stop("length")), scripted.Says(scripted.Text("no"), scripted.Stop("content_filter")))
		if out := hear(h.chat(ctx, says("go"))); out.done == nil || out.done.Stop != chat.StopLength {
			t.Errorf("%+v", out)
		}
		if out := hear(h.chat(ctx, says("go"))); out.done == nil || out.done.Stop != chat.StopRefused {
			t.Errorf("%+v", out)
		}
	})
}

func TestChatSaysPlainlyWhatFailed(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		for what, c := range map[string]struct {
			answer scripted.Answer
			kind   fault.Kind
			says   string
			text   string
		}{
			"401":            {scripted.Status(401, ""), fault.Unavailable, "refuses the key (401)", ""},
			"404":            {scripted.Status(404, ""), fault.Unavailable, "no such model", ""},
			"429, long":      {scripted.Status(429, "3600"), fault.Unavailable, "asks for fewer requests", ""},
			"400":            {scripted.Status(400, ""), fault.Invalid, "refuses what it was asked", ""},
			"413":            {scripted.Status(413, ""), fault.Invalid, "no request that long", ""},
			"302":            {scripted.Status(302, ""), fault.Unavailable, "elsewhere", ""},
			"HTML":           {scripted.HTML(), fault.Unavailable, "no chat completion", ""},
			"HTML, unnamed":  {scripted.Body("", "\n <!doctype html>"), fault.Unavailable, "no chat completion", ""},
			"nothing":        {scripted.Body("text/event-stream", ""), fault.Unavailable, "no chat completion", ""},
			"empty":          {scripted.Body("application/json", ""), fault.Unavailable, "no chat completion", ""},
			"not JSON":       {scripted.Body("application/json", `{"choices":[{]}`), fault.Unavailable, "no chat completion", ""},
			"other JSON":     {scripted.Body("application/json", `{"hello":[]}`), fault.Unavailable, "no chat completion", ""},
			"a list":         {scripted.Body("application/json", `[1,2]`), fault.Unavailable, "no chat completion", ""},
			"cut":            {scripted.Says(scripted.Text("half a sen"), scripted.Cut()), fault.Unavailable, "broke off", "half a sen"},
			"malformed":      {scripted.Says(scripted.Text("good"), scripted.Raw("event: message_delta\ndata: {\"choices\":[{\n\n")), fault.Unavailable, "broke off", "good"},
			"fails":          {scripted.Says(scripted.Text("good"), scripted.Fails()), fault.Unavailable, "failed while it answered", "good"},
			"10 MB":          {scripted.Big(10 << 20), fault.Unavailable, "more than 4194304 bytes", "…"},
			"10 MB of white": {scripted.Body("application/json", strings.Repeat(" ", 10<<20)), fault.Unavailable, "more than", ""},
		} {
			s.Next(c.answer)
			out := hear(h.chat(ctx, says("go")))
			if !fault.Is(out.err, c.kind) || !strings.Contains(fault.ProblemOf(out.err).Detail, c.says) {
				t.Errorf("%s: %v", what, out.err)
			}
			if c.text != "…" && out.text() != c.text || out.done != nil {
				t.Errorf("%s: said %q %+v", what, out.text(), out.done)
			}
			for _, secret := range []string{"own words", "sk-1"} {
				if strings.Contains(fmt.Sprint(out.err), secret) {
					t.Errorf("%s: %v", what, out.err)
				}
			}
			if what == "429, long" && fault.RetryAfter(out.err) != 3_600_000 {
				t.Errorf("%v", out.err)
			}
		}
		if n := len(s.Requests()); n != 18 {
			t.Errorf("%d requests: something that doesn't pass was asked again", n)
		}
	})
}

func TestChatEndsTheStreamAtOnce(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		never := make(chan struct{})
		for what, a := range map[string]scripted.Answer{
			"in the middle": scripted.Says(scripted.Text("a"), scripted.Gate(never)),
			"at the start":  scripted.Says(scripted.Gate(never)),
			"before it":     scripted.Hangs(),
		} {
			s.Next(a)
			stop, cancel := context.WithCancel(ctx)
			ended := make(chan heard, 1)
			go func() { ended <- hear(h.chat(stop, says("go"))) }()
			r := s.Await(t)
			cancel()
			if out := <-ended; !fault.Is(out.err, fault.Cancelled) {
				t.Errorf("%s: %v", what, out.err)
			}
			<-r.Gone()
		}
		// Who stops reading ends it as well.
		s.Next(scripted.Says(scripted.Text("a"), scripted.Gate(never)))
		for range h.chat(ctx, says("go")) {
			break
		}
		<-s.Await(t).Gone()
	})
}

func TestChatAsksAgainBeforeTheFirstByteOnly(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		var waits []time.Duration
		h.sleep = func(_ context.Context, d time.Duration) { waits = append(waits, d) }
		count := func() (n int) { n = len(s.Requests()); return n }

		s.Next(scripted.Status(429, "7"), scripted.Status(503, ""))
		if out := hear(h.chat(ctx, says("go"))); out.err != nil || out.text() != "ok" || count() != 3 || !reflect.DeepEqual(waits, []time.Duration{7 * time.Second, time.Second}) {
			t.Errorf("%+v after %d requests and %v", out, count(), waits)
		}
		waits = nil
		s.Next(scripted.Status(500, ""), scripted.Status(500, ""), scripted.Status(500, ""))
		if out := hear(h.chat(ctx, says("go"))); !fault.Is(out.err, fault.Unavailable) || count() != 6 || len(waits) != 2 {
			t.Errorf("without end: %+v after %d requests and %v", out, count(), waits)
		}
		waits = nil
		s.Next(scripted.Says(scripted.Text("a"), scripted.Fails()))
		if out := hear(h.chat(ctx, says("go"))); out.err == nil || out.text() != "a" || count() != 7 || waits != nil {
			t.Errorf("after the first byte: %+v after %d requests and %v", out, count(), waits)
		}
		stop, cancel := context.WithCancel(ctx)
		h.sleep = func(context.Context, time.Duration) { cancel() }
		s.Next(scripted.Status(500, ""))
		if out := hear(h.chat(stop, says("go"))); !fault.Is(out.err, fault.Cancelled) || count() != 8 {
			t.Errorf("stopped while waiting: %+v after %d requests", out, count())
		}
	})
}

func TestChatDoesWithoutWhatIsRefusedByName(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		part := "stream_options"
		if kind := h.settings().Models.Providers[1].Kind; kind == api.ProviderAnthropic {
			part = "cache_control"
		}
		ready := h.ready(model.Ref{})
		s.Next(scripted.Refuses(part))
		if out := hear(h.Chat(ctx, h.owner, ready, says("go"))); out.err != nil || out.text() != "ok" {
			t.Errorf("%+v", out)
		}
		hear(h.Chat(ctx, h.owner, ready, says("go")))
		for i, r := range s.Requests() {
			if strings.Contains(string(r.Body), part) != (i == 0) {
				t.Errorf("request %d: %s", i, r.Body)
			}
		}
	})
}

func TestPreflightAsksNobody(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		if r := h.ready(model.Ref{}); r.Role != api.RoleChat || r.Provider != "p" || r.Model != "m" || r.Window < 1024 {
			t.Errorf("%+v", r)
		}
		if r := h.ready(model.Ref{Role: api.RoleMaintenance}); r.Role != api.RoleMaintenance || r.Model != "m" {
			t.Errorf("maintenance is the conversation's own: %+v", r)
		}
		if r := h.ready(model.Ref{Provider: "p", Model: " other "}); r.Model != "other" {
			t.Errorf("%+v", r)
		}
		if text := fmt.Sprintf("%+v %#v", h.ready(model.Ref{}), h.ready(model.Ref{})); strings.Contains(text, "sk-1") {
			t.Errorf("the key is printed: %s", text)
		}
		for what, c := range map[string]struct {
			ref  model.Ref
			kind fault.Kind
		}{
			"no provider": {model.Ref{Provider: "gone", Model: "m"}, fault.NotFound},
			"built in":    {model.Ref{Provider: "local", Model: "m"}, fault.Unavailable},
			"no model":    {model.Ref{Provider: "p"}, fault.Unavailable},
			"no such":     {model.Ref{Role: "cook"}, fault.Unavailable},
		} {
			if _, err := h.Preflight(ctx, h.owner, c.ref); !fault.Is(err, c.kind) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if out := hear(h.Chat(ctx, h.owner, model.Ready{}, says("go"))); !fault.Is(out.err, fault.Unavailable) {
			t.Errorf("%+v", out)
		}
		if len(s.Requests()) != 0 {
			t.Error("somebody was asked")
		}
	})
}

// What the environment says to the libraries is not for them to hear.
func TestTheEnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"} {
		t.Setenv(name, "sk-environment")
	}
	for _, name := range []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: sk-environment")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Mine: sk-environment")
	for _, kind := range spoken {
		h := newHouse(t, dbtest.Open(t, nil), false)
		s := scripted.New(t)
		h.must(fmt.Sprintf(`{"providers":[{"id":"p","kind":%q,"baseUrl":%q}],"roles":{"chat":{"provider":"p","model":"m"}}}`, kind, s.OpenAI()))
		if out := hear(h.chat(ctx, says("go"))); out.err != nil {
			t.Fatalf("%s without a key: %v", kind, out.err)
		}
		r := s.Requests()[0]
		if text := fmt.Sprint(r.Header); strings.Contains(text, "environment") || r.Key() != "" {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

func TestAskWorksWithEachProvider(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		ask := func() (model.Reply, error) {
			return h.Ask(ctx, h.owner, api.RoleUtility, chat.Request{Messages: []chat.Message{{Role: chat.System, Text: "be short"}, {Role: chat.User, Text: "hello"}}})
		}
		s.Next(scripted.Says(scripted.Text("I "), scripted.Text("heard")), scripted.Whole(scripted.Text("I heard")), scripted.Status(503, "3"), scripted.Says(scripted.Text("I "), scripted.Cut()))
		for range 2 {
			if out, err := ask(); err != nil || out.Text != "I heard" || out.Model != "u" {
				t.Errorf("%+v %v", out, err)
			}
		}
		if r := s.Requests()[0]; r.Said("system") != "be short" || r.Said("user") != "hello" || r.Asked().Model != "u" {
			t.Errorf("%s", r.Body)
		}
		if _, err := ask(); !fault.Is(err, fault.Unavailable) || fault.RetryAfter(err) != 3000 || len(s.Requests()) != 3 {
			t.Errorf("it asks once: %v", err)
		}
		if out, err := ask(); !fault.Is(err, fault.Unavailable) || out.Text != "" {
			t.Errorf("half an answer: %+v %v", out, err)
		}
	})
}
