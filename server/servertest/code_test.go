package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/code"
	"elowen/server/servertest"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

// The servers of these tests start the test's program to run scripts.
func TestMain(m *testing.M) {
	code.Child()
	os.Exit(m.Run())
}

// script is a call of the tool Code.
func script(t *testing.T, source string) scripted.Answer {
	t.Helper()
	args, err := json.Marshal(map[string]string{"script": source})
	if err != nil {
		t.Fatal(err)
	}
	return scripted.Says(scripted.Calls("call-"+fmt.Sprint(len(source)), "Code", string(args)))
}

// The model of a conversation writes scripts over its tools, reads on in long outputs, and
// reads the files of its project; what it printed of memories is in context, and nothing
// else is. With the conversation its kept outputs go.
func TestScriptsInAConversation(t *testing.T) {
	if testing.Short() {
		t.Skip("scripts run in processes whose bounds the race detector's own memory breaks")
	}
	endpoint := scripted.New(t)
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	var now api.Settings
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	anna.Must(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "p", Kind: api.ProviderOpenAI, BaseURL: endpoint.OpenAI()},
	}, Roles: map[string]*api.Role{api.RoleChat: {Provider: "p", Model: "m"}}}, nil)
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	anna.Must(http.MethodPut, api.PathRuntime, api.RuntimeChange{Revision: now.Revision, FileTools: api.Some(true)}, nil)
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "notes.txt"), []byte("The harbour opens at nine.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p api.Project
	anna.Must(http.MethodPost, api.PathProjects, api.ProjectAdd{Name: "Harbour", Roots: []string{root}}, &p)
	anna.Must(http.MethodPost, api.ProjectPath(p.ID)+"/members", api.ProjectMemberSet{Name: "anna"}, nil)
	first := anna.Add("Zanzibar cloves are kept in the blue tin.")
	second := anna.Add("Zanzibar pepper is kept in the red tin.")
	// What is recalled at the start would be in context before any tool.
	var me api.Me
	anna.Must(http.MethodPatch, api.PathMe, map[string]any{"memory": map[string]any{"searchAfterMessage": false, "searchWhileWorking": false}}, &me)

	var c api.Conversation
	anna.Must(http.MethodPost, api.PathConversations, api.ConversationAdd{ProjectID: p.ID}, &c)
	endpoint.Next(
		script(t, `const r = await tools.MemorySearch({query: "Where are the Zanzibar cloves and pepper kept?"}); print(r.memories.length, "found");
			for (const m of r.memories) print(m.body.includes("cloves") ? m.body : m.body.slice(0, 10));`),
		script(t, `const {matches} = {matches: await tools.SearchFiles({pattern: "harbour"})}; print(matches); print("x".repeat(50000), "the end");`),
		scripted.Says(scripted.Calls("read", "ReadOutput", `{"id": 1, "offset": 30000, "limit": 100}`)),
		script(t, `while (true) {}`),
		scripted.Says(scripted.Text("Done.")),
	)
	anna.Must(http.MethodPost, api.ConversationPath(c.ID, "messages"), api.MessageSend{Content: "Where is it?"}, nil)
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		anna.Must(http.MethodGet, api.ConversationPath(c.ID), nil, &c)
		if c.State != api.ChatRunning || time.Since(began) > 2*time.Minute {
			break
		}
	}
	var page api.Page[api.ConversationEntry]
	anna.Must(http.MethodGet, api.ConversationPath(c.ID, "messages"), nil, &page)
	var results []string
	for _, e := range page.Items {
		if e.Role == "toolResult" {
			results = append(results, e.Content)
		}
	}
	if c.State != api.ChatIdle || len(results) != 4 {
		t.Fatalf("%+v, %d results: %.2000q", c, len(results), results)
	}
	if !strings.Contains(results[0], "2 found\n") || !strings.Contains(results[0], first.Body) || !strings.Contains(results[0], second.Body[:10]) || strings.Contains(results[0], second.Body) {
		t.Errorf("%q", results[0])
	}
	if !strings.Contains(results[1], "notes.txt:1: The harbour opens at nine.") || !strings.Contains(results[1], `ReadOutput {"id": 1`) || !strings.HasSuffix(results[1], "the end") {
		t.Errorf("%.200q … %.200q", results[1], results[1][len(results[1])-200:])
	}
	if !strings.HasPrefix(results[2], strings.Repeat("x", 100)+"\n[The bytes 30000 to 30100 of ") {
		t.Errorf("%q", results[2])
	}
	if !strings.Contains(results[3], "computed for too long") {
		t.Errorf("%q", results[3])
	}
	var inside api.ConversationContext
	anna.Must(http.MethodGet, api.ConversationPath(c.ID, "context"), nil, &inside)
	if len(inside.Items) != 1 || inside.Items[0].ID != first.ID {
		t.Errorf("in context: %+v", inside.Items)
	}
	var m api.Memory
	anna.Must(http.MethodGet, api.MemoryPath(first.ID), nil, &m)
	if m.UseCount != 1 {
		t.Errorf("what was printed was used %d times", m.UseCount)
	}
	anna.Must(http.MethodGet, api.MemoryPath(second.ID), nil, &m)
	if m.UseCount != 0 {
		t.Errorf("what was printed in part was used %d times", m.UseCount)
	}
	kept, err := filepath.Glob(filepath.Join(s.Data, "outputs", "*", "*", "*.txt"))
	if err != nil || len(kept) != 1 {
		t.Errorf("%v %v", kept, err)
	}
	anna.Must(http.MethodDelete, api.ConversationPath(c.ID), nil, nil)
	if _, err := os.Stat(kept[0]); !os.IsNotExist(err) {
		t.Errorf("what was kept of a conversation outlives it: %v", err)
	}
}
