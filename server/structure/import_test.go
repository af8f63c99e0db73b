package structure

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Adapters decode, validate, call and encode. They know nouns, never the store
// and never each other; only command puts them together.
var adapters = []string{"server/httpd", "server/live", "server/mcpd", "server/openaid", "server/site"}

// below are the nouns that each noun stands on; it may know those, and what they
// stand on. Whatever else is in the server and no adapter knows no noun.
var below = map[string][]string{
	"server/db":         nil,
	"server/account":    {"server/db"},
	"server/project":    {"server/account"},
	"server/category":   {"server/project"},
	"server/audit":      {"server/account"},
	"server/lexicon":    {"server/db"},
	"server/embedding":  {"server/db"},
	"server/late":       {"server/lexicon", "server/embedding"},
	"server/memory":     {"server/audit", "server/category", "server/lexicon", "server/embedding", "server/late"},
	"server/vector":     {"server/memory"},
	"server/layout":     {"server/vector"},
	"server/settings":   {"server/db"},
	"server/recall":     {"server/vector", "server/settings"},
	"server/model":      {"server/settings", "server/account", "server/embedding"},
	"server/schedule":   {"server/db"},
	"server/retention":  {"server/memory", "server/settings", "server/schedule"},
	"server/transfer":   {"server/retention", "server/transcript"},
	"server/feed":       {"server/db"},
	"server/projection": {"server/memory", "server/feed"},

	// What is shown live beside memories: a file a noun. It knows them so that
	// projection need not.
	"server/projection/view":           {"server/projection", "server/retention", "server/job", "server/turn"},
	"server/projection/projectiontest": {"server/projection/view"},

	"server/categorizer": {"server/memory", "server/model", "server/feed"},
	"server/job":         {"server/categorizer", "server/embedding/queue", "server/transcript"},
	"server/delivery":    {"server/memory", "server/journal"},
	"server/tool":        {"server/delivery", "server/recall", "server/job"},
	"server/output":      {"server/tool"},
	"server/script":      {"server/tool"},
	"server/file":        {"server/tool"},
	"server/remote":      {"server/tool"},
	"server/calibration": {"server/memory", "server/settings"},

	"server/backup": {"server/retention", "server/transcript"},

	"server/fit":             {"server/recall"},
	"server/embedding/queue": {"server/memory", "server/feed"},
	"server/doctor":          {"server/backup"},

	"server/turn": {"server/tool", "server/model"},

	"server/journal":    {"server/db"},
	"server/transcript": {"server/journal", "server/recall", "server/embedding/queue"},
}

// noun is the noun that a folder or import path belongs to, the innermost one, or "".
func noun(name string) string {
	inner := ""
	for n := range below {
		if under(name, n) && len(n) > len(inner) {
			inner = n
		}
	}
	return inner
}

// stands tells whether one noun stands on another, over however many between.
func stands(on, what string) bool {
	for _, n := range below[what] {
		if n == on || stands(on, n) {
			return true
		}
	}
	return false
}

// wiring is where everything may meet: the program and what starts it whole.
var wiring = []string{"server/command", "server/servertest", "server/bench"}

const (
	goApp     = "github.com/maxence-charriere/go-app/v10"
	websocket = "github.com/coder/websocket"
)

func among(name string, dirs []string) bool {
	for _, dir := range dirs {
		if under(name, dir) {
			return true
		}
	}
	return false
}

// forbidden says why a file must not import a package, or "".
func forbidden(g goFile, name string) string {
	to := local(name)
	switch {
	case under(g.dir, "shared"):
		return forbiddenShared(g, name, to)
	case under(g.dir, "app") || under(g.dir, "wasm"):
		return forbiddenBrowser(g, name, to)
	case under(g.dir, "assets"):
		if to != "" && !under(to, "assets") {
			return "assets stand alone"
		}
		return ""
	}
	return forbiddenServer(g, name, to)
}

func forbiddenShared(g goFile, name, to string) string {
	if under(to, "shared") {
		return ""
	}
	if to != "" {
		return "shared is below everything else"
	}
	if g.test {
		return ""
	}
	if !standard(name) {
		return "shared takes the standard library only, so that both sides can afford it"
	}
	switch root, _, _ := strings.Cut(name, "/"); root {
	case "os", "net", "syscall", "database", "plugin":
		if name != "net/url" {
			return "shared does no I/O"
		}
	}
	if strings.HasSuffix(name, "/rand") {
		return "shared has no randomness"
	}
	return ""
}

