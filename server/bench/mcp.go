package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/delivery"
	"elowen/server/embedding"
	"elowen/server/recall"
	"elowen/server/vector"
	"elowen/shared/api"
)

// mcpLine is a search and an add by agents, with 600 memories: over HTTP and over
// standard streams, by 1, 8 and 32 at a time; and what of it is the way there, which
// models don't change: without them, beside the same calls of the stores.
func mcpLine(ctx context.Context, b *bench) ([]figure, error) {
	var list []figure
	for _, models := range []bool{true, false} {
		some, err := b.mcpStore(ctx, models)
		list = append(list, some...)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// mcpStore measures on a store of its own.
func (b *bench) mcpStore(ctx context.Context, models bool) ([]figure, error) {
	dir, token, err := b.mcpData(ctx)
	if err != nil {
		return nil, err
	}
	with := "words alone"
	if models {
		with = "both models"
		program, err := b.built(ctx)
		if err != nil {
			return nil, err
		}
		setup := exec.CommandContext(ctx, program, "setup", "--memory", "local", "--skip-test", "--data", dir)
		setup.Env = plain()
		if out, err := setup.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the models cannot be set up: %w\n%s", err, out)
		}
	}
	s, err := b.serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { s.stop() }()
	if !models {
		if err := s.wordsAlone(ctx, token); err != nil {
			return nil, err
		}
	}
	if models {
		indexed, err := s.indexed(ctx, token)
		if err != nil {
			return nil, err
		}
		if !indexed {
			return nil, notMeasured("the built-in models are missing: ./build.sh weights")
		}
	}
	var list []figure
	var alone [2]sample // CPU of one client over HTTP
	// What is added comes after all searches, which are to have 600 memories.
	for i, what := range []string{"search", "add"} {
		for _, way := range []string{"HTTP", "stdio"} {
			for _, clients := range []int{1, b.size(8, 2), b.size(32, 3)} {
				m, err := b.mcpWork(ctx, s, dir, token, way, what, clients)
				if err != nil {
					return list, err
				}
				name := fmt.Sprintf("%s over MCP, %s, %s", what, way, with)
				spent := of(fmt.Sprintf("%s, %d at a time: CPU", name, clients), "ms", m.cpu)
				if models && clients == 1 {
					spent = spent.to(below([]float64{45, 80}[i]))
				}
				if way == "HTTP" && clients == 1 {
					alone[i] = m.cpu
				}
				took := func(called string, part float64) figure {
					return figure{What: fmt.Sprintf("%s, %d at a time: %s", name, clients, called), Unit: "ms", Value: m.took.at(part), Low: m.took.at(0), High: m.took.at(1), Runs: len(m.took)}
				}
				list = append(list, spent, took("p50", 0.5), took("p99", 0.99))
			}
		}
	}
	if models {
		return list, nil
	}
	s.stop()
	calls, err := b.storeCalls(ctx, dir)
	if err != nil {
		return list, err
	}
	for i, what := range []string{"search", "add"} {
		list = append(list, of(what+": CPU of the way over MCP and HTTP, beside the call of the stores", "ms", sample{max(0, alone[i].median()-calls[i])}).
			noted("the call itself %s ms", short(calls[i])))
	}
	return list, nil
}

// mcpMemories is how many memories there are.
const mcpMemories = 600

// mcpData makes a store with memories that are filed, and a token.
func (b *bench) mcpData(ctx context.Context) (dir, token string, err error) {
	st, err := b.freshStore(ctx, "mcp")
	if err != nil {
		return "", "", err
	}
	defer st.close()
	c := newCorpus(9)
	for range b.size(mcpMemories, 30) {
		if _, err := st.memories.Add(ctx, st.owner, me, api.SourceUser, api.MemoryAdd{Body: c.sentence()}); err != nil {
			return "", "", err
		}
	}
	t, err := st.accounts.AddToken(ctx, st.owner, api.TokenAdd{Name: "bench", Scopes: []string{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin}})
	return st.dir, t.Token, err
}

// indexed waits until every memory is indexed by meaning; false where there is no model.
func (s *server) indexed(ctx context.Context, token string) (bool, error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		var state api.IndexState
		err := s.ask(ctx, http.MethodGet, api.PathIndex, token, nil, &state)
		switch {
		case err != nil:
			return false, err
		case state.Model == "" || state.Problem != "":
			return false, nil
		case state.Indexed == state.Total:
			return true, s.quiet(ctx) // late interaction follows, and no figure tells how far it is
		case time.Since(began) > 5*patience:
			return false, fmt.Errorf("only %d of %d memories are indexed", state.Indexed, state.Total)
		}
	}
}

// What counts as a server that does nothing: this much CPU, for as many looks on end.
const (
	quietEvery = time.Second
	quietMost  = 20.0 // milliseconds in that time; one that works but gets little of a busy machine has more
	quietLooks = 2
)

// quiet waits until the server has nothing to do any more, so that its work of before is
// not counted as that of what is measured next.
func (s *server) quiet(ctx context.Context) error {
	was := s.used()
	for began, looks := time.Now(), 0; looks < quietLooks; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(quietEvery):
		}
		now := s.used()
		if looks++; now-was > quietMost {
			looks = 0
		}
		if was = now; time.Since(began) > 5*patience {
			return fmt.Errorf("the server never comes to rest")
		}
	}
	return nil
}

