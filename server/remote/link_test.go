package remote

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// What a server answers with an error of the protocol is a result that the model reads;
// the connection, which others use too, is the same as before.
func TestARefusedCallEndsNoConnection(t *testing.T) {
	w := newWorld(t)
	w.private = true
	w.add(w.root, api.ServerAdd{Name: "web", Kind: api.ServerHTTP, URL: serve(t, nil, nil)})
	w.add(w.root, w.program("local"))
	w.offers(w.root)
	for _, server := range []string{"web", "local"} {
		w.says(w.root, server+"__echo", "{}", "said", false)
		l, before := w.of(w.root, server)
		if before == nil {
			t.Fatalf("%s: no connection", server)
		}
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				w.says(w.root, server+"__picky", "{}", "refused this call", true)
				w.says(w.root, server+"__echo", `{"text":"a"}`, `said {"text":"a"}`, false)
			})
		}
		work.Wait()
		out := l.call(ctx, "unheard of", map[string]any{})
		if !out.Failed || !strings.Contains(out.Text, "refused this call") || !strings.Contains(out.Text, "unheard of") {
			t.Errorf("%s: %+v", server, out)
		}
		out, _ = w.run(w.root, server+"__picky", "{}")
		if strings.Contains(out.Text, "<memory") || len(out.Text) > setting.Int("server.refusal")+200 || !strings.Contains(out.Text, "no such place") {
			t.Errorf("%s: %d bytes, %.200q", server, len(out.Text), out.Text)
		}
		if _, after := w.of(w.root, server); after != before {
			t.Errorf("%s: another connection", server)
		}
	}
}

