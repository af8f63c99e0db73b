// Package site serves the web app's outside: the prerendered page of each route,
// the manifest, the service worker, and the files of package assets.
//
// Concepts. A page is a frame without data: brand, navigation and the shape of
// what comes, so the first paint needs neither the program nor an account, and
// nothing of anybody's can be in it. The program then replaces the frame. Files
// stand under web/VERSION/NAME, where VERSION is the hash of their set; such an
// address never changes its content and may be kept for good. Everything else
// (pages, manifest, web/NAME without a version) is asked about each time and
// answered 304 by a strong ETag of its content.
//
// A release is exactly one build: the version of the program with the versions of
// both sets. Pages carry theirs, every answer names the server's in a header, and the
// service worker, whose text begins with a list of its files, is another one for each
// release; so all three notice when they are no longer of one build.
//
// Invariants. No inline script or style, no remote address. Only GET and HEAD. An
// address of an older version is 404, never the current file: an old program must
// not run against new scripts. Unknown paths are 404, with a page for people.
//
// Paths arrive without the base path, as behind http.StripPrefix; addresses that
// leave (links, meta, manifest) carry it.
//
// What it doesn't do: no sessions, no data. What the service worker does when is in
// assets/js/worker.js.
package site

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"elowen/assets"
	"elowen/shared/api"
)

// Options say where the site stands.
type Options struct {
	// BasePath is the path of the app on its host, "/" or such as "/elowen/".
	// Missing slashes are added.
	BasePath string
	// Version of the program, shown to people and to go-app.
	Version string
	// PublicURL is the address under which people reach the server, if it is
	// known. Its host may be connected to by websocket, otherwise the request's.
	PublicURL string
}

type site struct {
	base      string // starts and ends with a slash, escaped for addresses
	version   string
	publicURL string
	design    *assets.Set
	program   *assets.Set // nil where nothing was built
	pages     map[string]*content
	memory    *content // any page below /memory/ that is one memory
	notFound  *content
	manifest  *content
	worker    *content
	files     map[string]*content // by path below web/
}

// New makes the handler of pages, manifest and files.
func New(o Options) http.Handler {
	s := &site{base: basePath(o.BasePath), version: o.Version, publicURL: o.PublicURL, design: assets.Design()}
	if program, err := assets.Program(); err == nil {
		s.program = program
	}
	return s.build()
}

func (s *site) build() http.Handler {
	s.files = map[string]*content{}
	for _, set := range []*assets.Set{s.design, s.program} {
		if set == nil {
			continue
		}
		for _, name := range set.Names() {
			f, _ := set.File(name)
			c := fileContent(f)
			s.files[set.Version+"/"+name] = c.kept()
			s.files[name] = c
		}
	}
	s.manifest = newContent("application/manifest+json", s.manifestJSON())
	s.pages = map[string]*content{}
	for _, p := range pages {
		s.pages[p.Path] = s.render(p)
	}
	s.memory = s.render(memoryPage)
	s.notFound = s.render(notFoundPage)
	s.worker = newContent("text/javascript; charset=utf-8", s.workerSource())
	return http.HandlerFunc(s.serve)
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	name, isFile := strings.CutPrefix(path, "/web/")
	isFile = isFile || path == "/web"
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set(api.HeaderVersion, s.release())
	switch {
	case isFile || path == "/manifest.webmanifest":
		h.Set("Content-Security-Policy", filePolicy)
	case path == "/worker.js":
		h.Set("Content-Security-Policy", workerPolicy)
	default:
		s.pageHeaders(h, r.Host)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "Only GET and HEAD are answered here.")
		return
	}
	switch {
	case path == "":
		http.Redirect(w, r, s.base, http.StatusPermanentRedirect)
	case isFile:
		c, ok := s.files[name]
		if !ok {
			plain(w, http.StatusNotFound, "There is no such file in this version.")
			return
		}
		c.serve(w, r, http.StatusOK)
	case path == "/manifest.webmanifest":
		s.manifest.serve(w, r, http.StatusOK)
	case path == "/worker.js":
		s.worker.serve(w, r, http.StatusOK)
	default:
		c, ok := s.page(path)
		if trimmed := strings.TrimSuffix(path, "/"); !ok && trimmed != "" && trimmed != "/" {
			// The target is a page of the table or a number, never what was sent.
			if _, known := s.page(trimmed); known {
				http.Redirect(w, r, query(s.at(trimmed), r.URL.RawQuery), http.StatusPermanentRedirect)
				return
			}
		}
		if !ok {
			s.notFound.serve(w, r, http.StatusNotFound)
			return
		}
		c.serve(w, r, http.StatusOK)
	}
}

// page is the prerendered page of a path. One memory's page is the same for each.
func (s *site) page(path string) (*content, bool) {
	if c, ok := s.pages[path]; ok {
		return c, true
	}
	if id, ok := strings.CutPrefix(path, "/memory/"); ok && isID(id) {
		return s.memory, true
	}
	if id, ok := strings.CutPrefix(path, "/categories/"); ok && isID(id) {
		return s.pages["/categories"], true
	}
	if id, ok := strings.CutPrefix(path, "/chat/"); ok && isID(id) {
		return s.pages["/chat"], true
	}
	return nil, false
}

// isID tells whether s is a positive whole number as an address carries it.
func isID(s string) bool {
	if s == "" || len(s) > 19 || s[0] == '0' {
		return false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// basePath puts slashes at both ends and escapes what an address can't carry.
func basePath(s string) string {
	s = strings.Trim(s, "/")
	if s == "" {
		return "/"
	}
	return (&url.URL{Path: "/" + s + "/"}).EscapedPath()
}

// query is an address with the query it was asked with.
func query(address, raw string) string {
	if raw == "" {
		return address
	}
	return address + "?" + raw
}

// at is the address of a path below the base.
func (s *site) at(path string) string { return s.base + strings.TrimPrefix(path, "/") }

// web is the address of a file of a set, for good.
func (s *site) web(set *assets.Set, name string) string {
	return s.base + "web/" + set.Version + "/" + name
}

func plain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// shellTemplate is parsed once; a fault in it is a defect of the program.
var shellTemplate = template.Must(template.New("shell").Parse(shellSource))
