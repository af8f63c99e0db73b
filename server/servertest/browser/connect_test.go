package browser

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agent is a client of the Model Context Protocol that reaches a server as its config
// says.
type agent struct {
	t       *testing.T
	url     string
	headers map[string]string
}

// configured is the agent of a config that `elowen connect cursor` has written.
func configured(t *testing.T, file string) agent {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Servers map[string]struct {
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	e := config.Servers["elowen"]
	return agent{t, e.URL, e.Headers}
}

// use calls a tool and gives what was answered.
func (a agent) use(tool, arguments string) string {
	a.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + quote(tool) + `,"arguments":` + arguments + `}}`
	req, err := http.NewRequest(http.MethodPost, a.url, bytes.NewReader([]byte(body)))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range a.headers {
		req.Header.Set(k, v)
	}
	res, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		a.t.Fatalf("%d %v %s", res.StatusCode, err, answer)
	}
	return string(answer)
}

// Somebody connects a client: makes it a token, puts it into its config with the
// command that the page gives, and sees the client's first call, and what it saves, as
// they happen.
func TestAClientIsConnected(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("connect")
	signUp(t, s, w)
	list := p.Window("list")
	list.Visit(s.URL("/memory"))
	list.SeeIn(".row", firstOne)

	w.Visit(s.URL("/account"))
	w.ClickText(".subnav a", "Connect")
	w.Press("Cursor")
	w.SeeIn(".connect-step", "~/.cursor/mcp.json")
	w.SeeIn(".code-block", "elw_YOUR-TOKEN")
	w.SeeIn(".code-block", s.URL("/mcp"))
	w.See("Make a token, put it into the client")
	w.Press("Make a token for Cursor")
	w.SeeIn(".token-made", "elw_")
	w.See("Waiting for the first call…")
	w.Gone("elw_YOUR-TOKEN")
	secret := Eval[string](w, `document.querySelector("#token-secret").innerText`)
	command := Eval[string](w, `[...document.querySelectorAll(".code-block > span")].map(e => e.innerText).find(s => s.startsWith("ELOWEN_TOKEN="))`)
	if want := "ELOWEN_TOKEN=" + secret + " " + s.program + " connect cursor --server " + strings.TrimSuffix(s.URL("/"), "/"); command != want {
		t.Fatalf("the command is %q, not %q", command, want)
	}

	// What is copied is what is seen.
	w.Eval(`window.said = [], Object.defineProperty(navigator, "clipboard", {value: {writeText: s => { said.push(s); return Promise.resolve() }}})`)
	w.Click(".code-block .btn")
	w.See("Copied")
	if got := Eval[string](w, `said[0]`); !strings.Contains(got, `"Authorization": "Bearer `+secret+`"`) || !strings.Contains(got, s.URL("/mcp")) {
		t.Errorf("copied was %q", got)
	}

	// The other clients have no token yet, and this one's isn't theirs.
	w.Press("Codex")
	w.SeeIn(".code-block", "[mcp_servers.elowen]")
	w.SeeIn(".code-block", "elw_YOUR-TOKEN")
	w.Gone(secret)
	w.Press("Claude Desktop")
	w.SeeIn(".connect-step", "claude_desktop_config.json (macOS)")
	w.SeeIn(".code-block", `"--server"`)
	w.Press("Any MCP client")
	w.SeeIn(".connect-step", "As a program that it starts")
	w.Press("Cursor")
	w.SeeIn(".code-block", secret)

	// The command writes the config; the client reads it and calls.
	config := s.File("mcp.json", `{"mcpServers": {"other": {"url": "https://other.example/mcp"}}}`)
	if out := s.Run("connect", "cursor", "--server", strings.TrimSuffix(s.URL("/"), "/"), "--token", secret, "--file", config); strings.Contains(out, secret) || !strings.Contains(out, "Written to") {
		t.Errorf("the command said %s", out)
	}
	if got := s.Read("mcp.json"); !strings.Contains(got, "other.example") {
		t.Errorf("the config became %s", got)
	}
	cursor := configured(t, config)
	cursor.use("MemoryAdd", `{"body":"The regatta starts at the lighthouse at eight."}`)
	w.See("Connected.")
	w.SeeIn(".connect-done", "Cursor called")
	w.Gone("Waiting for the first call")
	list.SeeIn(".row", "The regatta starts at the lighthouse")

	// Put away, it isn't shown again; what it does is still seen.
	w.Press("I have it")
	w.Gone(secret)
	w.SeeIn(".token-made", "can be revoked under Tokens")
	w.See("Connected.")
	w.ClickText(".token-made a", "Tokens")
	w.SeeIn(".item", "Cursor")
	w.SeeIn(".item", "read and write")

	// Which clients are connected is known to whoever comes back.
	w.Visit(s.URL("/account?part=connect"))
	w.Has(".clients .icon")
	w.Press("Cursor")
	w.SeeIn(".connect-done", "Cursor last called")
	w.See("It has a token, made")
	w.See("Make another token for Cursor")
	w.Gone("Make a token for Cursor")
	w.Press("Codex")
	w.See("Make a token, put it into the client")

	// By keyboard alone.
	w.Visit(s.URL("/account?part=connect"))
	w.SeeIn(".code-block", "elw_YOUR-TOKEN")
	w.TabTo("Windsurf")
	w.Keys(" ")
	w.SeeIn(".code-block", "serverUrl")
	w.TabTo("Make a token for Windsurf")
	w.Keys("\r")
	w.See("Waiting for the first call…")
}

