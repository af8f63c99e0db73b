package openaid_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"elowen/server/servertest/scripted"
)

const hello = `{"model":"elowen","messages":[{"role":"user","content":"hello"}]}`

// Whatever a program sends gets an error in OpenAI's shape that says what is wrong, and
// nothing is asked of anybody.
func TestHostileRequests(t *testing.T) {
	w := newWorld(t)
	with := func(members string) string { return strings.TrimSuffix(hello, "}") + "," + members + "}" }
	said := func(message string) string { return `{"messages":[` + message + `]}` }
	chat := "/v1/chat/completions"
	for _, c := range []struct {
		what, method, path, body string
		header                   []string
		status                   int
		param, says              string
	}{
		{"nothing", "POST", chat, "", nil, 400, "", "JSON"},
		{"no JSON", "POST", chat, "{", nil, 400, "", "JSON"},
		{"a list", "POST", chat, "[]", nil, 400, "", "object"},
		{"null", "POST", chat, "null", nil, 400, "", "object"},
		{"a name twice", "POST", chat, `{"model":"a","model":"b"}`, nil, 400, "", "twice"},
		{"deep", "POST", chat, strings.Repeat(`{"a":`, 20_000), nil, 400, "", "JSON"},
		{"invalid UTF-8", "POST", chat, strings.Replace(hello, "hello", "\xff", 1), nil, 400, "", "UTF-8"},
		{"half a pair", "POST", chat, strings.Replace(hello, "hello", `\ud800`, 1), nil, 400, "", ""},
		{"17 MiB", "POST", chat, strings.Replace(hello, "hello", strings.Repeat("x", 17<<20), 1), nil, 413, "", "16777216"},
		{"no messages", "POST", chat, `{"model":"elowen"}`, nil, 400, "messages", "messages"},
		{"empty messages", "POST", chat, `{"messages":[]}`, nil, 400, "messages", "messages"},
		{"messages that are none", "POST", chat, `{"messages":"hello"}`, nil, 400, "messages", "type"},
		{"too many messages", "POST", chat, said(strings.Repeat(`{"role":"user"},`, 10_000) + `{"role":"user"}`), nil, 400, "messages", "10000"},
		{"a message that is none", "POST", chat, said(`1`), nil, 400, "messages[0]", "no message"},
		{"no role", "POST", chat, said(`{"content":"x"}`), nil, 400, "messages[0]", "role"},
		{"another role", "POST", chat, said(`{"role":"function","content":"x"}`), nil, 400, "messages[0]", "role"},
		{"a content that is a number", "POST", chat, said(`{"role":"user","content":1}`), nil, 400, "messages[0]", "content"},
		{"a result of nothing", "POST", chat, said(`{"role":"tool","content":"x"}`), nil, 400, "messages[0]", "tool_call_id"},
		{"a call without a name", "POST", chat, said(`{"role":"assistant","tool_calls":[{"id":"a"}]}`), nil, 400, "messages[0]", "id or a name"},
		{"a tool without a name", "POST", chat, with(`"tools":[{"type":"function","function":{}}]`), nil, 400, "tools[0]", "name"},
		{"functions", "POST", chat, with(`"functions":[]`), nil, 400, "functions", "tools"},
		{"several answers", "POST", chat, with(`"n":2`), nil, 400, "n", "one answer"},
		{"probabilities", "POST", chat, with(`"logprobs":true`), nil, 400, "logprobs", "no log"},
		{"sound", "POST", chat, with(`"modalities":["text","audio"]`), nil, 400, "modalities", "text"},
		{"stream as a word", "POST", chat, with(`"stream":"yes"`), nil, 400, "stream", "type"},
		{"a name that is too long", "POST", chat, hello, []string{"X-Elowen-Conversation", strings.Repeat("x", 129)}, 400, "", "128"},
		{"another type", "POST", chat, hello, []string{"Content-Type", "text/plain"}, 415, "", "application/json"},
		{"no type", "POST", chat, hello, []string{"Content-Type", ""}, 415, "", "application/json"},
		{"packed", "POST", chat, hello, []string{"Content-Encoding", "gzip"}, 415, "", "Content-Encoding"},
		{"no token", "POST", chat, hello, []string{"Authorization", ""}, 401, "", "Bearer"},
		{"another way to sign in", "POST", chat, hello, []string{"Authorization", "Basic YTpi"}, 401, "", "Bearer"},
		{"a page of another site", "POST", chat, hello, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403, "", "another site"},
		{"GET", "GET", chat, "", nil, 405, "", "POST"},
		{"DELETE", "DELETE", "/v1/models/elowen", "", nil, 405, "", "GET"},
		{"elsewhere", "POST", "/v1/completions", hello, nil, 404, "", "nothing here"},
		{"the root", "GET", "/v1/", "", nil, 404, "", "nothing here"},
		{"tokens to embed", "POST", "/v1/embeddings", `{"model":"elowen","input":[1,2]}`, nil, 400, "input", "texts"},
		{"nothing to embed", "POST", "/v1/embeddings", `{"input":[]}`, nil, 400, "input", "1 to 2048"},
		{"an empty text to embed", "POST", "/v1/embeddings", `{"input":[""]}`, nil, 400, "input", "empty"},
		{"another format", "POST", "/v1/embeddings", `{"input":"x","encoding_format":"hex"}`, nil, 400, "encoding_format", "base64"},
		{"embeddings that are off", "POST", "/v1/embeddings", `{"input":"x"}`, nil, 503, "", "embedding"},
	} {
		status, body, header := w.send(c.method, c.path, w.token, c.body, c.header...)
		if strings.Contains(c.what, "17 MiB") && status == 0 {
			continue
		}
		out := refused(t, body)
		param := ""
		if out.Error.Param != nil {
			param = *out.Error.Param
		}
		if status != c.status || param != c.param || !strings.Contains(out.Error.Message, c.says) {
			t.Errorf("%s: %d %q %s", c.what, status, param, body)
		}
		if header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "no-store" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", c.what, header)
		}
	}
	if n := len(w.endpoint.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	var page struct{ Total int }
	w.ann.Must("GET", "/api/conversations", nil, &page)
	if page.Total != 0 {
		t.Errorf("%d conversations", page.Total)
	}
	if strings.Contains(w.Log(), "ERROR") {
		t.Errorf("the server said:\n%s", w.Log())
	}
}

