package mcpd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"elowen/server/servertest"
)

const (
	list       = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	meta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

func callOf(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
}

// Whatever a client sends gets an answer that it can go on from: none is a 404 (but
// the newest revision's own for an unknown method), none a 500, and all that have a body have
// one of JSON-RPC.
func TestAnswers(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.Setup("ann")
	token := s.Token("ann").Secret()
	reader := s.Token("ann", "read").Secret()
	newest := []string{"Mcp-Protocol-Version", "2026-07-28"}
	for _, c := range []struct {
		name   string
		method string
		body   string
		header []string
		status int
		code   int    // of the error; 0: none
		says   string // in the body
	}{
		{"a list", "POST", list, nil, 200, 0, `"MemorySearch"`},
		{"initialize", "POST", initialize, nil, 200, 0, `"protocolVersion":"2025-06-18"`},
		{"initialize in a revision that nobody knows", "POST", strings.Replace(initialize, "2025-06-18", "2001-01-01", 1), nil, 200, 0, `"protocolVersion":"2025-11-25"`},
		{"an unknown session", "POST", list, []string{"Mcp-Session-Id", "yesterday"}, 200, 0, `"MemorySearch"`},
		{"the oldest revision", "POST", list, []string{"Mcp-Protocol-Version", "2024-11-05"}, 200, 0, `"MemorySearch"`},
		{"a revision that nobody knows", "POST", list, []string{"Mcp-Protocol-Version", "2001-01-01"}, 400, -32600, "2025-11-25"},
		{"the newest revision", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, append([]string{"Mcp-Method", "tools/list"}, newest...), 200, 0, `"cacheScope":"private"`},
		{"the newest revision: discover", "POST", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`, append([]string{"Mcp-Method", "server/discover"}, newest...), 200, 0, `"instructions"`},
		{"the newest revision without its headers", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, nil, 400, -32020, ""},
		{"the newest revision: an unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"dance","params":{` + meta + `}}`, append([]string{"Mcp-Method", "dance"}, newest...), 404, -32601, "dance"},
		{"a future revision", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.ReplaceAll(meta, "2026-07-28", "2031-01-01") + `}}`, []string{"Mcp-Protocol-Version", "2031-01-01", "Mcp-Method", "tools/list"}, 400, -32022, "2026-07-28"},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, 0, ""},
		{"a notification that nobody knows", "POST", `{"jsonrpc":"2.0","method":"notifications/dance"}`, nil, 202, 0, ""},
		{"a response to nothing", "POST", `{"jsonrpc":"2.0","id":9,"result":{}}`, nil, 202, 0, ""},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"dance"}`, nil, 200, -32601, "dance"},
		{"subscriptions", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"memory://1"}}`, nil, 200, -32601, ""},
		{"a batch, where there were some", "POST", "[" + list + "," + strings.Replace(list, `"id":1`, `"id":2`, 1) + "]", []string{"Mcp-Protocol-Version", "2025-03-26"}, 200, 0, `"id":2`},
		{"a batch, where there are none", "POST", "[" + list + "]", []string{"Mcp-Protocol-Version", "2025-06-18"}, 400, -32600, "batch"},
		{"an empty batch", "POST", "[]", nil, 400, -32600, ""},
		{"a batch of nonsense", "POST", "[1,2]", nil, 400, -32600, ""},
		{"GET", "GET", "", nil, 405, -32600, ""},
		{"DELETE", "DELETE", "", []string{"Mcp-Session-Id", "yesterday"}, 405, -32600, ""},
		{"PUT", "PUT", list, nil, 405, -32600, ""},
		{"no Accept", "POST", list, []string{"Accept", ""}, 200, 0, `"MemorySearch"`},
		{"JSON alone accepted", "POST", list, []string{"Accept", "application/json"}, 200, 0, `"MemorySearch"`},
		{"JSON not accepted", "POST", list, []string{"Accept", "text/html"}, 406, -32600, ""},
		{"no Content-Type", "POST", list, []string{"Content-Type", ""}, 415, -32600, ""},
		{"another Content-Type", "POST", list, []string{"Content-Type", "text/plain"}, 415, -32600, ""},
		{"5 MB", "POST", callOf("MemoryAdd", `{"body":"`+strings.Repeat("x", 5<<20)+`"}`), nil, 413, -32600, "1048576"},
		{"invalid UTF-8", "POST", callOf("MemoryAdd", "{\"body\":\"\xff\"}"), nil, 400, -32700, "UTF-8"},
		{"no JSON", "POST", "{", nil, 400, -32700, ""},
		{"nothing", "POST", "", nil, 400, -32700, ""},
		{"a name twice", "POST", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, nil, 400, -32700, ""},
		{"no object", "POST", `"x"`, nil, 400, -32600, ""},
		{"another version of JSON-RPC", "POST", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, -32600, ""},
		{"no version of JSON-RPC", "POST", `{"id":1,"method":"ping"}`, nil, 400, -32600, ""},
		{"no method", "POST", `{"jsonrpc":"2.0","id":1}`, nil, 400, -32600, ""},
		{"an id that is none", "POST", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, 400, -32600, ""},
		{"an id that is null", "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32600, ""},
		{"params that are none", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}`, nil, 200, -32602, ""},
		{"a ping", "POST", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, nil, 200, 0, `"id":"a"`},
		{"an unknown tool", "POST", callOf("MemoryDance", "{}"), nil, 200, -32602, "MemoryDance"},
		{"no tool", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, 400, -32600, ""},
		{"an extra argument", "POST", callOf("MemorySearch", `{"query":"x","Limit":3}`), nil, 200, 0, `"isError":true`},
		{"a missing argument", "POST", callOf("MemorySearch", `{}`), nil, 200, 0, `"isError":true`},
		{"a wrong type", "POST", callOf("MemorySearch", `{"query":7}`), nil, 200, 0, `"isError":true`},
		{"arguments that are no object", "POST", callOf("MemorySearch", `"x"`), nil, 200, 0, `"isError":true`},
		{"no arguments", "POST", callOf("MemoryCategories", `null`), nil, 200, 0, `"categories"`},
		{"an unknown resource", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://77"}}`, nil, 200, -32602, "not found"},
		{"an unknown prompt", "POST", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"dance"}}`, nil, 200, -32602, ""},
		{"a cursor of nobody's", "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"!"}}`, nil, 200, -32602, ""},
		{"Last-Event-ID", "POST", list, []string{"Last-Event-ID", "1"}, 200, 0, `"MemorySearch"`},
		{"no token", "POST", list, []string{"Authorization", ""}, 401, -32000, ""},
		{"a wrong token", "POST", list, []string{"Authorization", "Bearer elw_x"}, 401, -32000, "revoked, has expired, or is mistyped"},
		{"a token of something else", "POST", list, []string{"Authorization", "Bearer sk-x"}, 401, -32000, "Make a new one"},
		{"another host", "POST", list, []string{"Host", "evil.example"}, 403, 0, ""},
		{"another origin", "POST", list, []string{"Origin", "https://evil.example"}, 403, -32000, ""},
		{"our own origin", "POST", list, []string{"Origin", s.URL}, 200, 0, `"MemorySearch"`},
		{"a reader searches", "POST", callOf("MemorySearch", `{"query":"tea"}`), []string{"Authorization", "Bearer " + reader}, 200, 0, `"memories":[]`},
		{"a reader writes", "POST", callOf("MemoryAdd", `{"body":"x"}`), []string{"Authorization", "Bearer " + reader}, 200, 0, `scope \"write\"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body, header := send(t, c.method, s, token, c.body, c.header...)
			if status != c.status {
				t.Errorf("%d, want %d: %s", status, c.status, body)
			}
			if !strings.Contains(body, c.says) {
				t.Errorf("%q is not in %s", c.says, body)
			}
			if status == http.StatusAccepted {
				if body != "" {
					t.Errorf("a note is answered %s", body)
				}
				return
			}
			var answer struct {
				Error *struct {
					Code    int    `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			if c.name == "another host" {
				return // it is refused before anybody knows what it wants
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil && body[0] != '[' {
				t.Fatalf("no JSON: %s", body)
			}
			if c.code == 0 && answer.Error != nil || c.code != 0 && (answer.Error == nil || answer.Error.Code != c.code || answer.Error.Message == "") {
				t.Errorf("error %+v, want %d", answer.Error, c.code)
			}
			if !strings.HasPrefix(header.Get("Content-Type"), "application/json") || header.Get("Mcp-Session-Id") != "" {
				t.Errorf("headers %v", header)
			}
			if c.status == 401 && !strings.HasPrefix(header.Get("Www-Authenticate"), "Bearer") || c.status == 405 && header.Get("Allow") != "POST" {
				t.Errorf("headers %v", header)
			}
		})
	}
	// None of it was fatal.
	if status, body, _ := post(t, s, token, list); status != 200 || !strings.Contains(body, "MemorySearch") {
		t.Errorf("afterwards: %d %s", status, body)
	}
	if strings.Contains(s.Log(), "ERROR") || strings.Contains(s.Log(), "panic") {
		t.Errorf("the server said:\n%s", s.Log())
	}
}

