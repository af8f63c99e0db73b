package local

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"elowen/server/embedding"
	"elowen/server/embedding/local/reference"
	"elowen/server/embedding/local/weight"
	"elowen/shared/fault"
)

func TestWithoutWeights(t *testing.T) {
	models := New(weight.Files{Embedded: fstest.MapFS{}, Dir: filepath.Join(t.TempDir(), weight.Folder)})
	for _, name := range []string{Multilingual, English} {
		if _, err := models.Open(name); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := models.Open("bert"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err := models.Frequencies(); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	list := models.List()
	if len(list) != 2 || list[0].Name() != Multilingual {
		t.Fatalf("%d models", len(list))
	}
	for _, m := range list {
		if m.Available() || m.Width() != Width || len(m.Hash()) != 64 {
			t.Errorf("%s: %v, %d wide, %q", m.Name(), m.Available(), m.Width(), m.Hash())
		}
		if _, err := m.Passages(t.Context(), []string{"a"}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", m.Name(), err)
		}
		if _, err := m.Queries(t.Context(), []string{"a"}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", m.Name(), err)
		}
		if _, _, err := m.Tokens(t.Context(), "a", true); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}

// Weights that were broken after they were added are found out, and right ones are
// taken without a new start.
func TestWeightsThatComeLater(t *testing.T) {
	reference.Long(t)
	r, err := reference.Weights(t, weight.Multilingual).Open(weight.Multilingual)
	if err != nil {
		t.Fatal(err)
	}
	file := make([]byte, r.Size())
	if _, err := r.ReadAt(file, 0); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	models := New(weight.Files{Embedded: fstest.MapFS{}, Dir: dir})
	file[len(file)/2] ^= 1
	path := filepath.Join(dir, weight.Multilingual.Name)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, models, Multilingual)
	if _, err := m.Queries(t.Context(), []string{"a"}); !fault.Is(err, fault.Invalid) {
		t.Fatalf("a changed file: %v", err)
	}
	file[len(file)/2] ^= 1
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := m.Queries(t.Context(), []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := open(t, modelsOf(t), Multilingual).Queries(t.Context(), []string{"a"})
	if err != nil || !slices.Equal(rows[0], embedded[0]) {
		t.Errorf("from a file it is another model than from the program: %v", err)
	}
	if err := models.Close(); err != nil {
		t.Error(err)
	}
}

// paragraph is a text of which each part is another.
func paragraph(sentences int) string {
	list := reference.Passages()
	var b strings.Builder
	for i := range sentences {
		b.WriteString(list[i%40])
		b.WriteByte(' ')
	}
	return b.String()
}

func TestWindowsOfALongText(t *testing.T) {
	reference.Long(t)
	models := modelsOf(t)
	for _, name := range []string{Multilingual, English} {
		m := open(t, models, name)
		text := paragraph(50)
		rows, err := m.Passages(t.Context(), []string{"short", text, ""})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 3 || len(rows[0]) != 1 || len(rows[1]) < 3 || len(rows[2]) != 1 {
			t.Fatalf("%s: %d, %d, %d windows", name, len(rows[0]), len(rows[1]), len(rows[2]))
		}
		l, err := m.load()
		if err != nil {
			t.Fatal(err)
		}
		sequences := l.windows(passagePrefix, l.passageLead, text, window)
		for i, seq := range sequences {
			if len(seq) > 512 || i < len(sequences)-1 && len(seq) != 512 {
				t.Errorf("%s: window %d has %d tokens", name, i, len(seq))
			}
			alone, err := l.means(t.Context(), [][]int32{seq})
			if err != nil || !slices.Equal(alone[0], rows[1][i]) {
				t.Errorf("%s: window %d alone is another: %v", name, i, err)
			}
		}
		for _, list := range rows {
			for _, row := range list {
				length := 0.0
				for _, x := range row {
					length += float64(x) * float64(x)
				}
				if len(row) != Width || math.Abs(length-1) > 1e-5 {
					t.Errorf("%s: a row of %d, length² %v", name, len(row), length)
				}
			}
		}
	}
}

func TestAtMostSixteenWindows(t *testing.T) {
	m := open(t, modelsOf(t), English)
	l, err := m.load()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.windows(passagePrefix, l.passageLead, strings.Repeat("one two ", 50_000), window)); n != 16 {
		t.Errorf("%d windows", n)
	}
}

func TestTokens(t *testing.T) {
	models := modelsOf(t)
	for _, name := range []string{Multilingual, English} {
		m := open(t, models, name)
		for _, text := range []string{"Where is the spare key?", "", "鍵はどこ", paragraph(50)} {
			for _, query := range []bool{true, false} {
				ids, states, err := m.Tokens(t.Context(), text, query)
				if err != nil || len(states) != len(ids)*Width {
					t.Fatalf("%s: %d ids, %d numbers, %v", name, len(ids), len(states), err)
				}
				pieces, err := m.Pieces(text)
				if err != nil || len(ids) > 510 || !slices.Equal(ids, pieces[:len(ids)]) || len(ids) < len(pieces) && len(ids) < 500 {
					t.Errorf("%s: %d ids of %d pieces, %v", name, len(ids), len(pieces), err)
				}
			}
		}
		// The states are those whose mean is the vector.
		l, err := m.load()
		if err != nil {
			t.Fatal(err)
		}
		text := "The ferry leaves at seven."
		sequence := l.windows(queryPrefix, l.queryLead, text, window)[0]
		all, err := l.encoder.Hidden(t.Context(), [][]int32{sequence})
		if err != nil {
			t.Fatal(err)
		}
		_, states, err := m.Tokens(t.Context(), text, true)
		if err != nil || !slices.Equal(all[(1+l.queryLead)*Width:len(all)-Width], states) {
			t.Errorf("%s: other states: %v", name, err)
		}
	}
}

func TestMeaning(t *testing.T) {
	models := modelsOf(t)
	for name, texts := range map[string][3]string{
		Multilingual: {"Wo liegt der Ersatzschlüssel?", "The spare key hangs behind the blue flower pot.", "The ferry leaves at seven."},
		English:      {"Where can I find another key for the house?", "The spare key hangs behind the blue flower pot.", "The ferry leaves at seven."},
	} {
		m := open(t, models, name)
		query, err := m.Queries(t.Context(), texts[:1])
		if err != nil {
			t.Fatal(err)
		}
		passages, err := m.Passages(t.Context(), texts[1:])
		if err != nil {
			t.Fatal(err)
		}
		own, other := reference.Cosine(query[0], passages[0][0]), reference.Cosine(query[0], passages[1][0])
		if own < other+0.03 {
			t.Errorf("%s: %.3f for what belongs together, %.3f for what doesn't", name, own, other)
		}
	}
}

func TestCancelled(t *testing.T) {
	m := open(t, modelsOf(t), English)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Passages(ctx, []string{"a"}); !fault.Is(err, fault.Cancelled) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := m.Queries(ctx, []string{"a"}); !fault.Is(err, fault.Cancelled) {
		t.Error(err)
	}
	if _, _, err := m.Tokens(ctx, "a", false); !fault.Is(err, fault.Cancelled) {
		t.Error(err)
	}
	// Nothing was kept: the next call has its turn.
	if _, err := m.Passages(t.Context(), []string{"a"}); err != nil {
		t.Error(err)
	}
}

// Many at once give what one gives.
func TestConcurrentCalls(t *testing.T) {
	m := open(t, modelsOf(t), English)
	texts := []string{"The ferry leaves at seven.", "A spare key", ""}
	want, err := m.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := m.Queries(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			rows, err := m.Passages(t.Context(), texts)
			for i := range rows {
				if !slices.Equal(rows[i][0], want[i][0]) {
					t.Errorf("passage %d is another", i)
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			rows, err := m.Queries(t.Context(), texts)
			for i := range rows {
				if !slices.Equal(rows[i], asked[i]) {
					t.Errorf("query %d is another", i)
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestEmbedder(t *testing.T) {
	e := Embedder{open(t, modelsOf(t), Multilingual)}
	for _, kind := range []embedding.Kind{embedding.Passage, embedding.Query} {
		results, err := e.Embed(t.Context(), []string{"a", paragraph(40)}, kind)
		if err != nil || len(results) != 2 || len(results[0].Vectors) != 1 {
			t.Fatalf("%d results, %v", len(results), err)
		}
		if n := len(results[1].Vectors); (kind == embedding.Query) != (n == 1) {
			t.Errorf("a long text has %d vectors", n)
		}
	}
	if s := e.Space(); s.File != weight.Multilingual.SHA256 || s.Model != Multilingual || s.Endpoint != "" {
		t.Errorf("space %+v", s)
	}
	if e.Limits().Texts < 1 {
		t.Error("it takes no text")
	}
}

func TestFrequencies(t *testing.T) {
	reference.Long(t)
	models := New(reference.Weights(t, weight.Pins()...))
	u, err := models.Frequencies()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := u.WordLogProbability("house"), u.WordLogProbability("sarcophagus"); !(a > b) {
		t.Errorf("house %v, sarcophagus %v", a, b)
	}
	m := open(t, models, Multilingual)
	if _, err := m.Pieces("a"); err != nil {
		t.Fatal(err)
	}
	again, err := models.Frequencies()
	if err != nil || again != u {
		t.Errorf("the tokenizer was made twice, %v", err)
	}
}

func BenchmarkQuery(b *testing.B) {
	models := modelsOf(b)
	for _, name := range []string{Multilingual, English} {
		m := open(b, models, name)
		if _, err := m.Kernel(); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Queries(b.Context(), []string{"where did we put the spare garden key"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Load is from the files to the first vector.
func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{Multilingual, English} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				models := New(reference.Weights(b, weight.Pins()...))
				if _, err := open(b, models, name).Kernel(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
