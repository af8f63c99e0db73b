package main

import (
	"encoding/json"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every cut fits the Go that go.mod asks for, and the packages compile after it.
func TestCutsFit(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	missed, err := write(dir, browserContext(strings.TrimSpace(string(root))), cuts)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missed {
		t.Error(m)
	}
	args := []string{"build", "-trimpath", "-gcflags=all=-l", "-overlay", filepath.Join(dir, "overlay.json")}
	for _, c := range cuts {
		args = append(args, c.Package)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// library is a GOROOT with one package, p, of one file.
func library(t *testing.T, text string) *build.Context {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "src", "p")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]string{"p.go": text, "p_linux.go": "package p\n\nvar elsewhere = 1\n", "p_test.go": "package p\n\nvar a = 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return browserContext(root)
}

const before = `package p

import "strings"

// a is dear.
var a, c = 1, 2

var heavy = strings.Repeat("x", 1<<20)

var typed any = 7

var first, _, _ = strings.Cut(heavy, "y")

func init() { heavy += "y" }

func init() { heavy += "z" }

type T struct{ n int }

// Print is rarely used.
func (t *T) Print(n int) (s string, err error) {
	return heavy[:n], nil
}

func Print() string { return heavy }
`

const after = `package p

import "strings"

// a is dear.
var a, c = 1, 2

var heavy string

var typed any

var first string

func _() { heavy += "y" }

func _() { heavy += "z" }

type T struct{ n int }

// Print is rarely used.
func (t *T) _(n int) (s string, err error) {
	return heavy[:n], nil
}

func _() string { return heavy }

func _() { heavy = strings.Repeat("x", 1<<20) }

func _() { typed = 7 }

func _() { first, _, _ = strings.Cut(heavy, "y") }

func (t *T) Print(n int) (s string, err error) { return "", nil }
`

func TestCut(t *testing.T) {
	c := library(t, before)
	dir := t.TempDir()
	missed, err := write(dir, c, []cut{{
		Package: "p", Inits: true, Gone: []string{"Print"},
		Vars:   map[string]string{"heavy": "string", "first": "string", "typed": "any"},
		Bodies: map[string]string{"T.Print": `return "", nil`},
	}})
	if err != nil || len(missed) > 0 {
		t.Fatal(err, missed)
	}
	got, err := os.ReadFile(filepath.Join(dir, "p", "p.go"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != after {
		t.Errorf("became\n%s", got)
	}
	var overlay struct{ Replace map[string]string }
	b, err := os.ReadFile(filepath.Join(dir, "overlay.json"))
	if err == nil {
		err = json.Unmarshal(b, &overlay)
	}
	if err != nil || len(overlay.Replace) != 1 || overlay.Replace[filepath.Join(c.GOROOT, "src", "p", "p.go")] != filepath.Join(dir, "p", "p.go") {
		t.Errorf("overlay %v %v", overlay, err)
	}
}

// What doesn't fit is named and leaves its package alone, and others are cut.
func TestCutThatDoesNotFit(t *testing.T) {
	for name, k := range map[string]cut{
		"no such variable": {Vars: map[string]string{"heavy": "string", "none": "int"}},
		"several at once":  {Vars: map[string]string{"a": "int"}},
		"another system's": {Vars: map[string]string{"elsewhere": "int"}},
		"no such function": {Gone: []string{"Scan"}},
		"no such method":   {Bodies: map[string]string{"U.Print": ""}},
		"only a method":    {Gone: []string{"T.Scan"}},
	} {
		k.Package = "p"
		dir := t.TempDir()
		missed, err := write(dir, library(t, before), []cut{k, {Package: "p", Inits: true}, {Package: "q"}})
		if err != nil || len(missed) != 2 {
			t.Errorf("%s: missed %v, %v", name, missed, err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "p", "p.go"))
		if err != nil || !strings.Contains(string(got), "var heavy = ") || strings.Contains(string(got), "func init") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	if _, err := write(t.TempDir(), library(t, before), []cut{{Package: "p", Inits: true}, {Package: "p", Gone: []string{"Print"}}}); err == nil {
		t.Error("a package in two cuts")
	}
	if missed, err := write(t.TempDir(), library(t, "package p"), []cut{{Package: "p", Inits: true}}); err != nil || len(missed) != 1 {
		t.Errorf("no init functions: %v %v", missed, err)
	}
	if missed, err := write(t.TempDir(), library(t, "package p; func {"), []cut{{Package: "p", Inits: true}}); err != nil || len(missed) != 1 {
		t.Errorf("no Go: %v %v", missed, err)
	}
}
