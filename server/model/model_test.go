package model_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/model"
	"elowen/server/secret"
	"elowen/server/settings"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

// builtIn is one model without weights, and one with.
type builtIn struct{ weights bool }

func (b builtIn) Space(name string) (embedding.Space, error) {
	if name != embedding.ModelE5Multilingual {
		return embedding.Space{}, fault.New(fault.NotFound, "There is no built-in model of that name.")
	}
	return embedding.Space{Kind: api.ProviderLocal, Model: name, File: "f00d"}, nil
}

func (b builtIn) Embedder(name string) (embedding.Embedder, error) {
	s, err := b.Space(name)
	if err == nil && !b.weights {
		err = fault.New(fault.Unavailable, "The weights are missing.")
	}
	return &embeddingtest.Embedder{In: s, Salt: name, Width: 4}, err
}

type house struct {
	*model.Store
	t       *testing.T
	d       *db.DB
	dir     string
	owner   db.AccountID
	service *embedding.Service
	sleep   func(ctx context.Context, d time.Duration)
}

func newHouse(t *testing.T, d *db.DB, weights bool) *house {
	h := &house{t: t, d: d, dir: t.TempDir(), service: embedding.NewService()}
	h.Store = h.open(weights)
	p, err := account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}}).Add(ctx, api.PersonAdd{Name: "ann", Role: api.RoleAdmin})
	if err != nil {
		t.Fatal(err)
	}
	h.owner = db.AccountID(p.ID)
	if err := h.Apply(ctx); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) open(weights bool) *model.Store {
	return model.New(h.d, model.Options{
		Sleep: func(ctx context.Context, d time.Duration) {
			if h.sleep != nil {
				h.sleep(ctx, d)
			}
		},
		Box: secret.New(filepath.Join(h.dir, secret.FileName)), Service: h.service, Local: builtIn{weights},
		Others: func(tx *db.Tx) (api.Settings, error) {
			_, revision, err := settings.Read(tx, settings.Retention)
			return api.Settings{Revision: revision}, err
		},
	})
}

func (h *house) settings() api.Settings {
	h.t.Helper()
	s, err := h.Settings(ctx, true)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// save saves a change, given as JSON, at the revision as it is.
func (h *house) save(change string) (api.Settings, error) {
	h.t.Helper()
	in := api.ModelsChange{Revision: h.settings().Revision}
	if err := json.Unmarshal([]byte(change), &in); err != nil {
		h.t.Fatal(err)
	}
	return h.Save(ctx, in)
}

func (h *house) must(change string) api.Models {
	h.t.Helper()
	s, err := h.save(change)
	if err != nil {
		h.t.Fatalf("%s: %v", change, err)
	}
	return *s.Models
}

func (h *house) current() (s embedding.Stored) {
	h.t.Helper()
	if err := h.d.View(ctx, func(tx *db.Tx) (err error) { s, err = embedding.Current(tx); return err }); err != nil {
		h.t.Fatal(err)
	}
	return s
}

func TestANewInstanceHasTheBuiltInModel(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		h := newHouse(t, d, true)
		m := h.settings().Models
		if len(m.Providers) != 1 || m.Providers[0].Kind != api.ProviderLocal || m.Roles.Embedding == nil || m.Roles.Embedding.Model != embedding.ModelE5Multilingual {
			t.Errorf("%+v", m)
		}
		now := h.service.Snapshot()
		if !now.Ready() || now.ID != h.current().ID || now.File != "f00d" || now.Profile.QueryBy == "" {
			t.Errorf("%+v", now)
		}
		if _, _, err := h.service.Query(ctx, "what?"); err != nil {
			t.Error(err)
		}
	})
	d := dbtest.Open(t, nil)
	h := newHouse(t, d, false)
	if m := h.settings().Models; m.Roles.Embedding != nil || h.service.Snapshot().On() || h.current().On() {
		t.Errorf("without weights: %+v", m)
	}
}

