package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"elowen/shared/fault"
)

// Whatever answers at an address is told apart: an elowen that takes the token, one that
// doesn't, something else, nothing. The token never goes anywhere else, nor into words.
func TestGreet(t *testing.T) {
	const token = "elw_ABCDEFGHIJ0123"
	stolen := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen = true }))
	defer other.Close()
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/sub/api/me" || r.Header.Get("Authorization") != "Bearer "+token {
				t.Errorf("asked was %s with %q", r.URL.Path, r.Header.Get("Authorization"))
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	const good, problem = "application/json", "application/problem+json"
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		kind    fault.Kind
		says    string // empty: all is well
	}{
		"well":                  {answer(200, good, `{"name":"ann","scopes":["read","write"]}`), 0, ""},
		"a token without read":  {answer(200, good, `{"name":"ann","scopes":["write"]}`), fault.Forbidden, "may not read"},
		"a wrong token":         {answer(401, problem, `{"code":"unauthenticated","title":"x","status":401,"detail":"This token isn't valid."}`), fault.Unauthenticated, "refuses: This token isn't valid."},
		"steering characters":   {answer(401, problem, `{"code":"unauthenticated","title":"x","status":401,"detail":"red \u001b[31m"}`), fault.Unauthenticated, "refuses: red"},
		"a page":                {answer(200, "text/html", "<html>"), fault.NotFound, "is no elowen (200 OK)"},
		"some other JSON":       {answer(200, good, `{"items":[]}`), fault.NotFound, "is no elowen"},
		"nothing there":         {answer(404, "text/plain", "404"), fault.NotFound, "is no elowen (404 Not Found)"},
		"a login in front":      {answer(401, "text/html", "<html>"), fault.NotFound, "is no elowen (401 Unauthorized)"},
		"an answer without end": {answer(200, good, strings.Repeat("[", greetMost+1)), fault.NotFound, "is no elowen"},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusMovedPermanently)
		}, fault.NotFound, "leads elsewhere: " + other.URL},
	} {
		s := httptest.NewServer(c.handler)
		err := greet(t.Context(), s.URL+"/sub", token)
		s.Close()
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.says != "" && (!fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "--no-check")):
			t.Errorf("%s: %v", name, err)
		case err != nil && (strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "\x1b")):
			t.Errorf("%s tells too much: %q", name, err)
		}
	}
	if stolen {
		t.Error("the token was carried elsewhere")
	}
	s := httptest.NewServer(nil)
	s.Close()
	if err := greet(t.Context(), s.URL, token); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "No elowen answers") {
		t.Errorf("nobody: %v", err)
	}
}
