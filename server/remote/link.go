package remote

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// key names a connection: to a server as it is now, with or without private addresses.
type key struct {
	owner    db.AccountID
	id       int64
	revision int64
	private  bool
}

// offered is a tool as it is offered, and as its server calls it.
type offered struct {
	tool.Offer
	own string
}

// link is what is known of a server, and the connection to it.
type link struct {
	s *Store
	k key
	r row

	mu      sync.Mutex // of one connecting, or asking for tools, at a time
	session *mcp.ClientSession
	idle    *time.Timer

	// Guarded by Store.mu:
	used    int64
	tools   []offered
	known   int64  // when tools were asked for, in Unix milliseconds; 0: never
	problem string // why the last try failed; empty: it didn't
	failed  int64  // when that was
}

// private tells whether a server may be anywhere. Errors: Forbidden where its owner may
// not have it any more.
func (s *Store) private(ctx context.Context, who account.Identity, kind string) (bool, error) {
	if who.Role == api.RoleAdmin {
		return true, nil
	}
	if kind == api.ServerStdio {
		return false, fault.New(fault.Forbidden, "The program isn't started: whoever added it is no administrator any more.")
	}
	if s.o.Private == nil {
		return false, nil
	}
	return s.o.Private(ctx)
}

// link is that of a server as it is now.
func (s *Store) link(r row, private bool) *link {
	k := key{r.owner, r.id, r.revision, private}
	s.drop(func(o key) bool { return o.id == r.id && o != k })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses++
	l := s.links[k]
	if l == nil {
		l = &link{s: s, k: k, r: r}
		if !s.closed {
			s.links[k] = l
		}
	}
	l.used = s.uses
	return l
}

// problem is why a server's tools aren't there, as far as is known.
func (s *Store) problem(r *row) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, l := range s.links {
		if k.id == r.id && k.revision == r.revision && r.enabled != 0 {
			return l.problem
		}
	}
	return ""
}

// drop ends and forgets links.
func (s *Store) drop(which func(key) bool) {
	s.mu.Lock()
	var list []*link
	for k, l := range s.links {
		if which(k) {
			list = append(list, l)
			delete(s.links, k)
		}
	}
	s.mu.Unlock()
	for _, l := range list {
		go l.end() // it may be waiting for its server
	}
}

// Drop ends the connections of an account that is erased.
func (s *Store) Drop(owner db.AccountID) { s.drop(func(k key) bool { return k.owner == owner }) }

// Close ends all connections. It waits for none.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.drop(func(key) bool { return true })
}

// crowded ends the connection that was unused for longest, where there are too many.
func (s *Store) crowded(but *link) {
	s.mu.Lock()
	var open []*link
	for _, l := range s.links {
		if l != but {
			open = append(open, l)
		}
	}
	s.mu.Unlock()
	if len(open) < setting.Int("server.connections") {
		return
	}
	slices.SortFunc(open, func(a, b *link) int { return int(a.used - b.used) })
	s.drop(func(k key) bool { return k == open[0].k })
}

// end ends the connection. It begins again with the next use.
func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hangUp()
}

// hangUp is called with the lock held.
func (l *link) hangUp() {
	if l.idle != nil {
		l.idle.Stop()
	}
	if l.session != nil {
		_ = l.session.Close()
		l.session = nil
	}
}

// connected is the connection, made where there is none. It is called with the lock held.
func (l *link) connected(ctx context.Context) (*mcp.ClientSession, error) {
	keep := time.Duration(setting.Int("server.idleMinutes")) * time.Minute
	if l.session != nil {
		l.idle.Reset(keep)
		return l.session, nil
	}
	l.s.crowded(l)
	secrets, err := l.s.secrets(&l.r)
	if err != nil {
		return nil, err
	}
	var over mcp.Transport
	if l.r.kind == api.ServerStdio {
		over = &mcp.CommandTransport{Command: l.s.program(&l.r, secrets), TerminateDuration: 2 * time.Second}
	} else {
		over = &mcp.StreamableClientTransport{
			Endpoint: l.r.address, HTTPClient: client(l.k.private, secrets), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: setting.Int("server.answer"),
		}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "elowen", Version: l.s.o.Version}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	// The session outlives the request that it is made for.
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	session, err := c.Connect(within, over, nil)
	if !stop() && err == nil {
		_ = session.Close()
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	l.session = session
	l.idle = time.AfterFunc(keep, func() { l.end(); cancel() })
	return session, nil
}

// program is what is started for a server: with the variables that were given for it, and
// few of this program's own.
func (s *Store) program(r *row, variables map[string]string) *exec.Cmd {
	cmd := exec.Command(r.address, r.args()...)
	cmd.Dir = s.o.Dir
	cmd.Env = []string{}
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR", "USER"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// list are the server's tools, asked for anew. Errors: Unavailable, in words for people.
func (l *link) list(ctx context.Context) ([]offered, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("server.connectMillis"))*time.Millisecond)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	tools, err := l.ask(ctx)
	if err != nil && l.session != nil {
		// It may have ended meanwhile without a word.
		l.hangUp()
		tools, err = l.ask(ctx)
	}
	now := l.s.db.Now()
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if err != nil {
		l.problem, l.failed = wrong(err), now
		return nil, fault.Wrap(fault.Unavailable, err, l.problem)
	}
	l.tools, l.known, l.problem = tools, now, ""
	return tools, nil
}

func (l *link) ask(ctx context.Context) ([]offered, error) {
	session, err := l.connected(ctx)
	if err != nil {
		return nil, err
	}
	var out []offered
	seen := map[string]bool{}
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			l.hangUp()
			return nil, err
		}
		name := toolName(l.r.name, t.Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, offered{tool.Offer{Name: name, Description: described(l.r.name, t), Input: schemaOf(t)}, t.Name})
		if len(out) >= setting.Int("server.tools") {
			break
		}
	}
	slices.SortFunc(out, func(a, b offered) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// wrong is why a server can't be used, in words. Nothing of what it wrote is in them. Not
// every layer between keeps an error as one, so its text counts too.
func wrong(err error) string {
	is := func(one error) bool { return errors.Is(err, one) || strings.Contains(err.Error(), one.Error()) }
	switch {
	case is(errPrivate):
		return "Its address is a private one: on this machine, or in its network. An administrator can allow such."
	case is(errRedirect):
		return "It sends the request elsewhere. Give its final address: redirects are not followed."
	case is(errLong):
		return "It answers more than can be taken."
	case errors.Is(err, context.DeadlineExceeded):
		return "It doesn't answer in time."
	case errors.Is(err, context.Canceled):
		return "Asking it was broken off."
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return "There is no such program on this machine."
	case errors.Is(err, os.ErrPermission):
		return "The program can't be started."
	case fault.Is(err, fault.Gone):
		return "Its secrets can't be read any more. Give them again."
	case strings.Contains(err.Error(), "Unauthorized") || strings.Contains(err.Error(), "Forbidden"):
		return "It refuses what was given to sign in with."
	}
	if strings.Contains(err.Error(), "terminated without response") {
		return "It broke its answer off, or answers more than can be taken."
	}
	return "It can't be reached, or doesn't speak the Model Context Protocol."
}
