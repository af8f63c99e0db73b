package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if _, err := pack(filepath.Join(dir, "none.wasm"), filepath.Join(dir, "none.js"), dir); err == nil {
		t.Error("a missing program was packed")
	}
}

func run(t *testing.T, wasm, exec, out string) string {
	t.Helper()
	said, err := pack(wasm, exec, out)
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
