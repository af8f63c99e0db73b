package weight_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"elowen/server/embedding/local/encoder"
	"elowen/server/embedding/local/reference"
	"elowen/server/embedding/local/weight"
)

// The files of the packages are read whole, and have the shapes of their models.
func TestEmbeddedFiles(t *testing.T) {
	reference.Long(t)
	files := reference.Weights(t, weight.Pins()...)
	var models []*weight.Model
	r, err := files.Open(weight.Multilingual)
	if err != nil {
		t.Fatal(err)
	}
	m, err := weight.ReadMultilingual(r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	if m.Tokenizer.Count() != 250_002 || m.Vocab != 250_037 {
		t.Errorf("%d pieces, %d word vectors", m.Tokenizer.Count(), m.Vocab)
	}
	models = append(models, &m.Model)
	if r, err = files.Open(weight.English); err != nil {
		t.Fatal(err)
	}
	e, err := weight.ReadEnglish(r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	if e.Vocab != 30_522 {
		t.Errorf("%d word vectors", e.Vocab)
	}
	for _, m := range append(models, e) {
		if m.Width != 384 || m.Inner != 1536 || m.Heads != 12 || len(m.Layers) != 12 || m.MaxTokens != 512 || m.Eps != 1e-12 {
			t.Errorf("%d wide, %d inside, %d heads, %d layers, %d positions, epsilon %v", m.Width, m.Inner, m.Heads, len(m.Layers), m.MaxTokens, m.Eps)
		}
		if _, err := encoder.New(m.Weights); err != nil || m.Err() != nil {
			t.Error(err, m.Err())
		}
	}
}

// Weights come from an archive, whatever else is in it, and from a bare file under
// any name.
func TestAdd(t *testing.T) {
	embedded := reference.Weights(t, weight.EnglishTokenizer)
	r, err := embedded.Open(weight.EnglishTokenizer)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bare, packed := filepath.Join(dir, "download(1)"), filepath.Join(dir, "package.jar")
	if err := os.WriteFile(bare, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(file)
	for name, content := range map[string][]byte{"README": []byte("hello"), "a/../../" + weight.EnglishTokenizer.Name: content} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{bare, packed} {
		files := weight.Files{Embedded: fstest.MapFS{}, Dir: filepath.Join(t.TempDir(), weight.Folder)}
		pins, err := files.Add(from)
		if err != nil || len(pins) != 1 || pins[0] != weight.EnglishTokenizer {
			t.Fatalf("%v, %v", pins, err)
		}
		r, err := files.Open(weight.EnglishTokenizer)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if files.Has(weight.English) {
			t.Error("the weights are there too")
		}
	}
}
