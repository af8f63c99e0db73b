package remote

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

	// slot has room for one: who holds it connects, asks for tools, or hangs up. A channel,
	// so that whoever waits for it can be stopped.
	slot    chan struct{}
	session *mcp.ClientSession // of the slot's holder, as is idle, and cancel
	idle    *time.Timer
	cancel  context.CancelFunc

	// Guarded by Store.mu:
	used    int64
	open    bool // there is a connection, or one is being made
	busy    int  // how many use it at the moment
	tools   []offered
	out     int    // how many more there are, which are left out
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
		l = &link{s: s, k: k, r: r, slot: make(chan struct{}, 1)}
		if !s.closed {
			s.links[k] = l
		}
	}
	l.used = s.uses
	s.forget()
	return l
}

// linksMost is of how many servers it is remembered what their tools are.
const linksMost = 1_000

// forget forgets what is known of the server that was unused for longest, where there are
// too many. s.mu is held.
func (s *Store) forget() {
	if len(s.links) <= linksMost {
		return
	}
	if l := s.longest(func(l *link) bool { return !l.open && l.busy == 0 }); l != nil {
		delete(s.links, l.k)
	}
}

// longest is the link that was unused for longest; nil: none is such. s.mu is held.
func (s *Store) longest(such func(*link) bool) (l *link) {
	for _, o := range s.links {
		if such(o) && (l == nil || o.used < l.used) {
			l = o
		}
	}
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

// Why no connection is made.
var (
	errCrowded = errors.New("all connections are in use")
	errChanged = errors.New("the server was changed or removed meanwhile")
)

// room makes room for a connection of a link: where there are too many, the one that was
// unused for longest ends. What is known of its server's tools stays. Errors: errCrowded;
// errChanged.
func (s *Store) room(l *link) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links[l.k] != l {
		return errChanged
	}
	open := 0
	for _, o := range s.links {
		if o.open {
			open++
		}
	}
	if open >= setting.Int("server.connections") {
		o := s.longest(func(o *link) bool { return o.open && o.busy == 0 })
		if o == nil {
			return errCrowded
		}
		o.open = false
		go o.retire()
	}
	l.open = true
	return nil
}

// opened notes whether there is a connection.
func (l *link) opened(yes bool) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.open = yes
}

// use notes one more who uses the connection, or one less.
func (l *link) use(n int) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.busy += n
}

