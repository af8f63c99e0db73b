package httpd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// Every route answers its example as the document says, with the headers that
// every answer has.
func TestEveryRouteAnswersAsDocumented(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	for _, r := range Routes() {
		what := r.Method + " " + r.Path
		th := ann.things("mark")
		a := ann.call(r, th)
		switch what {
		case "POST " + api.PathSetup:
			w.problem(what, a, fault.Gone)
			continue
		case "POST " + api.PathLogout:
			w.problem(what, a, fault.Invalid) // a token has no session; see TestSession
			continue
		}
		if a.Code != r.Status {
			t.Errorf("%s: %d %s\n%s", what, a.Code, a.text, w.log)
			continue
		}
		h := a.Header()
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: headers %v", what, h)
		}
		switch {
		case r.Gives != nil:
			w.conforms(r, a)
			if strings.Contains(a.text, ":null") && strings.Contains(a.text, `"items":null`) {
				t.Errorf("%s: a list is null: %s", what, a.text)
			}
			if etag := h.Get("ETag"); (etag != "") != revisioned(r.Gives) {
				t.Errorf("%s: ETag %q", what, etag)
			}
			if r.Status == http.StatusCreated && !strings.HasPrefix(h.Get("Location"), "/api/") {
				t.Errorf("%s: Location %q", what, h.Get("Location"))
			}
		case r.Stream == "" && a.text != "":
			t.Errorf("%s: %q", what, a.text)
		case r.Stream != "" && !strings.HasPrefix(h.Get("Content-Type"), r.Stream):
			t.Errorf("%s: %v", what, h)
		}
		if r.Method == http.MethodGet {
			head := ann.do(http.MethodHead, th.path(r), nil)
			if head.Code != http.StatusOK && head.Code != http.StatusNotFound {
				t.Errorf("HEAD %s: %d", r.Path, head.Code)
			}
		}
	}
	if w.log.Len() > 0 {
		t.Errorf("logged: %s", w.log)
	}
}

// Nobody, and nobody with too little, gets through; the answer is the same
// whatever the path is about.
func TestScopes(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	th := ann.things("mark")
	bob := map[string]*person{}
	for _, scope := range []string{api.ScopeRead, api.ScopeWrite} {
		bob[scope] = w.person("bob", api.RoleMember, scope)
	}
	for _, r := range Routes() {
		if r.Scope == open {
			continue
		}
		what := r.Method + " " + r.Path
		for _, header := range []string{"", "Bearer elw_NOTATOKENATALLNOTATOKENATA", "Basic YTpi", "Bearer", ann.token} {
			h := map[string]string{}
			if header != "" {
				h["Authorization"] = header
			}
			a := w.send(request{r.Method, th.path(r), nil, h})
			w.problem(what+" as "+header, a, fault.Unauthenticated)
			if !strings.HasPrefix(a.Header().Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s: WWW-Authenticate %q", what, a.Header().Get("WWW-Authenticate"))
			}
		}
		for scope, p := range bob {
			if scope != r.Scope {
				w.problem(what+" with "+scope, p.call(r, th), fault.Forbidden)
			}
		}
	}
	// What was lent must not be able to stay.
	writer := w.person("bob", api.RoleMember)
	w.problem("a token makes a token", writer.do("POST", api.PathTokens, api.TokenAdd{Name: "heir"}), fault.Forbidden)
	w.problem("a token revokes a token", writer.do("DELETE", api.TokenPath(writer.id.TokenID), nil), fault.Forbidden)
}

func TestMethods(t *testing.T) {
	w := newWorld(t, GateOptions{})
	known := map[string][]string{}
	for _, r := range Routes() {
		known[r.Path] = append(known[r.Path], r.Method)
	}
	for path, methods := range known {
		filled := strings.NewReplacer("{id}", "7", "{name}", "ann").Replace(path)
		for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if slices.Contains(methods, m) {
				continue
			}
			a := w.send(request{method: m, path: filled})
			w.problem(m+" "+filled, a, fault.MethodNotAllowed)
			allow := strings.Split(a.Header().Get("Allow"), ", ")
			for _, want := range methods {
				if !slices.Contains(allow, want) {
					t.Errorf("%s %s: Allow %q", m, filled, allow)
				}
			}
			if slices.Contains(allow, m) {
				t.Errorf("%s %s: Allow %q", m, filled, allow)
			}
		}
	}
	for _, path := range []string{"/", "/api", "/api/", "/api/nothing", "/api/memory/", "/api/memory/7/", "/api//memory", "/api/../api/memory", "/api/memory/7/nothing", "/api/live", "/healthz/"} {
		for _, m := range []string{"GET", "POST", "OPTIONS"} {
			a := w.send(request{method: m, path: path})
			w.problem(m+" "+path, a, fault.NotFound)
		}
	}
}

