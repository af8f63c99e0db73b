package connect

import (
	"strings"
	"testing"
)

// However a config is laid out, a diff of it has nothing of what stands beside elowen's
// entry, nor secrets of others within.
func TestDiffHidesTheSecretsOfOthers(t *testing.T) {
	const secret = "sk-SECRET"
	pretty := `{
  // key: sk-SECRET-comment
  "mcpServers": {
    "before": {"env": {"KEY": "sk-SECRET-1"}, "args": ["--key", "sk-SECRET-2"]},
    "elowen": {
      "url": "https://old.example/mcp",
      "headers": {"Authorization": "Bearer elw_ABCDEFGHIJKLMNOP1111", "X-Other": "sk-SECRET-3"},
      "note": {"deep": ["sk-SECRET-4", 4711]}
    },
    "after": {"headers": {"Authorization": "Bearer sk-SECRET-5"}}
  },
  "apiKey": "sk-SECRET-6"
}
`
	vscode := strings.Replace(pretty, "mcpServers", "servers", 1)
	flat := strings.Join(strings.Fields(strings.Replace(pretty, "// key: sk-SECRET-comment", "", 1)), " ")
	toml := `# sk-SECRET-comment
api_key = "sk-SECRET-6"
[mcp_servers.before]
command = "x"
env = { KEY = "sk-SECRET-1" }
[mcp_servers.elowen]
url = "https://old.example/mcp"
http_headers = { Authorization = "Bearer elw_ABCDEFGHIJKLMNOP1111", X-Other = "sk-SECRET-3" }
note = { deep = ["sk-SECRET-4"], number = 4711 }
[mcp_servers.after]
http_headers = { Authorization = "Bearer sk-SECRET-5" }
`
	without := `{"mcpServers":{"before":{"env":{"KEY":"sk-SECRET-1"}}},"apiKey":"sk-SECRET-6"}`
	for _, c := range []struct {
		name, id, config string
		old              bool // elowen's entry is there
	}{
		{"pretty", "cursor", pretty, true}, {"pretty, of VS Code", "vscode", vscode, true}, {"minified", "cursor", flat, true},
		{"without elowen", "cursor", without, false}, {"an entry that is a text", "cursor", `{"mcpServers":{"elowen":"sk-SECRET-1"}}`, false},
		{"TOML", "codex", toml, true}, {"a token among others", "cursor", `{"mcpServers":{"elowen":{"env":{"A":"sk-SECRET-1 elw_ABCDEFGHIJKLMNOP1111"}}}}`, false},
	} {
		cl := client(t, c.id)
		set, err := cl.Set([]byte(c.config), cl.Remote(address, "elw_ABCDEFGHIJKLMNOP2222", "elowen"))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		unset, err := cl.Unset(set.After)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for what, got := range map[string]string{"set": set.Diff("config"), "unset": unset.Diff("config")} {
			if strings.Contains(got, secret) || strings.Contains(got, "ABCDEF") || strings.Contains(got, "4711") || strings.Contains(got, "before") {
				t.Errorf("%s, %s tells:\n%s", c.name, what, got)
			}
			if !strings.Contains(got, "elw_…2222") || !strings.Contains(got, address+"/mcp") {
				t.Errorf("%s, %s does not tell what changes:\n%s", c.name, what, got)
			}
		}
		if got := set.Diff("config"); c.old && (!strings.Contains(got, "elw_…1111") || !strings.Contains(got, "https://old.example/mcp")) {
			t.Errorf("%s does not tell what was:\n%s", c.name, got)
		}
	}
}
