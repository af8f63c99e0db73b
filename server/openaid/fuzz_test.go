package openaid

import (
	"strings"
	"testing"

	"elowen/server/model/chat"
	"elowen/shared/fault"
)

// Whatever comes: a request that can be asked, or one plain error about it.
func FuzzCompletion(f *testing.F) {
	for _, s := range []string{
		`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},"temperature":1}`,
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"F","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}],"tools":[{"type":"custom","custom":{"name":"F"}}],"n":1}`,
		`{"messages":[{"role":"developer"}],"n":2}`, `{"messages":null}`, `{`, `[]`, ``, `{"a":1,"a":2}`, "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := parseCompletion(data)
		if err != nil {
			out := errorOf(err).Error
			if !fault.Is(err, fault.Invalid) || out.Message == "" || out.Code == nil || out.Type != "invalid_request_error" {
				t.Errorf("%v %+v", err, out)
			}
			return
		}
		if len(in.messages) == 0 {
			t.Error("no messages")
		}
		for _, m := range in.messages {
			if m.Role == "" || len(m.Raw) == 0 || m.Role != chat.Assistant && m.Calls != nil || m.Role == chat.ToolResult && m.CallID == "" {
				t.Errorf("%+v", m)
			}
			chat.Images(m.Raw)
		}
		for _, tool := range in.tools {
			if tool.Name == "" || len(tool.Raw) == 0 {
				t.Errorf("%+v", tool)
			}
		}
		for name := range in.fields {
			if strings.Contains(" model messages tools stream stream_options n logprobs modalities functions function_call ", " "+name+" ") {
				t.Errorf("%s is passed on", name)
			}
		}
	})
}

func FuzzEmbeddings(f *testing.F) {
	for _, s := range []string{`{"input":"x","model":"m","encoding_format":"base64"}`, `{"input":["a","b"],"dimensions":4,"input_type":"query"}`, `{"input":[[1]]}`, `{}`, `[`, `{"input":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := parseEmbeddings(data)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Error(err)
			}
			return
		}
		if len(in.input) == 0 {
			t.Error("nothing to embed")
		}
		for _, text := range in.input {
			if text == "" {
				t.Error("an empty text")
			}
		}
	})
}
