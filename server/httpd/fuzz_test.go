package httpd

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"elowen/shared/api"
)

// sound checks what must hold of every answer to anything.
func (w *world) sound(t *testing.T, what string, a answer) {
	t.Helper()
	if a.Code >= 500 && !(a.Code == http.StatusServiceUnavailable && strings.Contains(what, "meaning")) {
		t.Fatalf("%s: %d %s\n%s", what, a.Code, a.text, w.log)
	}
	if a.Code >= 400 && (a.Header().Get("Content-Type") != "application/problem+json" || !json.Valid([]byte(a.text))) {
		t.Fatalf("%s: %d %v %q", what, a.Code, a.Header(), a.text)
	}
	if strings.Contains(w.log.String(), "panicked") {
		t.Fatalf("%s: %s", what, w.log)
	}
}

// FuzzBody sends any body to every route that takes one.
func FuzzBody(f *testing.F) {
	w := newWorld(f, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	th := ann.things("mark")
	for _, r := range Routes() {
		if _, body := th.example(r, 1); body != nil {
			data, err := json.Marshal(body)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, `"1"`, "key")
		}
	}
	for _, s := range []string{`{"body":"\u0000"}`, `{"body":"<script>","importance":1e1}`, `{"ids":[1,2,3],"action":"purge"}`, `{"all":{"q":"\""},"action":"trash"}`,
		`{"revision":1,"halfLifeDays":[0,0,0,0,0,0,0,0,0,0]}`, `{"policy":{"graceDays":-1e308}}`, `{"version":-1}`, `{"name":"a\u0301"}`, `{"categoryId":9223372036854775807}`, `{"code":"","name":"","password":""}`} {
		f.Add([]byte(s), "", "")
	}
	routes := Routes()
	f.Fuzz(func(t *testing.T, body []byte, ifMatch, key string) {
		w.TB = t
		for _, r := range routes {
			if r.Takes == nil && r.Stream != jsonl || r.Path == api.PathLogin || r.Path == api.PathSetup {
				continue // those two hash, or refuse at once
			}
			header := []string{}
			if ifMatch != "" {
				header = append(header, "If-Match", ifMatch)
			}
			if key != "" {
				header = append(header, api.HeaderIdempotency, key)
			}
			if r.Stream == jsonl {
				header = append(header, "Content-Type", jsonl)
			}
			a := ann.do(r.Method, th.path(r), body, header...)
			if a.Code == http.StatusUnauthorized {
				t.Skip("the body took away the right to ask") // a password of one's own
			}
			w.sound(t, r.Method+" "+r.Path+" "+string(body), a)
		}
	})
}

// FuzzPath asks for any path and query by every method.
func FuzzPath(f *testing.F) {
	w := newWorld(f, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	ann.things("mark")
	for _, r := range Routes() {
		f.Add(strings.NewReplacer("{id}", "1", "{name}", "ann").Replace(r.Path), "limit=1")
	}
	f.Add("/api/memory/99999999999999999999", "")
	f.Add("/api/memory/-1/../2", "cursor=%00")
	f.Add("/api/people/%2e%2e", "x=%zz")
	f.Fuzz(func(t *testing.T, path, query string) {
		w.TB = t
		if !strings.HasPrefix(path, "/") || path == api.PathLogout {
			return
		}
		path = (&url.URL{Path: path}).EscapedPath()
		for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "OPTIONS"} { // not DELETE: ann must stay
			w.sound(t, m+" "+path+"?"+query, ann.do(m, path+"?"+query, nil))
		}
	})
}

// FuzzList asks lists for any query, search text and cursor.
func FuzzList(f *testing.F) {
	w := newWorld(f, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	for range 3 {
		ann.things("mark")
	}
	ann.must("POST", api.PathMemory, api.MemoryAdd{Body: "日本語の記憶 と café naïve ไทย 한국어"})
	cursors := []string{""}
	for _, sort := range api.Sorts() {
		page := into[api.Page[api.Memory]](f, ann.must("GET", api.PathMemory+"?q=mark&limit=1&sort="+sort, nil))
		cursors = append(cursors, page.NextCursor)
	}
	events := into[api.Page[api.Event]](f, ann.must("GET", api.PathEvents+"?limit=1", nil))
	cursors = append(cursors, events.NextCursor, "AAAA", "%ff", "=", strings.Repeat("A", 999))
	for _, c := range cursors {
		for _, q := range []string{"lamp", `"half a phrase`, "-", "/ - : ' . \"", "NEAR(a b)", "日本", "a OR b AND NOT", "*", "\x00", "ก", strings.Repeat("a ", 900), "\u202e", "(((("} {
			f.Add("sort=vitality&limit=2", q, c)
		}
		for _, s := range api.Sorts() {
			f.Add("sort="+s+"&order=asc&limit=2", "lamp", c)
		}
	}
	f.Add("match=meaning", "lamp", "")
	f.Add("categoryId=none&after=2026-01-01&fadesWithin=3", "", "")
	f.Fuzz(func(t *testing.T, raw, q, cursor string) {
		w.TB = t
		full := raw
		if q != "" {
			full += "&q=" + url.QueryEscape(q)
		}
		if cursor != "" {
			full += "&cursor=" + url.QueryEscape(cursor)
		}
		for _, query := range []string{raw, full} {
			a := ann.do("GET", api.PathMemory+"?"+query, nil)
			w.sound(t, query, a)
			if a.Code == http.StatusOK {
				if p := into[api.Page[api.Memory]](t, a); p.Items == nil || len(p.Items) > 500 || p.Total < len(p.Items) {
					t.Fatalf("%s: %s", query, a.text)
				}
			}
		}
		w.sound(t, cursor, ann.do("GET", api.PathEvents+"?cursor="+url.QueryEscape(cursor), nil))
	})
}
