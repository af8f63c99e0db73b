package mcpd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"elowen/shared/fault"
)

// Exchange answers one message, as POST /mcp would. The error is one for people; what
// the server refuses is an answer.
type Exchange func(ctx context.Context, header http.Header, body []byte) (status int, answer []byte, err error)

// Bridge carries messages between the standard streams of a program and what answers
// them, one JSON value a line.
type Bridge struct {
	In       io.Reader
	Out      io.Writer
	Exchange Exchange
	Header   http.Header // of every message

	write    sync.Mutex
	mu       sync.Mutex
	revision string // that was agreed on by initialize; empty: none
	waiting  map[string]context.CancelFunc
}

// inFlight bounds the messages that are answered at a time.
const inFlight = 32

// lastWait is how long messages may still be answered once the client has closed its side.
const lastWait = 5 * time.Second

// Run carries messages until the client closes its side or ctx ends.
func (b *Bridge) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.waiting = map[string]context.CancelFunc{}
	lines := make(chan line)
	go b.read(ctx, lines)
	var working sync.WaitGroup
	places := make(chan struct{}, inFlight)
	defer func() {
		// Whoever has closed its side may still read what it asked for.
		timer := time.AfterFunc(lastWait, cancel)
		defer timer.Stop()
		working.Wait()
	}()
	for {
		var l line
		select {
		case l = <-lines:
		case <-ctx.Done():
			cancel()
			return nil
		}
		switch {
		case l.err != nil:
			if errors.Is(l.err, io.EOF) {
				return nil
			}
			return fault.Wrap(fault.Unavailable, l.err, "Standard input cannot be read.")
		case l.long:
			b.send(errorBody(l.id, jsonrpc.CodeInvalidRequest, fault.Newf(fault.TooLarge, "The message is larger than %d bytes. Nothing of it was taken.", bodyMost()).Detail))
			continue
		}
		m := message{body: l.text}
		err := m.parse("")
		switch {
		case err != nil:
			var p *problem
			errors.As(err, &p)
			b.send(errorBody(m.id, p.code, fault.ProblemOf(err).Detail))
		case m.method == "notifications/cancelled":
			b.cancel(m.body)
		case m.method == "initialize" || m.id == nil && !m.batch:
			b.exchange(ctx, m) // what follows may depend on it
		default:
			places <- struct{}{}
			mine, stop := context.WithCancel(ctx)
			b.wait(m.id, stop)
			working.Go(func() {
				defer func() { stop(); b.wait(m.id, nil); <-places }()
				b.exchange(mine, m)
			})
		}
	}
}

// line is one line of input.
type line struct {
	text []byte
	long bool            // text was too long and is not there
	id   json.RawMessage // of such a one, where it is found; else nil
	err  error
}

// edge is how much of both ends of a line that is too long is looked at for its id.
const edge = 256

// What is too long is not read as JSON; but a client that is to know which of its calls
// was refused needs the id, which programs write near the beginning or last. Between
// those quotes nothing of a text inside can stand: there they have a backslash.
var (
	idFirst = regexp.MustCompile(`^\{\s*(?:"jsonrpc":\s*"2\.0",\s*|"method":\s*"[a-z/]{1,60}",\s*)*"id":\s*(-?\d{1,15}|"[^"\\\x00-\x1f]{0,100}")\s*,`)
	idLast  = regexp.MustCompile(`,\s*"id":\s*(-?\d{1,15}|"[^"\\\x00-\x1f]{0,100}")\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$`)
)

// idOf finds the id in the two ends of a message; nil where it isn't sure.
func idOf(first, last []byte) json.RawMessage {
	m := idFirst.FindSubmatch(bytes.TrimSpace(first))
	if m == nil {
		m = idLast.FindSubmatch(last)
	}
	if m == nil || !json.Valid(m[1]) || m[1][0] != '"' && !whole(m[1]) {
		return nil
	}
	return bytes.Clone(m[1])
}

