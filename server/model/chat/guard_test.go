package chat_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"elowen/server/db"
	"elowen/server/model/anthropic"
	"elowen/server/model/chat"
	"elowen/server/model/openai"
	"elowen/server/servertest/scripted"
	"elowen/shared/fault"
)

// each runs a test against each client, in a bubble of its own.
func each(t *testing.T, test func(t *testing.T, s *scripted.Server, c chat.Client)) {
	for name, make := range map[string]func(chat.Config) chat.Client{
		"openai":    func(c chat.Config) chat.Client { return openai.New(c, false) },
		"anthropic": func(c chat.Config) chat.Client { return anthropic.New(c) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := scripted.NewPipe(t)
				test(t, s, make(chat.Config{Address: s.OpenAI(), Host: "there", Model: "m", HTTP: s.Client(), Clock: db.SystemClock, Idle: time.Minute, Most: 1 << 20, Room: 100}))
			})
		})
	}
}

var hello = chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "hello"}}}

// Who is silent for too long is left, wherever in an answer, and not a moment before.
func TestSilenceEndsARequest(t *testing.T) {
	each(t, func(t *testing.T, s *scripted.Server, c chat.Client) {
		never := make(chan struct{})
		for what, one := range map[string]struct {
			answer scripted.Answer
			text   string
			after  time.Duration
		}{
			"from the beginning": {scripted.Hangs(), "", time.Minute},
			"in the middle":      {scripted.Says(scripted.Pause(50*time.Second), scripted.Text("a"), scripted.Pause(59*time.Second), scripted.Text("b"), scripted.Gate(never)), "ab", 169 * time.Second},
		} {
			s.Next(one.answer)
			began, text := time.Now(), ""
			var failed error
			var tally chat.Tally
			for e, err := range c.Stream(t.Context(), hello, &tally) {
				text += e.Text
				failed = err
			}
			if took := time.Since(began); text != one.text || took != one.after || !fault.Is(failed, fault.Unavailable) || !strings.Contains(failed.Error(), "in time") {
				t.Errorf("%s: %q after %v: %v", what, text, took, failed)
			}
			<-s.Await(t).Gone()
			if tally.Requests != 1 {
				t.Errorf("%s: %+v", what, tally)
			}
		}
	})
}

// Silence is the provider's: whoever reads slowly is not it.
func TestASlowReaderIsNotSilence(t *testing.T) {
	each(t, func(t *testing.T, s *scripted.Server, c chat.Client) {
		s.Next(scripted.Says(scripted.Text("a"), scripted.Text("b")))
		var tally chat.Tally
		for e, err := range c.Stream(t.Context(), hello, &tally) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Text != "" {
				time.Sleep(time.Hour) // of the bubble's clock
			}
		}
	})
}

func TestAgainWaitsAsItIsTold(t *testing.T) {
	each(t, func(t *testing.T, s *scripted.Server, c chat.Client) {
		p := chat.Patience{Tries: 3, Most: 10 * time.Second, Sleep: func(ctx context.Context, d time.Duration) {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
		}}
		s.Next(scripted.Status(429, "9"), scripted.Status(529, ""), scripted.Says(scripted.Text("a")), scripted.Status(429, "11"))
		began := time.Now()
		ask := func() (text string, failed error) {
			var tally chat.Tally
			for e, err := range p.Again(t.Context(), func() iter.Seq2[chat.Event, error] { return c.Stream(t.Context(), hello, &tally) }) {
				text, failed = text+e.Text, err
			}
			return text, failed
		}
		if text, err := ask(); text != "a" || err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("%q %v after %v", text, err, time.Since(began))
		}
		if _, err := ask(); fault.RetryAfter(err) != 11_000 || time.Since(began) != 10*time.Second {
			t.Errorf("told to wait for too long: %v after %v", err, time.Since(began))
		}
	})
}
