// Package openai asks models by OpenAI's chat completions, through OpenAI's own client
// library. Most providers and all local servers speak them.
//
// # Invariants
//
// Nothing is taken from the environment: the library's services read none of it, only
// its whole client does, which is not used here.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"elowen/server/model/chat"
	"elowen/shared/fault"
)

// Client asks one model.
type Client struct {
	c    chat.Config
	caps bool        // the endpoint is OpenAI's own, which wants max_completion_tokens
	dumb atomic.Bool // the endpoint doesn't know stream_options
}

var _ chat.Client = (*Client)(nil)

// New makes a client. own tells that the address is OpenAI's.
func New(c chat.Config, own bool) *Client { return &Client{c: c, caps: own} }

// usageOption is what usage is asked for by. Some endpoints refuse it.
const usageOption = "stream_options"

// Stream implements chat.Client.
func (c *Client) Stream(ctx context.Context, r chat.Request, tally *chat.Tally) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		a := &answer{c: c, ctx: ctx, yield: yield, guard: c.c.Guard(tally, usageOption), tally: tally, asked: len(r.Messages)}
		err := a.stream(c.params(r))
		if chat.Unwanted(err, usageOption) && c.dumb.CompareAndSwap(false, true) {
			a.guard = c.c.Guard(tally)
			err = a.stream(c.params(r))
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

// params is a request as it is sent.
func (c *Client) params(r chat.Request) openai.ChatCompletionNewParams {
	out := openai.ChatCompletionNewParams{Model: c.c.Model, Messages: make([]openai.ChatCompletionMessageParamUnion, 0, len(r.Messages))}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, message(m))
	}
	for _, t := range r.Tools {
		if t.Raw != nil {
			out.Tools = append(out.Tools, param.Override[openai.ChatCompletionToolUnionParam](t.Raw))
			continue
		}
		f := shared.FunctionDefinitionParam{Name: t.Name, Description: param.NewOpt(t.Description)}
		_ = json.Unmarshal(t.Input, &f.Parameters) // a tool of ours has a schema; without one it takes no arguments
		out.Tools = append(out.Tools, openai.ChatCompletionFunctionTool(f))
	}
	if !c.dumb.Load() {
		out.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	switch {
	case r.MostTokens <= 0:
	case c.caps:
		out.MaxCompletionTokens = param.NewOpt(int64(r.MostTokens))
	default:
		out.MaxTokens = param.NewOpt(int64(r.MostTokens))
	}
	if len(r.Fields) > 0 {
		fields := make(map[string]any, len(r.Fields))
		for name, value := range r.Fields {
			fields[name] = value
		}
		out.SetExtraFields(fields)
	}
	return out
}

func message(m chat.Message) openai.ChatCompletionMessageParamUnion {
	if m.Raw != nil {
		return param.Override[openai.ChatCompletionMessageParamUnion](m.Raw)
	}
	switch m.Role {
	case chat.System:
		return openai.SystemMessage(m.Text)
	case chat.ToolResult:
		return openai.ToolMessage(m.Text, m.CallID)
	case chat.Assistant:
		var out openai.ChatCompletionAssistantMessageParam
		if m.Text != "" || len(m.Calls) == 0 {
			out.Content.OfString = param.NewOpt(m.Text)
		}
		for _, c := range m.Calls {
			out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: c.ID, Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: c.Arguments},
			}})
		}
		return openai.ChatCompletionMessageParamUnion{OfAssistant: &out}
	}
	return openai.UserMessage(m.Text)
}

// answer is one on its way.
type answer struct {
	c     *Client
	ctx   context.Context
	yield func(chat.Event, error) bool
	guard *chat.Guard
	tally *chat.Tally
	asked int // messages

	calls calls
	stop  string // as the provider says it
	model string
	some  bool // anything that belongs to a completion came
}

// stream asks once and hands out what comes.
func (a *answer) stream(in openai.ChatCompletionNewParams) error {
	service := openai.NewChatCompletionService(a.c.options(a.guard)...)
	stream := service.NewStreaming(a.ctx, in)
	defer stream.Close()
	for stream.Next() {
		if err := a.chunk(stream.Current()); err != nil {
			return err
		}
	}
	var said *ssestream.StreamError
	switch err := stream.Err(); {
	case errors.As(err, &said):
		return a.guard.Failed(errors.New("an error within the stream"))
	case err != nil && fault.KindOf(err) == fault.Internal && a.some && a.ctx.Err() == nil:
		return a.guard.Cut(err)
	case err != nil:
		return a.guard.Of(a.ctx, err)
	case !a.some:
		return a.guard.Unreadable(errNothing)
	case a.stop == "":
		return a.guard.Cut(errNoEnd)
	}
	return a.end()
}

var (
	errNothing = errors.New("no choice in the answer")
	errNoEnd   = errors.New("the stream ended without a reason")
)

// end hands out the calls, which are whole now, and Done.
func (a *answer) end() error {
	for _, call := range a.calls.whole(a.asked) {
		if !a.yield(chat.Event{Call: &call}, nil) {
			return chat.ErrStopped
		}
	}
	done := chat.Done{Stop: chat.StopEnd, Usage: a.tally.Usage, Model: a.model}
	switch {
	case a.stop == "length":
		done.Stop = chat.StopLength
	case a.stop == "content_filter":
		done.Stop = chat.StopRefused
	case len(a.calls.list) > 0:
		done.Stop = chat.StopCalls
	}
	a.yield(chat.Event{Done: &done}, nil)
	return nil
}
