package endpoint

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"elowen/server/embedding"
	"elowen/shared/setting"
)

// problem is why a request failed.
type problem struct {
	text      string // for people; nothing that was sent or answered is in it
	cause     error
	status    int
	again     bool          // trying again may help
	after     time.Duration // when the endpoint wants to be asked again; 0: it didn't say
	maybeText bool          // a text may be to blame
	tooLong   bool          // its length may be
	settled   bool          // it stays so until somebody changes something
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.text + " (" + p.cause.Error() + ")"
	}
	return p.text
}

func (p *problem) Unwrap() error { return p.cause }

// The pauses before another try: from first, doubling, at most longest. Where an
// endpoint asks for a longer one the call ends, and the breaker waits.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 5 * time.Second
)

// retried asks until there is an answer, trying no longer helps, or the time is up.
func (e *Client) retried(ctx context.Context, texts []string) ([][]float32, *problem) {
	pause := firstPause
	for try := 1; ; try++ {
		vectors, p := e.once(ctx, texts)
		if p == nil || !p.again || try >= setting.Int("embedding.tries") || ctx.Err() != nil {
			return vectors, p
		}
		wait := pause + time.Duration(float64(pause)*e.c.Share()/2)
		if p.after > 0 {
			wait = p.after
		}
		if end, ok := ctx.Deadline(); wait > longestPause || ok && time.Until(end) < wait {
			return nil, p
		}
		e.c.Sleep(ctx, wait)
		pause = min(2*pause, longestPause)
	}
}

// once makes one request.
func (e *Client) once(ctx context.Context, texts []string) ([][]float32, *problem) {
	ctx, cancel := embedding.Sooner(ctx)
	defer cancel()
	body, err := json.Marshal(e.c.Format.Request(e.c.Space, texts))
	if err != nil {
		return nil, &problem{text: "The text cannot be sent as JSON.", cause: err, maybeText: true}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, &problem{text: "The address of the embedding model is none.", cause: err, settled: true}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if e.c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.c.Key)
	}
	for name, value := range e.c.Headers {
		req.Header.Set(name, value)
	}
	var sent atomic.Bool
	tokens := 0
	defer func() {
		if sent.Load() && e.c.Count != nil { // of what never left nothing is counted
			e.c.Count(ctx, tokens)
		}
	}()
	resp, err := e.c.HTTP.Do(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})))
	if err != nil {
		return nil, e.unreached(ctx, err)
	}
	defer resp.Body.Close()
	most := int64(setting.Get("embedding.answer").Max)
	if resp.StatusCode != http.StatusOK {
		most = errorMost
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, e.refused(resp, answer)
	case err != nil:
		p := e.unreached(ctx, err)
		p.maybeText = ctx.Err() == nil // an answer that is cut may be cut for its length
		return nil, p
	case int64(len(answer)) > most:
		return nil, &problem{text: e.who() + " answered more than " + strconv.FormatInt(most, 10) + " bytes.", maybeText: true}
	}
	tokens = taken(answer)
	vectors, err := e.c.Format.Parse(answer, len(texts))
	if err != nil {
		return nil, &problem{text: e.who() + " answered " + what(resp, answer), cause: err, maybeText: true}
	}
	return vectors, nil
}

// taken is how many tokens an answer says that it took; 0 where it doesn't.
func taken(answer []byte) int {
	var in struct {
		Usage struct {
			Prompt float64 `json:"prompt_tokens"`
			Total  float64 `json:"total_tokens"`
		} `json:"usage"`
		Ollama float64 `json:"prompt_eval_count"`
	}
	if json.Unmarshal(answer, &in) != nil {
		return 0
	}
	return int(min(max(in.Usage.Prompt, in.Usage.Total, in.Ollama, 0), takenMost))
}

// takenMost bounds what is believed.
const takenMost = 1 << 30

// errorMost bounds how much of an error's text is read: for a hint at its reason.
const errorMost = 16 << 10

// who is the endpoint, as people are told of it.
func (e *Client) who() string {
	u, err := url.Parse(e.c.Space.Endpoint)
	if err != nil {
		return "The embedding endpoint"
	}
	return u.Host
}

// what says what an answer of success was that has no vectors in it.
func what(resp *http.Response, answer []byte) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" for what is none
	head := bytes.ToLower(bytes.TrimSpace(answer[:min(len(answer), 512)]))
	switch {
	case len(head) == 0:
		return "nothing."
	case kind == "text/html" || bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")):
		return "a web page instead of vectors. Is the address the API's?"
	case head[0] != '{' && head[0] != '[':
		return "something that is no JSON."
	}
	return "something else than one vector for each text."
}

// unreached is the problem of a request without an answer.
func (e *Client) unreached(ctx context.Context, err error) *problem {
	p := &problem{cause: err, again: true}
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout():
		p.text, p.again = e.who()+" does not answer in time.", false
	case errors.Is(err, syscall.ECONNREFUSED):
		p.text, p.again = "Nobody listens at "+e.who()+".", false
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET):
		p.text = e.who() + " broke its answer off."
	default:
		p.text = e.who() + " cannot be reached."
	}
	return p
}

// tooLong is how endpoints say that a text has too many tokens.
var tooLong = regexp.MustCompile(`(?i)context|too long|too large|too many tokens|maximum|max_?(tokens|length|seq)|exceed|length|truncat`)

// refused is the problem of an answer with another status than 200.
func (e *Client) refused(resp *http.Response, answer []byte) *problem {
	p := &problem{status: resp.StatusCode, after: RetryAfter(resp.Header.Get("Retry-After"), time.UnixMilli(e.c.Clock()))}
	says := " (" + strconv.Itoa(resp.StatusCode) + ")"
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		p.text, p.settled = e.who()+" refuses the key"+says+".", true
		if e.c.Key == "" {
			p.text = e.who() + " wants a key" + says + "."
		}
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusGone:
		p.text, p.settled = e.who()+" has no model "+strconv.Quote(e.c.Space.Model)+", or its address is another"+says+".", true
	case code == http.StatusPaymentRequired:
		p.text, p.settled = e.who()+" wants to be paid"+says+".", true
	case code == http.StatusTooManyRequests:
		p.text, p.again = e.who()+" asks for fewer requests"+says+".", true
	case code == http.StatusRequestEntityTooLarge:
		p.text, p.maybeText, p.tooLong = e.who()+" takes no text of that length"+says+".", true, true
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity:
		p.text, p.maybeText, p.tooLong = e.who()+" refuses the text"+says+".", true, tooLong.Match(answer)
	case code >= 500 || code == http.StatusRequestTimeout:
		p.text, p.again, p.maybeText = e.who()+" failed"+says+".", true, code == http.StatusInternalServerError
		p.tooLong = p.maybeText && tooLong.Match(answer)
		if p.tooLong {
			p.again = false
		}
	case code >= 300 && code < 400:
		p.text, p.settled = e.who()+" sends the request elsewhere"+says+". Name the final address: redirects are not followed.", true
	default:
		p.text = e.who() + " answered with status " + strconv.Itoa(code) + "."
	}
	return p
}

// retryMost bounds what an endpoint may ask for.
const retryMost = time.Hour

// RetryAfter is how long the header Retry-After asks to be left alone from now on: it
// has seconds, or an instant. 0 is not at all; more than an hour is taken as one.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if !(n > 0) {
			return 0
		}
		return time.Duration(min(n, retryMost.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(text)
	if err != nil || !at.After(now) {
		return 0
	}
	return min(at.Sub(now), retryMost)
}
