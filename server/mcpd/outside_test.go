package mcpd_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"elowen/server/servertest"
)

// clients is where ./build.sh has put the programs of others that speak the protocol.
// Where it has put none, as on a machine without npm, the tests that need them say so.
func clients(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ELOWEN_MCP_CLIENTS")
	if dir == "" {
		t.Skip("no programs of others: ELOWEN_MCP_CLIENTS is not set (./build.sh test sets it)")
	}
	if testing.Short() {
		t.Skip("the programs of others are no shorter under the race detector")
	}
	return dir
}

// node runs a script of one of those programs, and answers what it printed.
func node(t *testing.T, dir, in string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "node"), args...)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "HOME="+in)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// open is a server's address for programs that can't be given a token: what comes in
// gets one, and is the same else, its Host too.
func open(t *testing.T, s *servertest.Server, token string) string {
	t.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(f.Close)
	return f.URL + "/mcp"
}

// The reasons why a scenario of the conformance suite doesn't apply.
const (
	fixture      = "it calls tools, prompts or resources of a test server, by names that only such a one has"
	fromServer   = "nothing is sent to a client by itself, and nothing asked of one"
	noLogs       = "no logs are sent to clients, and none are promised"
	noCompletion = "arguments are not completed, and none are promised to be"
	noChanges    = "no news of resources are sent, and none are promised"
	noSessions   = "there are no sessions"
	noStreams    = "answers are JSON; there are no streams to poll"
	extension    = "it is about an extension of the protocol that is not offered"
)

// scenarios are those of the conformance suites: which have to pass (""), and why
// others don't apply.
var scenarios = map[string]string{
	"server-initialize": "", "ping": "", "tools-list": "", "resources-list": "", "prompts-list": "", "dns-rebinding-protection": "",
	"server-stateless": "", "caching": "", "http-header-validation": "", "sep-2164-resource-not-found": "",

	"server-session-lifecycle": noSessions,
	"logging-set-level":        noLogs, "completion-complete": noCompletion,
	"tools-call-simple-text": fixture, "tools-call-image": fixture, "tools-call-audio": fixture, "tools-call-embedded-resource": fixture,
	"tools-call-mixed-content": fixture, "tools-call-error": fixture, "json-schema-2020-12": fixture,
	"tools-call-with-logging": noLogs, "tools-call-with-progress": fromServer, "tools-call-sampling": fromServer, "tools-call-elicitation": fromServer,
	"elicitation-sep1034-defaults": fromServer, "elicitation-sep1330-enums": fromServer,
	"server-sse-polling": noStreams, "server-sse-multiple-streams": noStreams,
	"resources-read-text": fixture, "resources-read-binary": fixture, "resources-templates-read": fixture,
	"resources-subscribe": noChanges, "resources-unsubscribe": noChanges,
	"prompts-get-simple": fixture, "prompts-get-with-args": fixture, "prompts-get-embedded-resource": fixture, "prompts-get-with-image": fixture,
	"http-custom-header-server-validation": fixture,
}

// reason tells why a scenario doesn't apply; known is false for one that nobody has
// decided about.
func reason(name string) (why string, known bool) {
	switch {
	case strings.HasPrefix(name, "tasks-"), strings.HasPrefix(name, "sep-2640-"):
		return extension, true
	case strings.HasPrefix(name, "input-required-result-"):
		return fromServer, true
	}
	why, known = scenarios[name]
	return why, known
}

var scenarioLine = regexp.MustCompile(`(?m)^\s+- ([a-z0-9-]+) \[`)