// mcpMeasured is what calls took: each in milliseconds, and CPU a call, of the server
// and of the programs on standard streams.
type mcpMeasured struct{ took, cpu sample }

// asked makes each question and each body another one.
var asked atomic.Uint64

// mcpWork has clients call, all of them at once.
func (b *bench) mcpWork(ctx context.Context, s *server, dir, token, way, what string, clients int) (mcpMeasured, error) {
	var m mcpMeasured
	sessions, programs, end, err := b.mcpClients(ctx, s, dir, token, way, clients)
	if err != nil {
		return m, err
	}
	defer end()
	each := max(2, b.size(96, 4)/clients)
	cpuNow := func() float64 {
		sum := s.used()
		for _, p := range programs {
			_, ms, _ := processTimes(p.Process.Pid)
			sum += ms
		}
		return sum
	}
	for run := range b.runs + 1 { // the first one warms up
		var mu sync.Mutex
		var took sample
		var failed error
		before := cpuNow()
		var work sync.WaitGroup
		for _, c := range sessions {
			work.Go(func() {
				words := newCorpus(asked.Add(1) + 1000)
				for range each {
					args, name := map[string]any{"query": eightWords(words)}, "MemorySearch"
					if what == "add" {
						args, name = map[string]any{"body": words.sentence()}, "MemoryAdd"
					}
					began := time.Now()
					r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
					ms := millis(time.Since(began))
					mu.Lock()
					took = append(took, ms)
					if err == nil && r.IsError {
						err = fmt.Errorf("%s failed", name)
					}
					if err != nil {
						failed = err
					}
					mu.Unlock()
				}
			})
		}
		work.Wait()
		if failed != nil {
			return m, failed
		}
		if what == "add" { // indexing is part of the work
			if _, err := s.indexed(ctx, token); err != nil {
				return m, err
			}
		}
		if run > 0 {
			m.took = append(m.took, took...)
			m.cpu = append(m.cpu, (cpuNow()-before)/float64(len(took)))
		}
	}
	return m, nil
}

// eightWords are a question of the usual length.
func eightWords(c *corpus) string {
	words := strings.Fields(c.sentence())
	return strings.Join(words[:min(8, len(words))], " ")
}

// wordsAlone has the server use no model at all, which a fresh one does.
func (s *server) wordsAlone(ctx context.Context, token string) error {
	for path, change := range map[string]map[string]any{
		api.PathModels: {"roles": map[string]any{"embedding": nil}}, api.PathRuntime: {"lateInteraction": false},
	} {
		var now struct {
			Revision int64 `json:"revision"`
		}
		if err := s.ask(ctx, http.MethodGet, api.PathSettings, token, nil, &now); err != nil {
			return err
		}
		change["revision"] = now.Revision
		if err := s.ask(ctx, http.MethodPut, path, token, change, nil); err != nil {
			return err
		}
	}
	return nil
}

// ask makes a request and reads a good answer.
func (s *server) ask(ctx context.Context, method, path, token string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var from io.Reader
	if in != nil {
		from = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url(path), from)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s %s", method, path, a.Status, text)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// authorized sends a token along.
type authorized string

// RoundTrip implements http.RoundTripper.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(a))
	return http.DefaultTransport.RoundTrip(r)
}

func (b *bench) mcpClients(ctx context.Context, s *server, dir, token, way string, n int) (list []*mcp.ClientSession, programs []*exec.Cmd, end func(), err error) {
	end = func() {
		for _, c := range list {
			_ = c.Close()
		}
	}
	for range n {
		var over mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.url(api.PathMCP), HTTPClient: &http.Client{Transport: authorized(token)}, DisableStandaloneSSE: true}
		if way == "stdio" {
			cmd := exec.Command(b.program, "mcp", "--data", dir)
			cmd.Env = plain()
			cmd.Stderr = io.Discard
			programs = append(programs, cmd)
			over = &mcp.CommandTransport{Command: cmd}
		}
		c, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, over, nil)
		if err != nil {
			end()
			return nil, nil, nil, err
		}
		list = append(list, c)
	}
	return list, programs, end, nil
}

// storeCalls are what a search and an add take of the stores alone, in CPU milliseconds,
// by words.
func (b *bench) storeCalls(ctx context.Context, dir string) (out [2]float64, err error) {
	st, err := openStore(ctx, dir)
	if err != nil {
		return out, err
	}
	defer st.close()
	found := recall.New(st.db, recall.Options{Memories: st.memories, Indexes: vector.New(st.memories, 0), Service: embedding.NewService()})
	handed := delivery.New(st.db, st.memories, st.categories)
	words := newCorpus(77)
	if out[0], err = perCPU(50, func() error {
		r, err := found.Recall(ctx, st.owner, recall.Request{Query: eightWords(words), Limit: 6})
		if err != nil {
			return err
		}
		ids := make([]int64, len(r.Memories))
		for i := range r.Memories {
			ids[i] = r.Memories[i].ID
		}
		_, err = handed.HandOut(ctx, st.owner, delivery.Request{IDs: ids, Begin: true, Bytes: 20_000})
		return err
	}); err != nil {
		return out, err
	}
	out[1], err = perCPU(50, func() error {
		_, err := st.memories.Add(ctx, st.owner, me, api.SourceAgent, api.MemoryAdd{Body: words.sentence()})
		return err
	})
	return out, err
}