func forbiddenBrowser(g goFile, name, to string) string {
	switch {
	case under(to, "server"):
		return "the browser's build contains nothing of the server"
	case to == "assets" || under(to, "assets"):
		return "the browser is given assets by address"
	case to != "" && !under(to, "shared") && !under(to, "app"):
		return "the browser knows app and shared"
	case under(g.dir, "app/state") && (under(name, goApp) || under(to, "app") && !under(to, "app/state") || name == "syscall/js"):
		return "app/state is tested natively, without go-app or a browser"
	case name == "net/http" && !g.test:
		return "the client of net/http costs half a megabyte; fetch is there"
	case !standard(name) && to == "" && !under(name, goApp) && !under(name, websocket) && !g.test:
		return "the browser links go-app and the websocket, nothing else from outside"
	}
	return ""
}

func forbiddenServer(g goFile, name, to string) string {
	switch {
	case g.test && to == "app/state":
		return "" // what the browser makes of a frame is how a test judges frames
	case under(to, "app") || under(to, "wasm"):
		return "the server doesn't know the app's code; site serves what was built"
	case under(name, goApp):
		return "only the browser's side uses go-app"
	case among(g.dir, wiring) || g.dir == "server":
		return ""
	case under(to, "server/command"):
		return "only the program itself imports command"
	case under(to, "server/servertest") && !g.test:
		return "servertest is for tests"
	case under(g.dir, "server/vitality") && to != "" && !under(to, "shared") && !under(to, "server/vitality"):
		return "vitality is pure"
	case under(g.dir, "server/db") && to != "" && !under(to, "shared") && !under(to, "server/db"):
		return "db is below every noun"
	}
	if from, to := noun(g.dir), noun(to); to != "" && from != to && !g.test && !among(g.dir, adapters) && !stands(to, from) {
		if from == "" {
			return "only nouns, adapters and what puts them together know nouns"
		}
		return from + " doesn't stand on " + to
	}
	for _, a := range adapters {
		inside := under(g.dir, a)
		if !inside && under(to, a) {
			return "adapters are put together by command alone"
		}
		if inside && under(to, "server/db") && !g.test {
			return "adapters call nouns, never the store"
		}
	}
	return ""
}

