// Package modeltest is an OpenAI-compatible chat endpoint for tests. It keeps every
// request, and answers as the test says.
package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Request is one that came.
type Request struct {
	Path, Key string
	Model     string
	System    string
	User      string
}

// Server is an endpoint at URL + "/v1".
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	requests []Request
	answer   func(Request) string
	fault    func(w http.ResponseWriter, r *http.Request) bool
}

// NewServer starts an endpoint that answers what answer says.
func NewServer(t testing.TB, answer func(Request) string) *Server {
	s := &Server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Answer changes what is answered.
func (s *Server) Answer(answer func(Request) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// Fail makes requests fail: fault answers one itself and tells so. nil mends it.
func (s *Server) Fail(fault func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Requests are those that came, the first one first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var in struct {
		Model    string `json:"model"`
		Messages []struct{ Role, Content string }
	}
	_ = json.Unmarshal(text, &in) // what is no request has no model
	req := Request{Path: r.URL.Path, Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), Model: in.Model}
	for _, m := range in.Messages {
		if m.Role == "system" {
			req.System = m.Content
		} else {
			req.User += m.Content
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	answer, fault := s.answer, s.fault
	s.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "c", "object": "chat.completion", "model": in.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": answer(req)}}},
	})
}

// Named answers the number of the category that pick gives the name of for a note, as
// it stands in the list of a categorizer's request, or what pick gives where that isn't
// in the list.
func Named(pick func(note string) string) func(Request) string {
	return func(r Request) string {
		list, note, _ := strings.Cut(r.User, "\nNote:\n")
		name := pick(note)
		for _, line := range strings.Split(list, "\n") {
			number, rest, ok := strings.Cut(line, ". ")
			if called, _, _ := strings.Cut(rest, ":"); ok && called == name {
				return number
			}
		}
		return name
	}
}
