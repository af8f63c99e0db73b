package command

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/connect"
	"elowen/server/db"
	"elowen/server/job"
	"elowen/server/mcpd"
	"elowen/server/project"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type mcpCommand struct {
	User    string `placeholder:"NAME" help:"Account whose memories they are; without, the only one there is."`
	Server  string `placeholder:"URL" help:"Use the elowen server there instead of a data directory; needs a token."`
	Token   string `placeholder:"elw_…" help:"Act with this token, and what it may do. Better given as the variable ELOWEN_TOKEN."`
	Project string `placeholder:"PATH" help:"Folder, or project, that the agent works in; without, the working directory."`
}

// local: it stays while servers come and go.
func (c *mcpCommand) local() {}

// Run implements the command.
func (c *mcpCommand) Run(r *run) error {
	b := &mcpd.Bridge{In: r.Stdin, Out: r.Stdout, Header: http.Header{}}
	if at := c.where(r); at != "" {
		b.Header.Set(api.HeaderProject, at)
	}
	if c.Server != "" {
		at, err := c.address()
		if err != nil {
			return err
		}
		b.Exchange = mcpd.Elsewhere(at, c.Token)
		return b.Run(r.ctx)
	}
	d := &agentDoor{r: r, user: c.User, token: c.Token}
	defer d.close()
	b.Exchange = d.exchange
	ctx, stop := context.WithCancel(r.ctx)
	watching := make(chan struct{})
	go func() { defer close(watching); d.watch(ctx) }()
	defer func() { stop(); <-watching }()
	return b.Run(r.ctx)
}

// where is the project that the agent works in, as a real path on this machine.
func (c *mcpCommand) where(r *run) string {
	at := c.Project
	if at == "" {
		at = r.Dir
	}
	if strings.ContainsAny(at, `/\`) {
		if real, err := project.Canonical(r.path(at)); err == nil {
			at = real
		}
	}
	if strings.ContainsFunc(at, steers) || c.Project == "" && tool.ProjectPath(at) != nil {
		return "" // nobody asked for it, and nothing is to fail for it
	}
	return at
}

// address is where the server answers agents.
func (c *mcpCommand) address() (string, error) {
	u, err := url.Parse(c.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", fault.New(fault.Invalid, "The server's address must be such as https://memory.example.org.")
	}
	if c.Token == "" {
		return "", fault.New(fault.Invalid, "A server is used with a token. Make one in the app or with `elowen admin token create`, and give it as the variable ELOWEN_TOKEN.")
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), api.PathMCP) + api.PathMCP
	return u.String(), nil
}

// agents answers agents over the open stores.
func (st *stores) agents(identify func(http.ResponseWriter, *http.Request) (account.Identity, error), actor string) *mcpd.Handler {
	return mcpd.New(mcpd.Options{Tools: st.tools(), Delivery: st.delivery, Identify: identify, Actor: actor, Version: version, Log: st.log})
}

// tools are what a model may do with memories.
func (st *stores) tools() *tool.Set {
	return tool.New(tool.Options{
		Memories: st.memories, Categories: st.categories, Projects: st.projects, Recall: st.recall, Delivery: st.delivery,
		Jobs: func() *job.Store { return st.jobs }, Done: st.figures.Done, Log: st.log,
	})
}

// ownAgents answers the agents of who may open the data directory: as a token's
// program, or as a person's assistant. Who that is, is looked up for each request.
func (st *stores) ownAgents(user, token string) *mcpd.Handler {
	if token != "" {
		return st.agents(func(_ http.ResponseWriter, q *http.Request) (account.Identity, error) {
			return st.accounts.Token(q.Context(), token)
		}, "")
	}
	return st.agents(func(_ http.ResponseWriter, q *http.Request) (account.Identity, error) {
		return st.assisted(q.Context(), user)
	}, audit.ActorAgent)
}

// assisted is whose assistant it is.
func (st *stores) assisted(ctx context.Context, user string) (account.Identity, error) {
	var people []api.Person
	if user != "" {
		p, err := st.accounts.Person(ctx, user)
		if err != nil {
			return account.Identity{}, err
		}
		people = []api.Person{p}
	} else {
		all, err := st.accounts.People(ctx)
		if err != nil {
			return account.Identity{}, err
		}
		for _, p := range all {
			if !p.Disabled {
				people = append(people, p)
			}
		}
	}
	switch {
	case len(people) == 0:
		return account.Identity{}, noAccount(st.dir)
	case len(people) > 1:
		return account.Identity{}, fault.New(fault.Invalid, "There are several accounts. Name yours: elowen mcp --user NAME")
	case people[0].Disabled:
		return account.Identity{}, fault.New(fault.Forbidden, "The account "+people[0].Name+" is disabled.")
	}
	return account.Identity{Owner: db.AccountID(people[0].ID), Name: people[0].Name, Role: people[0].Role, Scopes: []string{api.ScopeRead, api.ScopeWrite}}, nil
}

// noAccount says that a data directory has nobody's memories.
func noAccount(dir string) error {
	return fault.New(fault.NotFound, "There is no account yet in "+dir+". Make one: elowen admin user add NAME --data "+connect.Shell(dir)+". If yours is elsewhere, name its directory with --data.")
}
