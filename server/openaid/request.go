package openaid

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	v2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/server/model/chat"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// completion is a request for one.
type completion struct {
	model    string
	messages []chat.Message
	tools    []chat.Tool
	fields   map[string]json.RawMessage // all that is the provider's to know
	stream   bool
	usage    bool // told at the end of the stream
}

func bad(field, format string, args ...any) error {
	return fault.BadField(field, "value", "", fmt.Sprintf(format, args...))
}

// object reads a JSON object whose members are looked at one by one. Duplicate names and
// what is no UTF-8 are refused.
func object(data []byte) (map[string]jsontext.Value, error) {
	if !utf8.Valid(data) {
		return nil, fault.New(fault.Invalid, "The request is not valid UTF-8. It was refused, not repaired.")
	}
	v := jsontext.Value(data)
	if !v.IsValid() {
		return nil, fault.New(fault.Invalid, "The request is not valid JSON, or has a name twice.")
	}
	if v.Kind() != '{' {
		return nil, fault.New(fault.Invalid, "The request must be a JSON object.")
	}
	out := map[string]jsontext.Value{}
	if err := v2.Unmarshal(data, &out); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The request is not valid JSON.")
	}
	for name, value := range out {
		if value.Kind() == 'n' { // as good as absent, which several clients write so
			delete(out, name)
		}
	}
	return out, nil
}

// take reads a member into v, and removes it. What is absent leaves v as it is.
func take(from map[string]jsontext.Value, name string, v any) error {
	value, ok := from[name]
	delete(from, name)
	if !ok {
		return nil
	}
	if err := v2.Unmarshal(value, v); err != nil {
		return bad(name, "%s has another type than it must have.", name)
	}
	return nil
}

// parseCompletion reads a request for a completion.
func parseCompletion(data []byte) (out completion, err error) {
	in, err := object(data)
	if err != nil {
		return out, err
	}
	var messages, tools []jsontext.Value
	var choices float64 = 1
	var probabilities bool
	var modalities []string
	var options struct {
		Usage bool `json:"include_usage"`
	}
	for name, into := range map[string]any{
		"model": &out.model, "messages": &messages, "tools": &tools, "stream": &out.stream, "stream_options": &options, "n": &choices, "logprobs": &probabilities, "modalities": &modalities,
	} {
		if err := take(in, name, into); err != nil {
			return out, err
		}
	}
	out.usage = options.Usage
	switch {
	case choices != 1:
		return out, bad("n", "There is one answer to a request here. Leave n away, or ask several times.")
	case probabilities:
		return out, bad("logprobs", "There are no log probabilities here.")
	case len(modalities) > 1 || len(modalities) == 1 && modalities[0] != "text":
		return out, bad("modalities", "Answers are text here.")
	}
	for _, old := range []string{"functions", "function_call"} {
		if _, ok := in[old]; ok {
			return out, bad(old, "%s is the old way to call tools. Use tools and tool_choice.", old)
		}
	}
	if most := setting.Int("v1.messages"); len(messages) == 0 || len(messages) > most {
		return out, bad("messages", "There must be from 1 to %d messages.", most)
	}
	if most := int(setting.Get("v1.tools").Max); len(tools) > most {
		return out, bad("tools", "There may be at most %d tools.", most)
	}
	for i, raw := range messages {
		m, err := message(raw)
		if err != nil {
			return out, bad(fmt.Sprintf("messages[%d]", i), "messages[%d] %s", i, err)
		}
		out.messages = append(out.messages, m)
	}
	for i, raw := range tools {
		t, err := tool(raw)
		if err != nil {
			return out, bad(fmt.Sprintf("tools[%d]", i), "tools[%d] %s", i, err)
		}
		out.tools = append(out.tools, t)
	}
	for name, value := range in {
		if out.fields == nil {
			out.fields = map[string]json.RawMessage{}
		}
		out.fields[name] = json.RawMessage(value)
	}
	return out, nil
}

// wireMessage is what is looked at in a message.
type wireMessage struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
	Refusal *string        `json:"refusal"`
	CallID  string         `json:"tool_call_id"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
		Custom struct {
			Name  string `json:"name"`
			Input string `json:"input"`
		} `json:"custom"`
	} `json:"tool_calls"`
}

// roles are those of messages.
var roles = map[string]string{"system": chat.System, "developer": chat.System, "user": chat.User, "assistant": chat.Assistant, "tool": chat.ToolResult}

// message reads one. Errors end a sentence that begins with which one it is.
func message(raw jsontext.Value) (out chat.Message, err error) {
	var in wireMessage
	if err := v2.Unmarshal(raw, &in); err != nil {
		return out, fmt.Errorf("is no message, or a part of it has another type than it must have.")
	}
	role, ok := roles[in.Role]
	if !ok {
		return out, fmt.Errorf("must have one of the roles system, developer, user, assistant and tool.")
	}
	out = chat.Message{Role: role, Raw: json.RawMessage(raw)}
	if out.Text, err = text(in.Content); err != nil {
		return out, err
	}
	if out.Text == "" && in.Refusal != nil {
		out.Text = *in.Refusal
	}
	switch role {
	case chat.Assistant:
		for _, c := range in.Calls {
			one := chat.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}
			if one.Name == "" {
				one.Name, one.Arguments = c.Custom.Name, c.Custom.Input
			}
			if one.ID == "" || one.Name == "" {
				return out, fmt.Errorf("calls a tool without an id or a name.")
			}
			out.Calls = append(out.Calls, one)
		}
	case chat.ToolResult:
		if out.CallID = in.CallID; out.CallID == "" {
			return out, fmt.Errorf("is a tool's result, and must name the call in tool_call_id.")
		}
	}
	return out, nil
}

// text is what a content says in words: one text, or those of its parts.
func text(content jsontext.Value) (string, error) {
	switch content.Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		var whole string
		err := v2.Unmarshal(content, &whole)
		return whole, err
	}
	var parts []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if err := v2.Unmarshal(content, &parts); err != nil {
		return "", fmt.Errorf("must have a content that is a text or a list of parts.")
	}
	var said []string
	for _, p := range parts {
		if one := p.Text + p.Refusal; one != "" {
			said = append(said, one)
		}
	}
	return strings.Join(said, "\n"), nil
}

// tool reads one that the model may call.
func tool(raw jsontext.Value) (out chat.Tool, err error) {
	type named struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  jsontext.Value `json:"parameters"`
	}
	var in struct {
		Type     string `json:"type"`
		Function named  `json:"function"`
		Custom   named  `json:"custom"`
	}
	if err := v2.Unmarshal(raw, &in); err != nil {
		return out, fmt.Errorf("is no tool, or a part of it has another type than it must have.")
	}
	t := in.Function
	if in.Type == "custom" {
		t = in.Custom
	}
	if t.Name == "" {
		return out, fmt.Errorf("must be a function with a name.")
	}
	return chat.Tool{Name: t.Name, Description: t.Description, Input: json.RawMessage(t.Parameters), Raw: json.RawMessage(raw)}, nil
}
