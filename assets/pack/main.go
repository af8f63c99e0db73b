// Command pack makes the browser program smaller (package module) and compresses it
// for embedding: app.wasm with brotli at its highest quality and with gzip, Go's
// support script beside them, and a summary with hash and length that package assets
// reads.
//
//	go run ./assets/pack -wasm FILE -exec FILE -o assets/built
//
// A program that is too large over the wire is an error; package app/page says how pages
// stay small.
//
// It writes nothing if what stands there is what would be written. Each
// file is put in place by a rename, after the old summary is gone and before the
// new one is there, so a broken-off run leaves a state that the next run repairs.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"elowen/assets"
	"elowen/assets/pack/module"

	"github.com/andybalholm/brotli"
)

func main() {
	wasm := flag.String("wasm", "", "the program, as go build wrote it")
	exec := flag.String("exec", "", "wasm_exec.js of the same toolchain")
	out := flag.String("o", "", "directory to write to")
	quick := flag.Bool("quick", false, "compress little: for trying things out, larger than what is released")
	flag.Parse()
	quality := brotli.BestCompression
	most := limit
	if *quick {
		quality, most = quickly, 2*limit
	}
	done, err := pack(*wasm, *exec, *out, quality, func(program []byte) ([]byte, error) { return module.Slim(program, own) }, most)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
	fmt.Println(done)
}

// limit is what a browser may have to download, in bytes of brotli: on a line of
// 10 Mbit/s it is there in a second and a half.
const limit = 1_900_000

// quickly is brotli's quality for trying things out: a tenth of the work.
const quickly = 4

// own tells whether a function is of this project: in a stack that the browser's
// console shows, files and lines of these are what one looks for.
func own(function string) bool {
	return strings.HasPrefix(function, "elowen/") || strings.HasPrefix(function, "main.")
}

// pack does the work and says in one line what it did.
func pack(wasm, exec, out string, quality int, slim func([]byte) ([]byte, error), limit int) (string, error) {
	linked, err := os.ReadFile(wasm)
	if err != nil {
		return "", err
	}
	program, err := slim(linked)
	if err != nil {
		return "", fmt.Errorf("%s: %w", wasm, err)
	}
	script, err := os.ReadFile(exec)
	if err != nil {
		return "", err
	}
	sum := assets.Summary{SHA256: digest(program), Size: len(program), Exec: digest(script), Quality: quality}
	if current(out, sum) {
		return fmt.Sprintf("%s: unchanged", assets.Wasm), nil
	}
	var br, gz bytes.Buffer
	var errBr, errGz error
	var both sync.WaitGroup
	both.Go(func() {
		errBr = compress(brotli.NewWriterOptions(&br, brotli.WriterOptions{Quality: quality, LGWin: window}), program)
	})
	both.Go(func() {
		w, err := gzip.NewWriterLevel(&gz, gzip.BestCompression)
		if err != nil {
			errGz = err
			return
		}
		errGz = compress(w, program)
	})
	both.Wait()
	if err := errors.Join(errBr, errGz); err != nil {
		return "", err
	}
	if br.Len() > limit {
		return "", fmt.Errorf("%s is %d bytes with brotli, of at most %d; package app/page says how pages stay small", assets.Wasm, br.Len(), limit)
	}
	summary, err := json.Marshal(sum)
	if err != nil {
		return "", err
	}
	if err := os.Remove(filepath.Join(out, "app.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, f := range []struct {
		name string
		body []byte
	}{
		{"app.wasm.br", br.Bytes()}, {"app.wasm.gz", gz.Bytes()}, {assets.WasmExec, script}, {"app.json", summary},
	} {
		if err := replace(filepath.Join(out, f.name), f.body); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s: %.2f MB, brotli %.3f MB of %.1f, gzip %.2f MB",
		assets.Wasm, mb(len(program)), mb(br.Len()), mb(limit), mb(gz.Len())), nil
}

// window is the logarithm of how far back brotli looks: as far as browsers allow,
// since the program is larger than the 4 MB of the default.
const window = 24

// current tells whether out holds the result for exactly this input.
func current(out string, want assets.Summary) bool {
	b, err := os.ReadFile(filepath.Join(out, "app.json"))
	if err != nil {
		return false
	}
	var have assets.Summary
	if json.Unmarshal(b, &have) != nil || have != want {
		return false
	}
	for _, name := range []string{"app.wasm.br", "app.wasm.gz", assets.WasmExec} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			return false
		}
	}
	return true
}

func compress(w io.WriteCloser, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}

func replace(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func mb(n int) float64 { return float64(n) / 1e6 }
