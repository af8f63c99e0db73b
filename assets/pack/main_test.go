package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"elowen/assets/pack/module"

	"github.com/andybalholm/brotli"
)

func TestPackRoundTripAndSkip(t *testing.T) {
	dir := t.TempDir()
	wasm, exec, out := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "wasm_exec.js"), filepath.Join(dir, "built")
	body := bytes.Repeat([]byte("\x00asm rings and leaves "), 5000)
	write(t, wasm, body)
	write(t, exec, []byte("// support"))

	if said := run(t, wasm, exec, out); !strings.Contains(said, "brotli") {
		t.Errorf("first run said %q", said)
	}
	if got := read(t, brotli.NewReader(open(t, out, "app.wasm.br"))); !bytes.Equal(got, body) {
		t.Error("brotli does not unpack to the program")
	}
	zr, err := gzip.NewReader(open(t, out, "app.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, zr); !bytes.Equal(got, body) {
		t.Error("gzip does not unpack to the program")
	}
	if said := run(t, wasm, exec, out); !strings.Contains(said, "unchanged") {
		t.Errorf("second run said %q", said)
	}

	// Anything missing, or another support script, is made again.
	if err := os.Remove(filepath.Join(out, "app.wasm.gz")); err != nil {
		t.Fatal(err)
	}
	if said := run(t, wasm, exec, out); strings.Contains(said, "unchanged") {
		t.Error("a missing file was not noticed")
	}
	write(t, exec, []byte("// another toolchain"))
	if said := run(t, wasm, exec, out); strings.Contains(said, "unchanged") {
		t.Error("another support script was not noticed")
	}
	write(t, filepath.Join(out, "app.json"), []byte("{broken"))
	if said := run(t, wasm, exec, out); strings.Contains(said, "unchanged") {
		t.Error("a broken summary was believed")
	}
}

func TestPackNeedsItsInput(t *testing.T) {
	dir := t.TempDir()
	if _, err := pack(filepath.Join(dir, "none.wasm"), filepath.Join(dir, "none.js"), dir, brotli.BestCompression, same, limit); err == nil {
		t.Error("a missing program was packed")
	}
}

// A program above the limit is told with its size, and what stood there stays.
func TestPackTooLarge(t *testing.T) {
	dir := t.TempDir()
	wasm, exec, out := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "wasm_exec.js"), filepath.Join(dir, "built")
	write(t, exec, []byte("// support"))
	write(t, wasm, []byte("small"))
	run(t, wasm, exec, out)
	before := read(t, open(t, out, "app.wasm.br"))

	noise := make([]byte, 5000)
	rand.NewChaCha8([32]byte{}).Read(noise)
	write(t, wasm, noise)
	_, err := pack(wasm, exec, out, brotli.BestCompression, same, 4999)
	if err == nil || !regexp.MustCompile(`app\.wasm is 5\d\d\d bytes .* at most 4999`).MatchString(err.Error()) {
		t.Errorf("too large: %v", err)
	}
	if got := read(t, open(t, out, "app.wasm.br")); !bytes.Equal(got, before) {
		t.Error("it was written")
	}
}

// What can't be made smaller is not packed.
func TestPackUnknownModule(t *testing.T) {
	dir := t.TempDir()
	wasm, exec := filepath.Join(dir, "app.wasm"), filepath.Join(dir, "wasm_exec.js")
	write(t, exec, []byte("// support"))
	write(t, wasm, []byte("\x00asm, but no more"))
	_, err := pack(wasm, exec, dir, brotli.BestCompression, func(b []byte) ([]byte, error) { return module.Slim(b, own) }, limit)
	if err == nil || !strings.Contains(err.Error(), "not a WebAssembly module") {
		t.Errorf("packed: %v", err)
	}
}

func TestOwn(t *testing.T) {
	for name, want := range map[string]bool{
		"elowen/app/page.(*App).Render": true, "main.main": true, "runtime.gopanic": false,
		"github.com/maxence-charriere/go-app/v10/pkg/app.RunWhenOnBrowser": false,
	} {
		if own(name) != want {
			t.Errorf("own(%q) is %v", name, !want)
		}
	}
}

func same(program []byte) ([]byte, error) { return program, nil }

func run(t *testing.T, wasm, exec, out string) string {
	t.Helper()
	said, err := pack(wasm, exec, out, brotli.BestCompression, same, limit)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir, name string) io.Reader {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

func read(t *testing.T, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
