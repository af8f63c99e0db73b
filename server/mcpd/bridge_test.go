package mcpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"elowen/shared/fault"
)

// talk has a bridge carry lines, and answers what it wrote.
func talk(t *testing.T, exchange Exchange, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	b := &Bridge{In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: &out, Exchange: exchange}
	if err := b.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// echo answers each message with its headers.
func echo(_ context.Context, header http.Header, body []byte) (int, []byte, error) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return 0, nil, err
	}
	if m.Method == "initialize" {
		return 200, []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`), nil
	}
	if m.ID == nil {
		return 202, nil, nil
	}
	return 200, []byte(fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,\n\"result\":{\"revision\":%q,\"method\":%q,\"name\":%q}}", m.ID, header.Get("Mcp-Protocol-Version"), header.Get("Mcp-Method"), header.Get("Mcp-Name"))), nil
}

func TestBridgeHeaders(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`},
			`{"revision":"2025-06-18","method":"","name":""}`},
		{[]string{`{"jsonrpc":"2.0","id":2,"method":"ping"}`}, `{"revision":"","method":"","name":""}`},
		{[]string{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"MemorySearch",` + meta + `}}`}, `{"revision":"2026-07-28","method":"tools/call","name":"MemorySearch"}`},
		{[]string{`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"memory://ü",` + meta + `}}`}, `{"revision":"2026-07-28","method":"resources/read","name":"=?base64?bWVtb3J5Oi8vw7w=?="}`},
		{[]string{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7,` + meta + `}}`}, `{"revision":"2026-07-28","method":"tools/call","name":""}`},
	} {
		if got := talk(t, echo, c.lines...); !strings.Contains(got, c.want) || strings.Count(got, "\n") != strings.Count(got, `"id"`) {
			t.Errorf("%s: %s", c.lines, got)
		}
	}
}

// What is no message, and what gets no answer, is answered all the same; and the next
// message is taken.
func TestBridgeIsNotThrown(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	for _, c := range []struct {
		line string
		want string // before the answer to the ping
	}{
		{"{", `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":5}`, `"id":5,"error":{"code":-32600`},
		{"\xff", `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"` + strings.Repeat("x", 5<<20) + `"}}`, `"id":1,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"` + strings.Repeat("x", 3<<20) + `"}}`, `"id":7,"error":{"code":-32600`},
		{`{"method":"tools/call","params":{"a":"` + strings.Repeat("x", 1<<20) + `"},"jsonrpc":"2.0","id":"seven"}`, `"id":"seven","error":{"code":-32600`},
		{`{"params":{"a":"` + strings.Repeat("x", 1<<20) + `"},"id":9,"jsonrpc":"2.0"}`, `"id":9,"error":{"code":-32600`},
		{`{"params":{"a":"` + strings.Repeat("x", 1<<20) + `","id":8},"jsonrpc":"2.0"}`, `"id":null,"error":{"code":-32600`},
		{`{"params":{"a":"` + strings.Repeat("x", 1<<20) + `,\"id\":8}"}}`, `"id":null,"error":{"code":-32600`},
		{`{"params":{"a":"` + strings.Repeat("x", 1<<20) + `"},"id":8.5}`, `"id":null,"error":{"code":-32600`},
		{"", ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, `"error"`},
	} {
		got := talk(t, echo, c.line, ping)
		if !strings.Contains(got, c.want) || !strings.Contains(got, `"id":"p"`) {
			t.Errorf("%.60q: %s", c.line, got)
		}
	}
	for _, c := range []struct {
		exchange Exchange
		want     string
	}{
		{func(context.Context, http.Header, []byte) (int, []byte, error) {
			return 0, nil, fault.New(fault.Unavailable, "It is away.")
		}, `"id":"p","error":{"code":-32603,"message":"It is away."}`},
		{func(context.Context, http.Header, []byte) (int, []byte, error) { return 0, nil, errors.New("secret") }, `Something went wrong inside`},
		{func(context.Context, http.Header, []byte) (int, []byte, error) {
			return 502, []byte("<html>bad</html>"), nil
		}, `"id":"p","error"`},
		{func(context.Context, http.Header, []byte) (int, []byte, error) {
			return 401, []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`), nil
		}, `"id":"p"`},
	} {
		if got := talk(t, c.exchange, ping); !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
			t.Errorf("want %s: %s", c.want, got)
		}
	}
}

// A client that doesn't want an answer any more gets none, and nobody works on it.
func TestBridgeCancels(t *testing.T) {
	in, client := io.Pipe()
	var out bytes.Buffer
	started, stopped := make(chan struct{}), make(chan struct{})
	var once sync.Once
	b := &Bridge{In: in, Out: &out, Exchange: func(ctx context.Context, header http.Header, body []byte) (int, []byte, error) {
		if !strings.Contains(string(body), "slow") {
			return echo(ctx, header, body)
		}
		once.Do(func() { close(started) })
		<-ctx.Done()
		close(stopped)
		return 0, nil, ctx.Err()
	}}
	ended := make(chan error, 1)
	go func() { ended <- b.Run(context.Background()) }()
	say := func(line string) {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":"s","method":"slow"}`)
	<-started
	say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`) // others are answered meanwhile
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
	<-stopped
	client.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, `"s"`) || !strings.Contains(got, `"id":2`) {
		t.Errorf("it wrote %s", got)
	}
}

// Whatever stands on a line, each line written is a JSON object, and the bridge goes on.
func FuzzBridge(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	f.Add([]byte("[]\n{}\nnull\n\"\\ud800\"\n{\"jsonrpc\":\"2.0\",\"id\":1e5,\"method\":\"x\"}"))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`))
	f.Fuzz(func(t *testing.T, input []byte) {
		got := talk(t, func(_ context.Context, h http.Header, body []byte) (int, []byte, error) {
			if !json.Valid(body) {
				t.Errorf("passed on %q", body)
			}
			for name, values := range h {
				if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
					t.Errorf("header %s: %q", name, values)
				}
			}
			return 200, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), nil
		}, string(input), `{"jsonrpc":"2.0","id":"last","method":"ping"}`)
		for _, line := range strings.Split(strings.TrimSpace(got), "\n") {
			if !json.Valid([]byte(line)) || line == "" || line[0] != '{' {
				t.Errorf("wrote %q", line)
			}
		}
	})
}
