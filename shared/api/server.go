package api

// PathServers are the MCP servers of others that an account has added.
const PathServers = "/api/servers"

// ServerPath is the path of one of them, with an optional last part such as "test".
func ServerPath(id int64, part ...string) string { return itemPath(PathServers, id, part) }

// The kinds of server.
const (
	ServerHTTP  = "http"  // at an address
	ServerStdio = "stdio" // a program on the machine of elowen, which only an administrator starts
)

// Server is an MCP server as served. Its secrets never are.
type Server struct {
	ID          int64    `json:"id"`
	Revision    int64    `json:"revision"`
	Name        string   `json:"name"` // begins the names of its tools
	Kind        string   `json:"kind"`
	URL         string   `json:"url"`         // of http; empty of stdio
	Command     string   `json:"command"`     // of stdio; empty of http
	Args        []string `json:"args"`        // of stdio
	SecretNames []string `json:"secretNames"` // of the headers (http) or variables (stdio) that are stored
	SecretsLost bool     `json:"secretsLost"` // they can't be read any more: give them again
	Enabled     bool     `json:"enabled"`
	Problem     string   `json:"problem"` // why its tools aren't there at the moment; empty: none is known
	CreatedAt   Time     `json:"createdAt"`
	UpdatedAt   Time     `json:"updatedAt"`
}

// ServerAdd is the body of POST /api/servers. Secrets are headers of http and variables of
// stdio.
type ServerAdd struct {
	Name    string            `json:"name" validate:"required,line=server.name"`
	Kind    string            `json:"kind" validate:"required,oneof=http stdio"`
	URL     string            `json:"url,omitempty" validate:"line=server.url"`
	Command string            `json:"command,omitempty" validate:"line=server.command"`
	Args    []string          `json:"args,omitempty" validate:"omitempty,max=50,dive,line=server.argument"`
	Secrets map[string]string `json:"secrets,omitempty" validate:"omitempty,max=20,dive,keys,max=100,endkeys,max=4000" secret:"true"`
	Enabled *bool             `json:"enabled,omitempty"` // absent: true
}

// ServerPatch is the body of PATCH /api/servers/{id}. Absent fields stay. Secrets take the
// place of all there were; where the server becomes another one without new secrets, the
// old ones go, as they are nobody else's.
type ServerPatch struct {
	Name    *string            `json:"name,omitempty" validate:"omitempty,min=1,line=server.name"`
	URL     *string            `json:"url,omitempty" validate:"omitempty,line=server.url"`
	Command *string            `json:"command,omitempty" validate:"omitempty,line=server.command"`
	Args    *[]string          `json:"args,omitempty" validate:"omitempty,max=50,dive,line=server.argument"`
	Secrets *map[string]string `json:"secrets,omitempty" validate:"omitempty,max=20,dive,keys,max=100,endkeys,max=4000" secret:"true"`
	Enabled *bool              `json:"enabled,omitempty"`
}

// ServerTool is a tool of a server, as a model is told of it.
type ServerTool struct {
	Name        string `json:"name"` // with the server's before it
	Description string `json:"description"`
}

// ServerTested answers POST /api/servers/{id}/test.
type ServerTested struct {
	Problem string       `json:"problem"` // why it can't be used; empty: it can
	Tools   []ServerTool `json:"tools"`
	LeftOut int          `json:"leftOut"` // more that it has: too many, or of a name that another has
}
