package ollama_test

import (
	"context"
	"testing"

	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/embedding/endpoint"
	"elowen/server/embedding/ollama"
	"elowen/shared/api"
)

func TestVectorsOfTexts(t *testing.T) {
	s := embeddingtest.NewServer(t, "m", 4)
	e := endpoint.New(endpoint.Config{Space: embedding.Space{Kind: api.ProviderOllama, Endpoint: s.URL, Model: "m"}, Format: ollama.Format{}})
	texts := []string{"one", "two"}
	list, err := e.Embed(context.Background(), texts, embedding.Passage)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if r.Err != nil || !embeddingtest.Same(r.Vectors[0], "m", texts[i]) {
			t.Errorf("%q: %+v", texts[i], r)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"embeddings":[[1,2]]}`, `{"embeddings":[null,[1e3]]}`, `{"embeddings":[]}`, `{"error":"x"}`, `{"embeddings":[[1],[2]],"embeddings":[]}`} {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		n = max(1, min(n, 8))
		list, err := ollama.Format{}.Parse(data, n)
		if err == nil && len(list) != n {
			t.Fatalf("%d vectors for %d texts", len(list), n)
		}
	})
}