// Every scenario of the official suites is looked at: those that apply pass.
func TestConformance(t *testing.T) {
	dir := clients(t)
	s := servertest.Start(t, servertest.Options{})
	ann := s.Setup("ann")
	ann.Add("A conformance test looks at this.")
	at := open(t, s, s.Token("ann").Secret())
	for _, suite := range []string{"conformance", "conformance-next"} {
		t.Run(suite, func(t *testing.T) {
			script := filepath.Join(dir, "node_modules", "@modelcontextprotocol", suite, "dist", "index.js")
			listed, err := node(t, dir, t.TempDir(), script, "list", "--server")
			if err != nil {
				t.Fatalf("%v %.2000s", err, listed)
			}
			names := scenarioLine.FindAllStringSubmatch(listed, -1)
			if len(names) < 30 {
				t.Fatalf("only %d scenarios: %.2000s", len(names), listed)
			}
			for _, m := range names {
				name := m[1]
				why, known := reason(name)
				if !known {
					t.Errorf("%s is new: nobody has decided whether it applies", name)
				}
				if why != "" {
					t.Logf("%s doesn't apply: %s", name, why)
					continue
				}
				t.Run(name, func(t *testing.T) {
					results := t.TempDir()
					said, err := node(t, dir, results, script, "server", "--url", at, "--scenario", name, "-o", results)
					if checked, untestable := checks(t, results); checked == 0 || err != nil && untestable == 0 {
						t.Errorf("%v, %d checks\n%.6000s", err, checked, said)
					}
				})
			}
		})
	}
	if strings.Contains(s.Log(), "ERROR") {
		t.Errorf("the server said:\n%s", s.Log())
	}
}

// untestable begins what a suite says of a check that calls a tool which only a test
// server has. The rest of its scenario counts.
const untestable = "Not testable: server does not list the diagnostic tool"

// checks looks at what a scenario found.
func checks(t *testing.T, dir string) (n, skipped int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct{ ID, Status, Description, ErrorMessage string }
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			switch {
			case strings.HasPrefix(c.ErrorMessage, untestable):
				skipped++
				t.Logf("%s doesn't apply: %s", c.ID, fixture)
				continue
			case c.Status == "FAILURE":
				t.Errorf("%s: %s: %s", c.ID, c.Description, c.ErrorMessage)
			}
			n++
		}
	}
	return n, skipped
}

// program is the program, built.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "elowen")
	build := exec.Command("go", "build", "-o", file, "elowen/server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// A client of the official TypeScript SDK tells the story over both ways in.
func TestTypeScriptStory(t *testing.T) {
	dir := clients(t)
	script, err := filepath.Abs(filepath.Join("testdata", "story.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, over := range []string{"http", "stdio"} {
		t.Run(over, func(t *testing.T) {
			s := servertest.Start(t, servertest.Options{})
			s.Setup("ann")
			args := []string{script, filepath.Join(dir, "node_modules"), over}
			if over == "http" {
				args = append(args, s.URL+"/mcp", s.Token("ann").Secret())
			} else {
				args = append(args, program(t), "mcp", "--data", s.Data)
			}
			said, err := node(t, dir, t.TempDir(), args...)
			if err != nil || !strings.Contains(said, "the story is told") {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// The Inspector's command line sees what there is, over both ways in.
func TestInspector(t *testing.T) {
	dir := clients(t)
	s := servertest.Start(t, servertest.Options{})
	s.Setup("ann").Add("The inspector lives in the lighthouse.")
	script := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	bin := program(t)
	for _, way := range [][]string{
		{s.URL + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + s.Token("ann").Secret()},
		{bin, "mcp", "-e", "ELOWEN_DATA=" + s.Data},
	} {
		for _, ask := range []struct {
			args []string
			says string
		}{
			{[]string{"--method", "tools/list", "--strict"}, "MemoryRecategorize"}, // strict: no schema that a client can't take
			{[]string{"--method", "tools/call", "--tool-name", "MemorySearch", "--tool-arg", "query=Where does the inspector live?"}, "lighthouse"},
			{[]string{"--method", "resources/list"}, "memory://1"},
			{[]string{"--method", "prompts/list"}, "remember"},
		} {
			args := append([]string{script, "--cli"}, append(way, ask.args...)...)
			if said, err := node(t, dir, t.TempDir(), args...); err != nil || !strings.Contains(said, ask.says) {
				t.Errorf("%v: %v\n%.3000s", args[1:], err, said)
			}
		}
	}
}
