package openaid

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"elowen/server/model/chat"
	"elowen/shared/fault"
)

// wireError is an error in OpenAI's shape.
type wireError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

// kinds are what OpenAI calls errors of ours: its type, and a code for programs. What is
// not here is a fault of the server's.
var kinds = map[fault.Kind]struct{ name, code string }{
	fault.Invalid:          {"invalid_request_error", "invalid_request"},
	fault.Unauthenticated:  {"invalid_request_error", "invalid_api_key"},
	fault.Forbidden:        {"permission_error", "insufficient_permissions"},
	fault.NotFound:         {"invalid_request_error", "not_found"},
	fault.MethodNotAllowed: {"invalid_request_error", "method_not_allowed"},
	fault.Taken:            {"conflict_error", "conversation_busy"},
	fault.TooLarge:         {"invalid_request_error", "request_too_large"},
	fault.Unsupported:      {"invalid_request_error", "unsupported_media_type"},
	fault.TooMany:          {"rate_limit_error", "rate_limit_exceeded"},
	fault.Cancelled:        {"server_error", "cancelled"},
}

// modelMissing is the code of an error that is a NotFound about the field model, as
// clients know it.
const modelMissing = "model_not_found"

// errorOf is an error as it travels.
func errorOf(err error) (out wireError) {
	p := fault.ProblemOf(err)
	kind, ok := kinds[fault.KindOf(err)]
	if !ok {
		kind.name, kind.code = "server_error", p.Code
	}
	out.Error.Message, out.Error.Type, out.Error.Code = strings.ToValidUTF8(p.Detail, "\uFFFD"), kind.name, &kind.code
	if len(p.Errors) > 0 {
		field := strings.ToValidUTF8(p.Errors[0].Field, "\uFFFD")
		if out.Error.Param = &field; field == "model" && fault.Is(err, fault.NotFound) {
			code := modelMissing
			out.Error.Code = &code
		}
	}
	return out
}

// refuse answers an error.
func refuse(w http.ResponseWriter, err error) {
	h := w.Header()
	if wait := fault.RetryAfter(err); wait > 0 {
		h.Set("Retry-After", strconv.FormatInt((wait+999)/1000, 10))
	}
	switch fault.KindOf(err) {
	case fault.Unauthenticated:
		h.Set("WWW-Authenticate", `Bearer realm="elowen"`)
	case fault.Unavailable:
		// OpenAI's clients try such an answer again by themselves, unless they are told that
		// it is no use.
		if f, ok := fault.As(err); ok && f.RetryAfterMillis == 0 && !chat.Passes(err) {
			h.Del("Retry-After")
			h.Set("X-Should-Retry", "false")
		}
	}
	write(w, fault.KindOf(err).Status(), errorOf(err))
}

// write answers an object as JSON. Nothing of it may be kept by anybody between.
func write(w http.ResponseWriter, status int, object any) {
	data, err := json.Marshal(object, json.Deterministic(true))
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"Something went wrong inside","type":"server_error","param":null,"code":"internal"}}`)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // whoever asked may be gone
}
