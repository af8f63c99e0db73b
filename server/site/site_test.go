package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"elowen/assets"

	"github.com/andybalholm/brotli"
)

// The program of the tests: real encodings of a known text.
var program = []byte("\x00asm" + strings.Repeat("rings and leaves ", 400))

func testSite(base string, built bool) http.Handler {
	s := &site{base: basePath(base), version: "1.2.3", design: assets.Design()}
	if built {
		var br, gz bytes.Buffer
		b := brotli.NewWriter(&br)
		z := gzip.NewWriter(&gz)
		for _, w := range []io.WriteCloser{b, z} {
			w.Write(program)
			w.Close()
		}
		s.program = assets.NewSet(
			&assets.File{Name: assets.Wasm, Type: "application/wasm", Hash: "0123456789abcdef", Size: len(program), Br: br.Bytes(), Gzip: gz.Bytes()},
			&assets.File{Name: assets.WasmExec, Type: "text/javascript; charset=utf-8", Hash: "fedcba9876543210", Size: 2, Body: []byte("//")},
		)
	}
	return s.build()
}

func ask(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:4400/", nil)
	r.URL.Path = path
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func pagePaths() []string {
	paths := []string{"/memory/1", "/memory/9007199254740991"}
	for _, p := range pages {
		paths = append(paths, p.Path)
	}
	return paths
}

func TestEveryPageAndMethod(t *testing.T) {
	for _, built := range []bool{true, false} {
		for _, base := range []string{"/", "/elowen/"} {
			h := testSite(base, built)
			for _, path := range pagePaths() {
				w := ask(h, "GET", path)
				if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Body.Len() == 0 {
					t.Errorf("GET %s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
				}
				if head := ask(h, "HEAD", path); head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
					t.Errorf("HEAD %s: %d, %d bytes", path, head.Code, head.Body.Len())
				}
				for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
					if w := ask(h, method, path); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
						t.Errorf("%s %s: %d", method, path, w.Code)
					}
				}
			}
			for _, path := range []string{"/web/style.css", "/manifest.webmanifest", "/web/none", "/none"} {
				if w := ask(h, "POST", path); w.Code != 405 {
					t.Errorf("POST %s: %d", path, w.Code)
				}
			}
		}
	}
}

func TestUnknownAndHostilePaths(t *testing.T) {
	h := testSite("/", true)
	for _, path := range []string{
		"/none", "/memory//", "/memory/0", "/memory/0/", "/memory/01", "/memory/-1", "/memory/1e3", "/memory/99999999999999999999", "/memory/١",
		"//", "//evil.example", "//evil.example/memory", "/\\evil.example", "/../memory", "/memory/../web/style.css", "/%2e%2e/", "/index.html",
		"/memory\x00", "/<script>alert(1)</script>", "/app.js", "/app.css", "/app-worker.js", "/goapp.wasm", "/sitemap.xml", "memory", "*",
	} {
		w := ask(h, "GET", path)
		if w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%q: %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		if loc := w.Header().Get("Location"); loc != "" {
			t.Errorf("%q is sent on to %q", path, loc)
		}
		if strings.Contains(w.Body.String(), "evil") || strings.Contains(w.Body.String(), "alert") {
			t.Errorf("%q is repeated in the page", path)
		}
	}
	for _, path := range []string{
		"/web", "/web/", "/web/none.css", "/web/../site.go", "/web/built/app.json", "/web/css/app.css", "/web/js/boot.js", "/web/style.css/",
		"/web//style.css", "/web/STYLE.CSS", "/web/style.css\x00", "/web/0000000000000000/style.css", "/web/" + assets.Design().Version,
		"/web/" + assets.Design().Version + "/", "/web/" + assets.Design().Version + "/" + assets.Wasm, "/web/..%2fstyle.css",
	} {
		w := ask(h, "GET", path)
		if w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%q: %d %v", path, w.Code, w.Header())
		}
	}
	// A 404 is never answered "not modified", whatever the client claims to hold.
	if w := ask(h, "GET", "/none", "If-None-Match", "*"); w.Code != 404 {
		t.Errorf("unknown page with If-None-Match: %d", w.Code)
	}
}

