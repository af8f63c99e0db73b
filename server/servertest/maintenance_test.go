package servertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/model/modeltest"
	"elowen/server/servertest"
	"elowen/shared/api"
)

// ended waits for the end of a maintenance job.
func ended(t *testing.T, c *servertest.Client, id int64) (m api.Maintenance) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		if c.Must(http.MethodGet, api.MaintenancePath(id), nil, &m); !m.Running() {
			return m
		}
	}
	t.Fatalf("it does not end: %+v", m)
	return m
}

// A reindex has the model asked again for every memory of the account, and of nobody
// else; over REST and on the command line, beside the server and without it.
func TestReindex(t *testing.T) {
	local := newBuiltIn()
	s := servertest.Start(t, servertest.Options{Local: local})
	anna := s.Setup("anna")
	for i := range 20 {
		anna.Add(fmt.Sprintf("The ferry number %d leaves at noon.", i))
	}
	indexed(t, anna, embedding.ModelE5Multilingual)
	before := local.model.Calls()
	var m, again api.Maintenance
	anna.Must(http.MethodPost, api.PathMaintenance, api.MaintenanceStart{Operation: api.OperationReindex}, &m)
	if !m.UIInitiated || m.Total != 20 || m.Status != api.JobRunning {
		t.Errorf("%+v", m)
	}
	anna.Must(http.MethodPost, api.PathMaintenance, api.MaintenanceStart{Operation: api.OperationReindex}, &again)
	if m = ended(t, anna, m.ID); m.Status != api.JobCompleted || m.Succeeded != 20 || m.Failed != 0 || again.ID != m.ID {
		t.Errorf("%+v, again %d", m, again.ID)
	}
	if local.model.Calls() == before {
		t.Error("nobody was asked")
	}
	var list api.Page[api.Maintenance]
	anna.Must(http.MethodPost, api.MaintenancePath(m.ID, "ack"), nil, &m)
	if anna.Must(http.MethodGet, api.PathMaintenance, nil, &list); len(list.Items) != 1 || list.Items[0].AcknowledgedAt == nil {
		t.Errorf("%+v", list)
	}
	if out, complaint, code := s.Command("", "admin", "reindex", "--user", "anna"); code != 0 || out != "Indexed 20 memories.\n" {
		t.Errorf("%d %q %q", code, out, complaint)
	}
	if out, _, code := s.Command("", "admin", "calibrate"); code != 0 || !strings.Contains(out, "too few") {
		t.Errorf("%d %q", code, out)
	}
	if _, complaint, code := s.Command("", "admin", "recategorize", "--all", "--yes"); code != 1 || !strings.Contains(complaint, "utility model") {
		t.Errorf("%d %q", code, complaint)
	}
	s.Stop()
	before = local.model.Calls()
	out, complaint, code := s.Command("", "admin", "reindex", "--json")
	var done struct{ Memories, Failed int }
	if code != 0 || json.Unmarshal([]byte(out), &done) != nil || done.Memories != 20 || local.model.Calls() == before {
		t.Errorf("without a server: %d %q %q", code, out, complaint)
	}
}