// read reads lines; what is longer than a body may be is read over. Empty ones are none.
func (b *Bridge) read(ctx context.Context, lines chan<- line) {
	in := bufio.NewReaderSize(b.In, 64<<10)
	tell := func(l line) bool {
		select {
		case lines <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for {
		var l line
		var first, last []byte // of one that is too long
		for {
			piece, err := in.ReadSlice('\n')
			if !l.long {
				if l.text = append(l.text, piece...); int64(len(l.text)) > bodyMost() {
					first = bytes.Clone(l.text[:edge])
					last = bytes.Clone(l.text[len(l.text)-edge:])
					l.text, l.long = nil, true
				}
			} else {
				last = append(last, piece[max(0, len(piece)-edge):]...)
				last = last[max(0, len(last)-edge):]
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			l.err = err
			break
		}
		if l.text = bytes.TrimSpace(l.text); len(l.text) > 0 || l.long {
			if l.long {
				l.id = idOf(first, last)
			}
			if !tell(line{text: l.text, long: l.long, id: l.id}) {
				return
			}
		}
		if l.err != nil {
			tell(line{err: l.err})
			return
		}
	}
}

// wait notes who cancels the answer to an id; nil: nobody any more.
func (b *Bridge) wait(id json.RawMessage, cancel context.CancelFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel == nil {
		delete(b.waiting, string(id))
	} else if id != nil {
		b.waiting[string(id)] = cancel
	}
}

// cancel ends the answer that a client no longer wants.
func (b *Bridge) cancel(body []byte) {
	var n struct {
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &n) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if stop := b.waiting[string(bytes.TrimSpace(n.Params.ID))]; stop != nil {
		stop()
	}
}

// exchange has a message answered, and sends the answer.
func (b *Bridge) exchange(ctx context.Context, m message) {
	status, answer, err := b.Exchange(ctx, b.headers(m), m.body)
	switch {
	case ctx.Err() != nil && m.id != nil:
		return // nobody waits for it
	case m.reply || m.id == nil && !m.batch || m.batch && status == http.StatusAccepted:
		return // a note has no answer, whatever became of it, nor has what answers us
	case err != nil:
		b.send(errorBody(m.id, jsonrpc.CodeInternalError, fault.ProblemOf(err).Detail))
		return
	case !json.Valid(answer) || len(answer) == 0:
		b.send(errorBody(m.id, jsonrpc.CodeInternalError, "The server gave no answer that could be read ("+http.StatusText(status)+"). Try again."))
		return
	}
	if m.method == "initialize" {
		b.agree(answer)
	}
	b.send(named(answer, m))
}

// agree notes the revision that initialize answered.
func (b *Bridge) agree(answer []byte) {
	var r struct {
		Result struct {
			Revision string `json:"protocolVersion"`
		} `json:"result"`
	}
	if json.Unmarshal(answer, &r) == nil && r.Result.Revision != "" {
		b.mu.Lock()
		b.revision = r.Result.Revision
		b.mu.Unlock()
	}
}

// headers are what an HTTP client would send with the message.
func (b *Bridge) headers(m message) http.Header {
	h := b.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	var fields struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
			Name string                     `json:"name"`
			URI  string                     `json:"uri"`
		} `json:"params"`
	}
	_ = json.Unmarshal(m.body, &fields) // other types than these have no such header
	var revision string
	if json.Unmarshal(fields.Params.Meta["io.modelcontextprotocol/protocolVersion"], &revision) != nil || revision == "" {
		b.mu.Lock()
		revision = b.revision
		b.mu.Unlock()
	}
	if m.method == "initialize" || revision == "" || !printable(revision) {
		return h
	}
	h.Set(headerRevision, revision)
	if revision >= newest && printable(m.method) {
		h.Set("Mcp-Method", m.method)
		if name := fields.Params.Name + fields.Params.URI; name != "" {
			h.Set("Mcp-Name", headerValue(name))
		}
	}
	return h
}

// headerValue is a name as the newest revision writes it into a header.
func headerValue(name string) string {
	if printable(name) && strings.TrimSpace(name) == name && !strings.HasPrefix(name, "=?") {
		return name
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// named gives an answer that could not tell what it answers the id that was asked with.
func named(answer []byte, m message) []byte {
	var fields map[string]json.RawMessage
	if m.batch || json.Unmarshal(answer, &fields) != nil || fields["error"] == nil {
		return answer
	}
	if id := bytes.TrimSpace(fields["id"]); len(id) > 0 && string(id) != "null" {
		return answer
	}
	fields["id"] = m.id
	if text, err := json.Marshal(fields); err == nil {
		return text
	}
	return answer
}

// send writes one line.
func (b *Bridge) send(answer []byte) {
	var one bytes.Buffer
	if json.Compact(&one, answer) != nil {
		return
	}
	one.WriteByte('\n')
	b.write.Lock()
	defer b.write.Unlock()
	_, _ = b.Out.Write(one.Bytes()) // a client that is gone closes its side too
}

// Within is an Exchange with a handler in the same program.
func Within(h http.Handler) Exchange {
	return func(ctx context.Context, header http.Header, body []byte) (int, []byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
		if err != nil {
			return 0, nil, fault.Wrap(fault.Internal, err, "")
		}
		r.Header = header.Clone()
		out := &recorder{header: http.Header{}, status: http.StatusOK}
		h.ServeHTTP(out, r)
		return out.status, out.body.Bytes(), nil
	}
}

// answerMost bounds an answer of a server elsewhere.
const answerMost = 16 << 20

// Elsewhere is an Exchange with POST /mcp of a server, with a token. Redirects are not
// followed: they would take the token along.
func Elsewhere(url, token string) Exchange {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, header http.Header, body []byte) (int, []byte, error) {
		ctx, cancel := context.WithTimeout(ctx, callTime()+10*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return 0, nil, fault.Wrap(fault.Invalid, err, "The server's address cannot be used.")
		}
		r.Header = header.Clone()
		r.Header.Set("Authorization", "Bearer "+token)
		a, err := client.Do(r)
		if err != nil {
			return 0, nil, fault.Wrap(fault.Unavailable, err, "The server cannot be reached. It may be starting; try again.")
		}
		defer a.Body.Close()
		answer, err := io.ReadAll(io.LimitReader(a.Body, answerMost))
		if err != nil {
			return 0, nil, fault.Wrap(fault.Unavailable, err, "The server's answer broke off. Try again.")
		}
		return a.StatusCode, answer, nil
	}
}
