package openaid_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"elowen/server/embedding/embeddingtest"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

const ferry = "The ferry to Amrum leaves Dagebüll at noon."

func ask(model string, messages ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: messages}
}

// OpenAI's own client holds a conversation: what is remembered stands in what the model is
// asked, once, and in the conversation as people see it.
func TestGoStory(t *testing.T) {
	w := newWorld(t)
	m := w.ann.Add(ferry)
	c := w.client(w.token)

	var answer *http.Response
	w.endpoint.Next(scripted.Says(scripted.Text("At noon, "), scripted.Text("from Dagebüll."), scripted.Usage(120, 9, 100)))
	in := ask("elowen", openai.DeveloperMessage("Be short."), openai.UserMessage("When does the ferry to Amrum leave Dagebüll?"))
	in.Temperature = param.NewOpt(0.25)
	out, err := c.Chat.Completions.New(ctx, in, option.WithResponseInto(&answer))
	if err != nil {
		t.Fatal(err)
	}
	if said := out.Choices[0]; said.Message.Content != "At noon, from Dagebüll." || said.FinishReason != "stop" || out.Model != "elowen" || out.Usage.PromptTokens != 120 || out.Usage.CompletionTokens != 9 || out.Usage.TotalTokens != 129 || out.Usage.PromptTokensDetails.CachedTokens != 100 {
		t.Errorf("%s", out.RawJSON())
	}
	asked := w.last()
	if len(asked.Messages) != 3 || asked.Model != "oak-1" || asked.Messages[0].Role != "developer" || !strings.Contains(asked.Messages[2].Text, ferry) || len(asked.Tools) != 0 {
		t.Errorf("%+v", asked)
	}
	if body := string(w.endpoint.Requests()[0].Body); !strings.Contains(body, `"temperature":0.25`) {
		t.Errorf("%s", body)
	}
	id := answer.Header.Get(api.HeaderConversationID)
	shown := w.entries(id)
	if len(shown) != 3 || shown[1].Via != "start" || len(shown[1].Memories) != 1 || shown[1].Memories[0].ID != m.ID || !shown[1].Memories[0].InContext || shown[2].Content != "At noon, from Dagebüll." || shown[2].Model != "oak-1" {
		t.Errorf("%+v", shown)
	}

	// The next request has all of it, and goes on streamed.
	in.Messages = append(in.Messages, out.Choices[0].Message.ToParam(), openai.UserMessage("And the ferry back?"))
	in.StreamOptions.IncludeUsage = param.NewOpt(true)
	w.endpoint.Next(scripted.Says(scripted.Pieces("At four in the afternoon.", 4), scripted.Usage(150, 6, 0)))
	stream := c.Chat.Completions.NewStreaming(ctx, in, option.WithResponseInto(&answer))
	var all openai.ChatCompletionAccumulator
	pieces := 0
	for stream.Next() {
		all.AddChunk(stream.Current())
		pieces++
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if said := all.Choices[0]; said.Message.Content != "At four in the afternoon." || said.FinishReason != "stop" || pieces < 8 || all.Usage.TotalTokens != 156 {
		t.Errorf("%d %s", pieces, all.RawJSON())
	}
	if again := answer.Header.Get(api.HeaderConversationID); again != id {
		t.Errorf("it is conversation %s, not %s", again, id)
	}
	if asked := w.last(); len(asked.Messages) != 5 || !strings.Contains(asked.Messages[2].Text, ferry) || strings.Count(fmt.Sprint(asked), ferry) != 1 {
		t.Errorf("%+v", asked)
	}
	var now api.Memory
	w.ann.Must(http.MethodGet, api.MemoryPath(m.ID), nil, &now)
	if now.UseCount != 1 {
		t.Errorf("counted %d times", now.UseCount)
	}
}

// A program's own tools reach the model as it wrote them, and their calls the program,
// whole and streamed.
func TestGoTools(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.token)
	for _, streamed := range []bool{false, true} {
		w.endpoint.Next(scripted.Says(scripted.Text("Let me look."), scripted.Calls("c1", "Look", `{"at": `, `"sea"}`), scripted.Calls("c2", "Look", `{"at": "sky"}`)))
		in := ask("oak-1", openai.UserMessage(fmt.Sprint("What is there? ", streamed)))
		in.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "Look", Strict: param.NewOpt(true), Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"at": map[string]any{"type": "string"}}},
		})}
		in.ToolChoice.OfAuto = param.NewOpt("required")
		in.ParallelToolCalls = param.NewOpt(true)
		var said openai.ChatCompletionMessage
		var finish string
		if streamed {
			stream := c.Chat.Completions.NewStreaming(ctx, in)
			var all openai.ChatCompletionAccumulator
			for stream.Next() {
				all.AddChunk(stream.Current())
			}
			if stream.Err() != nil {
				t.Fatal(stream.Err())
			}
			said, finish = all.Choices[0].Message, string(all.Choices[0].FinishReason)
		} else {
			out, err := c.Chat.Completions.New(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			said, finish = out.Choices[0].Message, string(out.Choices[0].FinishReason)
		}
		if finish != "tool_calls" || len(said.ToolCalls) != 2 || said.ToolCalls[0].ID != "c1" || said.ToolCalls[0].Function.Arguments != `{"at": "sea"}` || said.ToolCalls[1].Function.Name != "Look" || said.Content != "Let me look." {
			t.Errorf("%s %s", finish, said.RawJSON())
		}
		sent := w.endpoint.Requests()
		if body := string(sent[len(sent)-1].Body); !strings.Contains(body, `"strict":true`) || !strings.Contains(body, `"tool_choice":"required"`) || !strings.Contains(body, `"parallel_tool_calls":true`) {
			t.Errorf("%s", body)
		}
		in.Messages = append(in.Messages, said.ToParam(), openai.ToolMessage("waves", "c1"), openai.ToolMessage("clouds", "c2"))
		var answer *http.Response
		out, err := c.Chat.Completions.New(ctx, in, option.WithResponseInto(&answer))
		if err != nil || out.Choices[0].Message.Content != "ok" {
			t.Fatalf("%v", err)
		}
		if asked := w.last(); len(asked.Messages) != 4 || len(asked.Messages[1].Calls) != 2 || asked.Messages[3].CallID != "c2" {
			t.Errorf("%+v", asked)
		}
		if shown := w.entries(answer.Header.Get(api.HeaderConversationID)); len(shown) != 5 || len(shown[1].Calls) != 2 || shown[3].Content != "clouds" {
			t.Errorf("%+v", shown)
		}
	}
}

