package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a client of the official SDK whose server is killed under it.
type agent struct {
	t *testing.T
	*mcp.ClientSession
}

func (v *victim) agent(over mcp.Transport) agent {
	v.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "survivor", Version: "1"}, nil).Connect(context.Background(), over, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { c.Close() })
	return agent{v.t, c}
}

// found is what a search or a list answers.
type found struct {
	Conversation string
	Memories     []struct {
		ID        int64
		InContext bool
	}
}

// must runs a tool that has to work.
func (a agent) must(name string, args map[string]any) (out found) {
	a.t.Helper()
	r, err := a.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	object, err := json.Marshal(r.StructuredContent)
	if err != nil || r.IsError || json.Unmarshal(object, &out) != nil {
		a.t.Fatalf("%s: %v %s", name, err, object)
	}
	return out
}

// bearing sends a token along.
type bearing string

// RoundTrip implements http.RoundTripper.
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A server that is killed between two calls of a client and started again is not missed:
// the next call works, and knows what the one before has handed out. That holds over
// HTTP and over standard streams, and there also while no server runs.
func TestKilledBetweenCalls(t *testing.T) {
	for _, over := range []string{"http", "stdio"} {
		t.Run(over, func(t *testing.T) {
			free, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			free.Close()
			v := &victim{t: t, data: filepath.Join(t.TempDir(), "data"), addr: free.Addr().String()}
			v.run("a long enough password\n", "admin", "user", "add", "anna", "--password-stdin")
			v.token = strings.TrimSpace(v.run("", "admin", "token", "create", "--user", "anna"))
			v.start()
			defer func() { v.kill() }()
			again := func() {
				v.kill()
				v.start()
			}

			var c agent
			if over == "http" {
				c = v.agent(&mcp.StreamableClientTransport{Endpoint: "http://" + v.addr + "/mcp", HTTPClient: &http.Client{Transport: bearing(v.token)}, DisableStandaloneSSE: true})
			} else {
				c = v.agent(&mcp.CommandTransport{Command: exec.Command("elowen", "mcp", "--data", v.data)})
			}
			c.must("MemoryAdd", map[string]any{"body": "The night train to Vienna leaves from platform nine."})
			again()
			ask := map[string]any{"query": "From which platform does the night train to Vienna leave?"}
			first := c.must("MemorySearch", ask)
			if len(first.Memories) != 1 || first.Memories[0].InContext {
				t.Fatalf("after a kill: %+v", first)
			}
			ask["conversation"] = first.Conversation
			again()
			second := c.must("MemorySearch", ask)
			if len(second.Memories) != 1 || !second.Memories[0].InContext || second.Conversation != first.Conversation {
				t.Errorf("after another: %+v", second)
			}
			if over == "stdio" {
				v.kill()
				c.must("MemoryAdd", map[string]any{"body": "The night train has a dining car."})
				v.start()
			}
			c.must("MemoryDelete", map[string]any{"id": first.Memories[0].ID})
			again()
			list := c.must("MemoryListRecent", nil)
			if want := map[string]int{"http": 0, "stdio": 1}[over]; len(list.Memories) != want {
				t.Errorf("in the end: %+v, want %d", list, want)
			}
			for tool, err := range c.Tools(context.Background(), nil) {
				if err != nil || tool.InputSchema == nil {
					t.Errorf("tools: %v %v", tool, err)
				}
			}
			v.kill()
			v.run("", "admin", "verify")
		})
	}
}
