package site

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"elowen/assets"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// Release names exactly the build that this program serves: its version, and the
// versions of both sets of files.
func Release(version string) string {
	s := &site{version: version, design: assets.Design()}
	if program, err := assets.Program(); err == nil {
		s.program = program
	}
	return s.release()
}

func (s *site) release() string {
	sets := s.design.Version
	if s.program != nil {
		sets += s.program.Version
	}
	sum := sha256.Sum256([]byte(sets + shellSource))
	return s.version + "+" + hex.EncodeToString(sum[:6])
}

// workerShell is what the service worker's text begins with.
type workerShell struct {
	Base     string   `json:"base"`
	Release  string   `json:"release"`
	Pages    []string `json:"pages"`
	Files    []string `json:"files"`
	Through  []string `json:"through"`
	Patience int      `json:"patience"` // milliseconds
}

func (s *site) workerSource() []byte {
	shell := workerShell{
		Base: s.base, Release: s.release(), Patience: setting.Int("offline.patienceMillis"),
		Pages: []string{s.at("memory/1")}, Files: []string{},
		// Not pages: answers that a person may open as such, and what isn't ours.
		Through: []string{"web/", "api/", "v1/", "mcp", "worker.js", "manifest.webmanifest"},
	}
	for _, p := range []string{api.PathHealth, api.PathReady, api.PathMetrics} {
		shell.Through = append(shell.Through, strings.TrimPrefix(p, "/"))
	}
	for _, p := range pages {
		if p.Path != "/" { // the app leads from there to the list
			shell.Pages = append(shell.Pages, s.at(p.Path))
		}
	}
	for _, set := range []*assets.Set{s.design, s.program} {
		if set == nil {
			continue
		}
		for _, name := range set.Names() {
			if keeps(name) {
				shell.Files = append(shell.Files, s.web(set, name))
			}
		}
	}
	list, err := json.Marshal(shell) // escapes what could end a script or a line
	if err != nil {
		panic("site: " + err.Error()) // only strings and numbers; can't happen
	}
	body, ok := s.design.File(assets.Worker)
	if !ok {
		panic("site: the service worker is not in the set")
	}
	return []byte("const shell = " + string(list) + ";\n" + string(body.Body))
}

// keeps tells whether a page without a network needs the file: not the licences, not
// what only an installation shows.
func keeps(name string) bool {
	return name != assets.Worker && !strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, ".png") &&
		!strings.HasPrefix(name, "screens/")
}
