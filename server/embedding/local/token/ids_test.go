package token_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"elowen/server/embedding/local/reference"
	"elowen/server/embedding/local/token"
	"elowen/server/embedding/local/weight"
)

var update = flag.Bool("update", false, "record ids from the reference programs")

// tokenizer is what both have.
type tokenizer interface {
	Append(ids []int32, text string) []int32
	Frame() (begin, end int32)
	Count() int
}

func unigram(t testing.TB) *token.Unigram {
	t.Helper()
	reference.Weights(t, weight.Multilingual)
	u, err := loadUnigram()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// loadUnigram reads the embedded model's, once for all tests.
var loadUnigram = sync.OnceValues(func() (*token.Unigram, error) {
	r, err := weight.Files{}.Open(weight.Multilingual)
	if err != nil {
		return nil, err
	}
	m, err := weight.ReadMultilingual(r, r.Size())
	if err != nil {
		return nil, err
	}
	return token.NewUnigram(m.Tokenizer)
})

func wordPiece(t testing.TB) *token.WordPiece {
	t.Helper()
	r, err := reference.Weights(t, weight.EnglishTokenizer).Open(weight.EnglishTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	file := make([]byte, r.Size())
	if _, err := r.ReadAt(file, 0); err != nil {
		t.Fatal(err)
	}
	w, err := token.NewWordPiece(file)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// recorded is a line of testdata/ids.jsonl.
type recorded struct {
	Text      string  `json:"text"`
	Unigram   []int32 `json:"unigram"`
	WordPiece []int32 `json:"wordpiece"`
}

const record = "testdata/ids.jsonl"

func TestIdsAreThoseRecorded(t *testing.T) {
	if *update {
		texts := reference.Texts(400)
		texts = slices.DeleteFunc(texts, func(s string) bool { return len(s) > 1000 })
		var u, w [][]int32
		reference.Ask(t, "unigram_ids", texts, &u)
		reference.Ask(t, "wordpiece_ids", texts, &w)
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		for i, text := range texts {
			if err := enc.Encode(recorded{text, u[i], w[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(record, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u, w := unigram(t), wordPiece(t)
	file, err := os.Open(record)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		compare(t, "unigram", u, r.Text, r.Unigram)
		compare(t, "wordpiece", w, r.Text, r.WordPiece)
	}
	if n < 300 {
		t.Errorf("only %d lines", n)
	}
}

func compare(t *testing.T, name string, k tokenizer, text string, want []int32) {
	t.Helper()
	if got := k.Append(nil, text); !slices.Equal(got, want) {
		t.Errorf("%s of %+q:\n got %v\nwant %v", name, text, got, want)
	}
}

func TestIdsAreThoseOfTheReferences(t *testing.T) {
	texts := reference.Texts(10_000)
	for task, k := range map[string]tokenizer{"unigram_ids": unigram(t), "wordpiece_ids": wordPiece(t)} {
		var want [][]int32
		reference.Ask(t, task, texts, &want)
		if len(want) != len(texts) {
			t.Fatalf("%s: %d answers", task, len(want))
		}
		bad := 0
		for i, text := range texts {
			if got := k.Append(nil, text); !slices.Equal(got, want[i]) {
				if bad++; bad <= 5 {
					t.Errorf("%s of %+q:\n got %v\nwant %v", task, text, got, want[i])
				}
			}
		}
		if bad > 0 {
			t.Errorf("%s: %d of %d lines differ", task, bad, len(texts))
		}
	}
}

// A space ends a model's prefix, and no piece goes across one: the prefix has the
// same pieces whatever follows.
func TestPrefixesStayApart(t *testing.T) {
	for _, k := range []tokenizer{unigram(t), wordPiece(t)} {
		for _, prefix := range []string{"query:", "passage:"} {
			lead := k.Append(nil, prefix)
			for _, text := range reference.Texts(2_000) {
				ids := k.Append(nil, prefix+" "+text)
				if len(ids) < len(lead) || !slices.Equal(ids[:len(lead)], lead) {
					t.Fatalf("%q: %v", text, ids)
				}
			}
		}
	}
}

func TestLogProbabilities(t *testing.T) {
	u := unigram(t)
	the, rare := u.WordLogProbability("the"), u.WordLogProbability("sarcophagus")
	if !(the < 0 && rare < the-3) || u.WordLogProbability("\U000f0000x") > -30 {
		t.Errorf("the %v, sarcophagus %v", the, rare)
	}
	for _, id := range u.Append(nil, "the sarcophagus") {
		if p := u.LogProbability(id); p >= 0 || p < -21 {
			t.Errorf("piece %d: %v", id, p)
		}
	}
	if p := u.LogProbability(int32(u.Count())); p > -25 {
		t.Errorf("no piece: %v", p)
	}
}

var sentence = "Remember that the spare key for the summer house hangs behind the blue flower pot on the left side of the porch, " +
	"next to the old fishing rods, and that Grandmother's recipe box is in the kitchen."

func BenchmarkUnigram(b *testing.B)   { benchmark(b, unigram(b)) }
func BenchmarkWordPiece(b *testing.B) { benchmark(b, wordPiece(b)) }

func benchmark(b *testing.B, k tokenizer) {
	var ids []int32
	b.ReportAllocs()
	for b.Loop() {
		ids = k.Append(ids[:0], sentence)
	}
	b.ReportMetric(float64(len(ids)), "pieces")
}

func BenchmarkNewUnigram(b *testing.B) {
	r, err := reference.Weights(b, weight.Multilingual).Open(weight.Multilingual)
	if err != nil {
		b.Fatal(err)
	}
	m, err := weight.ReadMultilingual(r, r.Size())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := token.NewUnigram(m.Tokenizer); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever the text, its pieces are there, are not too many, and are found again.
func FuzzUnigram(f *testing.F)   { fuzz(f, smallUnigram(f)) }
func FuzzWordPiece(f *testing.F) { fuzz(f, smallWordPiece(f)) }

func fuzz(f *testing.F, k tokenizer) {
	for _, text := range reference.Texts(200) {
		f.Add(text)
	}
	f.Add("\x00\xff\xc3(")
	f.Fuzz(func(t *testing.T, text string) {
		ids := k.Append(nil, text)
		if len(ids) > 20*len(text)+1 {
			t.Errorf("%d pieces of %d bytes", len(ids), len(text))
		}
		for _, id := range ids {
			if id < 0 || int(id) >= k.Count() {
				t.Errorf("piece %d of %d", id, k.Count())
			}
		}
		if again := k.Append([]int32{7}, strings.Clone(text)); !slices.Equal(again[1:], ids) || again[0] != 7 {
			t.Errorf("%v, then %v", ids, again)
		}
	})
}
