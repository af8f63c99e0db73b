package browser

import (
	"context"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"elowen/server/servertest/scripted"
)

// A program that speaks OpenAI's API asks; in an open window its conversation comes up,
// with what was recalled, and the answer while it is written. A person goes on there, and
// the program where it was.
func TestAProgramsConversation(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	p := Open(t).Person()
	w := p.Window("chat")
	signUp(t, s, w)
	s.RunWith(`{"type":"memory","body":"`+talkOutage+`","importance":7}`+"\n", "admin", "import", "--from", "jsonl", "--user", person, "-")
	talkModel(w, model.OpenAI(), `{recallCount: 1, recallWaitMs: 30000}`)
	token := strings.TrimSpace(s.Run("admin", "token", "create", "--user", person, "--name", "front end"))
	client := openai.NewClient(option.WithBaseURL(s.URL("/v1/")), option.WithAPIKey(token), option.WithMaxRetries(0))
	w.Visit(s.URL("/chat"))
	w.See("Ask something")

	open := make(chan struct{})
	model.Next(scripted.Says(scripted.Text("For "), scripted.Gate(open), scripted.Text("40 minutes.")))
	in := openai.ChatCompletionNewParams{Model: "elowen", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("For how long did the migration lock the orders table in the outage of March?")}}
	stream := client.Chat.Completions.NewStreaming(context.Background(), in)
	if !stream.Next() {
		t.Fatal(stream.Err())
	}
	w.ClickText(".convs a", "For how long")
	w.SeeIn(".msg-user", "For how long")
	w.SeeIn(".recalled", "The outage of 18 March")
	w.SeeIn(".context", "Recalled at start")
	w.SeeIn(".msg-now", "For")
	close(open)
	text := ""
	for stream.Next() {
		for _, c := range stream.Current().Choices {
			text += c.Delta.Content
		}
	}
	if stream.Err() != nil || text != "For 40 minutes." {
		t.Errorf("%q %v", text, stream.Err())
	}
	w.SeeIn(".thread", "For 40 minutes.")
	w.Await("the answer is whole", `!document.querySelector(".msg-now")`)
	if body := string(model.Requests()[0].Body); strings.Count(body, talkOutage[:40]) != 1 {
		t.Errorf("%s", body)
	}

	model.Next(scripted.Says(scripted.Text("Nobody heard the phone.")))
	w.Fill("Message", "Why?")
	w.Keys("\r")
	w.SeeIn(".thread", "Nobody heard")

	in.Messages = append(in.Messages, openai.AssistantMessage(text), openai.UserMessage("Thank you, says the program."))
	model.Next(scripted.Says(scripted.Text("You are welcome, program.")))
	if _, err := client.Chat.Completions.New(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	w.SeeIn(".thread", "You are welcome, program.")
	w.Gone("Nobody heard")
	if body := string(model.Requests()[2].Body); strings.Count(body, talkOutage[:40]) != 1 || strings.Contains(body, "Why?") {
		t.Errorf("%s", body)
	}
	pictures(w, "chat-program")
}
