// Package assets holds everything the browser is given besides its HTML: the
// stylesheets, fonts, icons and small scripts of the design, and the WebAssembly
// program that build.sh compresses into built/.
//
// Concepts. A Set is a group of files that change together and are served under
// one version, the hash of all of them, so that relative addresses inside a
// stylesheet stay within the version and everything may be cached for good.
// There are two sets: Design, which is part of the source, and Program, which
// exists only after a build.
//
// Invariants. The package compiles and is useful without a built program: git
// keeps only a placeholder in built/. The stylesheets (tokens, app, shell and,
// where they exist, extra, settings and recall) are served as one, style.css, in that order. The
// program is embedded compressed only; whoever can't read either encoding gets
// it unpacked on the way.
//
// What it doesn't do: no HTTP, no HTML. server/site serves what is here.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"sync"
)

//go:embed css fonts icons js screens icons.svg icons-LICENSE.txt all:built
var files embed.FS

// Names that server/site and the shell refer to.
const (
	Style    = "style.css"    // tokens, components and additions as one stylesheet
	Theme    = "theme.js"     // sets the chosen theme before the first paint
	Boot     = "boot.js"      // loads and starts the program
	Drafts   = "drafts.js"    // what was typed and not saved
	Keep     = "keep.js"      // what the browser keeps of an account
	Dots     = "dots.js"      // draws the points of the map
	Map      = "map.js"       // the map of memories; the app loads both when it is looked at
	Worker   = "worker.js"    // the service worker, without the list that server/site puts before it
	Icons    = "icons.svg"    // the sprite of icons, rings, mark and wordmark
	Wasm     = "app.wasm"     // the program
	WasmExec = "wasm_exec.js" // Go's support script, of the toolchain that built the program
)

// File is one file as it is served. Files of the program may have no Body, only
// the two encodings.
type File struct {
	Name string // within its set, with forward slashes
	Type string // media type with charset where it has one
	Hash string // 16 hex digits of SHA-256 over the plain content
	Size int    // bytes of the plain content
	Body []byte // the plain content; nil where only encodings are kept
	Gzip []byte // nil where it isn't kept
	Br   []byte // nil where it isn't kept
}

// Set is a group of files under one version.
type Set struct {
	Version string // 16 hex digits over all names and hashes
	files   map[string]*File
	names   []string
}

// NewSet makes a set of files, whose names must differ.
func NewSet(members ...*File) *Set {
	s := &Set{files: map[string]*File{}}
	for _, f := range members {
		s.files[f.Name] = f
	}
	s.seal()
	return s
}

// File is the file of a name, or false.
func (s *Set) File(name string) (*File, bool) {
	f, ok := s.files[name]
	return f, ok
}

// Names lists the files of the set, sorted.
func (s *Set) Names() []string { return append([]string(nil), s.names...) }

// Design is the set of stylesheet, fonts, icons and scripts. It panics if the
// embedded files are not what the package expects, which its test rules out.
var Design = sync.OnceValue(func() *Set {
	s, err := design(files)
	if err != nil {
		panic("assets: " + err.Error())
	}
	return s
})

// Program is the set of the WebAssembly program and its support script. The
// error says what is missing where nothing has been built.
var Program = sync.OnceValues(func() (*Set, error) { return program(files) })

// Built tells whether the program is part of this binary.
func Built() bool {
	_, err := Program()
	return err == nil
}

func design(from fs.FS) (*Set, error) {
	var members []*File
	var style []byte
	for _, name := range []string{"tokens", "app", "shell", "extra", "settings", "recall", "chat"} {
		b, err := fs.ReadFile(from, "css/"+name+".css")
		if err != nil && (name == "extra" || name == "settings" || name == "recall" || name == "chat") {
			continue
		}
		if err != nil {
			return nil, err
		}
		style = append(append(style, b...), '\n')
	}
	members = append(members, plainFile(Style, style))
	err := fs.WalkDir(from, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := p
		switch dir, _ := path.Split(p); dir {
		case "css/", "built/":
			return nil
		case "js/":
			name = path.Base(p)
		}
		if contentType(name) == "" {
			return fmt.Errorf("%s has no known media type", p)
		}
		b, err := fs.ReadFile(from, p)
		members = append(members, plainFile(name, b))
		return err
	})
	if err != nil {
		return nil, err
	}
	return NewSet(members...), nil
}

// Summary is what assets/pack writes beside the program it compressed.
type Summary struct {
	SHA256 string `json:"sha256"` // of the plain program, hex
	Size   int    `json:"size"`   // bytes of the plain program
	Exec   string `json:"exec"`   // SHA-256 of wasm_exec.js, hex
	// Quality is how hard brotli tried, 0 to 11: what is released has 11.
	Quality int `json:"quality"`
}

func program(from fs.FS) (*Set, error) {
	var sum Summary
	b, err := fs.ReadFile(from, "built/app.json")
	if err != nil {
		return nil, fmt.Errorf("the browser program is not built: %w", err)
	}
	if err := json.Unmarshal(b, &sum); err != nil || len(sum.SHA256) != 64 {
		return nil, fmt.Errorf("built/app.json is not readable: %v", err)
	}
	f := &File{Name: Wasm, Type: contentType(Wasm), Hash: sum.SHA256[:16], Size: sum.Size}
	if f.Br, err = fs.ReadFile(from, "built/app.wasm.br"); err != nil {
		return nil, err
	}
	if f.Gzip, err = fs.ReadFile(from, "built/app.wasm.gz"); err != nil {
		return nil, err
	}
	exec, err := fs.ReadFile(from, "built/"+WasmExec)
	if err != nil {
		return nil, err
	}
	return NewSet(f, plainFile(WasmExec, exec)), nil
}

func plainFile(name string, body []byte) *File {
	return &File{Name: name, Type: contentType(name), Hash: hash(body), Size: len(body), Body: body}
}

func (s *Set) seal() {
	h := sha256.New()
	for name := range s.files {
		s.names = append(s.names, name)
	}
	sort.Strings(s.names)
	for _, name := range s.names {
		fmt.Fprintf(h, "%s %s\n", name, s.files[name].Hash)
	}
	s.Version = hex.EncodeToString(h.Sum(nil))[:16]
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// contentType is fixed here instead of asked of the system, whose tables differ
// from one machine to the next.
func contentType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".webp":
		return "image/webp"
	case ".woff2":
		return "font/woff2"
	case ".wasm":
		return "application/wasm"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return ""
}
