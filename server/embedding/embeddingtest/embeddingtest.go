// Package embeddingtest is an embedding endpoint for tests, which can be made to
// fail in all the ways that endpoints do, and an Embedder without a network. Their
// vectors say of which text they are, and by whose model.
package embeddingtest

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"elowen/server/embedding"
)

// Vector is what the model named salt answers for a text: of length 1, and another
// for any other text or model.
func Vector(salt, text string, width int) []float32 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, salt+"\x00"+text)
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, width)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// Same tells whether a vector is the one of a text, but for rounding.
func Same(v []float32, salt, text string) bool {
	want := Vector(salt, text, len(v))
	dot := 0.0
	for i := range v {
		dot += float64(v[i]) * float64(want[i])
	}
	return dot > 0.9999
}

// Server is an endpoint at the address URL + "/v1", OpenAI's kind, and at URL
// itself Ollama's.
type Server struct {
	*httptest.Server
	Salt string

	mu       sync.Mutex
	fault    func(w http.ResponseWriter, r *http.Request, texts []string) bool
	width    int
	texts    []string
	requests atomic.Int64
}

// NewServer starts an endpoint whose vectors have width numbers.
func NewServer(t testing.TB, salt string, width int) *Server {
	s := &Server{Salt: salt, width: width}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Fail makes requests fail: fault answers one itself and tells so. nil mends it.
func (s *Server) Fail(fault func(w http.ResponseWriter, r *http.Request, texts []string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// SetWidth changes the width of its vectors.
func (s *Server) SetWidth(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.width = n
}

// Requests is how many requests came.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Texts are the texts that were embedded, in order.
func (s *Server) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.texts...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	var in struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	fault, width := s.fault, s.width
	s.mu.Unlock()
	if fault != nil && fault(w, r, in.Input) {
		return
	}
	type one struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []one
	var plain [][]float32
	for i, text := range in.Input {
		v := Vector(s.Salt, text, width)
		data = append(data, one{"embedding", i, v})
		plain = append(plain, v)
	}
	s.mu.Lock()
	s.texts = append(s.texts, in.Input...)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/api/embed") {
		_ = json.NewEncoder(w).Encode(map[string]any{"model": in.Model, "embeddings": plain})
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": in.Model, "usage": map[string]int{"prompt_tokens": 1}})
}

// Status is a fault: every request is answered with a status.
func Status(code int, header ...string) func(http.ResponseWriter, *http.Request, []string) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		http.Error(w, "no", code)
		return true
	}
}

// Text is a fault: every request is answered with a text of a type.
func Text(kind, text string) func(http.ResponseWriter, *http.Request, []string) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ []string) bool {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
		return true
	}
}

// Hang is a fault: a request gets no answer as long as its sender waits.
func Hang(_ http.ResponseWriter, r *http.Request, _ []string) bool {
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
	return true
}

// Cut is a fault: the answer breaks off.
func Cut(w http.ResponseWriter, _ *http.Request, _ []string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "4000")
	_, _ = io.WriteString(w, `{"object":"list","data":[{"index":0,"embedding":[0.1,`)
	return true
}

// Longer is a fault: requests with more bytes of text than most are refused so.
func Longer(most, status int, says string) func(http.ResponseWriter, *http.Request, []string) bool {
	return func(w http.ResponseWriter, _ *http.Request, texts []string) bool {
		if len(strings.Join(texts, "")) <= most {
			return false
		}
		http.Error(w, says, status)
		return true
	}
}

// Embedder is one without a network.
type Embedder struct {
	In    embedding.Space
	Salt  string
	Width int
	Hold  func(ctx context.Context, texts []string, kind embedding.Kind) error // before each answer; nil: nothing
	Bad   func(text string) error                                              // what is wrong with a text; nil: nothing

	calls atomic.Int64
}

// Calls is how many calls there were.
func (e *Embedder) Calls() int { return int(e.calls.Load()) }

// Space implements embedding.Embedder.
func (e *Embedder) Space() embedding.Space { return e.In }

// Limits implements embedding.Embedder.
func (e *Embedder) Limits() embedding.Limits { return embedding.Limits{Texts: 8, Bytes: 1 << 16} }

// Embed implements embedding.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	e.calls.Add(1)
	if e.Hold != nil {
		if err := e.Hold(ctx, texts, kind); err != nil {
			return nil, err
		}
	}
	out := make([]embedding.Result, len(texts))
	for i, text := range texts {
		if e.Bad != nil {
			if err := e.Bad(text); err != nil {
				out[i].Err = err
				continue
			}
		}
		out[i].Vectors = [][]float32{Vector(e.Salt, text, e.Width)}
	}
	return out, nil
}
