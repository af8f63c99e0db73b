// Command overlay writes changed files of the standard library, with which go build
// -overlay makes the browser program smaller.
//
//	go run ./wasm/overlay -goroot "$(go env GOROOT)" -o bin/overlay
//
// Concepts. go-app and coder/websocket import net/http, for the server too, and with it
// comes TLS with all its cryptography, proxies, name service, tables of Unicode. The
// linker drops what can't be reached, but a package variable with an initial value
// and an init function are always reached. A cut names such a variable, or function,
// of one package; the file that declares it is copied without it. Nothing of the
// library is kept in this repository: the files are made from the toolchain's own.
//
// Invariants. What is cut is what the browser does itself, or what only a server, a
// certificate or a certification needs. A cut leaves behind something that does the
// same as before in the browser, or that can't be reached, or that no longer
// compiles for whoever would use it. A cut that doesn't fit another version of Go
// is left out and told: the program works without, and is larger.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", "", "directory to write to")
	root := flag.String("goroot", build.Default.GOROOT, "the Go whose library it is")
	flag.Parse()
	missed, err := write(*out, browserContext(*root), cuts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
	for _, m := range missed {
		fmt.Fprintln(os.Stderr, "overlay: left as it is:", m)
	}
}

// browserContext selects the files that a build for the browser is made of.
func browserContext(goroot string) *build.Context {
	c := build.Default
	c.GOROOT = goroot
	c.GOOS, c.GOARCH, c.CgoEnabled = "js", "wasm", false
	return &c
}

// write puts the changed files and the overlay.json that names them into out. missed
// are the cuts that don't fit this library.
func write(out string, c *build.Context, cuts []cut) (missed []error, err error) {
	out, err = filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for _, one := range cuts {
		files, err := one.apply(c)
		if err != nil {
			missed = append(missed, fmt.Errorf("%s: %w", one.Package, err))
			continue
		}
		for path, text := range files {
			rel, err := filepath.Rel(filepath.Join(c.GOROOT, "src"), path)
			if err != nil {
				return nil, err
			}
			into := filepath.Join(out, filepath.FromSlash(rel))
			if err := os.MkdirAll(filepath.Dir(into), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(into, text, 0o644); err != nil {
				return nil, err
			}
			if replace[path] != "" {
				return nil, fmt.Errorf("%s is in two cuts", one.Package)
			}
			replace[path] = into
		}
	}
	b, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return nil, err
	}
	return missed, os.WriteFile(filepath.Join(out, "overlay.json"), append(b, '\n'), 0o644)
}
