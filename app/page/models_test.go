package page

import (
	"encoding/json"
	"slices"
	"testing"

	"elowen/shared/api"
)

// served are settings as the server sends them.
func served(t *testing.T) settingsNow {
	t.Helper()
	now := api.Settings{
		Revision: 4, Limits: api.Limits{RecallCount: 10, RecallBytes: 20_000, RecallWaitMs: 5_000},
		Runtime: api.Runtime{RelevanceFloor: api.Ptr(350), ImportanceWeight: 100, VitalityWeight: 100, LateInteraction: true},
		Profile: api.Profile{DuplicateThreshold: api.Ptr(890)},
		Models: &api.Models{
			Providers: []api.Provider{{ID: "local", Kind: api.ProviderLocal}, {ID: "desk", Kind: api.ProviderOllama, BaseURL: "http://desk:11434", HasKey: true}},
			Roles:     api.Roles{Embedding: &api.Role{Provider: "desk", Model: "bge-m3", Dimensions: api.Ptr(512)}},
		},
	}
	b, err := json.Marshal(now)
	if err != nil {
		t.Fatal(err)
	}
	var out settingsNow
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFieldsOfModels(t *testing.T) {
	v := modelled(served(t))
	for field, want := range map[string]string{
		"desk.kind": "ollama", "desk.baseUrl": "http://desk:11434", "desk.key": "",
		"role/embedding.provider": "desk", "role/embedding.model": "bge-m3", "role/embedding.dimensions": "512", "role/chat.provider": "",
	} {
		if got, ok := v[field]; !ok || got != want {
			t.Errorf("%s is %q, %v", field, got, ok)
		}
	}
	v["a.kind"] = api.ProviderOpenAI
	if ids := providers(v); !slices.Equal(ids, []string{"local", "a", "desk"}) {
		t.Errorf("%v", ids)
	}
	if a, b := newProvider(v, "openai"), newProvider(map[string]string{"openai.kind": "", "openai-2.kind": ""}, "openai"); a != "openai" || b != "openai-3" {
		t.Errorf("%q, %q", a, b)
	}
	p := &Models{form: form{typed: v}}
	for problem, want := range map[string]string{
		"roles.embedding.model": "role/embedding.model", "providers[2].baseUrl": "desk.baseUrl", "providers[1].apiKey": "a.key",
		"providers[9].baseUrl": "", "providers[x].id": "", "revision": "",
	} {
		if got := p.naming(problem); got != want {
			t.Errorf("%s is about %q, not %q", problem, got, want)
		}
	}
}

// A key is sent only where one was typed, and nobody is null.
func TestAChangeOfModels(t *testing.T) {
	now := served(t)
	p := &Models{form: form{typed: modelled(now), errs: map[string]string{}}}
	p.typed["desk.key"] = " sk-1 "
	b, err := json.Marshal(p.change().Body)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"providers":[{"id":"local","kind":"local"},{"id":"desk","kind":"ollama","baseUrl":"http://desk:11434","apiKey":"sk-1"}],` +
		`"roles":{"chat":null,"embedding":{"provider":"desk","model":"bge-m3","dimensions":512},"maintenance":null,"utility":null}}`
	if string(b) != want {
		t.Errorf("%s", b)
	}
	p.typed["role/embedding.dimensions"] = "many"
	p.change()
	if p.errs["role/embedding.dimensions"] == "" {
		t.Error("a width that is no number is taken")
	}
	for name, want := range map[string]bool{api.RoleChat: true, api.RoleEmbedding: false} {
		f := "role/" + name
		p.typed[f+".provider"], p.typed[f+".model"], p.typed[f+".window"] = "desk", "m", "9000"
		if r := p.role(name); (r.Window != nil) != want || want && *r.Window != 9000 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if v := modelled(settingsNow{Models: &api.Models{Roles: api.Roles{Chat: &api.Role{Provider: "desk", Model: "m", Window: api.Ptr(9000)}}}}); v["role/chat.window"] != "9000" {
		t.Errorf("a context that was saved would go with the next save: %v", v)
	}
}

func TestFieldsOfRecall(t *testing.T) {
	now := served(t)
	v := tuned(now)
	for field, want := range map[string]string{
		"runtime.relevanceFloor": "35", "runtime.duplicateThreshold": "", "runtime.lateInteraction": "true", "limits.recallCount": "10",
	} {
		if v[field] != want {
			t.Errorf("%s is %q", field, v[field])
		}
	}
	p := &Tuning{form: form{typed: v, base: &now, values: tuned, errs: map[string]string{}}}
	if p.dirty() != 0 || len(p.changes()) != 0 {
		t.Error("nothing was typed")
	}
	p.typed["runtime.relevanceFloor"], p.typed["limits.recallCount"], p.typed["runtime.lateInteraction"] = " ", "7", "false"
	list := p.changes()
	if p.dirty() != 3 || len(list) != 2 {
		t.Fatalf("%d, %+v", p.dirty(), list)
	}
	b, _ := json.Marshal([]any{list[0].Body, list[1].Body})
	if string(b) != `[{"lateInteraction":false,"relevanceFloor":null},{"recallCount":7}]` {
		t.Errorf("%s", b)
	}
	for typed, want := range map[string]any{"35.5": 355, " 35,5": nil, "35.5 %": 355, "12.34": nil, "80.1": nil, "9.9": nil, "10": 100, "29.3": 293, "NaN": nil, "Inf": nil, "1e1": 100} {
		p.errs, p.typed["runtime.relevanceFloor"] = map[string]string{}, typed
		var got any
		if n, ok := p.number("runtime.relevanceFloor", "runtime.relevanceFloor"); ok {
			got = n
		}
		if got != want || (want == nil) != (p.errs["runtime.relevanceFloor"] != "") {
			t.Errorf("%q per cent is kept as %v, not %v", typed, got, want)
		}
	}
	p.typed["limits.recallCount"] = "7.5"
	p.changes()
	if p.errs["limits.recallCount"] == "" {
		t.Error("half a memory is taken")
	}
	c := Check{set: now}
	if c.number("runtime.relevanceFloor") != 350 || c.number("runtime.duplicateThreshold") != 890 || c.number("runtime.paraphraseThreshold") != 700 {
		t.Error("the saved one, the model's own, the default")
	}
}