func TestRolesAndProviders(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		h := newHouse(t, d, true)
		m := h.must(`{"providers":[{"id":"mine","kind":"openai","baseUrl":"HTTP://Localhost:1234/v1/","apiKey":"sk-1"}],"roles":{"chat":{"provider":"mine","model":"big"}}}`)
		if len(m.Providers) != 2 || m.Providers[1].BaseURL != "http://localhost:1234/v1" || !m.Providers[1].HasKey || m.Roles.Chat.Model != "big" || m.Roles.Embedding == nil {
			t.Errorf("%+v %+v", m.Providers, m.Roles)
		}
		before := h.current()
		m = h.must(`{"roles":{"embedding":{"provider":"mine","model":"small","dimensions":64}}}`)
		now := h.service.Snapshot()
		if now.Endpoint != "http://localhost:1234/v1" || now.Model != "small" || now.Asked != 64 || now.ID != h.current().ID || now.ID == before.ID {
			t.Errorf("%+v", now)
		}
		if *m.Roles.Embedding.Dimensions != 64 || m.Roles.Chat == nil || !m.Providers[1].HasKey {
			t.Errorf("%+v", m)
		}
		var told bool
		if err := d.View(ctx, func(tx *db.Tx) error {
			list, _, err := tx.Changes(h.owner, 0, 100)
			for _, c := range list {
				told = told || c.Noun == db.NounMemory && c.ID == 0
			}
			return err
		}); err != nil || !told {
			t.Error("nobody was told of the other space", err)
		}
		// A provider with a role stays, or its role goes with it.
		if _, err := h.save(`{"providers":[{"id":"local","kind":"local"}]}`); !fault.Is(err, fault.Invalid) {
			t.Errorf("a role without its provider: %v", err)
		}
		m = h.must(`{"providers":[{"id":"local","kind":"local"}],"roles":{"chat":null,"embedding":null}}`)
		if m.Roles.Chat != nil || m.Roles.Embedding != nil || h.service.Snapshot().On() || h.current().On() {
			t.Errorf("%+v", m)
		}
		// The space is as it was when it comes back.
		h.must(`{"roles":{"embedding":{"provider":"local","model":"multilingual-e5-small"}}}`)
		if h.current().ID != before.ID {
			t.Error("another space for the same model")
		}
	})
}

func TestAKeyIsNeverServedAndGoesWithItsAddress(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		h := newHouse(t, d, true)
		list := func(url, key string) string {
			return `{"providers":[{"id":"p","kind":"openai","baseUrl":"` + url + `"` + key + `}]}`
		}
		has := func(what string, m api.Models, want bool) {
			t.Helper()
			if m.Providers[1].HasKey != want || m.Providers[1].KeyLost {
				t.Errorf("%s: %+v", what, m.Providers[1])
			}
		}
		has("given", h.must(list("http://a", `,"apiKey":"sk-topsecret"`)), true)
		s := h.settings()
		text, _ := json.Marshal(s)
		if strings.Contains(string(text), "topsecret") {
			t.Error("the key is served")
		}
		has("absent", h.must(list("http://a", "")), true)
		has("sent back as served", h.must(list("http://A:80/", `,"hasKey":true`)), true)
		has("another address", h.must(list("http://b", "")), false)
		has("given with the address", h.must(list("http://c", `,"apiKey":"sk-2"`)), true)
		has("cleared", h.must(list("http://c", `,"apiKey":null`)), false)
		has("again", h.must(list("http://c", `,"apiKey":"sk-3"`)), true)
		h.must(`{"providers":[]}`)
		has("another provider of that id", h.must(list("http://c", "")), false)
		has("once more", h.must(list("http://c", `,"apiKey":"sk-4"`)), true)

		// A lost key asks for the key again, and for nothing else.
		h.must(`{"roles":{"embedding":{"provider":"p","model":"m"},"chat":{"provider":"p","model":"c"}}}`)
		if err := os.Remove(filepath.Join(h.dir, secret.FileName)); err != nil {
			t.Fatal(err)
		}
		h.Store = h.open(true)
		if err := h.Apply(ctx); err != nil {
			t.Fatal(err)
		}
		m := *h.settings().Models
		if !m.Providers[1].KeyLost || m.Providers[1].HasKey || m.Roles.Chat == nil || m.Roles.Embedding == nil {
			t.Errorf("%+v %+v", m.Providers, m.Roles)
		}
		if state := h.service.State(); !strings.Contains(state.Problem, "Give it again") || h.service.Snapshot().Ready() || !h.current().On() {
			t.Errorf("%+v", state)
		}
		has("given again", h.must(list("http://c", `,"apiKey":"sk-5"`)), true)
		if !h.service.Snapshot().Ready() {
			t.Error("the model is not there again")
		}
	})
}