// What fails is an error that the client knows as OpenAI's: before an answer and within it.
func TestGoErrors(t *testing.T) {
	w := newWorld(t)
	reader := w.Token("ann", "read").Secret()
	for _, e := range []struct {
		what, token, model string
		answer             *scripted.Answer
		status             int
		code, says, retry  string // retry: X-Should-Retry
	}{
		{"another token", "elw_nobody", "elowen", nil, 401, "invalid_api_key", "token", ""},
		{"a token that may only read", reader, "elowen", nil, 403, "insufficient_permissions", "write", ""},
		{"no such model", w.token, "pine-9", nil, 404, "model_not_found", "pine-9", ""},
		{"a key that is refused", w.token, "elowen", &[]scripted.Answer{scripted.Status(401, "")}[0], 503, "unavailable", "refuses the key", "false"},
		{"what is refused", w.token, "elowen", &[]scripted.Answer{scripted.Status(400, "")}[0], 400, "invalid_request", "refuses what", ""},
		{"a provider that wants to be left alone", w.token, "elowen", &[]scripted.Answer{scripted.Status(429, "120")}[0], 503, "unavailable", "fewer", ""},
	} {
		if e.answer != nil {
			w.endpoint.Next(*e.answer)
		}
		c := w.client(e.token)
		for _, streamed := range []bool{false, true} {
			if streamed && e.answer != nil {
				w.endpoint.Next(*e.answer)
			}
			in := ask(e.model, openai.UserMessage("Hello, "+e.what))
			var err error
			if streamed {
				stream := c.Chat.Completions.NewStreaming(ctx, in)
				for stream.Next() {
					t.Errorf("%s: %s", e.what, stream.Current().RawJSON())
				}
				err = stream.Err()
			} else {
				_, err = c.Chat.Completions.New(ctx, in)
			}
			var said *openai.Error
			if !errors.As(err, &said) || said.StatusCode != e.status || said.Code != e.code || !strings.Contains(said.Message, e.says) || strings.Contains(said.Message, "own words") {
				t.Errorf("%s, streamed %v: %v", e.what, streamed, err)
				continue
			}
			if h := said.Response.Header; h.Get("X-Should-Retry") != e.retry || e.status == 503 && e.retry == "" && h.Get("Retry-After") != "120" {
				t.Errorf("%s: %v", e.what, h)
			}
		}
	}

	// Within an answer the error is the last of the stream, and what was said is kept.
	w.endpoint.Next(scripted.Says(scripted.Text("The answer is"), scripted.Cut()))
	var answer *http.Response
	client := w.client(w.token)
	stream := client.Chat.Completions.NewStreaming(ctx, ask("elowen", openai.UserMessage("What is it?")), option.WithResponseInto(&answer))
	text := ""
	for stream.Next() {
		text += stream.Current().Choices[0].Delta.Content
	}
	if err := stream.Err(); err == nil || text != "The answer is" || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("%q %v", text, err)
	}
	if shown := w.entries(answer.Header.Get(api.HeaderConversationID)); len(shown) != 2 || shown[1].Content != "The answer is" || shown[1].Cut == "" {
		t.Errorf("%+v", shown)
	}
}

