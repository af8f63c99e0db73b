package sync

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// Request is one HTTP request, its path relative to the base path.
type Request struct {
	Method string
	Path   string // with its query
	Header map[string]string
	Body   []byte
}

// Response is the answer to a Request.
type Response struct {
	Status int
	Header func(name string) string // "" for an absent one
	Body   []byte
}

// Transport carries requests: fetch in the browser, anything in a test. It
// returns an error only where no answer came.
type Transport interface {
	Do(ctx context.Context, r Request) (Response, error)
}

// API speaks REST. Its errors are *fault.Error; where no answer came at all, Lost
// is true of them.
type API struct {
	Transport Transport
	Wait      func(ctx context.Context, d time.Duration) error // sleeps between two tries; nil tries once
}

var errLost = errors.New("no answer from the server")

// Lost tells whether err says that no answer came: the write may or may not have
// happened, and sending it again under the same key is safe.
func Lost(err error) bool { return errors.Is(err, errLost) }

// Get asks for path and reads the answer into out.
func (a *API) Get(ctx context.Context, path string, out any) error {
	return a.do(ctx, Request{Method: "GET", Path: path}, out)
}

// Write is a request that changes something.
type Write struct {
	Method  string
	Path    string
	Body    any    // nil sends none
	Out     any    // nil drops the answer
	IfMatch int64  // the revision that the writer saw; 0 names none
	Key     string // Idempotency-Key: one for each thing that the person wants, the same when trying again
}

// Send makes a change. Where no answer comes it is tried once more under the same
// key, so that a hiccup of the network neither loses nor doubles it.
func (a *API) Send(ctx context.Context, w Write) error {
	r := Request{Method: w.Method, Path: w.Path, Header: map[string]string{}}
	if w.Body != nil {
		b, err := json.Marshal(w.Body)
		if err != nil {
			return fault.Wrap(fault.Internal, err, "This could not be sent.")
		}
		r.Body = b
		r.Header["Content-Type"] = "application/json"
	}
	if w.Key != "" {
		r.Header[api.HeaderIdempotency] = w.Key
	}
	if w.IfMatch > 0 {
		r.Header["If-Match"] = `"` + strconv.FormatInt(w.IfMatch, 10) + `"`
	}
	err := a.do(ctx, r, w.Out)
	if Lost(err) && w.Key != "" && a.Wait != nil && a.Wait(ctx, 600*time.Millisecond) == nil {
		err = a.do(ctx, r, w.Out)
	}
	return err
}

func (a *API) do(ctx context.Context, r Request, out any) error {
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header["Accept"] = "application/json"
	resp, err := a.Transport.Do(ctx, r)
	if err != nil {
		return fault.Wrap(fault.Unavailable, errors.Join(errLost, err), "The server does not answer.")
	}
	if resp.Status < 200 || resp.Status > 299 {
		return problem(resp)
	}
	if out == nil || len(resp.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(resp.Body, out); err != nil {
		return fault.Wrap(fault.Internal, err, "The server's answer could not be read.")
	}
	return nil
}

// problem turns an answer that isn't a success into an error. Current stays raw
// JSON: only the one who asked knows its type.
func problem(resp Response) error {
	var p struct {
		fault.Problem
		Current json.RawMessage `json:"current"`
	}
	if json.Unmarshal(resp.Body, &p) != nil || p.Code == "" {
		return statusError(resp.Status)
	}
	err := p.Problem.Err()
	if len(p.Current) > 0 {
		err.Current = p.Current
	}
	if resp.Header != nil {
		if n, bad := strconv.Atoi(resp.Header("Retry-After")); bad == nil && n > 0 {
			err.RetryAfterMillis = int64(n) * 1000
		}
	}
	return err
}

// statusError is for answers of something between us and the server. A gateway that
// didn't reach it tells as little as no answer.
func statusError(status int) error {
	if status == 502 || status == 503 || status == 504 {
		return fault.Wrap(fault.Unavailable, errLost, "The server does not answer ("+strconv.Itoa(status)+").")
	}
	for _, k := range fault.Kinds() {
		if k.Status() == status {
			return fault.New(k, k.Title()+" ("+strconv.Itoa(status)+").")
		}
	}
	return fault.New(fault.Unavailable, "The server answered "+strconv.Itoa(status)+".")
}

// Current reads the row that a stale write collided with.
func Current[T any](err error) (row T, ok bool) {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Stale {
		return row, false
	}
	raw, isRaw := e.Current.(json.RawMessage)
	return row, isRaw && json.Unmarshal(raw, &row) == nil
}