// Bodies that are not what a route takes are refused in the same way everywhere.
func TestBodies(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	seen := 0
	for _, r := range Routes() {
		if r.Takes == nil {
			continue
		}
		seen++
		th := ann.things("mark")
		what := r.Method + " " + r.Path
		send := func(body any, header ...string) answer { return ann.do(r.Method, th.path(r), body, header...) }
		for _, ctype := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "nonsense/", ""} {
			w.problem(what+" as "+ctype, send("{}", "Content-Type", ctype), fault.Unsupported)
		}
		w.problem(what+" zipped", send("{}", "Content-Encoding", "gzip"), fault.Unsupported)
		for name, body := range map[string]string{
			"empty": "", "not JSON": "hello", "a list": "[]", "null": "null", "a number": "7", "cut off": `{"a":`,
			"unknown": `{"zzz":1}`, "twice": `{"zzz":1,"zzz":2}`, "bad UTF-8": "{\"zzz\":\"\xff\"}", "half surrogate": `{"zzz":"\ud800"}`,
			"two values": `{} {}`, "deep": strings.Repeat(`{"a":`, 11_000),
		} {
			if name == "empty" && r.Optional {
				continue // see TestEmptyTrashOfAnotherNumber
			}
			p := w.problem(what+" "+name, send(body), fault.Invalid)
			if strings.Contains(p.Detail, "Go ") || strings.Contains(p.Detail, "api.") {
				t.Errorf("%s %s tells of its inside: %s", what, name, p.Detail)
			}
		}
		w.problem(what+" large", send(`{"zzz":"`+strings.Repeat("x", 1<<20)+`"}`), fault.TooLarge)
	}
	if seen < 15 {
		t.Errorf("only %d routes take a body", seen)
	}
	p := w.problem("bounds", ann.do("POST", api.PathMemory, `{"body":"","importance":11,"kind":" "}`), fault.Invalid)
	if len(p.Errors) != 3 || p.Errors[1].Field != "kind" && p.Errors[1].Field != "importance" {
		t.Errorf("errors %+v", p.Errors)
	}
	w.problem("an unknown parameter", ann.do("GET", api.PathMe+"?x=1", nil), fault.Invalid)
	w.problem("a parameter twice", ann.do("GET", api.PathMemory+"?limit=1&limit=2", nil), fault.Invalid)
	w.problem("a limit", ann.do("GET", api.PathMemory+"?limit=501", nil), fault.Invalid)
	w.problem("a choice of nothing", ann.do("PUT", api.MemoryPath(1, "category"), `{}`), fault.Invalid)
}

func TestIfMatch(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	for _, r := range Routes() {
		if r.Scope == open || r.Method == http.MethodGet {
			continue
		}
		what := r.Method + " " + r.Path
		if !r.ByRevision {
			w.problem(what, ann.call(r, ann.things("mark"), "If-Match", `"1"`), fault.Invalid)
			continue
		}
		for _, bad := range []string{"*", "1", `W/"1"`, `"1", "2"`, `"x"`, `""`, `"0"`, `"-1"`, `"01"`, `"1`, `"99999999999999999999"`} {
			w.problem(what+" If-Match "+bad, ann.call(r, ann.things("mark"), "If-Match", bad), fault.Invalid)
		}
		if savesSettings(r.Path) {
			w.problem(what, ann.call(r, ann.things("mark"), "If-Match", `"777"`), fault.Invalid) // the body names another one
			continue
		}
		p := w.problem(what, ann.call(r, ann.things("mark"), "If-Match", `"777"`), fault.Stale)
		now, ok := p.Current.(map[string]any)
		if !ok || now["revision"] == nil {
			t.Errorf("%s: current %v", what, p.Current)
		}
	}
	th := ann.things("mark")
	for i := 0; i < 2; i++ {
		etag := ann.must("GET", api.MemoryPath(th.memory), nil).Header().Get("ETag")
		a := ann.must("PATCH", api.MemoryPath(th.memory), api.MemoryPatch{Importance: api.Ptr(i + 1)}, "If-Match", etag)
		if a.Header().Get("ETag") == etag {
			t.Error("the revision stays")
		}
	}
	now := into[api.Settings](t, ann.must("GET", api.PathSettings, nil))
	ann.must("PUT", api.PathSettings+"/retention", `{"revision":0,"graceDays":3}`, "If-Match", fmt.Sprintf(`"%d"`, now.Revision))
	w.problem("stale settings", ann.do("PUT", api.PathSettings+"/retention", api.PolicyChange{Revision: now.Revision}), fault.Stale)
}

