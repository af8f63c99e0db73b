package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"elowen/server/model/chat"
)

// begunCall is a call whose arguments are coming.
type begunCall struct {
	id, name  string
	given     string // with its beginning
	arguments strings.Builder
}

// event takes an event of a stream, or a message that came whole.
func (a *answer) event(in anthropic.MessageStreamEventUnion) error {
	switch in.Type {
	case "message_start":
		a.begun = true
		a.model = in.Message.Model
		u := in.Message.Usage
		a.used(u.InputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens, u.OutputTokens)
	case "content_block_start":
		return a.start(in.ContentBlock)
	case "content_block_delta":
		return a.delta(in.Delta)
	case "content_block_stop":
		if a.call != nil {
			return a.whole()
		}
	case "message_delta":
		if in.Delta.StopReason != "" {
			a.stop = string(in.Delta.StopReason)
		}
		if in.Usage.JSON.OutputTokens.Valid() {
			a.tally.Usage.Output = chat.Count(in.Usage.OutputTokens)
		}
		if in.Usage.JSON.InputTokens.Valid() && in.Usage.InputTokens > 0 {
			a.used(in.Usage.InputTokens, in.Usage.CacheReadInputTokens, in.Usage.CacheCreationInputTokens, in.Usage.OutputTokens)
		}
	case "message_stop":
		a.ended = true
	case "message":
		return a.message([]byte(in.RawJSON()))
	}
	return nil
}

// used notes what was used. The API counts what is read from its cache, and what is put
// there, apart from the input.
func (a *answer) used(input, read, written, output int64) {
	a.tally.Usage = chat.Usage{Input: chat.Count(input) + chat.Count(read) + chat.Count(written), Cached: chat.Count(read), Output: chat.Count(output)}
}

func (a *answer) start(b anthropic.ContentBlockStartEventContentBlockUnion) error {
	switch b.Type {
	case "text":
		return a.guard.Text(a.yield, b.Text)
	case "tool_use":
		if a.calls++; a.calls > chat.CallsMost {
			return a.guard.Unreadable(errManyCalls)
		}
		a.call = &begunCall{id: b.ID, name: b.Name, given: string(b.JSON.Input.Raw())}
		return a.guard.Say(b.ID + b.Name + a.call.given)
	}
	return nil // what the model thinks, and what other tools do, is not for us
}

func (a *answer) delta(d anthropic.MessageStreamEventUnionDelta) error {
	switch d.Type {
	case "text_delta":
		return a.guard.Text(a.yield, d.Text)
	case "input_json_delta":
		if a.call == nil {
			return nil
		}
		a.call.arguments.WriteString(d.PartialJSON)
		return a.guard.Say(d.PartialJSON)
	}
	return nil
}

// whole hands out the call that is whole now.
func (a *answer) whole() error {
	call := chat.Call{ID: a.call.id, Name: a.call.name, Arguments: a.call.arguments.String()}
	if call.Arguments == "" {
		call.Arguments = a.call.given
	}
	if call.Arguments == "" {
		call.Arguments = "{}"
	}
	a.call = nil
	if !a.yield(chat.Event{Call: &call}, nil) {
		return chat.ErrStopped
	}
	return nil
}

// message hands out a message that came whole.
func (a *answer) message(raw []byte) error {
	m, err := parseMessage(raw)
	if err != nil {
		return a.guard.Unreadable(err)
	}
	a.begun, a.ended, a.model, a.stop = true, true, m.Model, m.StopReason
	a.used(m.Usage.Input, m.Usage.Read, m.Usage.Written, m.Usage.Output)
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			err = a.guard.Text(a.yield, b.Text)
		case "tool_use":
			if a.calls++; a.calls > chat.CallsMost {
				return a.guard.Unreadable(errManyCalls)
			}
			if err = a.guard.Say(b.ID + b.Name + string(b.Input)); err == nil {
				a.call = &begunCall{id: b.ID, name: b.Name, given: string(b.Input)}
				err = a.whole()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// message is one that came whole.
type message struct {
	Model      string `json:"model"`
	StopReason string `json:"stop_reason"`
	Content    []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	Usage struct {
		Input   int64 `json:"input_tokens"`
		Read    int64 `json:"cache_read_input_tokens"`
		Written int64 `json:"cache_creation_input_tokens"`
		Output  int64 `json:"output_tokens"`
	} `json:"usage"`
}

// parseMessage reads one. Errors: what is no message, or holds nothing.
func parseMessage(raw []byte) (out message, err error) {
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, err
	}
	if len(out.Content) == 0 && out.StopReason == "" {
		return out, errNothing
	}
	return out, nil
}
