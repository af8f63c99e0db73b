package command

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// An elowen mcp goes on with a server of another version, where both relay in the same
// way; commands don't.
func TestRelayToAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	_, stop := serve(t, dir)
	defer stop()
	if s := sit(dir); s.Run(context.Background(), []string{"admin", "user", "add", "anna", "--locked", "--data", dir}) != exitDone {
		t.Fatal(s.err.String())
	}
	ask := func(v invocation) (status int, answer string, err error) {
		t.Helper()
		c, err := net.Dial("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		l := &relay{conn: c, out: &frames{w: c}, waiting: map[int64]chan relayed{}}
		defer l.close()
		if err := l.out.sendJSON(frameInvocation, v); err != nil {
			t.Fatal(err)
		}
		go l.listen()
		status, body, err := l.exchange(context.Background(), http.Header{"Content-Type": {"application/json"}}, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		return status, string(body), err
	}
	mine := &relaying{Protocol: relayProtocol, User: "anna"}
	for what, v := range map[string]invocation{
		"the same version": {Version: version, Relay: mine}, "another": {Version: "another", Relay: mine}, "none": {Relay: mine},
		"with a command": {Version: "another", Relay: mine, Args: []string{"admin", "stats"}, Env: map[string]string{"ELOWEN_DATA": "/nowhere"}},
	} {
		if status, answer, err := ask(v); err != nil || status != http.StatusOK || !strings.Contains(answer, "MemorySearch") {
			t.Errorf("%s: %d %s, %v", what, status, answer, err)
		}
	}
	if _, _, err := ask(invocation{Version: "another", Relay: &relaying{Protocol: relayProtocol + 1, User: "anna"}}); err == nil || !strings.Contains(err.Error(), "start the agent again") {
		t.Errorf("another way to relay: %v", err)
	}
	if _, _, err := ask(invocation{Version: "another", Args: []string{"mcp-relay", "--user=anna"}}); err == nil || !strings.Contains(err.Error(), "The server runs version") {
		t.Errorf("as a command: %v", err)
	}
}
