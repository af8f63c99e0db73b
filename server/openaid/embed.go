package openaid

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	v2 "github.com/go-json-experiment/json"

	"elowen/server/embedding"
	"elowen/server/model"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// embeddings is a request for some.
type embeddings struct {
	model      string
	input      []string
	base64     bool
	dimensions int // 0: as the model has them
	kind       embedding.Kind
}

// parseEmbeddings reads a request for embeddings.
func parseEmbeddings(data []byte) (out embeddings, err error) {
	in, err := object(data)
	if err != nil {
		return out, err
	}
	var input jsontext.Value
	var format, kind string
	for name, into := range map[string]any{"model": &out.model, "input": &input, "encoding_format": &format, "dimensions": &out.dimensions, "input_type": &kind} {
		if err := take(in, name, into); err != nil {
			return out, err
		}
	}
	switch input.Kind() {
	case '"':
		out.input = make([]string, 1)
		err = v2.Unmarshal(input, &out.input[0])
	default:
		err = v2.Unmarshal(input, &out.input)
	}
	if err != nil {
		return out, bad("input", "The input must be a text or a list of texts; tokens are another model's.")
	}
	if most := setting.Int("v1.inputs"); len(out.input) == 0 || len(out.input) > most {
		return out, bad("input", "There must be from 1 to %d texts.", most)
	}
	for _, t := range out.input {
		if t == "" {
			return out, bad("input", "A text of the input is empty.")
		}
	}
	switch format {
	case "", "float":
	case "base64":
		out.base64 = true
	default:
		return out, bad("encoding_format", "The format must be float or base64.")
	}
	switch kind { // as others than OpenAI call what a text is for
	case "", "passage", "document", "search_document":
	case "query", "search_query":
		out.kind = embedding.Query
	default:
		return out, bad("input_type", "The type must be query or document.")
	}
	return out, nil
}

// wireEmbedding is a vector as it travels: a list of numbers, or their bytes in base64.
type wireEmbedding struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding"`
}

// embed answers POST /v1/embeddings by the model that memories are indexed with.
func (h *Handler) embed(c *call) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	in, err := parseEmbeddings(data)
	if err != nil {
		return err
	}
	snapshot := h.o.Embedding.Snapshot()
	if in.model != "" && in.model != model.OwnName && in.model != snapshot.Model {
		return about("model", fault.Newf(fault.NotFound, "Texts are embedded by %q here, not by %q.", snapshot.Model, in.model))
	}
	vectors, err := h.o.Embedding.Embed(embedding.For(c.r.Context(), c.who.Owner), in.input, in.kind)
	if err != nil {
		return err
	}
	out := struct {
		Object string          `json:"object"`
		Data   []wireEmbedding `json:"data"`
		Model  string          `json:"model"`
		Usage  struct {
			Prompt int `json:"prompt_tokens"`
			Total  int `json:"total_tokens"`
		} `json:"usage"`
	}{Object: "list", Data: []wireEmbedding{}, Model: snapshot.Model}
	for i, v := range vectors {
		if in.dimensions != 0 && in.dimensions != len(v) {
			return bad("dimensions", "The vectors have %d dimensions here.", len(v))
		}
		one := wireEmbedding{Object: "embedding", Index: i, Vector: v}
		if in.base64 {
			one.Vector = packed(v)
		}
		out.Data = append(out.Data, one)
	}
	write(c.w, http.StatusOK, out)
	return nil
}

// packed is a vector's numbers in base64, as OpenAI's clients read them: four bytes each,
// the lowest first.
func packed(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
