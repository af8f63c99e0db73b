package httpd

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"elowen/server/model/modeltest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Providers are an administrator's to see and to change; a key is nobody's to see.
func TestModelsOverREST(t *testing.T) {
	w := newWorld(t, GateOptions{})
	admin, member := w.person("root", api.RoleAdmin), w.person("ann", api.RoleMember)
	now := into[api.Settings](t, admin.must("GET", api.PathSettings, nil))
	if now.Models == nil || len(now.Models.Providers) != 1 || now.Models.Roles.Embedding != nil {
		t.Fatalf("%+v", now.Models)
	}
	change := `{"revision":1,"providers":[{"id":"mine","kind":"openai","baseUrl":"http://127.0.0.1:1/v1","apiKey":"sk-verysecret"}],
		"roles":{"embedding":{"provider":"mine","model":"m"},"chat":null}}`
	w.problem("a member saves", member.do("PUT", api.PathModels, change), fault.Forbidden)
	w.problem("a member tests", member.do("POST", api.PathModelsTest, `{"role":"embedding"}`), fault.Forbidden)
	saved := admin.must("PUT", api.PathModels, change, api.HeaderIdempotency, "k")
	after := into[api.Settings](t, saved)
	if after.Revision != 2 || after.Models.Roles.Embedding.Model != "m" || !after.Models.Providers[1].HasKey || after.Retention.VitalityFloor == 0 {
		t.Errorf("%+v %+v", after, after.Models)
	}
	if got := saved.Header().Get("ETag"); got != `"2"` {
		t.Errorf("ETag %s", got)
	}
	again := admin.must("PUT", api.PathModels, change, api.HeaderIdempotency, "k")
	if again.text != saved.text {
		t.Error("the repeated request was answered otherwise")
	}
	w.problem("stale", admin.do("PUT", api.PathModels, change), fault.Stale)
	w.problem("an unknown field", admin.do("PUT", api.PathModels, `{"revision":2,"roles":{"embedding":{"provider":"mine","model":"m","temperature":1}}}`), fault.Invalid)
	w.problem("null for a list", admin.do("PUT", api.PathModels, `{"revision":2,"providers":null}`), fault.Invalid)
	policy := into[api.Settings](t, admin.must("PUT", api.PathSettings+"/retention", `{"revision":2,"graceDays":3}`))
	if policy.Revision != 3 {
		t.Errorf("one revision for all: %d", policy.Revision)
	}
	if m := into[api.Settings](t, member.must("GET", api.PathSettings, nil)); m.Models != nil {
		t.Error("a member is told of providers")
	}
	tested := into[api.ModelTested](t, admin.must("POST", api.PathModelsTest, `{"role":"embedding"}`))
	if tested.OK || !strings.Contains(tested.Message, "Nobody listens") {
		t.Errorf("%+v", tested)
	}
	for _, text := range []string{saved.text, admin.must("GET", api.PathSettings, nil).text, w.log.String()} {
		if strings.Contains(text, "sk-verysecret") {
			t.Error("a key is in an answer or the log")
		}
	}
}

// A key that was sent with an idempotency key is the one that the provider gets.
func TestAKeyIsStoredAsItCame(t *testing.T) {
	w := newWorld(t, GateOptions{})
	admin := w.person("root", api.RoleAdmin)
	provider := modeltest.NewServer(t, func(modeltest.Request) string { return "pong" })
	admin.must("PUT", api.PathModels, fmt.Sprintf(`{"revision":1,"providers":[{"id":"mine","kind":"openai","baseUrl":"%s/v1","apiKey":"sk-verysecret"}],
		"roles":{"utility":{"provider":"mine","model":"m"}}}`, provider.URL), api.HeaderIdempotency, "k")
	admin.must("POST", api.PathModelsTest, `{"role":"utility"}`)
	asked := provider.Requests()
	if len(asked) == 0 || !strings.Contains(asked[0].Key, "sk-verysecret") {
		t.Errorf("the provider was asked %+v", asked)
	}
}

// Whatever a request carries that is named like a secret says so by its tag, so
// that nothing is kept of it.
func TestSecretsAreTagged(t *testing.T) {
	like := regexp.MustCompile(`(?i)(passwords?|secrets?|keys?|codes?)$`)
	tagged := 0
	seen := map[reflect.Type]bool{}
	var look func(typ reflect.Type)
	look = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			look(typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				secret := f.Tag.Get("secret") == "true"
				if like.MatchString(name) && !secret && f.Type.Kind() != reflect.Bool {
					t.Errorf("%s.%s looks like a secret, without the tag", typ.Name(), f.Name)
				}
				if secret {
					tagged++
				}
				look(f.Type)
			}
		}
	}
	for _, r := range Routes() {
		if r.Takes != nil {
			look(r.Takes)
		}
	}
	if tagged < 8 {
		t.Errorf("only %d secrets are tagged: the test looks at the wrong thing", tagged)
	}
}