func TestBadChangesChangeNothing(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), true)
	before := h.settings()
	for _, change := range []string{
		`{"providers":[{"id":"","kind":"openai"}]}`,
		`{"providers":[{"id":"a","kind":"openai"},{"id":"a","kind":"ollama"}]}`,
		`{"providers":[{"id":"a","kind":"else"}]}`,
		`{"providers":[{"id":"local","kind":"openai"}]}`,
		`{"providers":[{"id":"a","kind":"local"}]}`,
		`{"providers":[{"id":"local","kind":"local","apiKey":"x"}]}`,
		`{"providers":[{"id":"a","kind":"openai","baseUrl":"http://user:pw@h/"}]}`,
		`{"providers":[{"id":"a","kind":"openai","apiKey":"two words"}]}`,
		`{"providers":[{"id":"a","kind":"openrouter","baseUrl":"http://h"}]}`,
		`{"roles":{"embedding":{"provider":"nobody","model":"m"}}}`,
		`{"roles":{"embedding":{"provider":"local","model":"unknown"}}}`,
		`{"roles":{"embedding":{"provider":"local","model":""}}}`,
		`{"roles":{"chat":{"provider":"local","model":"multilingual-e5-small"}}}`,
		`{"roles":{"cook":{"provider":"local","model":"m"}}}`,
		`{"roles":{"embedding":{"provider":"local","model":"multilingual-e5-small","dimensions":4}}}`,
		`{"providers":[{"id":"a","kind":"openai"}],"roles":{"embedding":{"provider":"a","model":"m","dimensions":0}}}`,
		`{"providers":[{"id":"a","kind":"anthropic"}],"roles":{"embedding":{"provider":"a","model":"m"}}}`,
		`{"providers":[{"id":"a","kind":"openai"}],"roles":{"chat":{"provider":"a","model":"m","dimensions":4}}}`,
	} {
		if _, err := h.save(change); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", change, err)
		}
	}
	_, err := h.Save(ctx, api.ModelsChange{Revision: before.Revision + 1})
	if !fault.Is(err, fault.Stale) || fault.ProblemOf(err).Current == nil {
		t.Errorf("a stale change: %v", err)
	}
	if _, err := h.Save(ctx, api.ModelsChange{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no revision: %v", err)
	}
	if now := h.settings(); now.Revision != before.Revision {
		t.Errorf("something was saved: %+v", now)
	}
	if s, err := h.Settings(ctx, false); err != nil || s.Models != nil {
		t.Error("members are told of providers", err)
	}
	h.must(`{"providers":[{"id":"p","kind":"openai","baseUrl":"http://127.0.0.1:1"}],"roles":{"chat":{"provider":"p","model":"oak-1"}}}`)
	if s, err := h.Settings(ctx, false); err != nil || s.Chat == nil || *s.Chat != (api.ModelPick{Provider: "p", Model: "oak-1"}) {
		t.Errorf("members aren't told who answers: %+v %v", s.Chat, err)
	}
}

func TestTest(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), true)
	server := embeddingtest.NewServer(t, "m", 12)
	test := func(in string) api.ModelTested {
		t.Helper()
		var req api.ModelTest
		if err := json.Unmarshal([]byte(in), &req); err != nil {
			t.Fatal(err)
		}
		out, err := h.Test(ctx, req)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		return out
	}
	at := `"provider":{"id":"p","kind":"openai","baseUrl":"` + server.URL + `/v1"`
	if out := test(`{"role":"embedding"}`); !out.OK || out.Width != 4 {
		t.Errorf("the stored one: %+v", out)
	}
	if out := test(`{"role":"embedding",` + at + `},"choice":{"provider":"p","model":"m"}}`); !out.OK || out.Width != 12 {
		t.Errorf("a new one: %+v", out)
	}
	server.Fail(embeddingtest.Status(401))
	if out := test(`{"role":"embedding",` + at + `},"choice":{"provider":"p","model":"m"}}`); out.OK || !strings.Contains(out.Message, "wants a key") {
		t.Errorf("%+v", out)
	}
	// A stored key goes to the address that it was stored for, and to no other.
	h.must(`{"providers":[{"id":"p","kind":"openai","baseUrl":"` + server.URL + `/v1","apiKey":"sk-stored"}]}`)
	other := embeddingtest.NewServer(t, "m", 12)
	var sent []string
	note := func(w http.ResponseWriter, r *http.Request, _ []string) bool {
		sent = append(sent, r.Header.Get("Authorization"))
		return false
	}
	server.Fail(note)
	other.Fail(note)
	test(`{"role":"embedding",` + at + `},"choice":{"provider":"p","model":"m"}}`)
	test(`{"role":"embedding","provider":{"id":"p","kind":"openai","baseUrl":"` + other.URL + `/v1"},"choice":{"provider":"p","model":"m"}}`)
	test(`{"role":"embedding",` + at + `,"apiKey":"sk-new"},"choice":{"provider":"p","model":"m"}}`)
	if strings.Join(sent, ",") != "Bearer sk-stored,,Bearer sk-new" {
		t.Errorf("sent %q", sent)
	}
	if _, err := h.Test(ctx, api.ModelTest{Role: api.RoleChat}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a role that nobody has: %v", err)
	}
	if _, err := h.Test(ctx, api.ModelTest{Role: "cook"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no role: %v", err)
	}
}
