package connect

import (
	"strings"

	"elowen/shared/api"
)

// Shown are the clients for people who look at a page: with what is to be copied, in
// which the page puts an address and a token. Last is every other client.
func Shown() []api.ConnectClient {
	all := make([]api.ConnectClient, 0, len(clients)+1)
	for _, c := range clients {
		e := c.Remote(api.ConnectAddress, api.ConnectToken, api.ConnectProgram)
		s := api.ConnectClient{ID: c.ID, Name: c.Name, Files: c.places(), Remember: c.prompt, Look: c.look, Steps: []api.ConnectStep{}}
		if c.command != nil {
			s.Steps = append(s.Steps, api.ConnectStep{Kind: api.ConnectTerminal, Text: c.command(e)})
		}
		change, err := c.Set(nil, e)
		if err != nil {
			panic(err) // the table is part of the program
		}
		s.Steps = append(s.Steps,
			api.ConnectStep{Kind: api.ConnectConfig, Text: strings.TrimRight(string(change.After), "\n")},
			api.ConnectStep{Kind: api.ConnectElowen, Text: TokenVariable + "=" + api.ConnectToken + " " + api.ConnectProgram + " connect " + c.ID + " --server " + api.ConnectAddress})
		all = append(all, s)
	}
	remote := typed("http", "url", "headers")(Entry{URL: api.ConnectAddress + api.PathMCP, Token: api.ConnectToken})
	command := program(nil)(Entry{Command: api.ConnectProgram, Args: []string{"mcp", "--server", api.ConnectAddress}, Token: api.ConnectToken})
	return append(all, api.ConnectClient{
		ID: api.ConnectAny, Name: "Any MCP client", Files: []api.ConnectFile{},
		Steps: []api.ConnectStep{
			{Kind: api.ConnectHTTP, Text: object(fields{{"mcpServers", fields{{Name, remote}}}}, "\n", "", "  ")},
			{Kind: api.ConnectCommand, Text: object(fields{{"mcpServers", fields{{Name, command}}}}, "\n", "", "  ")},
		},
	})
}

// places are where the client's config is, for people: once where it is the same place
// on each system.
func (c Client) places() []api.ConnectFile {
	unix := Place{OS: "linux", Home: "~"}
	if !c.systems {
		return []api.ConnectFile{{Path: c.file(unix)}}
	}
	return []api.ConnectFile{
		{System: "Linux", Path: c.file(unix)},
		{System: "macOS", Path: c.file(Place{OS: "darwin", Home: "~"})},
		{System: "Windows", Path: c.file(Place{OS: "windows", Home: "%USERPROFILE%", AppData: "%APPDATA%"})},
	}
}