func TestFilesTagsAndCaching(t *testing.T) {
	h := testSite("/elowen/", true)
	seen := map[string]string{}
	for _, name := range assets.Design().Names() {
		loose, kept := ask(h, "GET", "/web/"+name), ask(h, "GET", "/web/"+assets.Design().Version+"/"+name)
		f, _ := assets.Design().File(name)
		for _, w := range []*httptest.ResponseRecorder{loose, kept} {
			if w.Code != 200 || w.Header().Get("Content-Type") != f.Type || !bytes.Equal(w.Body.Bytes(), f.Body) {
				t.Errorf("%s: %d %s", name, w.Code, w.Header().Get("Content-Type"))
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s: %v", name, w.Header())
			}
		}
		if loose.Header().Get("Cache-Control") != "no-cache" || !strings.Contains(kept.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: cached %q and %q", name, loose.Header().Get("Cache-Control"), kept.Header().Get("Cache-Control"))
		}
		tag := loose.Header().Get("ETag")
		if other, ok := seen[tag]; ok {
			t.Errorf("%s and %s share the tag %s", name, other, tag)
		}
		seen[tag] = name
		for _, claim := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			w := ask(h, "GET", "/web/"+name, "If-None-Match", claim)
			if w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: %d", name, claim, w.Code)
			}
		}
		for _, claim := range []string{`"x"`, "", strings.Trim(tag, `"`), `"0123456789abcdef"`} {
			if w := ask(h, "GET", "/web/"+name, "If-None-Match", claim); w.Code != 200 {
				t.Errorf("%s with %q: %d", name, claim, w.Code)
			}
		}
	}
	// Pages are told apart by content, not by the version of the program.
	a, b := ask(h, "GET", "/memory"), ask(h, "GET", "/login")
	if a.Header().Get("ETag") == b.Header().Get("ETag") {
		t.Error("two pages share a tag")
	}
	if w := ask(h, "GET", "/login", "If-None-Match", a.Header().Get("ETag")); w.Code != 200 {
		t.Errorf("a page is answered %d for another page's tag", w.Code)
	}
	if w := ask(h, "GET", "/memory", "If-None-Match", a.Header().Get("ETag")); w.Code != 304 || a.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("an unchanged page: %d, %s", w.Code, a.Header().Get("Cache-Control"))
	}
}

func TestEncodings(t *testing.T) {
	h := testSite("/", true)
	for _, c := range []struct{ accept, want string }{
		{"gzip, deflate, br, zstd", "br"}, {"br;q=0.1, gzip;q=1", "br"}, {"gzip, deflate", "gzip"}, {"GZIP", "gzip"},
		{"br;q=0, gzip", "gzip"}, {"br; q=0.0, gzip;q=0", ""}, {"", ""}, {"identity", ""}, {"*", "br"}, {"*;q=0", ""}, {"br;q=0, *", "gzip"},
		{"*;q=0, gzip", "gzip"}, {"brotli, xgzip", ""}, {",,;;=,q", ""},
	} {
		tags := map[string]bool{}
		for _, path := range []string{"/web/app.wasm", "/web/style.css", "/memory", "/manifest.webmanifest"} {
			plain := ask(h, "GET", path)
			w := ask(h, "GET", path, "Accept-Encoding", c.accept)
			if got := w.Header().Get("Content-Encoding"); got != c.want {
				t.Errorf("%s for %q: %q, want %q", path, c.accept, got, c.want)
				continue
			}
			if body := unpacked(t, w); !bytes.Equal(body, plain.Body.Bytes()) {
				t.Errorf("%s for %q unpacks to something else", path, c.accept)
			}
			if w.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s has no Vary", path)
			}
			if tags[w.Header().Get("ETag")] || c.want != "" && w.Header().Get("ETag") == plain.Header().Get("ETag") {
				t.Errorf("%s: encodings share the tag %s", path, w.Header().Get("ETag"))
			}
			tags[w.Header().Get("ETag")] = true
		}
	}
	w := ask(h, "GET", "/web/app.wasm", "Accept-Encoding", "br")
	if w.Header().Get("Content-Type") != "application/wasm" || w.Header().Get(lengthHeader) != "6804" || len(program) != 6804 {
		t.Errorf("%v, %d", w.Header(), len(program))
	}
	if w := ask(h, "HEAD", "/web/app.wasm"); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "6804" {
		t.Errorf("HEAD of the unpacked program: %d, %v", w.Code, w.Header())
	}
	// Fonts are compressed already.
	if w := ask(h, "GET", "/web/fonts/figtree-latin-wght-normal.woff2", "Accept-Encoding", "br, gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a font is compressed twice")
	}
}

