package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailscale/hujson"

	"elowen/shared/api"
	"elowen/shared/fault"
)

const (
	address = "https://memory.example.org/elowen"
	token   = "elw_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func client(t testing.TB, id string) Client {
	t.Helper()
	c, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What each client is given, in a config that isn't there yet: byte for byte what its
// documentation has, with an address and a token.
func TestEntries(t *testing.T) {
	want := map[string]string{
		"claude-code":    `{"mcpServers":{"elowen":{"headers":{"Authorization":"Bearer TOKEN"},"type":"http","url":"ADDRESS/mcp"}}}`,
		"cursor":         `{"mcpServers":{"elowen":{"headers":{"Authorization":"Bearer TOKEN"},"url":"ADDRESS/mcp"}}}`,
		"codex":          `{"mcp_servers":{"elowen":{"http_headers":{"Authorization":"Bearer TOKEN"},"url":"ADDRESS/mcp"}}}`,
		"vscode":         `{"servers":{"elowen":{"headers":{"Authorization":"Bearer TOKEN"},"type":"http","url":"ADDRESS/mcp"}}}`,
		"claude-desktop": `{"mcpServers":{"elowen":{"args":["mcp","--server","ADDRESS"],"command":"/opt/elowen","env":{"ELOWEN_TOKEN":"TOKEN"}}}}`,
		"gemini":         `{"mcpServers":{"elowen":{"headers":{"Authorization":"Bearer TOKEN"},"httpUrl":"ADDRESS/mcp"}}}`,
		"windsurf":       `{"mcpServers":{"elowen":{"headers":{"Authorization":"Bearer TOKEN"},"serverUrl":"ADDRESS/mcp"}}}`,
	}
	for _, c := range clients {
		change, err := c.Set(nil, c.Remote(address+"/", token, "/opt/elowen"))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		m, err := c.format.read(change.After)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		got, _ := json.Marshal(m)
		if w := strings.NewReplacer("ADDRESS", address, "ELOWEN_TOKEN", "ELOWEN_TOKEN", "TOKEN", token).Replace(want[c.ID]); string(got) != w {
			t.Errorf("%s:\n%s, not\n%s", c.ID, got, w)
		}
		local, err := c.Set(change.After, c.Local("/opt/elowen", "/home/ann/my data", "ann"))
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		m, _ = c.format.read(local.After)
		got, _ = json.Marshal(m)
		if strings.Contains(string(got), "http") || strings.Contains(string(got), "elw_") || !strings.Contains(string(got), `["mcp","--data","/home/ann/my data","--user","ann"]`) {
			t.Errorf("%s, of this machine: %s", c.ID, got)
		}
	}
	if len(want) != len(clients) {
		t.Errorf("%d clients", len(clients))
	}
}

func TestWhereConfigsAre(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	ann := Place{OS: "linux", Home: "/home/ann", Env: none}
	mac := Place{OS: "darwin", Home: "/Users/ann", Env: none}
	win := Place{OS: "windows", Home: `C:\Users\ann`, AppData: `C:\Users\ann\AppData\Roaming`, Env: none}
	moved := Place{OS: "linux", Home: "/home/ann", Env: func(name string) (string, bool) {
		v, ok := map[string]string{"CODEX_HOME": "/srv/codex", "XDG_CONFIG_HOME": "/srv/config", "CLAUDE_CONFIG_DIR": "/srv/claude/"}[name]
		return v, ok
	}}
	for _, c := range []struct {
		id    string
		place Place
		want  string
	}{
		{"claude-code", ann, "/home/ann/.claude.json"}, {"claude-code", moved, "/srv/claude/.claude.json"}, {"claude-code", win, `C:\Users\ann\.claude.json`},
		{"cursor", mac, "/Users/ann/.cursor/mcp.json"},
		{"codex", ann, "/home/ann/.codex/config.toml"}, {"codex", moved, "/srv/codex/config.toml"},
		{"vscode", ann, "/home/ann/.config/Code/User/mcp.json"}, {"vscode", moved, "/srv/config/Code/User/mcp.json"},
		{"vscode", mac, "/Users/ann/Library/Application Support/Code/User/mcp.json"}, {"vscode", win, `C:\Users\ann\AppData\Roaming\Code\User\mcp.json`},
		{"claude-desktop", mac, "/Users/ann/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", win, `C:\Users\ann\AppData\Roaming\Claude\claude_desktop_config.json`},
		{"gemini", ann, "/home/ann/.gemini/settings.json"}, {"windsurf", ann, "/home/ann/.codeium/windsurf/mcp_config.json"},
	} {
		if got, err := client(t, c.id).File(c.place); err != nil || got != c.want {
			t.Errorf("%s on %s: %q, %v", c.id, c.place.OS, got, err)
		}
	}
	if _, err := client(t, "cursor").File(Place{OS: "linux", Env: none}); !fault.Is(err, fault.NotFound) {
		t.Errorf("without a home: %v", err)
	}
	if _, err := Find("emacs"); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "claude-code, cursor") {
		t.Errorf("%v", err)
	}
}

