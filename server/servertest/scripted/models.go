package scripted

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Model is one of the list that the endpoint has.
type Model struct {
	ID     string
	Window int // tokens, as the endpoint tells it; 0: it doesn't
}

// Models sets the list of models.
func (s *Server) Models(list ...Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = list
}

// list answers with it, as the API that is asked for does.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	models := s.models
	s.mu.Unlock()
	data := []any{}
	for _, m := range models {
		switch {
		case strings.HasSuffix(r.URL.Path, "/api/tags"):
			data = append(data, object{"name": m.ID, "model": m.ID})
			continue
		case r.Header.Get("Anthropic-Version") != "":
			one := object{"type": "model", "id": m.ID, "display_name": m.ID, "created_at": "2026-01-01T00:00:00Z"}
			if m.Window > 0 {
				one["max_input_tokens"] = m.Window
			}
			data = append(data, one)
			continue
		}
		one := object{"id": m.ID, "object": "model", "created": 1, "owned_by": "scripted"}
		if m.Window > 0 {
			one["context_length"] = m.Window
		}
		data = append(data, one)
	}
	name := "data"
	if strings.HasSuffix(r.URL.Path, "/api/tags") {
		name = "models"
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"object": "list", name: data, "has_more": false})
}

func raw(text string) any {
	if !json.Valid([]byte(text)) {
		return object{}
	}
	return json.RawMessage(text)
}
