package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer sends a token along.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// sight is something that a window has to show because of what an agent did.
type sight struct {
	what, expression string
	met              chan struct{}
}

// watched is an agent that goes on once a window has shown what it did. It runs beside
// the test, so it gives errors back.
type watched struct {
	name   string
	client *mcp.ClientSession
	sights chan<- sight
}

// use calls a tool that has to work, and reads its object into out.
func (a watched) use(tool string, args map[string]any, out any) error {
	r, err := a.client.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return fmt.Errorf("%s: %s: %w", a.name, tool, err)
	}
	object, err := json.Marshal(r.StructuredContent)
	if err == nil && out != nil {
		err = json.Unmarshal(object, out)
	}
	if err != nil || r.IsError {
		text, _ := json.Marshal(r.Content)
		return fmt.Errorf("%s: %s %v: %v %s", a.name, tool, args, err, text)
	}
	return nil
}

// seen waits until the window shows a row with a text, or no longer does.
func (a watched) seen(text string, there bool) {
	expression := `[...document.querySelectorAll(".row-body")].some(e => e.textContent.includes(` + quote(text) + `))`
	what := a.name + ": a row says " + text
	if !there {
		expression, what = "!"+expression, a.name+": no row says "+text
	}
	s := sight{what, expression, make(chan struct{})}
	a.sights <- s
	<-s.met
}

// story is what each agent does: it adds, finds, corrects, merges and deletes, and at
// each step the window has to follow before it goes on. Two memories stay.
func (a watched) story() error {
	type added struct {
		ID int64 `json:"id"`
	}
	add := func(body string) (int64, error) {
		var m added
		err := a.use("MemoryAdd", map[string]any{"body": body}, &m)
		if err == nil {
			a.seen(body, true)
		}
		return m.ID, err
	}
	var ids [3]int64
	for i, body := range []string{"keeps the barometer in the hall.", "winds the barometer on Mondays.", "lost the key of the barometer."} {
		var err error
		if ids[i], err = add(a.name + " " + body); err != nil {
			return err
		}
	}
	var found struct {
		Memories []struct {
			ID int64 `json:"id"`
		} `json:"memories"`
	}
	if err := a.use("MemorySearch", map[string]any{"query": "What about the barometer of " + a.name + "?", "limit": 20}, &found); err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(found.Memories, func(m struct {
			ID int64 `json:"id"`
		}) bool {
			return m.ID == id
		}) {
			return fmt.Errorf("%s doesn't find memory %d among %+v", a.name, id, found.Memories)
		}
	}
	if err := a.use("MemoryUpdate", map[string]any{"id": ids[0], "body": a.name + " keeps the barometer in the kitchen."}, nil); err != nil {
		return err
	}
	a.seen(a.name+" keeps the barometer in the kitchen.", true)
	a.seen(a.name+" keeps the barometer in the hall.", false)
	merged := a.name + " keeps the barometer in the kitchen and winds it on Mondays."
	if err := a.use("MemoryMerge", map[string]any{"ids": ids[:2], "body": merged}, nil); err != nil {
		return err
	}
	a.seen(merged, true)
	a.seen(a.name+" winds the barometer on Mondays.", false)
	if err := a.use("MemoryDelete", map[string]any{"id": ids[2]}, nil); err != nil {
		return err
	}
	a.seen(a.name+" lost the key of the barometer.", false)
	_, err := add(a.name + " is done.")
	return err
}

// Three agents work at once on one account: two over HTTP with tokens of their own, and
// one on standard streams. A window that watches shows every change as it happens,
// without being loaded again, and in the end what the server has.
func TestThreeAgentsAtOnceAreWatched(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("watching")
	signUp(t, s, w)
	trash := p.Window("trash")
	trash.Visit(s.URL("/memory/trash"))
	trash.Has("#trash")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	for _, one := range []*Window{w, trash} {
		one.Eval(`globalThis.neverLoadedAgain = true`)
	}

	token := func(name string) string {
		return strings.TrimSpace(s.Run("admin", "token", "create", "--user", person, "--name", name))
	}
	over := func(token string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: s.URL("/mcp"), HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}
	}
	sights := make(chan sight)
	var agents []watched
	for name, transport := range map[string]mcp.Transport{
		"Ada": over(token("editor")), "Ben": over(token("terminal")),
		"Cleo": &mcp.CommandTransport{Command: exec.Command(s.program, "mcp", "--data", s.data)},
	} {
		c, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(context.Background(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() { c.Close() })
		agents = append(agents, watched{name, c, sights})
	}
	var working sync.WaitGroup
	failed := make([]error, len(agents))
	for i, a := range agents {
		working.Go(func() { failed[i] = a.story() })
	}
	go func() { working.Wait(); close(sights) }()
	steps := 0
	for one := range sights {
		w.Await(one.what, one.expression)
		close(one.met)
		steps++
	}
	for _, err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	if want := 9 * len(agents); steps != want {
		t.Errorf("%d steps were watched, want %d", steps, want)
	}

	// What is on the page is what the server has, here and in the trash.
	for view, one := range map[string]*Window{"active": w, "deleted": trash} {
		var server []string
		for _, m := range Promise[[]struct{ Body string }](w, `fetch("/api/memory?limit=100&status=`+view+`").then(r => r.json()).then(p => p.items.map(m => ({Body: m.body})))`) {
			server = append(server, m.Body)
		}
		slices.Sort(server)
		// Those that were merged are in the trash, too.
		if want := map[string]int{"active": 1 + 2*len(agents), "deleted": 3 * len(agents)}[view]; len(server) != want {
			t.Errorf("%s: the server has %q, want %d", view, server, want)
		}
		text, _ := json.Marshal(server)
		one.Await(view+": the page has what the server has", `(() => {
			const shown = [...document.querySelectorAll("#list .memory-text, #trash .memory-text")].map(e => e.textContent.trim()).sort();
			return JSON.stringify(shown) === JSON.stringify(`+string(text)+`.sort());
		})()`)
		if !Eval[bool](one, `globalThis.neverLoadedAgain === true`) {
			t.Errorf("%s: the page was loaded again", view)
		}
	}
}