func TestImports(t *testing.T) {
	seen := 0
	for _, g := range source(t).code {
		for _, name := range g.imports {
			seen++
			if why := forbidden(g, name); why != "" {
				t.Errorf("%s imports %s: %s", g.path, name, why)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d imports seen", seen)
	}
}

// The rules must catch what they are for.
func TestImportRulesCatch(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		test, ok  bool
	}{
		{"shared/api", "time", false, true},
		{"shared/api", "elowen/shared/fault", false, true},
		{"shared/api", "net/url", false, true},
		{"shared/api", "os", false, false},
		{"shared/api", "math/rand", false, false},
		{"shared/api", "elowen/server/memory", false, false},
		{"shared/api", "pgregory.net/rapid", false, false},
		{"shared/api", "pgregory.net/rapid", true, true},
		{"app/page", goApp + "/pkg/app", false, true},
		{"app/state", goApp + "/pkg/app", false, false},
		{"app/state", "elowen/app/page", false, false},
		{"app/page", "net/http", false, false},
		{"app/page", "github.com/go-playground/validator/v10", false, false},
		{"app/sync", websocket, false, true},
		{"wasm", "elowen/server/vitality", false, false},
		{"server/httpd", "elowen/server/memory", false, true},
		{"server/httpd", "elowen/server/db", false, false},
		{"server/httpd", "elowen/server/live", false, false},
		{"server/httpd", "elowen/server/httpd/problem", false, true},
		{"server/memory", "elowen/server/httpd", false, false},
		{"server/memory", "elowen/server/db", false, true},
		{"server/memory", "elowen/app/state", false, false},
		{"server/projection", "elowen/app/state", true, true},
		{"server/memory", "elowen/server/command", false, false},
		{"server/vitality", "elowen/server/db", false, false},
		{"server/vitality", "elowen/shared/setting", false, true},
		{"server/db", "elowen/server/memory", false, false},
		{"server/memory", "elowen/server/lexicon", false, true},
		{"server/lexicon", "elowen/server/words", false, true},
		{"server/lexicon", "elowen/server/memory", false, false},
		{"server/memory", "elowen/server/embedding", false, true},
		{"server/embedding/openai", "elowen/server/embedding", false, true},
		{"server/embedding/local", "elowen/server/memory", false, false},
		{"server/embedding/queue", "elowen/server/memory", false, true},
		{"server/embedding/queue", "elowen/server/embedding/openai", false, true},
		{"server/memory", "elowen/server/embedding/queue", false, false},
		{"server/vector", "elowen/server/memory", false, true},
		{"server/model", "elowen/server/memory", false, false},
		{"server/lexicon", "elowen/server/category", false, false},
		{"server/memory", "elowen/server/account", false, true},
		{"server/memory", "elowen/server/audit", false, true},
		{"server/retention", "elowen/server/audit", false, true},
		{"server/audit", "elowen/server/memory", false, false},
		{"server/memory", "elowen/server/retention", false, false},
		{"server/memory", "elowen/server/retention", true, true},
		{"server/category", "elowen/server/memory", false, false},
		{"server/account", "elowen/server/category", false, false},
		{"server/retention", "elowen/server/transfer", false, false},
		{"server/retention", "elowen/server/schedule", false, true},
		{"server/schedule", "elowen/server/retention", false, false},
		{"server/retention", "elowen/server/db", false, true},
		{"server/transfer", "elowen/server/backup", false, false},
		{"server/backup", "elowen/server/memory", false, true},
		{"server/projection", "elowen/server/feed", false, true},
		{"server/projection/projectiontest", "elowen/server/projection", false, true},
		{"server/projection", "elowen/server/retention", false, false},
		{"server/projection", "elowen/server/projection/view", false, false},
		{"server/projection/view", "elowen/server/retention", false, true},
		{"server/projection/view", "elowen/server/transfer", false, false},
		{"server/memory", "elowen/server/feed", false, false},
		{"server/memory", "elowen/server/validation", false, true},
		{"server/validation", "elowen/server/category", false, false},
		{"server/words", "elowen/server/db", false, false},
		{"server/command", "elowen/server/httpd", false, true},
		{"server/site", "elowen/assets", false, true},
		{"assets", "elowen/server/site", false, false},
	} {
		why := forbidden(goFile{dir: c.dir, test: c.test}, c.name)
		if (why == "") != c.ok {
			t.Errorf("%s imports %s: %q", c.dir, c.name, why)
		}
	}
}

// Time and chance are handed in, so that tests can hold them still.
func TestPureCodeHasNoClock(t *testing.T) {
	for _, g := range source(t).code {
		if g.test || !under(g.dir, "shared") && !under(g.dir, "server/vitality") {
			continue
		}
		for _, name := range []string{"Now", "Since", "Until", "Sleep", "After", "NewTimer", "NewTicker", "Tick"} {
			if g.uses("time", name) {
				t.Errorf("%s uses time.%s", g.path, name)
			}
		}
	}
}

// The browser's closure, as the compiler sees it. Reading the tree first makes the
// cached verdict of this test depend on it.
func TestBrowserBuildContainsNothingOfTheServer(t *testing.T) {
	root := source(t).root
	if _, err := os.Stat(root + "/wasm/main.go"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard", "./wasm")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaint.String())
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Standard   bool
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen[p.ImportPath] = true
		to := local(p.ImportPath)
		switch {
		case to != "" && !under(to, "app") && !under(to, "shared") && !under(to, "wasm"):
			t.Errorf("the browser's build contains %s", p.ImportPath)
		case to == "" && !p.Standard && !known(p.ImportPath):
			t.Errorf("the browser's build contains %s, which nobody decided on", p.ImportPath)
		}
	}
	for _, want := range []string{"elowen/wasm", "elowen/shared/live", goApp + "/pkg/app"} {
		if !seen[want] {
			t.Errorf("%s is not in the closure; the test looks at the wrong thing", want)
		}
	}
}

// known are the modules that go-app and the websocket bring themselves.
func known(name string) bool {
	return under(name, goApp) || under(name, websocket) || under(name, "github.com/google/uuid") ||
		strings.HasPrefix(name, "vendor/")
}