func unpacked(t *testing.T, w *httptest.ResponseRecorder) []byte {
	t.Helper()
	var r io.Reader = w.Body
	switch w.Header().Get("Content-Encoding") {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Pages are written so that a strict XML reader takes them: what is well-formed
// there has no unclosed element and no unquoted attribute.
func TestPagesAreWellFormedAndCarryNothingInline(t *testing.T) {
	for _, built := range []bool{true, false} {
		for _, base := range []string{"/", "/elowen/", `/a"b<c>/`} {
			h := testSite(base, built)
			for _, path := range append(pagePaths(), "/nowhere") {
				html := ask(h, "GET", path).Body.String()
				check(t, base, path, html)
				if wants := !built && path != "/nowhere"; wants != strings.Contains(html, "./build.sh wasm") {
					t.Errorf("%s, built %v: what to do is said %v", path, built, !wants)
				}
				if strings.Contains(html, "elowen-wasm") != built {
					t.Errorf("%s, built %v: the program's address", path, built)
				}
			}
		}
	}
}

func check(t *testing.T, base, path, html string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(html))
	d.Entity = xml.HTMLEntity
	root := basePath(base)
	firstBody := ""
	inBody := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s%s is not well-formed: %v", base, path, err)
		}
		el, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if inBody && firstBody == "" {
			firstBody = el.Name.Local
		}
		inBody = inBody || el.Name.Local == "body"
		src := ""
		for _, a := range el.Attr {
			name := strings.ToLower(a.Name.Local)
			if name == "style" || strings.HasPrefix(name, "on") {
				t.Errorf("%s: <%s %s>", path, el.Name.Local, name)
			}
			if name == "src" || name == "href" {
				src = a.Value
				if !strings.HasPrefix(a.Value, root) || strings.HasPrefix(a.Value, "//") {
					t.Errorf("%s: <%s> points to %q, outside of %s", path, el.Name.Local, a.Value, root)
				}
			}
		}
		if el.Name.Local == "style" || el.Name.Local == "base" || el.Name.Local == "iframe" {
			t.Errorf("%s has <%s>", path, el.Name.Local)
		}
		if el.Name.Local == "script" {
			if src == "" {
				t.Errorf("%s has an inline script", path)
			}
			if next, _ := d.Token(); next != nil {
				if _, ended := next.(xml.EndElement); !ended {
					t.Errorf("%s has a script with content", path)
				}
			}
		}
	}
	// go-app takes the first element of the body as the place of the program.
	if firstBody != "div" && firstBody != "main" {
		t.Errorf("%s: the body starts with <%s>", path, firstBody)
	}
}

// Each address that a page names is answered, under any base path.
func TestEveryAddressOnAPageIsServed(t *testing.T) {
	for _, base := range []string{"/", "/elowen/"} {
		h := testSite(base, true)
		seen := 0
		for _, path := range pagePaths() {
			html := ask(h, "GET", path).Body.String()
			for _, m := range regexp.MustCompile(`(?:href|src|content)="(/[^"#]*)`).FindAllStringSubmatch(html, -1) {
				rest := "/" + strings.TrimPrefix(m[1], basePath(base))
				if strings.HasSuffix(rest, "/") && rest != "/" {
					continue // elowen-web, a folder
				}
				seen++
				if w := ask(h, "GET", rest); w.Code != 200 {
					t.Errorf("%s names %s: %d", path, m[1], w.Code)
				}
			}
		}
		if seen < 50 {
			t.Errorf("only %d addresses found", seen)
		}
	}
}

func TestIconsOnPagesAreInTheSprite(t *testing.T) {
	sprite, _ := assets.Design().File(assets.Icons)
	h := testSite("/", true)
	for _, path := range pagePaths() {
		for _, m := range regexp.MustCompile(`icons\.svg#([a-z0-9-]+)`).FindAllStringSubmatch(ask(h, "GET", path).Body.String(), -1) {
			if !strings.Contains(string(sprite.Body), `id="`+m[1]+`"`) {
				t.Errorf("%s uses the icon %s, which isn't there", path, m[1])
			}
		}
	}
}

