// Package anthropic asks Anthropic's models, through Anthropic's own client library.
//
// # Invariants
//
// Nothing is taken from the environment or from files of the library's: its services
// read none of it, only its whole client does, which is not used here.
package anthropic

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"elowen/server/model/chat"
	"elowen/shared/fault"
)

// Address is Anthropic's.
const Address = "https://api.anthropic.com/v1"

// Version is the API's that is spoken, in the header VersionHeader.
const (
	VersionHeader = "Anthropic-Version"
	Version       = "2023-06-01"
)

// Client asks one model.
type Client struct {
	c    chat.Config
	bare atomic.Bool // the endpoint doesn't know cache_control
}

var _ chat.Client = (*Client)(nil)

// New makes a client. The address is with or without the API's own "/v1".
func New(c chat.Config) *Client {
	c.Address = Base(c.Address)
	return &Client{c: c}
}

// Base is what the API's paths, which begin with "/v1", stand below.
func Base(address string) string { return strings.TrimSuffix(address, "/v1") }

// cacheOption is what has the provider keep what it read. Other endpoints that speak
// the API may refuse it.
const cacheOption = "cache_control"

// Stream implements chat.Client.
func (c *Client) Stream(ctx context.Context, r chat.Request, tally *chat.Tally) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		in := c.params(r)
		a := &answer{c: c, ctx: ctx, yield: yield, guard: c.c.Guard(tally, cacheOption), tally: tally}
		err := a.stream(in)
		if chat.Unwanted(err, cacheOption) && c.bare.CompareAndSwap(false, true) {
			in.CacheControl = anthropic.CacheControlEphemeralParam{}
			a.guard = c.c.Guard(tally)
			err = a.stream(in)
		}
		if err != nil && !errors.Is(err, chat.ErrStopped) {
			yield(chat.Event{}, err)
		}
	}
}

// options are those of every request.
func (c *Client) options(guard *chat.Guard) []option.RequestOption {
	out := []option.RequestOption{option.WithBaseURL(c.c.Address), option.WithHTTPClient(guard), option.WithMaxRetries(0)}
	if c.c.Key != "" {
		out = append(out, option.WithAPIKey(c.c.Key))
	}
	for name, value := range c.c.Headers {
		out = append(out, option.WithHeader(name, value))
	}
	return out
}

// answer is one on its way.
type answer struct {
	c     *Client
	ctx   context.Context
	yield func(chat.Event, error) bool
	guard *chat.Guard
	tally *chat.Tally

	begun bool // anything that belongs to a message came
	ended bool // message_stop came
	model string
	stop  string // as the provider says it
	calls int
	call  *begunCall // whose arguments are coming
}

// stream asks once and hands out what comes.
func (a *answer) stream(in anthropic.MessageNewParams) error {
	service := anthropic.NewMessageService(a.c.options(a.guard)...)
	stream := service.NewStreaming(a.ctx, in)
	defer stream.Close()
	for stream.Next() {
		if err := a.event(stream.Current()); err != nil {
			return err
		}
	}
	var said *anthropic.Error
	switch err := stream.Err(); {
	case errors.As(err, &said):
		return a.guard.Failed(errors.New("an error within the stream"))
	case err != nil && fault.KindOf(err) == fault.Internal && a.begun && a.ctx.Err() == nil:
		return a.guard.Cut(err)
	case err != nil:
		return a.guard.Of(a.ctx, err)
	case !a.begun:
		return a.guard.Unreadable(errNothing)
	case !a.ended && a.stop == "" || a.call != nil:
		return a.guard.Cut(errNoEnd)
	}
	done := chat.Done{Stop: chat.StopEnd, Usage: a.tally.Usage, Model: a.model}
	switch {
	case a.stop == string(anthropic.StopReasonMaxTokens) || a.stop == "model_context_window_exceeded":
		done.Stop = chat.StopLength
	case a.stop == string(anthropic.StopReasonRefusal):
		done.Stop = chat.StopRefused
	case a.calls > 0:
		done.Stop = chat.StopCalls
	}
	a.yield(chat.Event{Done: &done}, nil)
	return nil
}

var (
	errNothing   = errors.New("no message in the answer")
	errNoEnd     = errors.New("the stream ended without its end")
	errManyCalls = errors.New("too many calls")
)
