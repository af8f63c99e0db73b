package embedding_test

import (
	"math"
	"testing"
	"unicode/utf8"

	"elowen/server/embedding"
)

// What is taken for an address is stable, and holds nothing that may be a secret.
func FuzzEndpoint(f *testing.F) {
	for _, s := range []string{"https://api.example.org/v1", "HTTP://[::1]:80/a/../b", "http://u:p@h/?q#f", "http://h:x", "http://%41/", "//h", "http:///p"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		url, err := embedding.Endpoint(text)
		if err != nil {
			return
		}
		again, err := embedding.Endpoint(url)
		if err != nil || again != url {
			t.Errorf("%q became %q, and that %q, %v", text, url, again, err)
		}
	})
}

// A stored profile is read whole or refused, and written as it was read.
func FuzzProfile(f *testing.F) {
	p := embedding.Profile{Model: "m", Words: 0.7, Foreign: embedding.Foreign{Axis: []float32{0, 1}, Middle: 0.1}, Passages: embedding.Means{All: []float32{1, 2}, Apart: [][]float32{{1, 0}}, Tongues: map[string][]float32{"Hani": {3}}}}
	text, err := p.MarshalText()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"model":"m","passages":{"all":"AAAA"}}`))
	f.Add([]byte(`{"model":"m","foreign":{"axis":"AAAA","middle":1}}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p embedding.Profile
		if p.UnmarshalText(text) != nil || !utf8.ValidString(p.Model) {
			return
		}
		again, err := p.MarshalText()
		if err != nil {
			t.Fatalf("read from %q, and cannot be written: %v", text, err)
		}
		var q embedding.Profile
		if err := q.UnmarshalText(again); err != nil || q.Model != p.Model || len(q.Passages.All) != len(p.Passages.All) || len(q.Passages.Apart) != len(p.Passages.Apart) || len(q.Queries.Tongues) != len(p.Queries.Tongues) || len(q.Foreign.Axis) != len(p.Foreign.Axis) {
			t.Errorf("%q was read as %+v, and again as %+v, %v", text, p, q, err)
		}
	})
}

// A vector is one of length 1 afterwards, or was refused.
func FuzzNormalize(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40})
	f.Add([]byte{0, 0, 0xc0, 0x7f})
	f.Fuzz(func(t *testing.T, raw []byte) {
		v := make([]float32, len(raw)/4)
		embedding.Decode(v, raw[:len(v)*4])
		if embedding.Normalize(v) != nil {
			return
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("of length %v", math.Sqrt(sum))
		}
	})
}
