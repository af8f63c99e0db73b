package scripted

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Request is one that came.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte // as it came

	gone chan struct{}
}

// Gone is closed when whoever asked closes the connection before the answer is through.
func (r *Request) Gone() <-chan struct{} { return r.gone }

// Key is the key that came with it, by either header.
func (r *Request) Key() string {
	if key := r.Header.Get("X-Api-Key"); key != "" {
		return key
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// Anthropic tells whether it is one of Anthropic's messages.
func (r *Request) Anthropic() bool { return strings.HasSuffix(r.Path, "/messages") }

// Asked is a request as either API says it, read.
type Asked struct {
	Model    string
	Stream   bool
	Messages []Message
	Tools    []string // their names
}

// Message is one of a request. Anthropic's system prompt is the first one here, and each
// block of its messages one of its own.
type Message struct {
	Role   string // system, user, assistant, tool
	Text   string
	Calls  []Call
	CallID string
}

// Call is a tool that was called.
type Call struct{ ID, Name, Arguments string }

// Asked reads the request. What can't be read is empty.
func (r *Request) Asked() Asked {
	var in struct {
		Model    string
		Stream   bool
		System   json.RawMessage
		Messages []struct {
			Role      string
			Content   json.RawMessage
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			CallID string `json:"tool_call_id"`
		}
		Tools []struct {
			Name     string
			Function struct{ Name string }
		}
	}
	_ = json.Unmarshal(r.Body, &in)
	out := Asked{Model: in.Model, Stream: in.Stream}
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, t.Name+t.Function.Name)
	}
	if len(in.System) > 0 {
		out.Messages = append(out.Messages, Message{Role: "system", Text: text(in.System)})
	}
	for _, m := range in.Messages {
		if r.Anthropic() {
			out.Messages = append(out.Messages, blocks(m.Role, m.Content)...)
			continue
		}
		one := Message{Role: m.Role, Text: text(m.Content), CallID: m.CallID}
		for _, c := range m.ToolCalls {
			one.Calls = append(one.Calls, Call{c.ID, c.Function.Name, c.Function.Arguments})
		}
		out.Messages = append(out.Messages, one)
	}
	return out
}

// Said is the texts of the messages of a role, in a line each.
func (r *Request) Said(role string) string {
	var out []string
	for _, m := range r.Asked().Messages {
		if m.Role == role {
			out = append(out, m.Text)
		}
	}
	return strings.Join(out, "\n")
}

// text is a content that is a string, or the texts of a list of blocks.
func text(content json.RawMessage) string {
	var whole string
	if json.Unmarshal(content, &whole) == nil {
		return whole
	}
	var list []struct{ Text string }
	_ = json.Unmarshal(content, &list)
	for _, b := range list {
		whole += b.Text
	}
	return whole
}

func blocks(role string, content json.RawMessage) []Message {
	var list []struct {
		Type, Text, ID, Name string
		Input, Content       json.RawMessage
		CallID               string `json:"tool_use_id"`
	}
	if json.Unmarshal(content, &list) != nil {
		return []Message{{Role: role, Text: text(content)}}
	}
	var out []Message
	for _, b := range list {
		switch b.Type {
		case "tool_use":
			out = append(out, Message{Role: role, Calls: []Call{{b.ID, b.Name, string(b.Input)}}})
		case "tool_result":
			out = append(out, Message{Role: "tool", Text: text(b.Content), CallID: b.CallID})
		default:
			out = append(out, Message{Role: role, Text: b.Text})
		}
	}
	return out
}
