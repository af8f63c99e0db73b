package mcpd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/servertest"
)

var ctx = context.Background()

// bearer adds a token to every request.
type bearer struct {
	token string
	more  http.Header
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	for name, values := range b.more {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect is a client of the official SDK.
func connect(t testing.TB, s *servertest.Server, token string, more http.Header) *mcp.ClientSession {
	t.Helper()
	return session(t, &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{token, more}}, DisableStandaloneSSE: true})
}

func session(t testing.TB, over mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "story", Version: "1"}, nil).Connect(ctx, over, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// pipes is a program's standard streams as a transport.
func pipes(t testing.TB, s *servertest.Server, args ...string) mcp.Transport {
	t.Helper()
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer out.Close()
		s.Program(in, out, io.Discard).Run(ctx, append([]string{"mcp", "--data", s.Data}, args...))
	}()
	t.Cleanup(func() {
		toProgram.Close()
		cancel()
		<-ended
	})
	return &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}
}

// call runs a tool that has to work, and reads its object into out.
func call(t testing.TB, c *mcp.ClientSession, name string, args, out any) string {
	t.Helper()
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if r.IsError {
		t.Fatalf("%s %v: %s", name, args, textOf(r))
	}
	object, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(object), "null") {
		t.Errorf("%s answers null: %s", name, object)
	}
	fits(t, name, object)
	if out != nil {
		if err := json.Unmarshal(object, out); err != nil {
			t.Fatalf("%s: %v in %s", name, err, object)
		}
	}
	return textOf(r)
}

// wrong runs a tool that must not work, and answers what it says.
func wrong(t testing.TB, c *mcp.ClientSession, name string, args any) string {
	t.Helper()
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	if !r.IsError || len(textOf(r)) < 20 {
		t.Errorf("%s %v: %v %s", name, args, r.IsError, textOf(r))
	}
	return textOf(r)
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

type args = map[string]any

// found is what search and list answer.
type found struct {
	Notice       string `json:"notice"`
	Conversation string `json:"conversation"`
	Project      string `json:"project"`
	Note         string `json:"note"`
	Memories     []struct {
		ID         int64  `json:"id"`
		Kind       string `json:"kind"`
		Importance int    `json:"importance"`
		Saved      string `json:"saved"`
		Category   string `json:"category"`
		Stale      string `json:"stale"`
		Body       string `json:"body"`
		InContext  bool   `json:"inContext"`
		Cut        bool   `json:"cut"`
	} `json:"memories"`
}

func (f found) ids() []int64 {
	var list []int64
	for _, m := range f.Memories {
		list = append(list, m.ID)
	}
	return list
}

// post sends a body as it is, with the headers that a client sends; more take their place.
func post(t testing.TB, s *servertest.Server, token, body string, more ...string) (int, string, http.Header) {
	t.Helper()
	return send(t, http.MethodPost, s, token, body, more...)
}

func send(t testing.TB, method string, s *servertest.Server, token, body string, more ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(more); i += 2 {
		switch {
		case more[i] == "Host":
			r.Host = more[i+1]
		case more[i+1] == "":
			r.Header.Del(more[i])
		default:
			r.Header.Set(more[i], more[i+1])
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(bytes.TrimSpace(text)), a.Header
}

// front is an address that leads to wherever a server is.
func front(t testing.TB, at func() string) string {
	t.Helper()
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := url.Parse(at())
		if err != nil {
			t.Error(err)
			return
		}
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}).ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f.URL
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