// A history of many messages that comes all at once is taken, goes on, and is known again.
func TestGoLongHistory(t *testing.T) {
	w := newWorld(t)
	w.ann.Add(ferry)
	c := w.client(w.token)
	in := ask("elowen", openai.SystemMessage("Be short."))
	for i := range 600 {
		in.Messages = append(in.Messages, openai.UserMessage(fmt.Sprint("Question ", i)), openai.AssistantMessage(fmt.Sprint("Answer ", i)))
	}
	in.Messages = append(in.Messages, openai.UserMessage("When does the ferry to Amrum leave Dagebüll?"))
	var answer *http.Response
	out, err := c.Chat.Completions.New(ctx, in, option.WithResponseInto(&answer))
	if err != nil {
		t.Fatal(err)
	}
	if asked := w.last(); len(asked.Messages) != 1203 || !strings.Contains(asked.Messages[1202].Text, ferry) {
		t.Fatalf("%d messages", len(asked.Messages))
	}
	id := answer.Header.Get(api.HeaderConversationID)
	in.Messages = append(in.Messages, out.Choices[0].Message.ToParam(), openai.UserMessage("Thank you."))
	if _, err = c.Chat.Completions.New(ctx, in, option.WithResponseInto(&answer)); err != nil {
		t.Fatal(err)
	}
	if again := answer.Header.Get(api.HeaderConversationID); again != id {
		t.Errorf("it is conversation %s, not %s", again, id)
	}
	if asked := w.last(); len(asked.Messages) != 1205 || !strings.Contains(asked.Messages[1202].Text, ferry) || asked.Messages[1204].Text != "Thank you." {
		t.Errorf("%d messages", len(asked.Messages))
	}
}

// Models are those that can be asked, by their names; another account's token sees the
// same, and nothing of the conversations.
func TestGoModels(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.Token("ann", "read").Secret())
	list, err := c.Models.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	if got := strings.Join(names, " "); got != "elowen maker/elm-2 oak-1" {
		t.Errorf("%s", got)
	}
	for _, name := range []string{"elowen", "maker/elm-2"} {
		if m, err := c.Models.Get(ctx, name); err != nil || m.ID != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Models.Get(ctx, "pine-9"); err == nil {
		t.Error("a model that isn't there")
	}
	writer := w.client(w.token)
	for name, upstream := range map[string]string{"maker/elm-2": "maker/elm-2", "here/unlisted": "unlisted", "oak-1": "oak-1"} {
		if _, err := writer.Chat.Completions.New(ctx, ask(name, openai.UserMessage("Hello, "+name))); err != nil || w.last().Model != upstream {
			t.Errorf("%s: %v %s", name, err, w.last().Model)
		}
	}
}

