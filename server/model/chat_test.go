package model_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"elowen/server/db/dbtest"
	"elowen/server/model"
	"elowen/server/model/chat"
	"elowen/server/model/modeltest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestAsk(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), false)
	server := modeltest.NewServer(t, func(r modeltest.Request) string { return "I heard: " + r.User })
	ask := func() (model.Reply, error) {
		return h.Ask(ctx, h.owner, api.RoleUtility, chat.Request{Messages: []chat.Message{{Role: chat.System, Text: "be short"}, {Role: chat.User, Text: "hello"}}})
	}
	if _, err := ask(); !fault.Is(err, fault.Unavailable) || len(server.Requests()) != 0 {
		t.Errorf("a role that nobody has: %v", err)
	}
	h.must(fmt.Sprintf(`{"providers":[{"id":"p","kind":"openai","baseUrl":"%s/v1","apiKey":"sk-1"},{"id":"o","kind":"ollama","baseUrl":"%s"}],"roles":{"utility":{"provider":"p","model":"small"}}}`, server.URL, server.URL))
	out, err := ask()
	if err != nil || out.Text != "I heard: hello" || out.Model != "small" {
		t.Fatalf("%+v %v", out, err)
	}
	if r := server.Requests()[0]; r.Path != "/v1/chat/completions" || r.Key != "sk-1" || r.Model != "small" || r.System != "be short" {
		t.Errorf("%+v", r)
	}
	h.must(`{"roles":{"utility":{"provider":"o","model":"llama"}}}`)
	if out, err := ask(); err != nil || out.Model != "llama" {
		t.Errorf("%+v %v", out, err)
	}
	if r := server.Requests()[1]; r.Path != "/v1/chat/completions" || r.Key != "" {
		t.Errorf("ollama: %+v", r)
	}
	for what, c := range map[string]struct {
		answer func(w http.ResponseWriter, _ *http.Request) bool
		kind   fault.Kind
		says   string
	}{
		"401":     {status(401, ""), fault.Unavailable, "refuses the key"},
		"404":     {status(404, ""), fault.Unavailable, "no such model"},
		"429":     {status(429, "7"), fault.Unavailable, "fewer"},
		"500":     {status(500, ""), fault.Unavailable, "failed"},
		"400":     {status(400, ""), fault.Invalid, "refuses what"},
		"302":     {status(302, ""), fault.Unavailable, "elsewhere"},
		"HTML":    {text("<html>hello"), fault.Unavailable, "no chat completion"},
		"nothing": {text(""), fault.Unavailable, "no chat completion"},
		"empty":   {text(`{"choices":[]}`), fault.Unavailable, "no chat completion"},
		"null":    {text(`{"choices":[{"message":{"content":null}}]}`), fault.Unavailable, "no chat completion"},
		"long":    {text(strings.Repeat(" ", 2<<20)), fault.Unavailable, "more than"},
	} {
		server.Fail(c.answer)
		_, err := ask()
		if !fault.Is(err, c.kind) || !strings.Contains(fault.ProblemOf(err).Detail, c.says) {
			t.Errorf("%s: %v", what, err)
		}
		if f := new(fault.Error); what == "429" && (!asFault(err, &f) || f.RetryAfterMillis != 7000) {
			t.Errorf("Retry-After: %v", err)
		}
	}
	soon, cancel := context.WithCancel(ctx)
	server.Fail(func(_ http.ResponseWriter, r *http.Request) bool { cancel(); <-r.Context().Done(); return true })
	if _, err := h.Ask(soon, h.owner, api.RoleUtility, chat.Request{}); !fault.Is(err, fault.Cancelled) {
		t.Errorf("who asked went away: %v", err)
	}
	server.Close()
	if _, err := ask(); !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.ProblemOf(err).Detail, "cannot be reached") {
		t.Errorf("nobody there: %v", err)
	}
}

func asFault(err error, into **fault.Error) bool {
	f, ok := err.(*fault.Error)
	*into = f
	return ok
}

func status(code int, after string) func(w http.ResponseWriter, _ *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.Header().Set("Location", "http://elsewhere.invalid/")
		w.WriteHeader(code)
		return true
	}
}

func text(s string) func(w http.ResponseWriter, _ *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte(s)); return true }
}