// Configs as people have them: each is changed where elowen's entry is, and nowhere
// else; the same again changes nothing; taken out, all else is as it was.
func TestRealConfigs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".in")
		id, _, _ := strings.Cut(name, ".")
		c := client(t, id)
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		change, err := c.Set(before, c.Remote(address, token, "/opt/elowen"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".in")+".out", change.After)
		again, err := c.Set(change.After, c.Remote(address, token, "/opt/elowen"))
		if err != nil || !again.Same() {
			t.Errorf("%s, again: %v\n%s", name, err, again.Diff("config"))
		}
		gone, err := c.Unset(change.After)
		if err != nil {
			t.Errorf("%s, taken out: %v", name, err)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".in")+".gone", gone.After)
		if none, err := c.Unset(gone.After); err != nil || !none.Same() {
			t.Errorf("%s, taken out twice: %v", name, err)
		}
	}
}

// golden compares with a file, or with ELOWEN_UPDATE writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("ELOWEN_UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s (%v):\n%s", file, err, got)
	}
}

// What isn't understood is refused, with the reason, and stays as it is.
func TestConfigsThatAreRefused(t *testing.T) {
	deep := strings.Repeat("[", 2_000_000)
	for _, c := range []struct{ name, id, config, why string }{
		{"cut off", "cursor", `{"mcpServers": {"other": {"url": "x"}`, "can't be changed safely"},
		{"two documents", "cursor", `{} {}`, "can't be changed safely"},
		{"no object", "cursor", `["mcpServers"]`, "no JSON object"},
		{"a string", "claude-code", `"config"`, "no JSON object"},
		{"servers are a list", "cursor", `{"mcpServers": [{"name": "elowen"}]}`, "lists no servers"},
		{"servers are a text", "gemini", `{"mcpServers": "none"}`, "lists no servers"},
		{"servers twice", "cursor", `{"mcpServers": {}, "mcpServers": {"other": {}}}`, `"mcpServers" stands there twice`},
		{"the entry twice", "cursor", `{"mcpServers": {"elowen": {}, "elowen": {"url": "x"}}}`, `"elowen" stands there twice`},
		{"twice, once written otherwise", "cursor", `{"mcpServers": {}, "mcp\u0053ervers": {}}`, `"mcpServers" stands there twice`},
		{"no text", "cursor", "\x00\x01\x02", "can't be changed safely"},
		{"too deep", "cursor", deep, "nests too deep"},
		{"too deep in an object", "vscode", strings.Repeat(`{"a":`, 500_000), "nests too deep"},
		{"unfinished comment", "vscode", `{"servers": {} /* `, "can't be changed safely"},
		{"no TOML", "codex", "model = \n[mcp_servers", "can't be changed safely"},
		{"a table twice", "codex", "[mcp_servers.elowen]\nurl = \"a\"\n[mcp_servers.elowen]\nurl = \"b\"\n", "can't be changed safely"},
		{"servers inline", "codex", `mcp_servers = { other = { command = "x" } }` + "\n", "can't be changed safely"},
		{"the entry inline", "codex", "[mcp_servers]\nelowen = { url = \"x\" }\n", "no table with a header"},
		{"the entry dotted", "codex", "mcp_servers.elowen.url = \"x\"\n", "no table with a header"},
		{"servers are an array of tables", "codex", "[[mcp_servers]]\nname = \"x\"\n", "lists no servers"},
		{"JSON where TOML is", "codex", `{"mcp_servers": {}}`, "can't be changed safely"},
		{"TOML deep", "codex", "a = " + deep, "nests too deep"},
		{"too long", "cursor", `{"a": "` + strings.Repeat("x", configMost) + `"}`, "larger than"},
	} {
		cl := client(t, c.id)
		change, err := cl.Set([]byte(c.config), cl.Remote(address, token, "elowen"))
		if err == nil || !strings.Contains(err.Error(), c.why) || change.After != nil {
			t.Errorf("%s: %v\n%s", c.name, err, change.After)
		}
		if k := fault.ProblemOf(err); err != nil && k.Status >= 500 {
			t.Errorf("%s: a fault of ours: %v", c.name, err)
		}
	}
}

