package anthropic

import (
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"elowen/server/model/chat"
)

// params is a request as it is sent. The system prompt is what the system says before
// anybody else; what it says later stands in its place, as a user's words, since only
// some models take it there.
func (c *Client) params(r chat.Request) anthropic.MessageNewParams {
	most := r.MostTokens
	if most <= 0 {
		most = asked(r.Fields, c.c.Room)
	}
	out := anthropic.MessageNewParams{Model: c.c.Model, MaxTokens: int64(most)}
	if !c.bare.Load() {
		out.CacheControl = anthropic.NewCacheControlEphemeralParam()
	}
	list := r.Messages
	for len(list) > 0 && list[0].Role == chat.System {
		if list[0].Text != "" {
			out.System = append(out.System, anthropic.TextBlockParam{Text: list[0].Text})
		}
		list = list[1:]
	}
	out.Messages = messages(list)
	for _, t := range r.Tools {
		one := anthropic.ToolParam{Name: t.Name, InputSchema: schema(t.Input)}
		if t.Description != "" {
			one.Description = param.NewOpt(t.Description)
		}
		out.Tools = append(out.Tools, anthropic.ToolUnionParam{OfTool: &one})
	}
	fields(r.Fields, &out)
	return out
}

// messages puts what one side says in a row into one message: the results of calls must
// stand in the very next one, all of them.
func messages(list []chat.Message) []anthropic.MessageParam {
	out := []anthropic.MessageParam{}
	for _, m := range list {
		role := anthropic.MessageParamRoleUser
		if m.Role == chat.Assistant {
			role = anthropic.MessageParamRoleAssistant
		}
		content := blocks(m)
		if len(content) == 0 {
			continue // an empty text is refused
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, content...)
			continue
		}
		out = append(out, anthropic.MessageParam{Role: role, Content: content})
	}
	return out
}

func blocks(m chat.Message) (out []anthropic.ContentBlockParamUnion) {
	if m.Role == chat.ToolResult {
		result := anthropic.ToolResultBlockParam{ToolUseID: m.CallID}
		if m.Text != "" {
			result.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: m.Text}}}
		}
		return append(out, anthropic.ContentBlockParamUnion{OfToolResult: &result})
	}
	for _, i := range chat.Images(m.Raw) {
		switch {
		case i.URL != "":
			out = append(out, anthropic.NewImageBlock(anthropic.URLImageSourceParam{URL: i.URL}))
		default:
			out = append(out, anthropic.NewImageBlockBase64(i.Type, i.Data))
		}
	}
	if m.Text != "" {
		out = append(out, anthropic.NewTextBlock(m.Text))
	}
	for _, c := range m.Calls {
		out = append(out, anthropic.NewToolUseBlock(c.ID, input(c.Arguments), c.Name))
	}
	return out
}

// input is a call's arguments as the API wants them: an object. What a model wrote that
// is none stands in one, so that the model can see it.
func input(arguments string) any {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) == nil && object != nil {
		return json.RawMessage(arguments)
	}
	return map[string]string{"unreadable": arguments}
}

// schema is a tool's, taken apart as the library has it.
func schema(raw json.RawMessage) (out anthropic.ToolInputSchemaParam) {
	var all map[string]any
	if json.Unmarshal(raw, &all) != nil {
		return out // a tool of ours has a schema; without one it takes no arguments
	}
	out.Properties = all["properties"]
	if list, ok := all["required"].([]any); ok {
		for _, name := range list {
			if text, ok := name.(string); ok {
				out.Required = append(out.Required, text)
			}
		}
	}
	delete(all, "type")
	delete(all, "properties")
	delete(all, "required")
	out.ExtraFields = all
	return out
}
