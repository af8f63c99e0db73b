package mcpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"elowen/server/validation"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// The headers and the revision that the door looks at.
const (
	headerRevision = "Mcp-Protocol-Version"
	newest         = "2026-07-28" // the first revision without sessions; an unknown method answers 404 there
	batchless      = "2025-06-18" // the first revision that knows no batches
)

// batchMost bounds the messages of a batch.
const batchMost = 50

// message is one request's body: a JSON-RPC message, or several.
type message struct {
	body   []byte
	header http.Header
	batch  bool
	id     json.RawMessage // nil: none, or not to be read
	method string          // of a single message
	reply  bool            // a response to something that we never asked
}

// methods are those that the SDK answers here. Subscriptions are none: nothing is sent
// to a client by itself, and a stream that stays open for that would hold a connection
// for nothing.
var methods = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true,
	"tools/list": true, "tools/call": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"prompts/list": true, "prompts/get": true,
	"notifications/initialized": true, "notifications/cancelled": true,
}

func callTime() time.Duration {
	return time.Duration(setting.Int("agent.callMillis")) * time.Millisecond
}

// problem is an error with a code of JSON-RPC.
type problem struct {
	error
	code   int64
	status int
}

// Unwrap is the error.
func (p *problem) Unwrap() error { return p.error }

func invalid(detail string) *problem {
	return &problem{fault.New(fault.Invalid, detail), jsonrpc.CodeInvalidRequest, http.StatusBadRequest}
}

// statusOf is the HTTP status of an error of the door.
func statusOf(err error) int {
	var p *problem
	if errors.As(err, &p) {
		return p.status
	}
	return fault.KindOf(err).Status()
}

// read reads a request's body and judges all that can be judged before anybody speaks
// the protocol.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (message, error) {
	m := message{header: r.Header}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return m, &problem{fault.New(fault.MethodNotAllowed, "This takes POST alone: there are no sessions to end, and no streams to listen to."), jsonrpc.CodeInvalidRequest, http.StatusMethodNotAllowed}
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if charset := params["charset"]; err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") || r.Header.Get("Content-Encoding") != "" {
		return m, &problem{fault.New(fault.Unsupported, "The body must have the Content-Type application/json, in UTF-8, without a Content-Encoding."), jsonrpc.CodeInvalidRequest, http.StatusUnsupportedMediaType}
	}
	if !accepts(r.Header.Values("Accept")) {
		return m, &problem{fault.New(fault.Invalid, "Answers are application/json; the Accept header must allow that."), jsonrpc.CodeInvalidRequest, http.StatusNotAcceptable}
	}
	if m.body, err = validation.Read(http.MaxBytesReader(w, r.Body, bodyMost()+1), bodyMost()); err != nil {
		var most *http.MaxBytesError
		if errors.As(err, &most) || fault.Is(err, fault.TooLarge) {
			return m, &problem{fault.Newf(fault.TooLarge, "The message is larger than %d bytes. Nothing of it was taken.", bodyMost()), jsonrpc.CodeInvalidRequest, http.StatusRequestEntityTooLarge}
		}
		return m, invalid("The body did not arrive whole.")
	}
	return m, m.parse(r.Header.Get(headerRevision))
}

// accepts tells whether JSON may be answered. A client that says nothing takes what
// there is.
func accepts(values []string) bool {
	if len(values) == 0 {
		return true
	}
	for _, one := range strings.Split(strings.Join(values, ","), ",") {
		kind, _, _ := strings.Cut(strings.ToLower(one), ";")
		switch strings.TrimSpace(kind) {
		case "application/json", "application/*", "*/*", "":
			return true
		}
	}
	return false
}

// parse reads what the door has to know of the message.
func (m *message) parse(revision string) error {
	unreadable := func(detail string) error {
		return &problem{fault.New(fault.Invalid, detail), jsonrpc.CodeParseError, http.StatusBadRequest}
	}
	if !utf8.Valid(m.body) {
		return unreadable("The message is not valid UTF-8. It was refused, not repaired.")
	}
	m.body = bytes.TrimSpace(m.body)
	if v := jsontext.Value(m.body); !v.IsValid() {
		return unreadable("The message is not valid JSON, or has a name twice.")
	}
	switch m.body[0] {
	case '[':
		m.batch = true
		var list []json.RawMessage
		if err := json.Unmarshal(m.body, &list); err != nil || len(list) == 0 || len(list) > batchMost {
			return invalid("A batch has from 1 to " + strconv.Itoa(batchMost) + " messages.")
		}
		if revision >= batchless {
			return invalid("Revision " + revision + " of the protocol knows no batches. Send one message at a time.")
		}
		for _, one := range list {
			single := message{body: one}
			if err := single.parse(revision); err != nil || single.batch {
				return invalid("A message of the batch is none.")
			}
		}
		return nil
	case '{':
	default:
		return invalid("A message is a JSON object.")
	}
	var fields struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(m.body, &fields); err != nil {
		return invalid("A part of the message has another type than JSON-RPC asks for.")
	}
	if fields.ID != nil {
		if fields.ID = bytes.TrimSpace(fields.ID); fields.ID[0] != '"' && !whole(fields.ID) {
			return invalid("The id must be a text or a whole number.")
		}
		m.id = fields.ID
	}
	if fields.Version != "2.0" {
		return invalid(`The message must say "jsonrpc": "2.0".`)
	}
	switch {
	case fields.Method != nil:
		m.method = *fields.Method
	case fields.Result != nil || fields.Error != nil:
		m.reply = true
	default:
		return invalid("The message has no method.")
	}
	if p := bytes.TrimSpace(fields.Params); len(p) > 0 && p[0] != '{' && string(p) != "null" {
		return &problem{fault.New(fault.Invalid, "The params must be an object."), jsonrpc.CodeInvalidParams, m.errorStatus(revision)}
	}
	return nil
}

// errorStatus is the HTTP status of an error in a call's parameters: the newest
// revision has one for it, in the ones before the answer is one as any other.
func (m *message) errorStatus(revision string) int {
	if m.id != nil && revision < newest {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

func whole(number []byte) bool {
	n, err := strconv.ParseInt(string(number), 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == string(number)
}

// answer answers what needs nobody who speaks the protocol.
func (m *message) answer(w http.ResponseWriter) (done bool) {
	if m.batch || methods[m.method] {
		return false
	}
	if m.reply || m.id == nil {
		// Nothing was asked of the client, and what is noted to us and unknown may be ignored.
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	status := http.StatusOK
	if m.header.Get(headerRevision) >= newest {
		status = http.StatusNotFound // that revision's own answer
	}
	p := &problem{fault.Newf(fault.Invalid, "There is no method %q here.", cut(m.method)), jsonrpc.CodeMethodNotFound, status}
	refuse(w, status, m.id, p)
	return true
}

func cut(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// request is the message for the SDK, which wants both types accepted.
func (m *message) request(r *http.Request, ctx context.Context) *http.Request {
	as := r.Clone(ctx)
	as.Header.Set("Accept", "application/json, text/event-stream")
	as.Header.Del("Last-Event-ID") // nothing is resumed here
	as.Body, as.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	return as
}
