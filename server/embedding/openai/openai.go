// Package openai speaks to embedding endpoints of the kind that OpenAI has, with or
// without a key; OpenRouter's is one of them at a fixed address. It is a format of
// package endpoint, which does the asking.
package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/server/embedding"
	"elowen/server/embedding/endpoint"
	"elowen/shared/fault"
)

// The addresses of those who have one.
const (
	OpenAI     = "https://api.openai.com/v1"
	OpenRouter = "https://openrouter.ai/api/v1"
)

// Format is the format of POST …/embeddings.
type Format struct{}

// Path implements endpoint.Format.
func (Format) Path() string { return "/embeddings" }

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Encoding   string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitzero"`
}

// Request implements endpoint.Format.
func (Format) Request(s embedding.Space, texts []string) any {
	return request{Model: s.Model, Input: texts, Encoding: "float", Dimensions: s.Asked}
}

type answer struct {
	Data []struct {
		Index     *int           `json:"index"`
		Embedding jsontext.Value `json:"embedding"`
	} `json:"data"`
}

var errShape = fault.New(fault.Corrupt, "The answer has not one vector for each text.")

// Parse implements endpoint.Format. Vectors come in any order, each with its index,
// or in the order of the texts, all without one.
func (Format) Parse(data []byte, n int) ([][]float32, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fault.Wrap(fault.Corrupt, err, "The answer cannot be read.")
	}
	if len(a.Data) != n {
		return nil, errShape
	}
	list := make([][]float32, n)
	seen := make([]bool, n)
	for i, d := range a.Data {
		at := i
		if (d.Index == nil) != (a.Data[0].Index == nil) {
			return nil, errShape
		}
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || seen[at] {
			return nil, errShape
		}
		seen[at] = true
		v, err := endpoint.ParseVector(d.Embedding)
		if err != nil {
			continue // of this text there is none
		}
		list[at] = v
	}
	return list, nil
}
