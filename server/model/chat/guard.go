package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Guard does the requests of a provider's client. A guard is for one request.
type Guard struct {
	HTTP  *http.Client // follows no redirect
	Host  string       // the provider, as people are told of it
	Clock db.Clock
	Idle  time.Duration // how long nothing may come
	Most  int           // bytes that an answer may have
	Spare []string      // parts of the request that it does without if the provider refuses them by name
	Tally *Tally

	said int // bytes of the answer
}

// Config is a provider and its model, as a Client is made of.
type Config struct {
	Address string // what the provider's paths stand below
	Host    string // the provider, as people are told of it
	Model   string
	Key     string            // empty: none is sent
	Headers map[string]string // of every request

	HTTP  *http.Client // follows no redirect
	Clock db.Clock
	Idle  time.Duration // how long nothing may come
	Most  int           // bytes that an answer may have
	// Room is how much an answer may have, in tokens, where a request doesn't say and
	// the provider wants to be told.
	Room int
}

// Guard makes the guard of a call.
func (c Config) Guard(tally *Tally, spare ...string) *Guard {
	return &Guard{HTTP: c.HTTP, Host: c.Host, Clock: c.Clock, Idle: c.Idle, Most: c.Most, Spare: spare, Tally: tally}
}

// What is read of an answer that refuses, and how much longer than an answer the
// stream of its pieces may be: each is some hundred bytes around a few.
const (
	refusalMost = 64 << 10
	streamTimes = 32
)

var (
	errIdle  = errors.New("nothing came for too long")
	errEmpty = errors.New("an empty answer")
)

// Do implements what the clients want of an HTTP client.
func (g *Guard) Do(req *http.Request) (*http.Response, error) {
	asked := req.Context()
	ctx, cancel := context.WithCancelCause(asked)
	w := &watched{g: g, asked: asked, ctx: ctx, cancel: cancel, left: int64(g.Most) * streamTimes}
	w.timer = time.AfterFunc(g.Idle, func() { cancel(errIdle) })
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	resp, err := g.HTTP.Do(req.WithContext(traced))
	w.timer.Stop()
	if sent.Load() { // of what never left nothing is counted
		g.Tally.Requests++
	}
	if err != nil {
		err = w.broken(err)
		w.stop()
		return nil, err
	}
	w.body = resp.Body
	if resp.StatusCode != http.StatusOK {
		wrote, _ := io.ReadAll(io.LimitReader(w, refusalMost)) // what it wrote is looked through for our own words only
		_ = w.Close()
		return nil, g.refused(resp, string(wrote))
	}
	if err := w.settle(resp); err != nil {
		_ = w.Close()
		return nil, err
	}
	return resp, nil
}

// Of makes an error that a client met one of ours.
func (g *Guard) Of(ctx context.Context, err error) error {
	if f, ok := fault.As(err); ok {
		return f
	}
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, err, g.Host+" does not answer in time.")
	}
	return g.Unreadable(err)
}

// Say bounds what is handed out of an answer.
func (g *Guard) Say(text string) error {
	if g.said += len(text); g.said > g.Most {
		return g.tooLong()
	}
	return nil
}

// Text hands out a piece of an answer's text. Errors: ErrStopped where nobody reads on.
func (g *Guard) Text(yield func(Event, error) bool, text string) error {
	if text == "" {
		return nil
	}
	if err := g.Say(text); err != nil {
		return err
	}
	if !yield(Event{Text: text}, nil) {
		return ErrStopped
	}
	return nil
}

// watched is an answer on its way.
type watched struct {
	g      *Guard
	asked  context.Context // whose end is the caller's wish
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	body   io.ReadCloser
	left   int64
	failed error
}

// Read implements io.Reader. Its errors are faults.
func (w *watched) Read(p []byte) (int, error) {
	if w.failed != nil {
		return 0, w.failed
	}
	if w.left <= 0 {
		w.failed = w.g.tooLong()
		return 0, w.failed
	}
	w.timer.Reset(w.g.Idle) // it runs while the provider is waited for, not while whoever reads is
	n, err := w.body.Read(p[:min(int64(len(p)), w.left)])
	w.timer.Stop()
	w.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = w.broken(err)
	}
	w.failed = err
	return n, err
}

// Close implements io.Closer.
func (w *watched) Close() error {
	w.stop()
	return w.body.Close()
}

func (w *watched) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// broken is the error of a request that did not come to its end.
func (w *watched) broken(err error) error {
	switch {
	case context.Cause(w.ctx) == errIdle || w.asked.Err() != nil:
		return fault.Wrap(fault.Unavailable, err, w.g.Host+" does not answer in time.")
	case w.body != nil:
		return w.g.Cut(err)
	}
	return fault.Wrap(fault.Unavailable, passing{err}, w.g.Host+" cannot be reached.")
}

// settle makes an answer one that a client reads as a stream.
func (w *watched) settle(resp *http.Response) error {
	if kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") {
		resp.Body = w
		return nil
	}
	in := bufio.NewReader(w)
	first, err := w.first(in)
	switch {
	case errors.Is(err, io.EOF):
		return w.g.Unreadable(errEmpty)
	case err != nil:
		return err
	case first == '<':
		return w.g.Unreadable(errors.New("an answer in HTML"))
	}
	resp.Header.Set("Content-Type", "text/event-stream")
	if first != '{' && first != '[' {
		resp.Body = passed{in, w}
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(in, int64(w.g.Most)+1))
	switch {
	case err != nil:
		return err
	case len(whole) > w.g.Most:
		return w.g.tooLong()
	}
	event, err := Whole(whole)
	if err != nil {
		return w.g.Unreadable(err)
	}
	resp.Body = passed{bytes.NewReader(event), w}
	return nil
}

// first is the first byte that is no space.
func (w *watched) first(in *bufio.Reader) (byte, error) {
	for range w.g.Most {
		c, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c > ' ' {
			return c, in.UnreadByte()
		}
	}
	return 0, w.g.tooLong()
}

// passed is an answer of which something was read before.
type passed struct {
	io.Reader
	io.Closer
}

// WholeEvent is the name of the event that Whole makes.
const WholeEvent = "whole"

// Whole is an answer that came whole, as a stream of one event. Errors: what is no JSON.
func Whole(answer []byte) ([]byte, error) {
	out := bytes.NewBufferString("event: " + WholeEvent + "\ndata: ")
	if err := json.Compact(out, answer); err != nil {
		return nil, err
	}
	out.WriteString("\n\n")
	return out.Bytes(), nil
}
