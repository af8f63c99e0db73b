package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
)

func TestDesignHasWhatThePageNeeds(t *testing.T) {
	set := Design()
	for _, name := range []string{
		Style, Theme, Boot, Icons, "icons-LICENSE.txt", "icons/favicon.svg", "icons/icon-192.png", "icons/maskable-512.png",
		"fonts/figtree-latin-wght-normal.woff2", "fonts/LICENSE-figtree.txt", "fonts/LICENSE-source-serif-4.txt",
		"fonts/LICENSE-jetbrains-mono.txt",
	} {
		f, ok := set.File(name)
		if !ok || len(f.Body) == 0 || f.Type == "" || len(f.Hash) != 16 || f.Size != len(f.Body) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range set.Names() {
		if strings.HasPrefix(name, "built/") || strings.HasPrefix(name, "css/") {
			t.Errorf("%s is served twice or not meant to be", name)
		}
	}
	if _, ok := set.File("no/such"); ok {
		t.Error("a file that isn't there was found")
	}
}

// Whatever the stylesheet refers to must be in the set: a wrong address shows only
// as a wrong typeface.
func TestStyleRefersOnlyToItsOwnFiles(t *testing.T) {
	style, _ := Design().File(Style)
	refs := regexp.MustCompile(`url\(([^)]*)\)`).FindAllStringSubmatch(string(style.Body), -1)
	if len(refs) == 0 {
		t.Fatal("no reference found; the test looks at the wrong thing")
	}
	for _, ref := range refs {
		name := strings.Trim(ref[1], `"'`)
		if strings.HasPrefix(name, "data:image/svg+xml") || strings.HasPrefix(name, "data:image/png") {
			continue
		}
		if _, ok := Design().File(name); !ok {
			t.Errorf("style.css refers to %s, which is not in the set", name)
		}
	}
}

func TestEveryFontHasItsLicence(t *testing.T) {
	for _, name := range Design().Names() {
		if !strings.HasSuffix(name, ".woff2") {
			continue
		}
		family, _, _ := strings.Cut(strings.TrimPrefix(name, "fonts/"), "-latin")
		text, err := files.ReadFile("fonts/LICENSE-" + family + ".txt")
		if err != nil || !strings.Contains(string(text), "SIL OPEN FONT LICENSE") {
			t.Errorf("%s: no licence (%v)", name, err)
		}
	}
}

func TestIconsHaveTheSizeInTheirName(t *testing.T) {
	size := regexp.MustCompile(`-(\d+)\.png$`)
	seen := 0
	for _, name := range Design().Names() {
		m := size.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		seen++
		f, _ := Design().File(name)
		c, err := png.DecodeConfig(bytes.NewReader(f.Body))
		if err != nil || c.Width != c.Height || m[1] != itoa(c.Width) {
			t.Errorf("%s: %dx%d, %v", name, c.Width, c.Height, err)
		}
	}
	if seen < 4 {
		t.Errorf("%d PNG icons, want at least four", seen)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestVersionFollowsContent(t *testing.T) {
	tree := func(extra string) fstest.MapFS {
		m := fstest.MapFS{
			"css/tokens.css": {Data: []byte("a{}")}, "css/app.css": {Data: []byte("b{}")}, "css/shell.css": {Data: []byte("s{}")}, "js/boot.js": {Data: []byte("1")},
		}
		if extra != "" {
			m["css/extra.css"] = &fstest.MapFile{Data: []byte(extra)}
		}
		return m
	}
	version := func(m fstest.MapFS) string {
		s, err := design(m)
		if err != nil {
			t.Fatal(err)
		}
		return s.Version
	}
	plain, extra := version(tree("")), version(tree("c{}"))
	if plain != version(tree("")) || plain == extra || extra == version(tree("d{}")) {
		t.Error("the version does not follow the content")
	}
	s, err := design(tree("c{}"))
	if err != nil {
		t.Fatal(err)
	}
	if style, _ := s.File(Style); string(style.Body) != "a{}\nb{}\ns{}\nc{}\n" {
		t.Errorf("style is %q", style.Body)
	}
	bad := tree("")
	bad["fonts/x.ttf"] = &fstest.MapFile{}
	if _, err := design(bad); err == nil {
		t.Error("a file without a media type was taken")
	}
	delete(bad, "css/app.css")
	if _, err := design(bad); err == nil {
		t.Error("a missing stylesheet was not noticed")
	}
}

func TestProgramStates(t *testing.T) {
	sum, _ := json.Marshal(Summary{SHA256: strings.Repeat("ab", 32), Size: 7})
	whole := func() fstest.MapFS {
		return fstest.MapFS{
			"built/app.json": {Data: sum}, "built/app.wasm.br": {Data: []byte("b")},
			"built/app.wasm.gz": {Data: []byte("g")}, "built/wasm_exec.js": {Data: []byte("//")},
		}
	}
	s, err := program(whole())
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := s.File(Wasm); f.Size != 7 || f.Type != "application/wasm" || f.Hash != "abababababababab" {
		t.Errorf("%+v", f)
	}
	for name := range whole() {
		m := whole()
		delete(m, name)
		if _, err := program(m); err == nil {
			t.Errorf("without %s it counts as built", name)
		}
	}
	m := whole()
	m["built/app.json"] = &fstest.MapFile{Data: []byte(`{"sha256":"short"}`)}
	if _, err := program(m); err == nil {
		t.Error("a broken summary counts as built")
	}
}

// With a built program, what is embedded must be what the summary says.
func TestBuiltProgramUnpacksToItsHash(t *testing.T) {
	set, err := Program()
	if err != nil {
		t.Logf("nothing to compare: %v", err)
		return
	}
	f, _ := set.File(Wasm)
	zr, err := gzip.NewReader(bytes.NewReader(f.Gzip))
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{"brotli": brotli.NewReader(bytes.NewReader(f.Br)), "gzip": zr} {
		h := sha256.New()
		n, err := io.Copy(h, r)
		if err != nil || int(n) != f.Size || hex.EncodeToString(h.Sum(nil))[:16] != f.Hash {
			t.Errorf("%s: %d bytes, %v; the summary says %d, %s", name, n, err, f.Size, f.Hash)
		}
	}
}