// hold takes the slot. Errors: those of ctx.
func (l *link) hold(ctx context.Context) error {
	select {
	case l.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *link) free() { <-l.slot }

// end ends the connection. It begins again with the next use.
func (l *link) end() {
	l.slot <- struct{}{}
	defer l.free()
	l.hangUp()
}

// retire ends the connection to make room, unless somebody began to use it meanwhile.
func (l *link) retire() {
	l.slot <- struct{}{}
	defer l.free()
	l.s.mu.Lock()
	busy := l.busy > 0
	l.open = busy
	l.s.mu.Unlock()
	if !busy {
		l.hangUp()
	}
}

// lose ends a connection that failed, unless another one has taken its place.
func (l *link) lose(failed *mcp.ClientSession) {
	l.slot <- struct{}{}
	defer l.free()
	if l.session == failed {
		l.hangUp()
	}
}

// hangUp is called with the slot held.
func (l *link) hangUp() {
	if l.session == nil {
		return
	}
	l.idle.Stop()
	_ = l.session.Close()
	l.cancel()
	l.session = nil
	l.opened(false)
}

// connected is the connection, made where there is none. It is called with the slot held.
func (l *link) connected(ctx context.Context) (*mcp.ClientSession, error) {
	keep := time.Duration(setting.Int("server.idleMinutes")) * time.Minute
	if l.session != nil {
		l.opened(true)
		l.idle.Reset(keep)
		return l.session, nil
	}
	if err := l.s.room(l); err != nil {
		return nil, err
	}
	session, cancel, err := l.connect(ctx)
	if err != nil {
		l.opened(false)
		return nil, err
	}
	l.session, l.cancel, l.idle = session, cancel, time.AfterFunc(keep, l.end)
	return session, nil
}

// connect makes a connection. cancel ends what is left when it was closed.
func (l *link) connect(ctx context.Context) (_ *mcp.ClientSession, cancel context.CancelFunc, err error) {
	secrets, err := l.s.secrets(&l.r)
	if err != nil {
		return nil, nil, err
	}
	var over mcp.Transport
	if l.r.kind == api.ServerStdio {
		if err := os.MkdirAll(filepath.Join(l.s.o.Dir, DirName), 0o700); err != nil {
			return nil, nil, err
		}
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
		return nil, nil, err
	}
	return session, cancel, nil
}

// aside runs what uses the connection and may not heed the end of ctx at once; then it is
// not waited for.
func aside[T any](ctx context.Context, l *link, run func() (T, error)) (T, error) {
	type ended struct {
		out T
		err error
	}
	done := make(chan ended, 1)
	l.use(1)
	go func() {
		defer l.use(-1)
		var e ended
		if panicked := fault.Guarded(func() { e.out, e.err = run() }); panicked != nil {
			l.s.o.Log.Error("using a server panicked", "server", l.r.id, "error", panicked)
			e.err = panicked
		}
		done <- e
	}()
	select {
	case e := <-done:
		return e.out, e.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// program is what is started for a server: with the variables that were given for it, and
// few of this program's own.
func (s *Store) program(r *row, variables map[string]string) *exec.Cmd {
	cmd := exec.Command(r.address, r.args()...)
	cmd.Dir = filepath.Join(s.o.Dir, DirName)
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

// list are the server's tools, asked for anew; anew also connects anew. Errors:
// Unavailable, in words for people.
func (l *link) list(asked context.Context, anew bool) ([]offered, error) {
	ctx, cancel := context.WithTimeout(asked, time.Duration(setting.Int("server.connectMillis"))*time.Millisecond)
	defer cancel()
	all, err := aside(ctx, l, func() ([]offered, error) {
		if err := l.hold(ctx); err != nil {
			return nil, err
		}
		defer l.free()
		if anew {
			l.hangUp()
		}
		was := l.session != nil
		all, err := l.ask(ctx)
		if err != nil && was {
			all, err = l.ask(ctx) // it may have ended meanwhile without a word
		}
		return all, err
	})
	now := l.s.db.Now()
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	if err != nil {
		problem := wrong(err)
		if asked.Err() == nil { // else it is not the server that failed
			l.problem, l.failed = problem, now
		}
		return nil, fault.Wrap(fault.Unavailable, err, problem)
	}
	tools := choose(all)
	l.tools, l.out, l.known, l.problem = tools, len(all)-len(tools), now, ""
	return tools, nil
}

// ask is called with the slot held.
func (l *link) ask(ctx context.Context) (all []offered, err error) {
	session, err := l.connected(ctx)
	if err != nil {
		return nil, err
	}
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			l.hangUp()
			return nil, err
		}
		all = append(all, offered{tool.Offer{Name: toolName(l.r.name, t.Name), Description: described(l.r.name, t), Input: schemaOf(t)}, t.Name})
		if len(all) >= setting.Int("server.listed") {
			break
		}
	}
	return all, nil
}

// choose are the tools that are offered of those that a server has: of those that a model
// would call by one name the first, by name as many as a server may bring, in whatever
// order it told of them.
func choose(all []offered) []offered {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b offered) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.own, b.own))
	})
	list = slices.CompactFunc(list, func(a, b offered) bool { return a.Name == b.Name })
	return list[:min(len(list), setting.Int("server.tools"))]
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
	case errors.Is(err, errCrowded):
		return "Too many servers are in use at the moment."
	case errors.Is(err, errChanged):
		return "It was changed or removed meanwhile."
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
