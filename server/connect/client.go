package connect

import (
	"strings"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// Name is what elowen is called in a client's list of servers.
const Name = "elowen"

// TokenVariable is the variable in which `elowen mcp` takes its token.
const TokenVariable = "ELOWEN_TOKEN"

// Place is where config files are: of whose system and home.
type Place struct {
	OS      string                           // as runtime.GOOS
	Home    string                           // the home directory
	AppData string                           // of Windows
	Env     func(name string) (string, bool) // the environment; nil: empty
}

// join puts a path together as the place's system writes it.
func (p Place) join(parts ...string) string {
	separator := "/"
	if p.OS == "windows" {
		separator = `\`
	}
	return strings.Join(parts, separator)
}

// under is a path below the folder that a variable names, or else below the home.
func (p Place) under(variable, usual string, parts ...string) string {
	if p.Env != nil {
		if dir, ok := p.Env(variable); ok && dir != "" {
			return p.join(append([]string{strings.TrimRight(dir, `/\`)}, parts...)...)
		}
	}
	if p.Home == "" {
		return ""
	}
	if usual != "" {
		parts = append([]string{usual}, parts...)
	}
	return p.join(append([]string{p.Home}, parts...)...)
}

// support is a path below the folder in which a system's programs keep their settings.
func (p Place) support(parts ...string) string {
	base := ""
	switch p.OS {
	case "windows":
		base = p.AppData
	case "darwin":
		base = p.under("", "Library", "Application Support")
	default:
		base = p.under("XDG_CONFIG_HOME", ".config")
	}
	if base == "" {
		return ""
	}
	return p.join(append([]string{base}, parts...)...)
}

// Client is a program that can be told of elowen.
type Client struct {
	ID   string // on the command line and in the API
	Name string // as people know it

	format  format
	servers string             // the object of the config that lists the servers
	file    func(Place) string // the config; empty: not known on that system
	remote  func(Entry) fields // an entry over HTTP; nil: the client takes programs only
	local   func(Entry) fields // an entry of a program
	command func(Entry) string // a line for a terminal that does it over HTTP; nil: there is none
	systems bool               // the file stands elsewhere on each system
	prompt  string             // how its people call the prompt "remember"; empty: it has no such thing
	look    string             // where one sees there that it is connected
}

// clients is the table. Where each client keeps its servers and how it writes them is
// in its own documentation of the Model Context Protocol, as of 2026.
var clients = []Client{
	{
		ID: "claude-code", Name: "Claude Code", format: jsonFormat{}, servers: "mcpServers",
		file:   func(p Place) string { return p.under("CLAUDE_CONFIG_DIR", "", ".claude.json") },
		remote: typed("http", "url", "headers"), local: program(fields{{"type", "stdio"}}),
		command: func(e Entry) string {
			return "claude mcp add --scope user --transport http " + Name + " " + e.URL + ` --header "Authorization: Bearer ` + e.Token + `"`
		},
		prompt: "/mcp__elowen__remember", look: "/mcp",
	},
	{
		ID: "cursor", Name: "Cursor", format: jsonFormat{}, servers: "mcpServers",
		file:   func(p Place) string { return p.under("", ".cursor", "mcp.json") },
		remote: typed("", "url", "headers"), local: program(nil),
		prompt: "/remember", look: "Settings → Tools & MCP",
	},
	{
		ID: "codex", Name: "Codex", format: tomlFormat{}, servers: "mcp_servers",
		file:   func(p Place) string { return p.under("CODEX_HOME", ".codex", "config.toml") },
		remote: typed("", "url", "http_headers"), local: program(nil),
		look: "/mcp",
	},
	{
		ID: "vscode", Name: "VS Code with Copilot", format: jsonFormat{}, servers: "servers",
		file:   func(p Place) string { return p.support("Code", "User", "mcp.json") },
		remote: typed("http", "url", "headers"), local: program(fields{{"type", "stdio"}}), systems: true,
		command: func(e Entry) string {
			inside := append(fields{{"name", Name}}, typed("http", "url", "headers")(e)...)
			return "code --add-mcp '" + compact(inside) + "'"
		},
		prompt: "/mcp.elowen.remember", look: "MCP: List Servers",
	},
	{
		ID: "claude-desktop", Name: "Claude Desktop", format: jsonFormat{}, servers: "mcpServers",
		file:  func(p Place) string { return p.support("Claude", "claude_desktop_config.json") },
		local: program(nil), systems: true,
		prompt: "+ → elowen → Remember", look: "Settings → Developer",
	},
	{
		ID: "gemini", Name: "Gemini CLI", format: jsonFormat{}, servers: "mcpServers",
		file:   func(p Place) string { return p.under("", ".gemini", "settings.json") },
		remote: typed("", "httpUrl", "headers"), local: program(nil),
		command: func(e Entry) string {
			return `gemini mcp add --scope user --transport http --header "Authorization: Bearer ` + e.Token + `" ` + Name + " " + e.URL
		},
		prompt: "/remember", look: "/mcp",
	},
	{
		ID: "windsurf", Name: "Windsurf", format: jsonFormat{}, servers: "mcpServers",
		file:   func(p Place) string { return p.under("", ".codeium", "windsurf", "mcp_config.json") },
		remote: typed("", "serverUrl", "headers"), local: program(nil),
		look: "Settings → Cascade → MCP servers",
	},
}

// IDs are the ids of the clients.
func IDs() []string {
	ids := make([]string, len(clients))
	for i, c := range clients {
		ids[i] = c.ID
	}
	return ids
}

// Find is the client of an id. Errors: NotFound, which names those that there are.
func Find(id string) (Client, error) {
	for _, c := range clients {
		if c.ID == id {
			return c, nil
		}
	}
	return Client{}, fault.Newf(fault.NotFound, "There is no client %q. Known are %s; every other one takes an address and a token, or elowen mcp as a command.", id, strings.Join(IDs(), ", "))
}

// File is where the client's config is. Errors: NotFound where that isn't known.
func (c Client) File(p Place) (string, error) {
	if f := c.file(p); f != "" {
		return f, nil
	}
	return "", fault.Newf(fault.NotFound, "Where %s keeps its config isn't known here. Name the file with --file.", c.Name)
}

// Look is where people see in the client whether it is connected.
func (c Client) Look() string { return c.look }

// Remote is the entry by which the client reaches a server at an address (without
// /mcp at its end) with a token. Where it takes programs only, that is elowen itself,
// which carries the messages there.
func (c Client) Remote(address, token, executable string) Entry {
	address = strings.TrimRight(address, "/")
	if c.remote == nil {
		return Entry{Command: executable, Args: []string{"mcp", "--server", address}, Token: token}
	}
	return Entry{URL: address + api.PathMCP, Token: token}
}

// Local is the entry by which the client runs elowen over a data directory of this
// machine, as a person's assistant. Empty: the usual directory; the only person there.
func (c Client) Local(executable, data, user string) Entry {
	e := Entry{Command: executable, Args: []string{"mcp"}}
	if data != "" {
		e.Args = append(e.Args, "--data", data)
	}
	if user != "" {
		e.Args = append(e.Args, "--user", user)
	}
	return e
}

// fields are the entry as the client writes it.
func (c Client) fields(e Entry) fields {
	if e.URL != "" {
		return c.remote(e)
	}
	return c.local(e)
}
