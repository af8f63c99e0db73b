package model_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/model"
	"elowen/server/model/chat"
	"elowen/server/servertest/scripted"
)

// What was sent once is sent again byte for byte, however the conversation goes on:
// providers keep what they have read of a beginning.
func TestARequestBeginsAsTheOneBefore(t *testing.T) {
	each(t, func(t *testing.T, h *house, s *scripted.Server) {
		ready := h.ready(model.Ref{})
		sent := func(r chat.Request) []byte {
			s.Next(scripted.Says(scripted.Text("ok")))
			if out := hear(h.Chat(ctx, h.owner, ready, r)); out.err != nil {
				t.Fatal(out.err)
			}
			return s.Await(t).Body
		}
		rapid.Check(t, func(r *rapid.T) {
			var list []chat.Message
			var before []byte
			text := rapid.String()
			if rapid.Bool().Draw(r, "system") {
				list = append(list, chat.Message{Role: chat.System, Text: text.Draw(r, "prompt")})
			}
			for range rapid.IntRange(1, 5).Draw(r, "turns") {
				list = append(list, chat.Message{Role: chat.User, Text: "u" + text.Draw(r, "said")})
				now := sent(chat.Request{Messages: list, Tools: tools.Tools})
				begins(r, before, now)
				if again := sent(chat.Request{Messages: list, Tools: tools.Tools}); !bytes.Equal(now, again) {
					r.Fatalf("the same messages are other bytes:\n%s\n%s", now, again)
				}
				before = now
				if rapid.Bool().Draw(r, "calls") {
					args := rapid.SampledFrom([]string{`{}`, `{"b":1,"a":[1.50,12345678901234567890]}`, ``, `nonsense`, `[1]`, "{\"x\": \"\u2028<\"}"}).Draw(r, "arguments")
					list = append(list, chat.Message{Role: chat.Assistant, Text: text.Draw(r, "answer"), Calls: []chat.Call{{ID: "a", Name: "Weather", Arguments: args}, {ID: "b", Name: "Time", Arguments: args}}},
						chat.Message{Role: chat.ToolResult, CallID: "a", Text: text.Draw(r, "result")})
					now := sent(chat.Request{Messages: list, Tools: tools.Tools})
					begins(r, before, now)
					before = now
					list = append(list, chat.Message{Role: chat.ToolResult, CallID: "b", Text: "b"})
				} else {
					list = append(list, chat.Message{Role: chat.Assistant, Text: "a" + text.Draw(r, "answer")})
				}
			}
		})
	})
}

// begins checks that a request begins with all messages of the one before, as they were
// sent: with all up to the end of the last one's content.
func begins(r *rapid.T, before, now []byte) {
	if before == nil {
		return
	}
	text := string(before)
	end := strings.LastIndex(text, `],"model":`)
	if end < 0 {
		r.Fatalf("no messages in %s", text)
	}
	// In Anthropic's API the next one may stand within the last message.
	head := strings.TrimSuffix(text[:end], `],"role":"user"}`)
	if head = strings.TrimSuffix(head, `],"role":"assistant"}`); !strings.HasPrefix(string(now), head) {
		r.Fatalf("another beginning:\n%s\n%s", head, now)
	}
}
