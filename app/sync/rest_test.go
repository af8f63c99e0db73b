package sync

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"elowen/shared/api"
	"elowen/shared/fault"
)

type script struct {
	answers []Response // an empty one is no answer at all
	asked   []Request
}

func (s *script) Do(_ context.Context, r Request) (Response, error) {
	s.asked = append(s.asked, r)
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	if a.Status == 0 {
		return Response{}, errors.New("connection refused")
	}
	return a, nil
}

func answer(status int, body string) Response { return Response{Status: status, Body: []byte(body)} }

func TestGetAndErrors(t *testing.T) {
	cases := []struct {
		name   string
		answer Response
		kind   fault.Kind
		detail string
		lost   bool
	}{
		{"a problem", answer(404, `{"status":404,"code":"not_found","detail":"There is no such memory."}`), fault.NotFound, "There is no such memory.", false},
		{"a stale write", answer(409, `{"status":409,"code":"stale","detail":"Changed.","current":{"id":4,"revision":9}}`), fault.Stale, "Changed.", false},
		{"a proxy's page", answer(502, `<html>Bad gateway</html>`), fault.Unavailable, "502", true},
		{"a proxy's 401", answer(401, ``), fault.Unauthenticated, "401", false},
		{"no answer", Response{}, fault.Unavailable, "does not answer", true},
		{"an answer that can't be read", answer(200, `{`), fault.Internal, "could not be read", false},
	}
	for _, c := range cases {
		a := &API{Transport: &script{answers: []Response{c.answer}}}
		var out api.Memory
		err := a.Get(context.Background(), "/api/memory/4", &out)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(f.Detail, c.detail) || Lost(err) != c.lost {
			t.Errorf("%s: %v (lost %v)", c.name, err, Lost(err))
		}
		if m, ok := Current[api.Memory](err); ok != (c.kind == fault.Stale) || ok && m.Revision != 9 {
			t.Errorf("%s: current %v %v", c.name, m.Revision, ok)
		}
	}
	a := &API{Transport: &script{answers: []Response{answer(200, `{"id":4}`)}}}
	var out api.Memory
	if err := a.Get(context.Background(), "/x", &out); err != nil || out.ID != 4 {
		t.Errorf("%v %v", out.ID, err)
	}
}

func TestSendNamesRevisionAndKeyAndTriesOnceMore(t *testing.T) {
	s := &script{answers: []Response{{}, answer(200, `{"id":4,"revision":6}`)}}
	waited := 0
	a := &API{Transport: s, Wait: func(context.Context, time.Duration) error { waited++; return nil }}
	var out api.Memory
	err := a.Send(context.Background(), Write{Method: "PATCH", Path: "/api/memory/4", Body: api.MemoryPatch{Reason: "r"}, Out: &out, IfMatch: 5, Key: "k"})
	if err != nil || out.Revision != 6 {
		t.Fatalf("%v, revision %d", err, out.Revision)
	}
	if len(s.asked) != 2 || waited != 1 {
		t.Fatalf("asked %d times, waited %d", len(s.asked), waited)
	}
	for _, r := range s.asked {
		if r.Header[api.HeaderIdempotency] != "k" || r.Header["If-Match"] != `"5"` || r.Header["Content-Type"] != "application/json" || string(r.Body) != `{"reason":"r"}` {
			t.Errorf("sent %v %s", r.Header, r.Body)
		}
	}

	// Without a key it isn't safe to repeat; with an answer there is no reason to.
	for _, c := range []struct {
		key   string
		first Response
	}{{"", Response{}}, {"k", answer(503, `{"code":"unavailable"}`)}} {
		s = &script{answers: []Response{c.first}}
		a.Transport = s
		if err := a.Send(context.Background(), Write{Method: "POST", Path: "/x", Key: c.key}); err == nil || len(s.asked) != 1 {
			t.Errorf("key %q: %v after %d tries", c.key, err, len(s.asked))
		}
	}
}

func TestIntention(t *testing.T) {
	var i Intention
	first := i.Key("/x", map[string]string{"body": "a"})
	if again := i.Key("/x", map[string]string{"body": "a"}); again != first {
		t.Error("the same words are the same intention")
	}
	changed := i.Key("/x", map[string]string{"body": "b"})
	if changed == first {
		t.Error("other words are another intention")
	}
	i.Done()
	if i.Key("/x", map[string]string{"body": "b"}) == changed {
		t.Error("after success the same words are a new intention")
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("%q is no UUID", first)
	}
}

func FuzzProblem(f *testing.F) {
	f.Add(409, `{"status":409,"code":"stale","current":{"id":1},"errors":[{"field":"a"}]}`)
	f.Add(500, ``)
	f.Add(0, `[]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		err := problem(Response{Status: status, Body: []byte(body)})
		if err == nil || fault.ProblemOf(err).Detail == "" {
			t.Errorf("%d %q: an error without words: %v", status, body, err)
		}
	})
}