// New memories are sorted by the utility model, old ones when somebody asks.
func TestRecategorize(t *testing.T) {
	script := modeltest.NewServer(t, modeltest.Named(func(note string) string {
		if strings.Contains(note, "ferry") {
			return "Travel"
		}
		return "none"
	}))
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	var travel api.Category
	anna.Must(http.MethodPost, api.PathCategories, api.CategoryAdd{Name: "Travel"}, &travel)
	old := anna.Add("The ferry leaves at noon.")
	s.Clock.Advance(48 * time.Hour)
	var now api.Settings
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	anna.Must(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "mine", Kind: api.ProviderOpenAI, BaseURL: script.URL + "/v1"},
	}, Roles: map[string]*api.Role{api.RoleUtility: {Provider: "mine", Model: "small"}}}, &now)
	in := func(id int64) int64 {
		var m api.Memory
		anna.Must(http.MethodGet, api.MemoryPath(id), nil, &m)
		return *m.CategoryID
	}
	fresh := anna.Add("The ferry is blue.")
	for began := time.Now(); in(fresh.ID) != travel.ID; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("a new memory is not sorted")
		}
	}
	if in(old.ID) == travel.ID {
		t.Error("an old memory was sorted unasked")
	}
	if out, complaint, code := s.Command("", "admin", "recategorize"); code != 0 || out != "Looked at 1 memories.\n" {
		t.Errorf("%d %q %q", code, out, complaint)
	}
	if in(old.ID) != travel.ID {
		t.Error("it was not sorted")
	}
	// Nobody answers: the receipt says so, and the next start goes on.
	tea := anna.Add("Tea is at four.")
	_ = tea
	script.Fail(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(401); return true })
	var m api.Maintenance
	anna.Must(http.MethodPost, api.PathMaintenance, api.MaintenanceStart{Operation: api.OperationRecategorize, Mode: api.RecategorizeAll}, &m)
	if m = ended(t, anna, m.ID); m.Status != api.JobFailed || !strings.Contains(m.Error, "refuses the key") || m.Processed != 0 {
		t.Errorf("%+v", m)
	}
}

// Setup chooses the model that embeds, tests it first, and changes nothing where it
// does not answer; beside a server it is in use at once.
func TestSetup(t *testing.T) {
	local := newBuiltIn()
	remote := embeddingtest.NewServer(t, "remote", 24)
	s := servertest.Start(t, servertest.Options{Local: local})
	anna := s.Setup("anna")
	anna.Add("The ferry leaves at noon.")
	model := func() string {
		var now api.Settings
		anna.Must(http.MethodGet, api.PathSettings, nil, &now)
		if now.Models.Roles.Embedding == nil {
			return ""
		}
		return now.Models.Roles.Embedding.Model
	}
	try := func(code int, says string, args ...string) {
		t.Helper()
		out, complaint, got := s.Command("", append([]string{"setup"}, args...)...)
		if got != code || !strings.Contains(out+complaint, says) {
			t.Errorf("setup %q: %d %q %q", args, got, out, complaint)
		}
	}
	try(1, "no provider to reuse", "--memory", "reuse")
	try(2, "wants a key", "--memory", "openrouter")
	try(2, "OpenRouter's key", "--memory", "local", "--memory-key", "sk-1")
	try(2, "", "--memory", "elsewhere")
	try(2, "can't be opened", "--weights", "/nowhere/weights.bin")
	try(2, "no such built-in model", "--memory", "local", "--embedding-model", "unknown")
	try(0, "Nothing was changed: memories are found by meaning", "--memory", "skip")
	try(0, "vectors of 16 numbers")
	if model() != embedding.ModelE5Multilingual {
		t.Errorf("%q", model())
	}
	var now api.Settings
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	anna.Must(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "mine", Kind: api.ProviderOpenAI, BaseURL: remote.URL + "/v1", APIKey: api.Some("sk-mine")},
	}, Roles: map[string]*api.Role{api.RoleChat: {Provider: "mine", Model: "big"}}}, &now)
	remote.Fail(embeddingtest.Status(401))
	try(1, "Nothing was changed", "--memory", "reuse", "--embedding-model", "m")
	if model() != embedding.ModelE5Multilingual {
		t.Error("a model that does not answer was taken")
	}
	remote.Fail(nil)
	try(0, "vectors of 24 numbers", "--memory", "reuse", "--embedding-model", "m")
	indexed(t, anna, "m")
	out, _, code := s.Command("", "setup", "--memory", "openrouter", "--memory-key", "sk-router", "--skip-test", "--json")
	if code != 0 || !strings.Contains(out, `"model":"openai/text-embedding-3-small"`) || !strings.Contains(out, `"tested":false`) || strings.Contains(out, "sk-router") {
		t.Errorf("%d %q", code, out)
	}
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	if len(now.Models.Providers) != 3 || !now.Models.Providers[1].HasKey || !now.Models.Providers[2].HasKey || now.Models.Roles.Chat == nil {
		t.Errorf("%+v", now.Models)
	}
	s.Stop()
	try(0, "when it runs", "--memory", "local")
}