// Under a key, every write happens once, and answers the same again.
// The trash is emptied of as many as somebody saw, or not at all.
func TestEmptyTrashOfAnotherNumber(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleMember)
	th := ann.things("mark")
	for path, body := range map[string]string{
		api.PathEmptyTrash: `{"expect":2}`,
		api.PathBulk:       `{"all":{"status":"deleted"},"action":"purge","expect":2}`,
	} {
		p := w.problem(path, ann.do("POST", path, body), fault.Stale)
		if current, ok := p.Current.(map[string]any); !ok || current["count"] != 1.0 || !strings.Contains(p.Detail, "Nothing was purged") {
			t.Errorf("%s: %+v", path, p)
		}
		w.problem(path, ann.do("POST", path, strings.Replace(body, "2", "-2", 1)), fault.Invalid)
	}
	ann.must("GET", api.MemoryPath(th.trashed), nil)
	if done := into[api.BulkDone](t, ann.must("POST", api.PathEmptyTrash, `{"expect":1}`)); done.Changed != 1 {
		t.Errorf("emptied %+v", done)
	}
	ann.things("mark")
	for want, body := range []any{"{}", nil} { // absent, then nothing left
		if done := into[api.BulkDone](t, ann.must("POST", api.PathEmptyTrash, body)); done.Changed != 1-want {
			t.Errorf("emptied by %v: %+v", body, done)
		}
	}
	ann.things("mark")
	if done := into[api.BulkDone](t, ann.must("POST", api.PathEmptyTrash, nil)); done.Changed != 1 {
		t.Errorf("emptied without a body: %+v", done)
	}
}

func TestIdempotency(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	seen := 0
	for _, r := range Routes() {
		what := r.Method + " " + r.Path
		if !r.Write() || r.Path == api.PathLogout {
			continue
		}
		seen++
		for _, bad := range []string{strings.Repeat("k", 201), "a\tb", "ä"} {
			w.problem(what+" key", ann.call(r, ann.things("mark"), api.HeaderIdempotency, bad), fault.Invalid)
		}
		th := ann.things("mark")
		key := "key for " + what
		ann.made++
		query, body := th.example(r, ann.made)
		if savesSettings(r.Path) {
			body = settingsChange(r.Path, into[api.Settings](t, ann.must("GET", api.PathSettings, nil)).Revision, ann.made)
		}
		header := []string{api.HeaderIdempotency, key}
		if r.Path == api.PathImport {
			header = append(header, "Content-Type", jsonl)
		}
		path := th.path(r)
		if query != "" {
			path += "?" + query
		}
		first := ann.do(r.Method, path, body, header...)
		w.clock.Advance(1000)
		second := ann.do(r.Method, path, body, header...)
		if first.Code != r.Status {
			t.Errorf("%s: %d %s", what, first.Code, first.text)
			continue
		}
		if r.Natural {
			continue
		}
		if second.Code != first.Code || second.Header().Get("Idempotency-Replayed") != "true" || first.Header().Get("Idempotency-Replayed") != "" {
			t.Errorf("%s again: %d %s, then %d %s", what, first.Code, first.text, second.Code, second.text)
			continue
		}
		if r.Gives != nil && !same(without(first.json(t), "token"), without(second.json(t), "token")) {
			t.Errorf("%s answers differently:\n%s\n%s", what, first.text, second.text)
		}
		if r.Takes != nil {
			_, other := ann.things("mark").example(r, ann.made+1000)
			if r.Path == api.PathPreview || r.Path == api.PathMe || r.Path == api.PathMaintenance || strings.HasPrefix(r.Path, api.PathPeople+"/") {
				continue // the other example is the same
			}
			if savesSettings(r.Path) || r.Path == api.PathTokens {
				other = `{"revision":1,"name":"n"}`
				if r.Path == api.PathTokens {
					other = `{"name":"n"}`
				} else {
					other = `{"revision":1}`
				}
			}
			if r.Optional {
				other = `{"expect":7}`
			}
			w.problem(what+" with another body", ann.do(r.Method, path, other, header...), fault.Taken)
		}
	}
	if seen < 15 {
		t.Errorf("only %d writes", seen)
	}
}

// No trace of a password is kept with a key.
func TestIdempotencyKeepsNoPassword(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	add := func(pass string) answer {
		return ann.do("POST", api.PathPeople, api.PersonAdd{Name: "eve", Password: pass}, api.HeaderIdempotency, "k")
	}
	if a, b := add("password one"), add("password two"); a.Code != 201 || b.Code != 201 || b.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("the key depends on the password: %d, %d %s", a.Code, b.Code, b.text)
	}
}

