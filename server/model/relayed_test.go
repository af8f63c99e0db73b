package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"elowen/server/model/chat"
	"elowen/server/servertest/scripted"
)

// What another program wrote in OpenAI's form is sent as it is to an endpoint that speaks
// that, and in its own words to another.
func TestWhatAnotherProgramWroteIsSentAsItIs(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		message := `{"role":"user","content":[{"type":"text","text":"what is that?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}],"name":"ann"}`
		called := `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"Look","arguments":"{\"at\": 1}"}}],"x_signature":"s"}`
		weather := `{"type":"function","function":{"name":"Look","parameters":{"type":"object","properties":{"at":{"type":"integer"}}},"strict":true}}`
		r := chat.Request{
			Messages: []chat.Message{
				{Role: chat.User, Text: "what is that?", Raw: json.RawMessage(message)},
				{Role: chat.Assistant, Calls: []chat.Call{{ID: "c1", Name: "Look", Arguments: `{"at": 1}`}}, Raw: json.RawMessage(called)},
				{Role: chat.ToolResult, CallID: "c1", Text: "a bird", Raw: json.RawMessage(`{"role":"tool","tool_call_id":"c1","content":"a bird"}`)},
				{Role: chat.User, Text: "of ours"},
			},
			Tools:  []chat.Tool{{Name: "Look", Input: json.RawMessage(`{"type":"object","properties":{"at":{"type":"integer"}}}`), Raw: json.RawMessage(weather)}},
			Fields: map[string]json.RawMessage{"temperature": json.RawMessage("1.5"), "top_p": json.RawMessage("0.5"), "stop": json.RawMessage(`["END"]`), "max_completion_tokens": json.RawMessage("7"), "tool_choice": json.RawMessage(`"required"`), "parallel_tool_calls": json.RawMessage("false"), "x_own": json.RawMessage(`{"a": [1]}`)},
		}
		if out := hear(h.chat(ctx, r)); out.err != nil {
			t.Fatal(out.err)
		}
		sent := s.Await(t)
		want := []string{message, called, weather, `"temperature":1.5`, `"top_p":0.5`, `"stop":["END"]`, `"max_completion_tokens":7`, `"tool_choice":"required"`, `"parallel_tool_calls":false`, `"x_own":{"a":`, `{"content":"of ours","role":"user"}`}
		if sent.Anthropic() {
			want = []string{`"temperature":1`, `"top_p":0.5`, `"stop_sequences":["END"]`, `"max_tokens":7`, `"tool_choice":{"disable_parallel_tool_use":true,"type":"any"}`, `"media_type":"image/png"`, `"data":"AAAA"`, `"type":"tool_use"`, `"text":"of ours"`}
			if strings.Contains(string(sent.Body), "x_own") {
				t.Errorf("a field of another API: %s", sent.Body)
			}
		}
		for _, w := range want {
			if !strings.Contains(string(sent.Body), w) {
				t.Errorf("no %s in\n%s", w, sent.Body)
			}
		}
	})
}