// What is an error of the connection ends it, and the next call makes another.
func TestALostConnectionIsMadeAnew(t *testing.T) {
	for name, body := range map[string]string{"without a word": "", "in words": `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.private = true
			var mu sync.Mutex
			lost := ""
			forgets := func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					mu.Lock()
					id := r.Header.Get("Mcp-Session-Id")
					gone := id != "" && id == lost
					mu.Unlock()
					if gone {
						rw.Header().Set("Content-Type", "application/json")
						rw.WriteHeader(http.StatusNotFound)
						fmt.Fprint(rw, body)
						return
					}
					h.ServeHTTP(rw, r)
				})
			}
			w.add(w.ann, api.ServerAdd{Name: "web", Kind: api.ServerHTTP, URL: serve(t, forgets, nil)})
			w.offers(w.ann)
			w.says(w.ann, "web__echo", "{}", "said", false)
			_, before := w.of(w.ann, "web")
			if before.ID() == "" {
				t.Skip("the protocol has no sessions")
			}
			mu.Lock()
			lost = before.ID()
			mu.Unlock()
			if out, _ := w.run(w.ann, "web__echo", "{}"); !out.Failed {
				t.Errorf("%+v", out)
			}
			w.says(w.ann, "web__echo", "{}", "said", false)
		})
	}
}

// Whoever stops waiting for a server waits no longer, whatever the server does, and
// whoever else is connecting to it.
func TestStopWaitsForNoServer(t *testing.T) {
	w := newWorld(t)
	w.private = true
	hang := make(chan struct{})
	defer close(hang)
	asked := make(chan struct{}, 10)
	w.add(w.ann, api.ServerAdd{Name: "slow", Kind: api.ServerHTTP, URL: serve(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-hang
		})
	}, nil)})
	rows, err := w.s.rows(ctx, w.ann.Owner)
	if err != nil {
		t.Fatal(err)
	}
	l := w.s.link(rows[0], true)
	first := l.fresh(ctx) // somebody else connects, and holds the slot
	<-asked
	for what, use := range map[string]func(context.Context) tool.Outcome{
		"a call": func(ctx context.Context) tool.Outcome { return l.call(ctx, "echo", nil) },
		"a tool unknown": func(ctx context.Context) tool.Outcome {
			out, _ := w.s.Run(ctx, at(w.ann), "slow__echo", nil)
			return out
		},
	} {
		ctx, stop := context.WithCancel(ctx)
		stop()
		out := use(ctx)
		select {
		case <-first:
			t.Errorf("%s waited for the other one", what)
		default:
		}
		if !out.Failed {
			t.Errorf("%s: %+v", what, out)
		}
	}
	// That somebody stopped is no fault of the server's.
	if l.s.mu.Lock(); l.problem != "" {
		t.Errorf("%q", l.problem)
	}
	l.s.mu.Unlock()
	l.slotTaken(t)
}

// slotTaken checks that somebody holds the slot.
func (l *link) slotTaken(t *testing.T) {
	t.Helper()
	select {
	case l.slot <- struct{}{}:
		l.free()
		t.Error("nobody holds the slot: the test shows nothing")
	default:
	}
}

// Connections are bounded, whoever's they are: the one that was unused for longest makes
// room, never one in use, and what is known of its tools stays.
func TestConnectionsAreBounded(t *testing.T) {
	w := newWorld(t)
	most := setting.Int("server.connections")
	links := make([]*link, most+10)
	for i := range links {
		links[i] = w.s.link(row{id: int64(i + 1), owner: w.ann.Owner, revision: 1, name: fmt.Sprint("n", i)}, true)
		links[i].known = 1
	}
	for i := range most { // the others were only used once, and have none
		if err := w.s.room(links[i]); err != nil {
			t.Fatal(err)
		}
	}
	opened := func(i int) bool {
		w.s.mu.Lock()
		defer w.s.mu.Unlock()
		return links[i].open
	}
	for i := range most {
		if !opened(i) {
			t.Fatalf("%d was ended although there was room", i)
		}
	}
	links[0].use(1)
	if err := w.s.room(links[most]); err != nil {
		t.Fatal(err)
	}
	if !opened(0) || opened(1) || !opened(2) || !opened(most) {
		t.Error("another one was ended")
	}
	if got := w.s.link(links[1].r, true); got != links[1] || got.known == 0 {
		t.Error("what was known of it is forgotten")
	}
	for i := range links {
		links[i].use(1)
	}
	if err := w.s.room(links[most+1]); err != errCrowded {
		t.Error(err)
	}
	// Under much use, at a time.
	for i := range links {
		links[i].use(-1)
	}
	links[0].use(-1)
	var work sync.WaitGroup
	for i := range links {
		work.Go(func() {
			for range 20 {
				w.s.link(links[i].r, true)
				_ = w.s.room(links[i])
				links[i].use(1)
				links[i].use(-1)
			}
		})
	}
	work.Wait()
}

// Which tools are offered doesn't depend on the order in which a server tells of them,
// and those that are left out are told of.
func TestToolsLeftOutAreCounted(t *testing.T) {
	most := setting.Int("server.tools")
	var all []offered
	for i := range most + 5 {
		own := fmt.Sprintf("tool.%03d", i)
		all = append(all, offered{tool.Offer{Name: toolName("x", own)}, own})
	}
	all = append(all, offered{tool.Offer{Name: toolName("x", "tool_000")}, "tool_000"})
	want := fmt.Sprint(choose(all))
	if n := len(choose(all)); n != most || !strings.Contains(want, "tool.000") || strings.Contains(want, fmt.Sprintf("tool.%03d", most)) {
		t.Errorf("%d tools: %s", n, want)
	}
	for range 20 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if got := fmt.Sprint(choose(all)); got != want {
			t.Fatalf("%s, not %s", got, want)
		}
	}

	w := newWorld(t)
	w.private = true
	many := func(n int) string {
		return serve(t, func(http.Handler) http.Handler {
			s := mcp.NewServer(&mcp.Implementation{Name: "many", Version: "1"}, nil)
			for i := range n {
				s.AddTool(&mcp.Tool{Name: fmt.Sprintf("t%03d", i), InputSchema: anything}, nil)
			}
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
		}, nil)
	}
	left := 0
	for _, name := range []string{"a", "b", "c"} { // 40 and 40 of 90: 10 are left for the third
		s := w.add(w.ann, api.ServerAdd{Name: name, Kind: api.ServerHTTP, URL: many(most + 2)})
		tested, err := w.s.Test(ctx, w.ann, s.ID)
		if err != nil || tested.Problem != "" || len(tested.Tools)+tested.LeftOut != most+2 {
			t.Fatalf("%+v %v", tested, err)
		}
		left += tested.LeftOut
	}
	if got := w.offers(w.ann); len(got) != setting.Int("server.allTools") || len(got)+left != 3*(most+2) {
		t.Errorf("%d tools, %d left out", len(got), left)
	}
}
