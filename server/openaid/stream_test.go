package openaid

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"elowen/server/model/chat"
	"elowen/shared/fault"
)

// streamed is what a program gets of an answer.
func streamed(t *testing.T, beat time.Duration, events iter.Seq2[chat.Event, error]) (status int, next func() string) {
	t.Helper()
	h := New(Options{Beat: beat})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{h: h, w: w, r: r}
		if err := c.stream(wireCompletion{}, true, events); err != nil {
			refuse(w, err)
		}
	}))
	t.Cleanup(s.Close)
	answer, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	body := bufio.NewReader(answer.Body)
	return answer.StatusCode, func() string {
		line, _ := body.ReadString('\n')
		end, _ := body.ReadString('\n')
		return line + end
	}
}

// While a model says nothing a comment keeps the connection, and what comes then is a
// stream as ever; an error after it is the last event.
func TestSignsOfLife(t *testing.T) {
	for _, fails := range []bool{false, true} {
		open := make(chan struct{})
		status, next := streamed(t, time.Millisecond, func(yield func(chat.Event, error) bool) {
			<-open
			if fails {
				yield(chat.Event{}, fault.New(fault.Unavailable, "It failed."))
				return
			}
			_ = yield(chat.Event{Text: "Hello"}, nil) && yield(chat.Event{Done: &chat.Done{Stop: chat.StopEnd}}, nil)
		})
		if first := next(); status != http.StatusOK || !strings.HasPrefix(first, ": ") {
			t.Fatalf("%d %q", status, first)
		}
		close(open)
		rest := ""
		for line := next(); line != ""; line = next() {
			if !strings.HasPrefix(line, ": ") {
				rest += line
			}
		}
		if fails && (!strings.HasPrefix(rest, `data: {"error":{"message":"It failed."`) || strings.Contains(rest, "DONE")) || !fails && (!strings.Contains(rest, "Hello") || !strings.HasSuffix(rest, "data: [DONE]\n\n")) {
			t.Errorf("%q", rest)
		}
	}
}

// An error before anything was said has its status.
func TestAnErrorHasItsStatus(t *testing.T) {
	status, next := streamed(t, time.Hour, func(yield func(chat.Event, error) bool) { yield(chat.Event{}, errors.New("secret")) })
	if body := next(); status != http.StatusInternalServerError || !strings.Contains(body, "server_error") || strings.Contains(body, "secret") {
		t.Errorf("%d %s", status, body)
	}
}

// The time that a request may take to come doesn't end its answer.
func TestALongAnswerOutlastsTheTimeToAsk(t *testing.T) {
	most := 200 * time.Millisecond
	said := make(chan error, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := (&call{h: New(Options{}), w: w, r: r}).body(); err != nil {
			said <- err
			return
		}
		late, cancel := context.WithTimeout(r.Context(), 2*most)
		defer cancel()
		<-late.Done()
		said <- r.Context().Err()
	}))
	s.Config.ReadTimeout = most
	s.Start()
	defer s.Close()
	answer, err := http.Post(s.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	if err := <-said; err != nil {
		t.Error(err)
	}
}
