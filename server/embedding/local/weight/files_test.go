package weight

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"elowen/shared/fault"
)

// pinOf is a pin of a content.
func pinOf(name, content string) Pin {
	sum := sha256.Sum256([]byte(content))
	return Pin{Name: name, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Package: wheel}
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestFilesFindWhatIsThere(t *testing.T) {
	p := pinOf("a.bin", "weights")
	dir := t.TempDir()
	none := Files{Embedded: noFiles{}, Dir: filepath.Join(dir, "none")}
	if _, err := none.Open(p); !fault.Is(err, fault.Unavailable) || none.Has(p) {
		t.Errorf("there is nothing: %v", err)
	}
	embedded := Files{Embedded: fstest.MapFS{"a.bin": {Data: []byte("weights")}}}
	own := Files{Embedded: noFiles{}, Dir: dir}
	if err := os.WriteFile(filepath.Join(dir, "a.bin"), []byte("weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Files{embedded, own} {
		r, err := f.Open(p)
		if err != nil || !f.Has(p) {
			t.Fatal(err)
		}
		b := make([]byte, 4)
		if _, err := r.ReadAt(b, 3); err != nil || string(b) != "ghts" || r.Size() != 7 {
			t.Errorf("%q, %v", b, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.bin"), []byte("weightS"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Open(p); !fault.Is(err, fault.Invalid) {
		t.Errorf("another content: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.bin"), []byte("weight"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Open(p); !fault.Is(err, fault.Unavailable) || own.Has(p) {
		t.Errorf("a part: %v", err)
	}
}

func TestWriteIsWholeOrNot(t *testing.T) {
	p := pinOf("a.bin", "weights")
	dir := filepath.Join(t.TempDir(), Folder)
	for content, kind := range map[string]fault.Kind{"weightS": fault.Invalid, "weight": fault.Invalid, "weights!": fault.Invalid} {
		if err := p.write(dir, bytes.NewReader([]byte(content))); !fault.Is(err, kind) {
			t.Errorf("%s: %v", content, err)
		}
		if list := names(t, dir); len(list) > 0 {
			t.Errorf("%s left %v", content, list)
		}
	}
	if err := p.write(dir, io.MultiReader(bytes.NewReader([]byte("weig")), iotestErr{})); err == nil {
		t.Error("half a file was taken")
	}
	for range 2 {
		if err := p.write(dir, bytes.NewReader([]byte("weights"))); err != nil {
			t.Fatal(err)
		}
	}
	if list := names(t, dir); len(list) != 1 || list[0] != "a.bin" {
		t.Errorf("there are %v", list)
	}
	// What is there and right isn't read again.
	if err := p.write(dir, iotestErr{}); err != nil {
		t.Error(err)
	}
	// What is there and wrong is replaced.
	if err := os.WriteFile(filepath.Join(dir, "a.bin"), []byte("WEIGHTS"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.write(dir, bytes.NewReader([]byte("weights"))); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a.bin")); err != nil || string(b) != "weights" {
		t.Errorf("%q, %v", b, err)
	}
}

// iotestErr can't be read.
type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAddRefusesOthers(t *testing.T) {
	dir := t.TempDir()
	files := Files{Embedded: noFiles{}, Dir: filepath.Join(dir, Folder)}
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var empty bytes.Buffer
	if err := zip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"nothing":            filepath.Join(dir, "none"),
		"a folder":           dir,
		"a text":             file("text", []byte("hello")),
		"an empty file":      file("empty", nil),
		"an empty archive":   file("empty.zip", empty.Bytes()),
		"another tokenizer":  file("tokenizer.json", make([]byte, EnglishTokenizer.Bytes)),
		"one in an archive":  file("other.zip", archive(t, "x/"+EnglishTokenizer.Name, make([]byte, EnglishTokenizer.Bytes))),
		"another in archive": file("small.zip", archive(t, EnglishTokenizer.Name, []byte("{}"))),
	} {
		if pins, err := files.Add(path); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, %v", what, pins, err)
		}
		if _, err := files.AddPackage(path); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s as a package: %v", what, err)
		}
	}
	if list := names(t, files.Dir); len(list) > 0 {
		t.Errorf("it left %v", list)
	}
}

func archive(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
