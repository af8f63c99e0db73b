package mcpd_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"elowen/server/servertest"
)

// On standard streams whatever a client sends gets its answer too, with its id where it
// has one, and none of it ends the program: with a server beside it, and without one.
func TestAnswersOnStreams(t *testing.T) {
	for _, way := range []string{"beside a server", "alone"} {
		t.Run(way, func(t *testing.T) {
			s := servertest.Start(t, servertest.Options{})
			s.Setup("ann")
			if way == "alone" {
				s.Stop()
			}
			in, client := io.Pipe()
			from, out := io.Pipe()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer out.Close()
				s.Program(in, out, io.Discard).Run(ctx, []string{"mcp", "--data", s.Data})
			}()
			answers := bufio.NewReader(from)
			defer func() {
				client.Close()
				go io.Copy(io.Discard, answers) // what a failed test left unread
				<-ended
			}()
			ask := func(line string) string {
				t.Helper()
				go io.WriteString(client, line+"\n")
				answer, err := answers.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				return answer
			}
			for _, c := range []struct {
				name, line string
				code       int    // of the error; 0: none
				says       string // in the answer
			}{
				{"before initialize", list, 0, `"MemorySearch"`},
				{"initialize in the oldest revision", strings.Replace(initialize, "2025-06-18", "2024-11-05", 1), 0, `"protocolVersion":"2024-11-05"`},
				{"a batch in it", "[" + list + "]", 0, `"MemorySearch"`},
				{"initialize in a revision that nobody knows", strings.Replace(initialize, "2025-06-18", "2001-01-01", 1), 0, `"protocolVersion":"2025-11-25"`},
				{"a batch where there are none", "[" + list + "]", -32600, "batch"},
				{"an empty batch", "[]", -32600, ""},
				{"a future revision", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.ReplaceAll(meta, "2026-07-28", "2031-01-01") + `}}`, -32022, "2026-07-28"},
				{"the newest revision", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, 0, `"cacheScope":"private"`},
				{"the newest revision: an unknown method", `{"jsonrpc":"2.0","id":1,"method":"dance","params":{` + meta + `}}`, -32601, "dance"},
				{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"dance"}`, -32601, "dance"},
				{"5 MB", callOf("MemoryAdd", `{"body":"`+strings.Repeat("x", 5<<20)+`"}`), -32600, "1048576"},
				{"invalid UTF-8", callOf("MemoryAdd", "{\"body\":\"\xff\"}"), -32700, "UTF-8"},
				{"no JSON", "GET /mcp HTTP/1.1", -32700, ""},
				{"no object", `"x"`, -32600, ""},
				{"an unknown tool", callOf("MemoryDance", "{}"), -32602, "MemoryDance"},
				{"an extra argument", callOf("MemorySearch", `{"query":"x","Limit":3}`), 0, `"isError":true`},
				{"a missing argument", callOf("MemorySearch", `{}`), 0, `"isError":true`},
				{"a number for a text", callOf("MemorySearch", `{"query":7}`), 0, `"isError":true`},
				{"a text for a number", callOf("MemorySearch", `{"query":"x","limit":"many"}`), 0, `"isError":true`},
				{"a fraction for an id", callOf("MemoryDelete", `{"id":1.5}`), 0, `"isError":true`},
				{"an object for a list", callOf("MemoryMerge", `{"ids":{"0":1},"body":"x"}`), 0, `"isError":true`},
				{"null for a text", callOf("MemoryAdd", `{"body":null}`), 0, `"isError":true`},
				{"a list for the arguments", callOf("MemoryAdd", `["x"]`), 0, `"isError":true`},
			} {
				answer := ask(c.line)
				if !json.Valid([]byte(answer)) || !strings.Contains(answer, c.says) {
					t.Errorf("%s: %.500s", c.name, answer)
				}
				var one struct {
					Error *struct{ Code int }
				}
				if answer[0] != '[' {
					if err := json.Unmarshal([]byte(answer), &one); err != nil {
						t.Errorf("%s: %v", c.name, err)
					}
				}
				if c.code == 0 && one.Error != nil || c.code != 0 && (one.Error == nil || one.Error.Code != c.code) {
					t.Errorf("%s: error %+v, want %d: %.500s", c.name, one.Error, c.code, answer)
				}
			}
			if got := ask(strings.Replace(initialize, "2025-06-18", "2025-03-26", 1)); !strings.Contains(got, "2025-03-26") {
				t.Errorf("initialized again: %s", got)
			}
			// Notes get no answer, known or not: the next line is the ping's.
			for _, note := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/dance"}`, `{"jsonrpc":"2.0","id":9,"result":{}}`, `{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}`, `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`} {
				if answer := ask(note + "\n" + `{"jsonrpc":"2.0","id":"p","method":"ping"}`); !strings.Contains(answer, `"id":"p"`) {
					t.Errorf("%s is answered %s", note, answer)
				}
			}
		})
	}
}