// A token counts as it is at each request, and those that are guessed have to wait.
func TestTokens(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	s.Setup("ann")
	good, bad := s.Token("ann").Secret(), s.Token("ann").Secret()
	if status, _, _ := post(t, s, bad, list); status != 200 {
		t.Errorf("a token: %d", status)
	}
	post(t, s, good, list)
	s.Admin("token", "revoke", "2")
	if status, _, _ := post(t, s, bad, list); status != 401 {
		t.Errorf("a revoked token: %d", status)
	}
	brief := s.Admin("token", "create", "--user", "ann", "--days", "1")
	s.Clock.Advance(23 * time.Hour)
	if status, _, _ := post(t, s, strings.TrimSpace(brief), list); status != 200 {
		t.Errorf("a token on its last day: %d", status)
	}
	s.Clock.Advance(2 * time.Hour)
	if status, _, _ := post(t, s, strings.TrimSpace(brief), list); status != 401 {
		t.Errorf("an expired token: %d", status)
	}
	var status int
	var header http.Header
	for i := range 40 {
		status, _, header = post(t, s, fmt.Sprintf("elw_guess%d", i), list)
	}
	if status != 429 || header.Get("Retry-After") == "" {
		t.Errorf("guesses: %d %v", status, header)
	}
	if status, _, _ := post(t, s, good, list); status != 200 {
		t.Errorf("a good token beside guesses: %d", status)
	}
	fresh := s.Token("ann").Secret()
	if status, _, _ := post(t, s, fresh, list); status != 429 {
		t.Errorf("a token that nobody knows yet: %d", status)
	}
	s.Clock.Advance(16 * time.Minute)
	if status, _, _ := post(t, s, fresh, list); status != 200 {
		t.Errorf("a quarter of an hour later: %d", status)
	}
}
