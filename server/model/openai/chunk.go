package openai

import (
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"

	"elowen/server/model/chat"
)

// chunk takes a piece of a stream, or an answer that came whole.
func (a *answer) chunk(in openai.ChatCompletionChunk) error {
	if in.Model != "" {
		a.model = in.Model
	}
	if in.JSON.Usage.Valid() {
		u := in.Usage
		a.tally.Usage = chat.Usage{Input: chat.Count(u.PromptTokens), Output: chat.Count(u.CompletionTokens), Cached: chat.Count(u.PromptTokensDetails.CachedTokens)}
	}
	if len(in.Choices) == 0 {
		return nil
	}
	first := in.Choices[0]
	if first.Index != 0 {
		return nil // another answer than the one that was asked for
	}
	if raw, ok := first.JSON.ExtraFields["message"]; ok && !first.JSON.Delta.Valid() {
		if err := a.whole([]byte(raw.Raw()), &first); err != nil {
			return err
		}
	} else if !first.JSON.Delta.Valid() && first.FinishReason == "" {
		return nil
	}
	a.some = true
	if first.FinishReason != "" {
		a.stop = first.FinishReason
	}
	for _, text := range []string{first.Delta.Content, first.Delta.Refusal} {
		if err := a.guard.Text(a.yield, text); err != nil {
			return err
		}
	}
	for _, call := range first.Delta.ToolCalls {
		if err := a.add(piece{index: call.Index, id: call.ID, name: call.Function.Name, arguments: call.Function.Arguments}); err != nil {
			return err
		}
	}
	return nil
}

// add takes a piece of a call.
func (a *answer) add(p piece) error {
	if err := a.guard.Say(p.id + p.name + p.arguments); err != nil {
		return err
	}
	if !a.calls.add(p) {
		return a.guard.Unreadable(errManyCalls)
	}
	return nil
}

var errManyCalls = errors.New("too many calls")

// whole reads the message of an answer that came whole as if it were a piece.
func (a *answer) whole(raw []byte, into *openai.ChatCompletionChunkChoice) error {
	content, calls, err := parseMessage(raw)
	if err != nil {
		return a.guard.Unreadable(err)
	}
	into.Delta.Content = content
	for _, c := range calls {
		if err := a.add(c); err != nil {
			return err
		}
	}
	if into.FinishReason == "" {
		into.FinishReason = "stop" // it is whole: nothing was cut
	}
	return nil
}

// parseMessage reads a message: its text, and the calls as pieces that are whole.
func parseMessage(raw []byte) (string, []piece, error) {
	var in struct {
		Content *string `json:"content"`
		Refusal *string `json:"refusal"`
		Calls   []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return "", nil, err
	}
	out := []piece{}
	for i, c := range in.Calls {
		out = append(out, piece{index: int64(i), id: c.ID, name: c.Function.Name, arguments: c.Function.Arguments})
	}
	switch {
	case in.Content != nil:
		return *in.Content, out, nil
	case in.Refusal != nil:
		return *in.Refusal, out, nil
	case len(out) > 0:
		return "", out, nil
	}
	return "", nil, errNothing
}