// The commands on the pages are those of this installation: whoever looks after it can
// paste them into its terminal. To others nothing is told of where it is.
func TestCommandsFitTheInstallation(t *testing.T) {
	s := Serve(t)
	b := Open(t)
	w := b.Person().Window("commands")
	signUp(t, s, w)
	// Told anew what one's own account is, the page knows all the same.
	call(w, "PATCH", "api/me", `{"displayName":"Anna of the harbour"}`)
	w.See("Anna of the harbour")
	home := t.TempDir()
	shell := func(command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	shown := func(what string) string {
		t.Helper()
		w.SeeIn(".code", what)
		return Eval[string](w, `[...document.querySelectorAll(".code > span")].map(e => e.innerText).find(s => s.includes(`+quote(what)+`) && !s.includes("ELOWEN_TOKEN"))`)
	}

	w.Visit(s.URL("/account?part=connect"))
	w.Press("Cursor")
	shell(shown(" connect cursor"))
	config, err := os.ReadFile(filepath.Join(home, ".cursor/mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var servers struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(config, &servers); err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(servers.Servers["elowen"].Command, servers.Servers["elowen"].Args...)
	agent.Env = []string{"HOME=" + home}
	agent.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"MemoryAdd","arguments":{"body":"The client that was told by the page saved this."}}}` + "\n")
	if out, err := agent.CombinedOutput(); err != nil || !strings.Contains(string(out), `"id":1`) {
		t.Errorf("%v: %s", err, out)
	}

	w.Visit(s.URL("/account?part=transfer"))
	shell(shown(" admin export"))
	if text, err := os.ReadFile(filepath.Join(home, "elowen.jsonl")); err != nil || !strings.Contains(string(text), "told by the page saved this") {
		t.Errorf("%v: %s", err, text)
	}
	if got, want := shown(" admin import"), s.program+" admin import --from elowen FILE --data "+s.data; got != want {
		t.Errorf("the command is %q, not %q", got, want)
	}
	w.Visit(s.URL("/settings?part=backups"))
	if got := shown(" admin restore"); !strings.HasSuffix(got, " --data "+s.data) {
		t.Errorf("the command is %q", got)
	}

	call(w, "POST", "api/people", `{"name":"pavel","password":"`+password+`"}`)
	pavel := b.Person().Window("pavel")
	signIn(pavel, s, "pavel")
	pavel.Visit(s.URL("/account?part=connect"))
	pavel.Press("Cursor")
	pavel.SeeIn(".code", "ELOWEN_TOKEN=elw_YOUR-TOKEN elowen connect cursor --server")
	pavel.Gone("--data")
	pavel.Visit(s.URL("/account?part=transfer"))
	pavel.See("Download the export")
	pavel.Gone("At a terminal")
	if me := Promise[string](pavel, `fetch("/api/me").then(r => r.text())`); !strings.Contains(me, `"terminal":null`) {
		t.Errorf("a member is told %s", me)
	}
}
