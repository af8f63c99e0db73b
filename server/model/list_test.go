package model_test

import (
	"fmt"
	"reflect"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/model"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestListOfModels(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		h := newHouse(t, d, true)
		s := scripted.New(t)
		if out, err := h.List(ctx, "", true); err != nil || len(out.Items) != 0 || len(out.Problems) != 0 {
			t.Errorf("nobody: %+v %v", out, err)
		}
		h.must(fmt.Sprintf(`{"providers":[{"id":"p","kind":"openai","baseUrl":%q,"apiKey":"k"},{"id":"a","kind":"anthropic","baseUrl":%q},{"id":"o","kind":"ollama","baseUrl":%q},{"id":"gone","kind":"openai","baseUrl":"http://127.0.0.1:1"}],"roles":{"chat":{"provider":"p","model":"tiny"}}}`, s.OpenAI(), s.Anthropic(), s.URL))
		if r := h.ready(model.Ref{}); r.Window != 32_768 {
			t.Errorf("nothing is known: %+v", r)
		}
		s.Models(scripted.Model{ID: "tiny", Window: 2_000}, scripted.Model{ID: "org/gpt-4o-mini"}, scripted.Model{ID: "text-embedding-3-small"}, scripted.Model{ID: "whisper-1"}, scripted.Model{ID: "nobody-knows"})
		want := []api.ListedModel{
			{Provider: "p", ID: "nobody-knows", Chat: true, Embedding: true},
			{Provider: "p", ID: "org/gpt-4o-mini", Window: 128_000, Chat: true},
			{Provider: "p", ID: "text-embedding-3-small", Embedding: true},
			{Provider: "p", ID: "tiny", Window: 2_000, Chat: true, Embedding: true},
			{Provider: "p", ID: "whisper-1"},
		}
		out, err := h.List(ctx, "p", true)
		if err != nil || !reflect.DeepEqual(out.Items, want) || len(out.Problems) != 0 {
			t.Errorf("%+v %v", out, err)
		}
		if r := h.ready(model.Ref{}); r.Window != 2_000 {
			t.Errorf("the provider told its window: %+v", r)
		}
		if r := h.ready(model.Ref{Provider: "o", Model: "llama-3.1"}); r.Window != 4_096 {
			t.Errorf("Ollama's: %+v", r)
		}
		if r := h.ready(model.Ref{Provider: "p", Model: "openai/GPT-4o-2024"}); r.Window != 128_000 {
			t.Errorf("a known family: %+v", r)
		}
		h.must(`{"roles":{"chat":{"provider":"p","model":"tiny","window":9000}}}`)
		if r := h.ready(model.Ref{}); r.Window != 9_000 {
			t.Errorf("the role says: %+v", r)
		}
		out, err = h.List(ctx, "", true)
		if err != nil || len(out.Items) != 15 || len(out.Problems) != 1 || out.Problems[0].Provider != "gone" {
			t.Errorf("%+v %v", out, err)
		}
		for _, m := range out.Items {
			if m.Provider == "a" && m.Embedding {
				t.Errorf("Anthropic has none to embed: %+v", m)
			}
		}
		few, err := h.List(ctx, "", false)
		if err != nil || len(few.Items) != 9 || len(few.Problems) != 0 {
			t.Errorf("for a member: %+v %v", few, err)
		}
		for _, m := range few.Items {
			if !m.Chat {
				t.Errorf("for a member: %+v", m)
			}
		}
		if _, err := h.List(ctx, "else", true); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v", err)
		}
		// It is kept for a while.
		s.Models(scripted.Model{ID: "new"})
		if out, _ := h.List(ctx, "p", true); len(out.Items) != 5 {
			t.Errorf("read again at once: %+v", out)
		}
		clock.Advance(301_000)
		if out, _ := h.List(ctx, "p", true); len(out.Items) != 1 {
			t.Errorf("kept too long: %+v", out)
		}
		h.must(fmt.Sprintf(`{"providers":[{"id":"p","kind":"openai","baseUrl":"%s/other/v1"}],"roles":{"chat":{"provider":"p","model":"tiny"}}}`, s.URL))
		if r := h.ready(model.Ref{}); r.Window != 32_768 {
			t.Errorf("another address is another provider: %+v", r)
		}
	})
}