// Texts are embedded by the model that memories are indexed with, and counted to whoever
// asks.
func TestGoEmbeddings(t *testing.T) {
	w := newWorld(t)
	c := w.client(w.token)
	in := openai.EmbeddingNewParams{Model: "e", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "two"}}}
	var said *openai.Error
	if _, err := c.Embeddings.New(ctx, in); !errors.As(err, &said) || said.StatusCode != 404 && said.StatusCode != 503 {
		t.Errorf("%v", err)
	}
	vectors := embeddingtest.NewServer(t, "e", 4)
	w.models(api.ModelsChange{
		Providers: []api.ProviderChange{{ID: "here", Kind: api.ProviderOpenAI, BaseURL: w.endpoint.OpenAI()}, {ID: "v", Kind: api.ProviderOpenAI, BaseURL: vectors.URL + "/v1"}},
		Roles:     map[string]*api.Role{api.RoleEmbedding: {Provider: "v", Model: "e"}},
	})
	out, err := c.Embeddings.New(ctx, in)
	if err != nil || len(out.Data) != 2 || len(out.Data[1].Embedding) != 4 || out.Data[1].Index != 1 || out.Model != "e" {
		t.Fatalf("%+v %v", out, err)
	}
	one, err := c.Embeddings.New(ctx, openai.EmbeddingNewParams{Model: "elowen", Input: openai.EmbeddingNewParamsInputUnion{OfString: param.NewOpt("two")}})
	if err != nil || fmt.Sprint(one.Data[0].Embedding) != fmt.Sprint(out.Data[1].Embedding) {
		t.Errorf("%+v %v", one, err)
	}
	status, packed, _ := w.post("/v1/embeddings", w.token, `{"model":"e","input":"two","encoding_format":"base64"}`)
	if status != 200 || !strings.Contains(packed, `"embedding":"`) {
		t.Errorf("%d %s", status, packed)
	}
	var usage api.Usage
	w.ann.Must(http.MethodGet, api.PathUsage, nil, &usage)
	if len(usage.Roles) != 1 || usage.Roles[0].Role != api.RoleEmbedding || usage.Roles[0].Requests != 3 {
		t.Errorf("%+v", usage)
	}
	in.Dimensions = param.NewOpt(int64(8))
	if _, err := c.Embeddings.New(ctx, in); !errors.As(err, &said) || said.StatusCode != 400 || said.Param != "dimensions" {
		t.Errorf("%v", err)
	}
}

// Another account's programs share nothing, by whatever name.
func TestAnotherAccount(t *testing.T) {
	w := newWorld(t)
	w.ann.Add(ferry)
	w.Person("bob")
	ann, bob := w.client(w.token), w.client(w.Token("bob", "read", "write").Secret())
	in := ask("elowen", openai.UserMessage("When does the ferry to Amrum leave Dagebüll?"))
	named := option.WithHeader(api.HeaderConversation, "ferries")
	var answer *http.Response
	if _, err := ann.Chat.Completions.New(ctx, in, named, option.WithResponseInto(&answer)); err != nil {
		t.Fatal(err)
	}
	id := answer.Header.Get(api.HeaderConversationID)
	for _, o := range [][]option.RequestOption{{named, option.WithResponseInto(&answer)}, {option.WithResponseInto(&answer)}} {
		if _, err := bob.Chat.Completions.New(ctx, in, o...); err != nil {
			t.Fatal(err)
		}
		if answer.Header.Get(api.HeaderConversationID) == id || strings.Contains(fmt.Sprint(w.last()), ferry) {
			t.Errorf("bob got ann's: %+v", w.last())
		}
	}
	if _, err := ann.Chat.Completions.New(ctx, in, named, option.WithResponseInto(&answer)); err != nil || answer.Header.Get(api.HeaderConversationID) != id || answer.Header.Get(api.HeaderConversation) != "ferries" {
		t.Errorf("%v %v", err, answer.Header)
	}
	// A conversation that is someone's goes with the account.
	w.Admin("user", "erase", "bob", "--yes")
}
