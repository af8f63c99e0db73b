package openaid

import (
	"context"
	"crypto/rand"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"elowen/server/model"
	"elowen/server/model/chat"
	"elowen/server/turn"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// The wire types of an answer, as OpenAI has them.
type (
	wireCompletion struct {
		ID      string       `json:"id"`
		Object  string       `json:"object"`
		Created int64        `json:"created"`
		Model   string       `json:"model"`
		Choices []wireChoice `json:"choices"`
		Usage   *wireUsage   `json:"usage,omitzero"`
	}
	wireChoice struct {
		Index   int        `json:"index"`
		Message *wireSaid  `json:"message,omitzero"` // of an answer that comes whole
		Delta   *wireDelta `json:"delta,omitzero"`   // of a piece
		Finish  *string    `json:"finish_reason"`
		Probs   *struct{}  `json:"logprobs"`
	}
	wireSaid struct {
		Role    string     `json:"role"`
		Content *string    `json:"content"`
		Refusal *string    `json:"refusal"`
		Calls   []wireCall `json:"tool_calls,omitempty"`
	}
	wireDelta struct {
		Role    string     `json:"role,omitempty"`
		Content *string    `json:"content,omitzero"`
		Calls   []wireCall `json:"tool_calls,omitempty"`
	}
	wireCall struct {
		Index    *int   `json:"index,omitzero"` // of a piece
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	wireUsage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
)

// reasons are OpenAI's words for why an answer ended.
var reasons = map[string]string{chat.StopEnd: "stop", chat.StopLength: "length", chat.StopCalls: "tool_calls", chat.StopRefused: "content_filter"}

func callOf(c chat.Call) (out wireCall) {
	out.ID, out.Type = c.ID, "function"
	out.Function.Name, out.Function.Arguments = c.Name, c.Arguments
	return out
}

func usageOf(u chat.Usage) *wireUsage {
	out := &wireUsage{Prompt: u.Input, Completion: u.Output, Total: u.Input + u.Output}
	out.Details.Cached = u.Cached
	return out
}

// complete answers POST /v1/chat/completions.
func (h *Handler) complete(c *call) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	in, err := parseCompletion(data)
	if err != nil {
		return err
	}
	name := c.r.Header.Get(api.HeaderConversation)
	if most := int(setting.Get("v1.conversation").Max); len(name) > most || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
		return fault.Newf(fault.Invalid, "The header %s must be a text of at most %d bytes.", api.HeaderConversation, most)
	}
	ctx := c.r.Context()
	pick, err := h.o.Models.Named(ctx, in.model)
	if err != nil {
		return about("model", err)
	}
	id, events, err := h.o.Turns.Relay(ctx, c.who.Owner, turn.Relayed{
		Conversation: name, Model: pick, ProjectPath: c.r.Header.Get(api.HeaderProject), Messages: in.messages, Tools: in.tools, Fields: in.fields,
	})
	if err != nil {
		return about("model", err)
	}
	header := c.w.Header()
	header.Set(api.HeaderConversationID, strconv.FormatInt(id, 10))
	if name != "" {
		header.Set(api.HeaderConversation, name)
	}
	out := wireCompletion{ID: "chatcmpl-" + rand.Text(), Created: h.o.Clock() / 1000, Model: in.model}
	if out.Model == "" {
		out.Model = model.OwnName
	}
	if in.stream {
		return c.stream(out, in.usage, events)
	}
	return c.whole(out, events)
}

// about says of an error that something is not there which field it is about.
func about(field string, err error) error {
	if f, ok := fault.As(err); ok && f.Kind == fault.NotFound && len(f.Fields) == 0 {
		out := fault.Wrap(fault.NotFound, err, f.Detail)
		out.Fields = []fault.Field{{Field: field, Rule: "there", Message: f.Detail}}
		return out
	}
	return err
}

// whole answers in one piece.
func (c *call) whole(out wireCompletion, events iter.Seq2[chat.Event, error]) error {
	out.Object = "chat.completion"
	said := &wireSaid{Role: "assistant"}
	var text strings.Builder
	finish := ""
	for e, err := range events {
		switch {
		case err != nil:
			return err
		case e.Call != nil:
			said.Calls = append(said.Calls, callOf(*e.Call))
		case e.Done != nil:
			finish, out.Usage = reasons[e.Done.Stop], usageOf(e.Done.Usage)
		default:
			text.WriteString(e.Text)
		}
	}
	if content := text.String(); content != "" || len(said.Calls) == 0 {
		said.Content = &content
	}
	out.Choices = []wireChoice{{Message: said, Finish: &finish}}
	write(c.w, http.StatusOK, out)
	return nil
}

// heard is a piece of an answer, or its error.
type heard struct {
	chat.Event
	err error
}

// stream answers piece by piece. An error after the first one is the last event. While the
// model says nothing, a comment tells that somebody is there.
func (c *call) stream(out wireCompletion, usage bool, events iter.Seq2[chat.Event, error]) error {
	out.Object = "chat.completion.chunk"
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	pieces := make(chan heard)
	go func() {
		defer close(pieces)
		for e, err := range events {
			select {
			case pieces <- heard{e, err}:
			case <-ctx.Done(): // whoever asked is gone, which ends the turn too
				return
			}
		}
	}()
	life := time.NewTicker(c.h.o.Beat)
	defer life.Stop()
	calls, role := 0, "assistant"
	for {
		var p heard
		var more bool
		select {
		case p, more = <-pieces:
		case <-life.C:
			if err := c.send(": the model says nothing yet"); err != nil {
				return nil
			}
			continue
		}
		switch {
		case !more:
			_ = c.send("data: [DONE]")
			return nil
		case p.err != nil && !c.begun:
			return p.err
		case p.err != nil:
			if fault.KindOf(p.err).Ours() {
				c.h.o.Log.Error("an answer to a program broke off", "error", p.err)
			}
			_ = c.event(errorOf(p.err))
			return nil
		}
		if role != "" {
			empty := ""
			if err := c.event(out.with(wireChoice{Delta: &wireDelta{Role: role, Content: &empty}})); err != nil {
				return nil // whoever asked is gone
			}
			role = ""
		}
		choice := wireChoice{Delta: &wireDelta{}}
		switch {
		case p.Call != nil:
			one, index := callOf(*p.Call), calls
			one.Index = &index
			choice.Delta.Calls = []wireCall{one}
			calls++
		case p.Done != nil:
			finish := reasons[p.Done.Stop]
			choice.Finish = &finish
		default:
			choice.Delta.Content = &p.Text
		}
		if err := c.event(out.with(choice)); err != nil {
			return nil
		}
		if p.Done != nil && usage {
			last := out
			last.Choices, last.Usage = []wireChoice{}, usageOf(p.Done.Usage)
			_ = c.event(last)
		}
	}
}

func (w wireCompletion) with(choice wireChoice) wireCompletion {
	w.Choices = []wireChoice{choice}
	return w
}

// event sends an object as an event of the stream.
func (c *call) event(object any) error {
	data, err := json.Marshal(object, json.Deterministic(true))
	if err != nil {
		return err
	}
	return c.send("data: " + string(data))
}

// send sends a line of the stream. The first one begins the answer.
func (c *call) send(line string) error {
	if !c.begun {
		c.begun = true
		h := c.w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Accel-Buffering", "no") // a proxy passes each piece on as it comes
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		c.w.WriteHeader(http.StatusOK)
	}
	if _, err := c.w.Write([]byte(line + "\n\n")); err != nil {
		return err
	}
	return http.NewResponseController(c.w).Flush()
}
