package remote

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/account"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Offers implements tool.Kit. A server whose tools aren't known yet is waited for a
// moment; one that failed is left alone a while.
func (s *Store) Offers(ctx context.Context, at tool.Place) ([]tool.Offer, error) {
	who, err := at.Identify(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, who.Owner)
	if err != nil {
		return nil, err
	}
	var links []*link
	var wait []<-chan struct{}
	for _, r := range rows {
		if r.enabled == 0 {
			continue
		}
		private, err := s.private(ctx, who, r.kind)
		if err != nil {
			continue // its owner may not have it any more
		}
		l := s.link(r, private)
		links = append(links, l)
		if s.wants(l) {
			wait = append(wait, l.fresh(ctx))
		}
	}
	s.await(ctx, wait)
	var out []tool.Offer
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range links {
		for _, t := range l.tools {
			if len(out) >= setting.Int("server.allTools") {
				return out, nil
			}
			out = append(out, t.Offer)
		}
	}
	return out, nil
}

// wants tells whether a server has to be asked for its tools.
func (s *Store) wants(l *link) bool {
	now := s.db.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.problem != "" && now-l.failed < int64(setting.Int("server.retrySeconds"))*1000 {
		return false
	}
	return l.known == 0 || now-l.known >= int64(setting.Int("server.keepMinutes"))*60_000
}

// fresh asks a server for its tools in the background.
func (l *link) fresh(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		panicked := fault.Guarded(func() { _, _ = l.list(context.WithoutCancel(ctx)) })
		if panicked != nil {
			l.s.o.Log.Error("asking a server for its tools panicked", "error", panicked)
		}
	}()
	return done
}

// await waits until all are done, but not for long.
func (s *Store) await(ctx context.Context, wait []<-chan struct{}) {
	if len(wait) == 0 {
		return
	}
	over := time.NewTimer(time.Duration(setting.Int("server.waitMillis")) * time.Millisecond)
	defer over.Stop()
	for _, done := range wait {
		select {
		case <-done:
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Run implements tool.Kit.
func (s *Store) Run(ctx context.Context, at tool.Place, name string, args []byte) (tool.Outcome, bool) {
	server, _, ok := strings.Cut(name, "__")
	if !ok {
		return tool.Outcome{}, false
	}
	who, err := at.Identify(ctx)
	if err != nil {
		return tool.Failure(err), true
	}
	rows, err := s.rows(ctx, who.Owner)
	if err != nil {
		return tool.Failure(err), true
	}
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == server && r.enabled != 0 })
	if i < 0 {
		return tool.Outcome{}, false
	}
	private, err := s.private(ctx, who, rows[i].kind)
	if err != nil {
		return tool.Failure(err), true
	}
	l := s.link(rows[i], private)
	own, ok := l.named(name)
	if !ok {
		if _, err := l.list(ctx); err != nil {
			return l.failure(err), true
		}
		if own, ok = l.named(name); !ok {
			return tool.Outcome{}, false
		}
	}
	var given map[string]any
	if len(args) > 0 {
		if err := json.Unmarshal(args, &given); err != nil {
			return tool.Failure(fault.New(fault.Invalid, "The arguments are no JSON object.")), true
		}
	}
	if given == nil {
		given = map[string]any{}
	}
	return l.call(ctx, own, given), true
}

// named is how the server itself calls a tool.
func (l *link) named(name string) (string, bool) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	for _, t := range l.tools {
		if t.Name == name {
			return t.own, true
		}
	}
	return "", false
}

// call has the server run a tool. It is asked once: what it did the first time can't be
// known.
func (l *link) call(ctx context.Context, name string, args map[string]any) (out tool.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("server.callMillis"))*time.Millisecond)
	defer cancel()
	var result *mcp.CallToolResult
	var err error
	panicked := fault.Guarded(func() {
		l.mu.Lock()
		session, failed := l.connected(ctx)
		l.mu.Unlock() // several may be called at a time
		if err = failed; err == nil {
			result, err = session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		}
	})
	if panicked != nil {
		l.s.o.Log.Error("a tool of a server panicked", "tool", name, "error", panicked)
		err = panicked
	}
	if err != nil {
		if ctx.Err() == nil {
			l.end()
		}
		return l.failure(err)
	}
	out = tool.Outcome{Text: written(result), Failed: result.IsError}
	if !result.IsError && result.StructuredContent != nil {
		out.Object = result.StructuredContent
	}
	return out
}

// failure is what a model is told of a server that failed.
func (l *link) failure(err error) tool.Outcome {
	return tool.Failure(fault.Wrap(fault.Unavailable, err, "The server "+l.r.name+" failed. "+wrong(err)+" Go on without it."))
}

// Test asks a server for its tools at once. Errors: NotFound, Forbidden.
func (s *Store) Test(ctx context.Context, who account.Identity, id int64) (api.ServerTested, error) {
	rows, err := s.rows(ctx, who.Owner)
	if err != nil {
		return api.ServerTested{}, err
	}
	i := slices.IndexFunc(rows, func(r row) bool { return r.id == id })
	if i < 0 {
		return api.ServerTested{}, fault.New(fault.NotFound, "There is no such server.")
	}
	private, err := s.private(ctx, who, rows[i].kind)
	if err != nil {
		return api.ServerTested{}, err
	}
	out := api.ServerTested{Tools: []api.ServerTool{}}
	l := s.link(rows[i], private)
	l.end() // so that it begins anew
	tools, err := l.list(ctx)
	if err != nil {
		out.Problem = fault.ProblemOf(err).Detail
		return out, nil
	}
	for _, t := range tools {
		out.Tools = append(out.Tools, api.ServerTool{Name: t.Name, Description: t.Description})
	}
	return out, nil
}
