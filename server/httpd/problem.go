package httpd

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/fault"
)

// Problem answers an error as a problem document. It is the only place where an
// error becomes an answer; other handlers of the program may use it too.
func Problem(w http.ResponseWriter, err error) {
	p := fault.ProblemOf(err)
	// A detail may repeat what was sent, and must be readable whatever it was.
	data, bad := json.Marshal(p, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if bad != nil { // what cannot be written is the current row
		p.Current = nil
		data, _ = json.Marshal(p, jsontext.AllowInvalidUTF8(true))
	}
	h := w.Header()
	secure(h)
	h.Del("ETag")
	h.Del("Content-Disposition")
	h.Set("Content-Type", fault.ProblemType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if wait := fault.RetryAfter(err); wait > 0 {
		h.Set("Retry-After", strconv.FormatInt((wait+999)/1000, 10))
	}
	if fault.Is(err, fault.Unauthenticated) {
		h.Set("WWW-Authenticate", `Bearer realm="elowen"`)
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(data) // whoever asked may be gone
}

// secure sets the headers that every answer of an API has: it is data, for no
// one else, and never a page.
func secure(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}
