package mcpd_test

import (
	"net/http"
	"strings"
	"testing"

	"elowen/server/servertest"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

// What agents do is counted, by tool and by how it ended, whatever way they came in;
// nothing of what they ask or keep is in it.
func TestFigures(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	ann := s.Setup("ann")
	reader := s.Token("ann", "read").Secret()
	over := connect(t, s, s.Token("ann").Secret(), nil)
	beside := session(t, pipes(t, s, "--user", "ann"))
	call(t, over, "MemoryAdd", args{"body": "The lamp of the lighthouse is green."}, nil)
	call(t, beside, "MemoryAdd", args{"body": "The keeper of the lighthouse is Ida."}, nil)
	call(t, over, "MemorySearch", args{"query": "Who keeps the lighthouse?"}, nil)
	wrong(t, over, "MemoryDelete", args{"id": 77})
	wrong(t, over, "MemorySearch", args{"query": "x", "Lighthouse": 1})
	wrong(t, over, "MemorySearch", args{})
	post(t, s, reader, callOf("MemoryAdd", `{"body":"x"}`))
	post(t, s, reader, callOf("Lighthouse", `{}`))

	// The model of a conversation is an agent too.
	endpoint := scripted.New(t)
	endpoint.Next(scripted.Says(scripted.Calls("c", "MemoryCategories", `{}`)))
	var now api.Settings
	ann.Must(http.MethodGet, api.PathSettings, nil, &now)
	ann.Must(http.MethodPut, api.PathModels, api.ModelsChange{
		Revision:  now.Revision,
		Providers: []api.ProviderChange{{ID: "p", Kind: api.ProviderOpenAI, BaseURL: endpoint.OpenAI()}},
		Roles:     map[string]*api.Role{api.RoleChat: {Provider: "p", Model: "m"}},
	}, nil)
	var c api.Conversation
	ann.Must(http.MethodPost, api.PathConversations, api.ConversationAdd{}, &c)
	ann.Must(http.MethodPost, api.ConversationPath(c.ID, "messages"), api.MessageSend{Content: "Go."}, nil)
	for range 2 { // with the tool's result it is asked again
		endpoint.Await(t)
	}

	admin := s.Token("ann", "admin")
	status, text, _ := admin.Send(admin.Request(http.MethodGet, api.PathMetrics, nil))
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	for _, want := range []string{
		`elowen_tool_calls_total{outcome="ok",tool="MemoryAdd"} 2`, `elowen_tool_calls_total{outcome="ok",tool="MemorySearch"} 1`,
		`elowen_tool_calls_total{outcome="not_found",tool="MemoryDelete"} 1`, `elowen_tool_calls_total{outcome="invalid",tool="MemorySearch"} 2`,
		`elowen_tool_calls_total{outcome="forbidden",tool="MemoryAdd"} 1`, `elowen_tool_calls_total{outcome="ok",tool="MemoryMerge"} 0`,
		`elowen_tool_calls_total{outcome="ok",tool="MemoryCategories"} 1`,
		`elowen_tool_call_seconds_count{outcome="ok",tool="MemoryAdd"} 2`, `elowen_tool_call_seconds_count{outcome="invalid",tool="MemorySearch"} 2`,
	} {
		if !strings.Contains(string(text), want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(strings.ToLower(string(text)), "lighthouse") {
		t.Error("what agents say is in the figures")
	}
}