func TestBaseWithoutSlashIsSentOn(t *testing.T) {
	w := ask(http.StripPrefix("/elowen", testSite("/elowen/", true)), "GET", "/elowen")
	if w.Code != 308 || w.Header().Get("Location") != "/elowen/" {
		t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestTrailingSlashIsSentOn(t *testing.T) {
	h := testSite("/elowen/", true)
	for path, want := range map[string]string{
		"/memory/": "/elowen/memory", "/memory/7/": "/elowen/memory/7", "/login/": "/elowen/login", "/memory/trash/": "/elowen/memory/trash",
	} {
		if w := ask(h, "GET", path); w.Code != 308 || w.Header().Get("Location") != want {
			t.Errorf("%s: %d to %q", path, w.Code, w.Header().Get("Location"))
		}
	}
	r := httptest.NewRequest("GET", "http://127.0.0.1:4400/memory/?q=a%20b", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := w.Header().Get("Location"); got != "/elowen/memory?q=a%20b" {
		t.Errorf("the query is lost: %q", got)
	}
}

func TestBasePath(t *testing.T) {
	for in, want := range map[string]string{
		"": "/", "/": "/", "elowen": "/elowen/", "/elowen": "/elowen/", "/elowen/": "/elowen/", "/a/b/": "/a/b/", "//a//": "/a/", "/a b/": "/a%20b/",
	} {
		if got := basePath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestManifest(t *testing.T) {
	for _, base := range []string{"/", "/elowen/"} {
		h := testSite(base, true)
		w := ask(h, "GET", "/manifest.webmanifest")
		if w.Header().Get("Content-Type") != "application/manifest+json" || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%v", w.Header())
		}
		var m manifest
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		if m.Scope != base || m.ID != base || !strings.HasPrefix(m.StartURL, base) || m.Display != "standalone" {
			t.Errorf("%+v", m)
		}
		purposes := map[string]bool{}
		for _, i := range m.Icons {
			purposes[i.Purpose+" "+i.Sizes] = true
			if w := ask(h, "GET", "/"+strings.TrimPrefix(i.Src, base)); w.Code != 200 || w.Header().Get("Content-Type") != i.Type {
				t.Errorf("icon %s: %d %s", i.Src, w.Code, w.Header().Get("Content-Type"))
			}
		}
		for _, want := range []string{"any 192x192", "any 512x512", "maskable 192x192", "maskable 512x512"} {
			if !purposes[want] {
				t.Errorf("no icon for %s", want)
			}
		}
		for _, s := range m.Shortcuts {
			path, _, _ := strings.Cut(s.URL, "?")
			if w := ask(h, "GET", "/"+strings.TrimPrefix(path, base)); w.Code != 200 || !strings.HasPrefix(s.URL, base) {
				t.Errorf("shortcut %s: %d", s.URL, w.Code)
			}
		}
	}
}

func TestPagePolicy(t *testing.T) {
	h := testSite("/", true)
	r := httptest.NewRequest("GET", "http://127.0.0.1:4400/memory", nil)
	for _, c := range []struct {
		host, public string
		connect      string
	}{
		{"127.0.0.1:4400", "", "connect-src 'self' ws://127.0.0.1:4400 wss://127.0.0.1:4400;"},
		{"[::1]:4400", "", "connect-src 'self' ws://[::1]:4400 wss://[::1]:4400;"},
		{"a.example", "", "connect-src 'self' ws://a.example wss://a.example;"},
		{"a.example; script-src *", "", "connect-src 'self';"},
		{"*", "", "connect-src 'self';"},
		{"", "", "connect-src 'self';"},
		{"a.example 'unsafe-inline'", "", "connect-src 'self';"},
		{"inside:4400", "https://memory.example/elowen/", "connect-src 'self' ws://memory.example wss://memory.example;"},
	} {
		s := &site{base: "/", publicURL: c.public, design: assets.Design()}
		r.Host = c.host
		w := httptest.NewRecorder()
		s.build().ServeHTTP(w, r)
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, c.connect) {
			t.Errorf("host %q: %s", c.host, policy)
		}
		for _, never := range []string{"unsafe-inline", "'unsafe-eval'", "script-src *", "http:", "https:"} {
			if strings.Contains(policy, never) {
				t.Errorf("host %q: %s in %s", c.host, never, policy)
			}
		}
		for _, want := range []string{"default-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("no %s in %s", want, policy)
			}
		}
	}
	for _, path := range []string{"/memory", "/nowhere"} {
		got := ask(h, "GET", path).Header()
		if got.Get("X-Content-Type-Options") != "nosniff" || got.Get("Referrer-Policy") == "" || got.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestNewWorksWhateverWasBuilt(t *testing.T) {
	h := New(Options{BasePath: "/elowen/", Version: "dev", PublicURL: "https://memory.example/elowen/"})
	if w := ask(h, "GET", "/memory"); w.Code != 200 || strings.Contains(w.Body.String(), "elowen-wasm") != assets.Built() {
		t.Errorf("%d, built %v", w.Code, assets.Built())
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/", "/memory/1", "/web/style.css", "//x", "/web/../..", "", "/\x00"} {
		f.Add(seed, "br, gzip", `"x"`, "127.0.0.1")
	}
	h := testSite("/elowen/", true)
	f.Fuzz(func(t *testing.T, path, accept, match, host string) {
		r := httptest.NewRequest("GET", "http://127.0.0.1/", nil)
		r.URL.Path, r.Host = path, host
		r.Header.Set("Accept-Encoding", accept)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%d for %q", w.Code, path)
		}
		if loc := w.Header().Get("Location"); loc != "" && (!strings.HasPrefix(loc, "/elowen/") || strings.HasPrefix(loc, "//")) {
			t.Errorf("%q is sent on to %q", path, loc)
		}
		if strings.ContainsAny(w.Header().Get("Content-Security-Policy"), "\r\n,*") {
			t.Errorf("host %q got into the policy: %s", host, w.Header().Get("Content-Security-Policy"))
		}
	})
}
