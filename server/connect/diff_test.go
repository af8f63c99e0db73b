package connect

import (
	"strings"
	"testing"
)

// However a config is laid out, a diff of it has no value nor comment of what stands
// beside elowen's entry, nor secrets of others within.
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
headers = """
sk-SECRET-7"""
list = [ # sk-SECRET-8
  "sk-SECRET-9", "elw_ABCDEFGHIJKLMNOP1111",
]
'sk = 1' = 'sk-SECRET-10'
[mcp_servers.after] # sk-SECRET-11
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
			if strings.Contains(got, secret) || strings.Contains(got, "ABCDEF") || strings.Contains(got, "4711") {
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

// A diff is of the file as it will be: its lines, indentation, quotes and order of names,
// with what stays around what changes.
func TestDiffIsOfTheFile(t *testing.T) {
	for _, c := range []struct{ id, config, want string }{
		{"cursor", "{\n\t\"theme\": \"dark\", // mine\n\t\"mcpServers\": {\n\t\t\"docs\": {\"command\": \"npx\"}\n\t}\n}\n", `--- config
+++ config
@@ -1,6 +1,12 @@
 {
 	"theme": "…", // …
 	"mcpServers": {
-		"docs": {"command": "…"}
+		"docs": {"command": "…"},
+		"elowen": {
+			"url": "https://memory.example.org/elowen/mcp",
+			"headers": {
+				"Authorization": "Bearer elw_…2222"
+			}
+		}
 	}
 }
`},
		{"codex", "# Mine.\nmodel = 'gpt'\n\n[mcp_servers.docs]\ncommand = \"npx\" # the fork\n", `--- config
+++ config
@@ -3,3 +3,7 @@
 
 [mcp_servers.docs]
 command = "…" # …
+
+[mcp_servers.elowen]
+url = "https://memory.example.org/elowen/mcp"
+http_headers = { Authorization = "Bearer elw_…2222" }
`},
		{"codex", "[mcp_servers.elowen]\r\nurl = 'https://old.example/mcp'\r\n", `--- config
+++ config
@@ -1,2 +1,3 @@
 [mcp_servers.elowen]
-url = 'https://old.example/mcp'
+url = "https://memory.example.org/elowen/mcp"
+http_headers = { Authorization = "Bearer elw_…2222" }
`},
	} {
		cl := client(t, c.id)
		change, err := cl.Set([]byte(c.config), cl.Remote(address, "elw_ABCDEFGHIJKLMNOP2222", "elowen"))
		if err != nil {
			t.Fatal(err)
		}
		if got := change.Diff("config"); got != c.want {
			t.Errorf("%s:\n%s", c.id, got)
		}
	}
}
