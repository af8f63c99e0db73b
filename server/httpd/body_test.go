package httpd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"elowen/shared/api"
)

// A route that takes no body does nothing where one comes along, of whatever form;
// an empty one is none.
func TestRoutesWithoutABody(t *testing.T) {
	w := newWorld(t, GateOptions{})
	p := w.person("ann", api.RoleAdmin, api.ScopeRead, api.ScopeWrite, api.ScopeAdmin)
	th := p.things("0")
	tried := 0
	for _, r := range Routes() {
		if r.Takes != nil || r.Path == api.PathImport || r.Path == api.PathLogout || r.Path == api.PathLive {
			continue
		}
		tried++
		send := func(body string, chunked bool) int {
			req := httptest.NewRequest(r.Method, "http://127.0.0.1:4400"+th.path(r), strings.NewReader(body))
			if chunked {
				req = httptest.NewRequest(r.Method, "http://127.0.0.1:4400"+th.path(r), io.MultiReader(strings.NewReader(body)))
				req.ContentLength = -1
			}
			req.Header.Set("Authorization", "Bearer "+p.token)
			req.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			w.handler.ServeHTTP(rec, req)
			return rec.Code
		}
		for _, body := range []string{`{"zz":2}`, "{}", " ", "null"} {
			for _, chunked := range []bool{false, true} {
				if code := send(body, chunked); code != http.StatusBadRequest {
					t.Errorf("%s %s with %q, chunked %v: %d", r.Method, r.Path, body, chunked, code)
				}
			}
		}
		if r.Path == api.PathReady {
			continue // nothing here is ready
		}
		if code := send("", true); code >= 300 { // nothing was done before: the things are all there
			t.Errorf("%s %s: %d", r.Method, r.Path, code)
		}
		th = p.things(fmt.Sprint(tried))
	}
	if tried < 10 {
		t.Errorf("only %d routes", tried)
	}
}

// Signing in again with the cookie of a living session ends that one.
func TestSigningInAgain(t *testing.T) {
	w := newWorld(t, GateOptions{})
	w.person("ann", api.RoleAdmin)
	other, first := w.login(), w.login()
	second := w.login("Cookie", first.Name+"="+first.Value)
	for c, want := range map[*http.Cookie]int{first: 401, second: 200, other: 200} {
		if a := w.send(request{"GET", api.PathMe, nil, with(c)}); a.Code != want {
			t.Errorf("%d, want %d", a.Code, want)
		}
	}
	a := w.send(request{"POST", api.PathLogin, api.Login{Name: "ann", Password: "wrong password"}, with(second)})
	if a.Code != 401 {
		t.Fatal(a.text)
	}
	if a := w.send(request{"GET", api.PathMe, nil, with(second)}); a.Code != 200 {
		t.Errorf("a failed sign-in ended the session: %d", a.Code)
	}
}

// No scope is no token's, and never the usual ones.
func TestTokenWithoutScopes(t *testing.T) {
	w := newWorld(t, GateOptions{})
	w.person("ann", api.RoleAdmin)
	c := w.login()
	for body, want := range map[string]int{`{"name":"x","scopes":[]}`: 400, `{"name":"x"}`: 201, `{"name":"x","scopes":["read"]}`: 201, `{"name":"x","scopes":["foo"]}`: 400} {
		req := httptest.NewRequest("POST", "http://127.0.0.1:4400"+api.PathTokens, strings.NewReader(body))
		req.AddCookie(c)
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, req)
		if rec.Code != want {
			t.Errorf("%s: %d %s", body, rec.Code, rec.Body)
		}
	}
}