// What is odd but can be meant is taken.
func TestOddRequests(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"no model"}]}`,
		`{"model":null,"tools":null,"n":null,"stream":null,"stop":null,"messages":[{"role":"user","content":"nulls"}]}`,
		`{"messages":[{"role":"system","content":"the system alone"}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"what","else":1}]}]}`,
		`{"messages":[{"role":"user","content":"nothing\u0000 in it"}]}`,
		`{"messages":[{"role":"user","content":null},{"role":"assistant","content":"so?"},{"role":"user","content":""}]}`,
		`{"n":1,"logprobs":false,"modalities":["text"],"messages":[{"role":"user","content":"as ever"}],"x_mine":{"a":1}}`,
		`{"messages":[{"role":"tool","tool_call_id":"gone","content":"a result of a call that was cut away"}]}`,
	} {
		if status, answer, _ := w.post("/v1/chat/completions", w.token, body); status != 200 || !strings.Contains(answer, `"content":"ok"`) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if strings.Contains(w.Log(), "ERROR") {
		t.Errorf("the server said:\n%s", w.Log())
	}
}

// The requests of Open WebUI, as its backend makes them for a provider of OpenAI's kind
// (routers/openai.py and routers/tasks.py): a chat that is streamed with its parameters,
// and what it asks beside it for a title.
func TestOpenWebUI(t *testing.T) {
	w := newWorld(t)
	m := w.ann.Add(ferry)
	history := `{"role":"system","content":"You are helpful. It is %s."},{"role":"user","content":"When does the ferry to Amrum leave Dagebüll?"}`
	chat := func(messages string) string {
		return `{"stream":true,"model":"elowen","messages":[` + messages + `],"temperature":0.7,"max_tokens":400,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"search_web","description":"","parameters":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}}]}`
	}
	w.endpoint.Next(scripted.Says(scripted.Text("At "), scripted.Text("noon."), scripted.Usage(10, 2, 0)))
	status, body, header := w.post("/v1/chat/completions", w.token, chat(fmt.Sprintf(history, "09:00")))
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%d %s", status, body)
	}
	text, last := "", ""
	for line := range strings.SplitSeq(body, "\n\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			if line != "" {
				t.Errorf("%q is no event", line)
			}
			continue
		}
		if last = data; data == "[DONE]" {
			continue
		}
		var chunk struct {
			Object  string
			Choices []struct {
				Delta *struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil || chunk.Object != "chat.completion.chunk" {
			t.Errorf("%v %s", err, data)
		}
		for _, c := range chunk.Choices {
			if c.Delta == nil {
				t.Fatalf("a piece without a delta, which some clients look into: %s", data)
			}
			text += c.Delta.Content
		}
	}
	if text != "At noon." || last != "[DONE]" || !strings.Contains(body, `"total_tokens":12`) {
		t.Errorf("%s", body)
	}
	id := header.Get("X-Elowen-Conversation-Id")
	if shown := w.entries(id); len(shown) != 3 || shown[1].Memories[0].ID != m.ID {
		t.Errorf("%+v", shown)
	}
	// The next one has another time of day in its instructions, and the answer as it was.
	next := fmt.Sprintf(history, "09:05") + `,{"role":"assistant","content":"At noon."},{"role":"user","content":"Thanks!"}`
	if _, _, header = w.post("/v1/chat/completions", w.token, chat(next)); header.Get("X-Elowen-Conversation-Id") != id {
		t.Errorf("it is conversation %s, not %s", header.Get("X-Elowen-Conversation-Id"), id)
	}
	title := `{"model":"elowen","messages":[{"role":"user","content":"### Task:\nGenerate a concise, 3-5 word title with an emoji.\n### Chat History:\n<chat_history>\nUSER: When does the ferry leave?\n</chat_history>"}],"stream":false,"max_completion_tokens":1000}`
	if status, body, header = w.post("/v1/chat/completions", w.token, title); status != 200 || !strings.Contains(body, `"finish_reason":"stop"`) || header.Get("X-Elowen-Conversation-Id") == id {
		t.Errorf("%d %s", status, body)
	}
}
