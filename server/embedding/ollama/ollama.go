// Package ollama speaks to Ollama at its own address for embeddings, /api/embed. It
// is a format of package endpoint, which does the asking.
package ollama

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/server/embedding"
	"elowen/server/embedding/endpoint"
	"elowen/shared/fault"
)

// Address is where Ollama is when nobody says otherwise.
const Address = "http://127.0.0.1:11434"

// Format is the format of POST …/api/embed.
type Format struct{}

// Path implements endpoint.Format.
func (Format) Path() string { return "/api/embed" }

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   bool     `json:"truncate"`
	Dimensions int      `json:"dimensions,omitzero"`
}

// Request implements endpoint.Format. Ollama cuts what is too long by itself, to
// the token.
func (Format) Request(s embedding.Space, texts []string) any {
	return request{Model: s.Model, Input: texts, Truncate: true, Dimensions: s.Asked}
}

// Parse implements endpoint.Format. Vectors come in the order of the texts.
func (Format) Parse(data []byte, n int) ([][]float32, error) {
	var a struct {
		Embeddings []jsontext.Value `json:"embeddings"`
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fault.Wrap(fault.Corrupt, err, "The answer cannot be read.")
	}
	if len(a.Embeddings) != n {
		return nil, fault.New(fault.Corrupt, "The answer has not one vector for each text.")
	}
	list := make([][]float32, n)
	for i, raw := range a.Embeddings {
		v, err := endpoint.ParseVector(raw)
		if err != nil {
			continue // of this text there is none
		}
		list[i] = v
	}
	return list, nil
}