func TestDiffHidesTokens(t *testing.T) {
	c := client(t, "cursor")
	first, err := c.Set(nil, c.Remote(address, "elw_ABCDEFGHIJKLMNOPQRSTUVW1111", "elowen"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Set(first.After, c.Remote(address, "elw_ABCDEFGHIJKLMNOPQRSTUVW2222", "elowen"))
	if err != nil {
		t.Fatal(err)
	}
	got := second.Diff("mcp.json")
	if strings.Contains(got, "ABCDEF") || !strings.Contains(got, "-        \"Authorization\": \"Bearer elw_…1111\"") || !strings.Contains(got, "+        \"Authorization\": \"Bearer elw_…2222\"") {
		t.Errorf("%s", got)
	}
}

func TestFilesAreReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	c := client(t, "cursor")
	path := filepath.Join(dir, "new", "mcp.json")
	put := func(path, tok string) (string, error) {
		t.Helper()
		f, err := Open(path)
		if err != nil {
			return "", err
		}
		change, err := c.Set(f.Text, c.Remote(address, tok, "elowen"))
		if err != nil {
			t.Fatal(err)
		}
		return f.Write(change)
	}
	if backup, err := put(path, token); err != nil || backup != "" {
		t.Fatalf("a new one: %q, %v", backup, err)
	}
	mode := func(path string) os.FileMode {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if m := mode(path); m != 0o600 {
		t.Errorf("it is %v", m)
	}

	// A file that others may read and that is a link, as with dotfiles.
	real := filepath.Join(dir, "dotfiles.json")
	link := filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, []byte(`{"mcpServers": {"other": {"url": "https://other.example"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	backup, err := put(link, token)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(backup); err != nil || string(kept) != `{"mcpServers": {"other": {"url": "https://other.example"}}}` {
		t.Errorf("the backup: %s, %v", kept, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(real); !strings.Contains(string(got), token) || !strings.Contains(string(got), "other.example") {
		t.Errorf("%s", got)
	}
	if mode(real) != 0o600 || mode(backup) != 0o600 {
		t.Errorf("they are %v and %v", mode(real), mode(backup))
	}

	// Changed meanwhile.
	f, err := Open(real)
	if err != nil {
		t.Fatal(err)
	}
	change, err := c.Unset(f.Text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte(`{"mine": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(change); !fault.Is(err, fault.Stale) {
		t.Errorf("changed meanwhile: %v", err)
	}
	if got, _ := os.ReadFile(real); string(got) != `{"mine": true}` {
		t.Errorf("it became %s", got)
	}

	// No file at all.
	if _, err := Open(dir); !fault.Is(err, fault.Invalid) {
		t.Errorf("a folder: %v", err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "dangling")); !fault.Is(err, fault.Invalid) {
		t.Errorf("a link to nowhere: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What the page shows can be read, has both places that are filled in, and is what the
// command line writes.
func TestShown(t *testing.T) {
	list := Shown()
	if len(list) != len(clients)+1 || list[len(list)-1].ID != api.ConnectAny {
		t.Fatalf("%d are shown", len(list))
	}
	for _, s := range list {
		if s.Name == "" || len(s.Steps) < 2 || s.ID != api.ConnectAny && len(s.Files) == 0 {
			t.Errorf("%+v", s)
		}
		for _, step := range s.Steps {
			if runs := step.Kind == api.ConnectElowen || step.Kind == api.ConnectCommand || s.ID == "claude-desktop"; runs != strings.Contains(step.Text, api.ConnectProgram) {
				t.Errorf("%s, %s, names the program or doesn't: %s", s.ID, step.Kind, step.Text)
			}
			if !strings.Contains(step.Text, api.ConnectAddress) || !strings.Contains(step.Text, api.ConnectToken) {
				t.Errorf("%s, %s: %s", s.ID, step.Kind, step.Text)
			}
		}
		for _, f := range s.Files {
			if f.Path == "" {
				t.Errorf("%s has no file on %q", s.ID, f.System)
			}
		}
	}
}

// Whatever an object holds and however it is written: elowen's entry goes in and out,
// and everything else is there, byte by byte where comments and texts are concerned.
func TestAnyConfigKeepsWhatIsInIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := Find(rapid.SampledFrom([]string{"cursor", "vscode"}).Draw(t, "client"))
		if err != nil {
			t.Fatal(err)
		}
		config := config(t, c.servers)
		change, err := c.Set([]byte(config), c.Remote(address, token, "elowen"))
		if err != nil {
			t.Fatalf("%v\n%s", err, config)
		}
		if _, err := hujson.Parse(change.After); err != nil {
			t.Fatalf("%v\n%s", err, change.After)
		}
		if n, m := strings.Count(config, "keep"), strings.Count(string(change.After), "keep"); n != m {
			t.Fatalf("%d of %d are kept:\n%s\n%s", m, n, config, change.After)
		}
		back, err := c.Unset(change.After)
		if err != nil {
			t.Fatalf("%v\n%s", err, change.After)
		}
		if n, m := strings.Count(config, "keep"), strings.Count(string(back.After), "keep"); n != m {
			t.Fatalf("%d of %d are kept:\n%s\n%s", m, n, change.After, back.After)
		}
	})
}

// config draws a config with marked texts and comments, in any layout.
func config(t *rapid.T, servers string) string {
	gap := func() string {
		return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\t", "\r\n", " // keep , } \" \n", "/* keep { */", "\n  // keep\n  "}).Draw(t, "gap")
	}
	var value func(depth int) string
	object := func(names []string, depth int) string {
		var b strings.Builder
		b.WriteString("{")
		for i, name := range names {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(gap() + quoted(name) + gap() + ":" + gap() + value(depth) + gap())
		}
		if len(names) > 0 && rapid.Bool().Draw(t, "comma") {
			b.WriteString(",")
		}
		return b.String() + gap() + "}"
	}
	value = func(depth int) string {
		if depth > 2 {
			return `"keep"`
		}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return `"keep \" // {"`
		case 1:
			return "1.50"
		case 2:
			return "[" + gap() + `"keep"` + gap() + "," + gap() + "null]"
		}
		return object(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"keep a", "keep b", "keep c"}), 0, 3, rapid.ID).Draw(t, "names"), depth+1)
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"keep 1", "keep 2", servers}), 0, 3, rapid.ID).Draw(t, "top")
	var b strings.Builder
	b.WriteString(gap() + "{")
	for i, name := range names {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(gap() + quoted(name) + gap() + ":" + gap())
		if name == servers {
			b.WriteString(object(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"keep x", "keep y", Name + "2"}), 0, 3, rapid.ID).Draw(t, "servers"), 1))
		} else {
			b.WriteString(value(1))
		}
		b.WriteString(gap())
	}
	return b.String() + gap() + "}" + gap()
}

func FuzzJSON(f *testing.F) { fuzz(f, "claude-code") }

func FuzzTOML(f *testing.F) { fuzz(f, "codex") }

// fuzz changes anything at all: it is refused, or the change holds and can be taken back.
func fuzz(f *testing.F, id string) {
	files, _ := filepath.Glob("testdata/*.in")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(text)
		}
	}
	c := client(f, id)
	f.Fuzz(func(t *testing.T, config []byte) {
		change, err := c.Set(config, c.Remote(address, token, "elowen"))
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind == fault.Internal {
				t.Fatalf("%v", err)
			}
			return
		}
		again, err := c.Set(change.After, c.Remote(address, token, "elowen"))
		if err != nil || !again.Same() {
			t.Fatalf("again: %v\n%q\n%q", err, config, change.After)
		}
		if _, err := c.Unset(change.After); err != nil {
			t.Fatalf("taken out: %v\n%q\n%q", err, config, change.After)
		}
	})
}