func TestSystemRoutes(t *testing.T) {
	w := newWorld(t, GateOptions{BasePath: "/elowen/"})
	ann := w.person("ann", api.RoleAdmin)
	if a := w.send(request{method: "GET", path: api.PathHealth}); a.Code != 200 || a.json(t)["version"] != "1.2.3" {
		t.Errorf("health: %d %s", a.Code, a.text)
	}
	if a := ann.must("POST", api.PathMemory, api.MemoryAdd{Body: "x"}); !strings.HasPrefix(a.Header().Get("Location"), "/elowen/api/memory/") {
		t.Errorf("Location %q", a.Header().Get("Location"))
	}
	a := ann.must("GET", api.PathMetrics, nil)
	if !strings.Contains(a.text, `elowen_http_requests_total{method="POST",route="/api/memory",status="201"} 1`) {
		t.Errorf("metrics: %s", a.text)
	}
	if a := w.send(request{method: "GET", path: api.PathOpenAPI}); a.Code != 200 || a.json(t)["openapi"] != "3.1.0" {
		t.Errorf("document: %d", a.Code)
	}
	notYet := w.services
	notYet.Metrics = nil
	notYet.Ready = func(context.Context) error { return fault.New(fault.Unavailable, "The store is still opening.") }
	w.handler = New(notYet)
	a = w.send(request{method: "GET", path: api.PathReady})
	if p := w.problem("not ready", a, fault.Unavailable); p.Detail != "The store is still opening." || a.Header().Get("Retry-After") == "" {
		t.Errorf("%+v", p)
	}
	notYet.Metrics, notYet.Ready = nil, func(context.Context) error { panic("secret inside") }
	w.handler = New(notYet)
	a = w.send(request{method: "GET", path: api.PathReady})
	w.problem("a panic", a, fault.Internal)
	if strings.Contains(a.text, "secret") || !strings.Contains(w.log.String(), "secret inside") {
		t.Errorf("%s, logged %s", a.text, w.log)
	}
}

func TestExportAndImport(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann, bob := w.person("ann", api.RoleAdmin), w.person("bob", api.RoleMember)
	ann.things("brought")
	a := ann.must("GET", api.PathExport, nil)
	if a.Header().Get("Content-Disposition") != `attachment; filename="elowen-2026-11-30.jsonl"` || !strings.Contains(a.text, `"brought: lamp`) {
		t.Errorf("%v %s", a.Header(), a.text)
	}
	dry := into[api.ImportReport](t, bob.must("POST", api.PathImport+"?dryRun=1", a.text, "Content-Type", "application/x-ndjson"))
	if n := into[api.MemoryStats](t, bob.must("GET", api.PathStats, nil)); !dry.DryRun || dry.Added == 0 || n.Active+n.Deleted != 0 {
		t.Errorf("%+v, %+v", dry, n)
	}
	bob.must("POST", api.PathImport, a.text, "Content-Type", jsonl)
	if n := into[api.MemoryStats](t, bob.must("GET", api.PathStats, nil)); n.Active != 2 || n.Deleted != 1 {
		t.Errorf("%+v", n)
	}
	w.problem("a form", bob.do("POST", api.PathImport, a.text, "Content-Type", "application/x-www-form-urlencoded"), fault.Unsupported)
	w.problem("a zip", bob.do("POST", api.PathImport, a.text, "Content-Type", jsonl, "Content-Encoding", "gzip"), fault.Unsupported)
}

// watching looks into a folder whenever it is read from.
type watching struct {
	io.Reader
	dir  string
	seen []string
}

func (r *watching) Read(b []byte) (int, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		r.seen = append(r.seen, e.Name())
	}
	return r.Reader.Read(b)
}

// At no instant is there a file with somebody's memories that a killed program
// would leave behind.
func TestImportsAreStagedWithoutAName(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	for i, key := range []string{"", "a key", "a key"} {
		body := &watching{Reader: iotest.OneByteReader(strings.NewReader(`{"type":"memory","body":"Tea at four."}`)), dir: w.services.TempDir}
		r := request{method: "POST", path: api.PathImport, body: body, header: map[string]string{
			"Authorization": "Bearer " + ann.token, "Content-Type": jsonl, api.HeaderIdempotency: key}}
		report := into[api.ImportReport](t, w.send(r))
		if report.Lines != 1 || i == 2 && report.Existing != 1 {
			t.Errorf("%+v", report)
		}
		if len(body.seen) > 0 {
			t.Errorf("with key %q there is %s", key, body.seen[0])
		}
	}
	if left, err := os.ReadDir(w.services.TempDir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
