package anthropic

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/model/chat"
	"elowen/shared/fault"
)

func FuzzParseMessage(f *testing.F) {
	for _, s := range []string{`{"content":[{"type":"text","text":"1"}],"stop_reason":"end_turn"}`, `{"content":null}`, `{}`, `[]`, `{`, `{"content":[{"type":"tool_use","id":"a","input":{}}],"usage":{"input_tokens":-1}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := parseMessage(raw); err == nil && len(m.Content) == 0 && m.StopReason == "" {
			t.Errorf("%+v", m)
		}
	})
}

// answers is a network on which everybody answers the same.
type answers struct{ kind, body string }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {a.kind}}, Body: io.NopCloser(strings.NewReader(a.body)), Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
}

// Whatever an endpoint answers: an answer in bounds with an end, or one plain error.
func FuzzStream(f *testing.F) {
	event := func(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }
	begin := event("message_start", `{"type":"message_start","message":{"model":"m","usage":{"input_tokens":1}}}`)
	call := event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"F","input":{}}}`) + event("content_block_stop", `{"type":"content_block_stop"}`)
	end := event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`) + event("message_stop", `{"type":"message_stop"}`)
	whole := `{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`
	for _, s := range []string{begin + call + end, begin, call, end, begin + end, event("error", `{"type":"error"}`), whole, `{"type":"message"}`, "<html>", "", event("x", "{}")} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		kind := ""
		if stream {
			kind = "text/event-stream; charset=utf-8"
		}
		c := New(chat.Config{Address: "http://h/v1", Host: "h", Model: "m", HTTP: &http.Client{Transport: answers{kind, body}}, Clock: db.SystemClock, Idle: time.Minute, Most: 1000})
		var tally chat.Tally
		said, ended := 0, 0
		for e, err := range c.Stream(context.Background(), chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "x"}}}, &tally) {
			if ended > 0 {
				t.Fatal("something after the end")
			}
			switch {
			case err != nil:
				ended++
				if k := fault.KindOf(err); k != fault.Unavailable && k != fault.Invalid {
					t.Errorf("%v", err)
				}
			case e.Done != nil:
				ended++
			case e.Call != nil:
				if said += len(e.Call.Name) + len(e.Call.Arguments); e.Call.Arguments == "" {
					t.Errorf("%+v", e.Call)
				}
			default:
				said += len(e.Text)
			}
		}
		if ended != 1 || said > 1000+2*chat.CallsMost {
			t.Errorf("%d ends, %d bytes", ended, said)
		}
	})
}
