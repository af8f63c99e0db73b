package mcpd_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/delivery"
	"elowen/server/mcpd"
	"elowen/server/tool"
	"elowen/shared/api"
)

// A request that panics is answered, under its id and with nothing of why; the log has
// that, and the server goes on.
func TestAPanicIsAnswered(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	none := &delivery.Store{} // without a database whatever asks it panics
	identify := func(w http.ResponseWriter, r *http.Request) (account.Identity, error) {
		if r.Header.Get("Authorization") == "panic" {
			panic("nil map of ann's")
		}
		return account.Identity{Owner: 1, Name: "ann", Role: api.RoleMember, Scopes: []string{api.ScopeRead, api.ScopeWrite}}, nil
	}
	via := mcpd.Within(mcpd.New(mcpd.Options{
		Tools: tool.New(tool.Options{Delivery: none, Log: logger}), Delivery: none, Identify: identify, Version: "test", Log: logger,
	}))
	ask := func(t *testing.T, id, body string, more ...string) string {
		t.Helper()
		log.Reset()
		header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
		for i := 0; i < len(more); i += 2 {
			header.Set(more[i], more[i+1])
		}
		status, answer, err := via(ctx, header, []byte(body))
		var got struct {
			ID json.RawMessage `json:"id"`
		}
		if err != nil || status != http.StatusOK || json.Unmarshal(answer, &got) != nil || string(got.ID) != id {
			t.Errorf("%d %s, %v: not the id %s", status, answer, err, id)
		}
		return string(answer)
	}
	for name, c := range map[string]struct {
		body string
		more []string
		id   string
	}{
		"tools/call":        {callOf("MemoryListRecent", "{}"), nil, "1"},
		"resources/read":    {`{"jsonrpc":"2.0","id":"seven","method":"resources/read","params":{"uri":"memory://1"}}`, nil, `"seven"`},
		"resources/list":    {`{"jsonrpc":"2.0","id":8,"method":"resources/list"}`, nil, "8"},
		"prompts/get":       {`{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"review"}}`, nil, "9"},
		"before it is read": {list, []string{"Authorization", "panic"}, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ask(t, c.id, c.body, c.more...)
			if !strings.Contains(answer, `"error"`) && !strings.Contains(answer, `"isError":true`) {
				t.Errorf("no error: %s", answer)
			}
			for _, told := range []string{"panic", "nil", "goroutine", ".go:"} {
				if strings.Contains(answer, told) {
					t.Errorf("%q is told: %s", told, answer)
				}
			}
			if said := log.String(); !strings.Contains(said, "panicked") || !strings.Contains(said, "goroutine") {
				t.Errorf("the log has: %s", said)
			}
			if answer := ask(t, "1", list); !strings.Contains(answer, "MemorySearch") {
				t.Errorf("afterwards: %s", answer)
			}
		})
	}
}
