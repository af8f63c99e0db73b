package openai

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
	for _, s := range []string{`{"content":"1"}`, `{"content":null}`, `{}`, `[]`, `{`, `{"content":["x"]}`, `{"refusal":"no"}`, `{"content":null,"tool_calls":[{"id":"a","function":{"name":"F","arguments":"{}"}}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if text, calls, err := parseMessage(raw); err != nil && (text != "" || calls != nil) {
			t.Errorf("%q %v with %v", text, calls, err)
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
	chunk := `data: {"choices":[{"index":0,"delta":{"content":"hi","tool_calls":[{"index":0,"id":"a","function":{"name":"F","arguments":"{"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}` + "\n\n"
	for _, s := range []string{chunk + "data: [DONE]\n\n", chunk, "data: {}\n\n", "data: [DONE]\n\n", ": hello\n\n", `{"choices":[{"message":{"content":"hi"}}]}`, "<html>", "", "data: {\"error\":{}}\n\n", "data: {\"choices\":[{}]}\n\n"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		kind := ""
		if stream {
			kind = "text/event-stream; charset=utf-8"
		}
		c := New(chat.Config{Address: "http://h/v1", Host: "h", Model: "m", HTTP: &http.Client{Transport: answers{kind, body}}, Clock: db.SystemClock, Idle: time.Minute, Most: 1000}, false)
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
				if said += len(e.Call.Name) + len(e.Call.Arguments); e.Call.ID == "" {
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
