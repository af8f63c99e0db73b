package remote

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/account"
	"elowen/server/render"
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
		_, _ = l.list(context.WithoutCancel(ctx), false)
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
		if _, err := l.list(ctx, false); err != nil {
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
func (l *link) call(ctx context.Context, name string, args map[string]any) tool.Outcome {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("server.callMillis"))*time.Millisecond)
	defer cancel()
	out, err := aside(ctx, l, func() (out tool.Outcome, err error) {
		if err := l.hold(ctx); err != nil {
			return out, err
		}
		session, err := l.connected(ctx)
		l.free() // several may be called at a time
		if err != nil {
			return out, err
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			said, goesOn := refused(err)
			if !goesOn && ctx.Err() == nil {
				l.lose(session)
			}
			if said == "" {
				return out, err
			}
			return tool.Outcome{Failed: true, Text: "The server " + l.r.name + " refused this call: " + said}, nil
		}
		out = tool.Outcome{Text: written(result), Failed: result.IsError}
		if !result.IsError && result.StructuredContent != nil {
			out.Object = result.StructuredContent
		}
		return out, nil
	})
	if err != nil {
		return l.failure(err)
	}
	return out
}

// rejected is the error that stands for a request that never came to the server's own
// program, in the SDK's words.
var rejected = &jsonrpc.Error{Code: -32005}

// refused is what a server said that answered a call with an error; empty: it is no such
// error. goesOn tells that the connection is as good as before: a wrong argument is no
// reason to end what others use. An answer that came with an HTTP status of failure may
// also say that the server knows the connection no more.
func refused(err error) (said string, goesOn bool) {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code == rejected.Code {
		return "", false
	}
	said = strings.TrimSpace(answer.Message)
	if said == "" {
		said = "it doesn't say why."
	}
	said = render.Harmless(cut(said, setting.Int("server.refusal")))
	return said, !errors.Is(err, rejected) || answer.Code == jsonrpc.CodeInvalidParams || answer.Code == jsonrpc.CodeMethodNotFound
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
	tools, err := l.list(ctx, true)
	if err != nil {
		out.Problem = fault.ProblemOf(err).Detail
		return out, nil
	}
	room := s.left(rows, i)
	for _, t := range tools {
		if len(out.Tools) < room {
			out.Tools = append(out.Tools, api.ServerTool{Name: t.Name, Description: t.Description})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out.LeftOut = l.out + len(tools) - len(out.Tools)
	return out, nil
}

// left is how many tools an account's server may bring at most, after those that come
// before it.
func (s *Store) left(rows []row, i int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := setting.Int("server.allTools")
	for _, r := range rows[:i] {
		for _, l := range s.links {
			if l.k.id == r.id && l.k.revision == r.revision && r.enabled != 0 {
				room -= len(l.tools)
				break
			}
		}
	}
	return max(room, 0)
}
