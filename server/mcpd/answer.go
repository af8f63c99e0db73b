package mcpd

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"elowen/shared/fault"
)

// codeRefused is the code of an error that JSON-RPC has none for.
const codeRefused = -32000

// wireError is an answer that is an error. A request without an id that could be read
// gets null.
type wireError struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   jsonrpc.Error   `json:"error"`
}

// refuse answers an error.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, err error) {
	code := int64(codeRefused)
	var p *problem
	var f *fault.Error
	switch {
	case errors.As(err, &p):
		code = p.code
	case fault.Is(err, fault.Internal):
		code = jsonrpc.CodeInternalError
	}
	h := w.Header()
	if errors.As(err, &f) && f.RetryAfterMillis > 0 {
		h.Set("Retry-After", strconv.FormatInt((f.RetryAfterMillis+999)/1000, 10))
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="elowen"`)
	}
	write(w, status, errorBody(id, code, fault.ProblemOf(err).Detail))
}

// errorBody is an error as it travels.
func errorBody(id json.RawMessage, code int64, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(wireError{"2.0", id, jsonrpc.Error{Code: code, Message: strings.ToValidUTF8(text, "\uFFFD")}})
	if err != nil { // the id was read as JSON, the rest is text
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Something went wrong inside"}}`)
	}
	return data
}

// write answers a JSON body. Nothing of it may be kept by anybody between.
func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever asked may be gone
}

// recorder keeps what the SDK answers until it is known to be an answer.
type recorder struct {
	header http.Header
	status int
	begun  bool
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if !r.begun {
		r.begun, r.status = true, status
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	r.begun = true
	return r.body.Write(p)
}

// Flush implements http.Flusher: nothing is sent before it is whole.
func (r *recorder) Flush() {}

// play sends the answer. What is no JSON is a sentence of the SDK about the request.
func (r *recorder) play(w http.ResponseWriter, m message) {
	json := strings.HasPrefix(r.header.Get("Content-Type"), "application/json") && r.body.Len() > 0
	switch {
	case r.status == http.StatusAccepted || r.status == http.StatusNoContent || r.status == http.StatusOK && r.body.Len() == 0:
		w.WriteHeader(http.StatusAccepted)
	case json && r.status == http.StatusNotFound && m.header.Get(headerRevision) >= newest:
		write(w, r.status, r.body.Bytes())
	case json && r.status < http.StatusInternalServerError && r.status != http.StatusNotFound:
		write(w, r.status, r.body.Bytes())
	case json:
		write(w, http.StatusOK, r.body.Bytes())
	case r.status >= http.StatusInternalServerError || r.status == http.StatusNotFound:
		write(w, http.StatusServiceUnavailable, errorBody(m.id, jsonrpc.CodeInternalError, "The server could not answer. Try again."))
	default:
		write(w, r.status, errorBody(m.id, jsonrpc.CodeInvalidRequest, strings.TrimSpace(r.body.String())))
	}
}
