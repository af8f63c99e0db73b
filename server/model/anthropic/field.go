package anthropic

import (
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// asked is how long an answer may be, in tokens, as another program says it in OpenAI's
// words; else the given number.
func asked(in map[string]json.RawMessage, room int) int {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		var n int
		if json.Unmarshal(in[name], &n) == nil && n > 0 {
			return n
		}
	}
	return room
}

// fields says what another program says in OpenAI's words in those of this API, as far as
// it has any. The temperature goes from 0 to 1 here, not to 2.
func fields(in map[string]json.RawMessage, out *anthropic.MessageNewParams) {
	var warm, top *float64
	if json.Unmarshal(in["temperature"], &warm) == nil && warm != nil {
		out.Temperature = param.NewOpt(min(max(*warm, 0), 1))
	}
	if json.Unmarshal(in["top_p"], &top) == nil && top != nil {
		out.TopP = param.NewOpt(*top)
	}
	var one string
	var several []string
	switch {
	case json.Unmarshal(in["stop"], &one) == nil && one != "":
		out.StopSequences = []string{one}
	case json.Unmarshal(in["stop"], &several) == nil:
		out.StopSequences = several
	}
	if len(out.Tools) > 0 {
		out.ToolChoice = choice(in)
	}
}

// choice is whether tools are to be called, and which.
func choice(in map[string]json.RawMessage) (out anthropic.ToolChoiceUnionParam) {
	var single param.Opt[bool]
	var parallel *bool
	if json.Unmarshal(in["parallel_tool_calls"], &parallel) == nil && parallel != nil && !*parallel {
		single = param.NewOpt(true)
	}
	var word string
	var named struct{ Function struct{ Name string } }
	switch {
	case json.Unmarshal(in["tool_choice"], &named) == nil && named.Function.Name != "":
		out.OfTool = &anthropic.ToolChoiceToolParam{Name: named.Function.Name, DisableParallelToolUse: single}
		return out
	case json.Unmarshal(in["tool_choice"], &word) == nil && word == "none":
		out.OfNone = &anthropic.ToolChoiceNoneParam{}
		return out
	case word == "required":
		out.OfAny = &anthropic.ToolChoiceAnyParam{DisableParallelToolUse: single}
		return out
	}
	if single.Valid() {
		out.OfAuto = &anthropic.ToolChoiceAutoParam{DisableParallelToolUse: single}
	}
	return out
}
