package servertest_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/servertest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// builtIn is one built-in model, which computes nothing.
type builtIn struct{ model *embeddingtest.Embedder }

func newBuiltIn() builtIn {
	return builtIn{&embeddingtest.Embedder{
		In: embedding.Space{Kind: api.ProviderLocal, Model: embedding.ModelE5Multilingual, File: "f00d"}, Salt: "built in", Width: 16,
	}}
}

func (b builtIn) Space(name string) (embedding.Space, error) {
	if name != b.model.In.Model {
		return embedding.Space{}, fault.New(fault.NotFound, "There is no such built-in model.")
	}
	return b.model.In, nil
}

func (b builtIn) Embedder(name string) (embedding.Embedder, error) {
	_, err := b.Space(name)
	return b.model, err
}

// indexed waits until all of a person's memories are.
func indexed(t *testing.T, c *servertest.Client, model string) {
	t.Helper()
	var s api.IndexState
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		c.Must(http.MethodGet, api.PathIndex, nil, &s)
		if s.Model == model && s.Indexed == s.Total && s.Total > 0 {
			return
		}
	}
	t.Fatalf("not indexed: %+v", s)
}

// A new server indexes by itself, with the built-in model; another provider takes over
// when it is saved, and its key is in no file; back again nothing is asked.
func TestAServerIndexesByItself(t *testing.T) {
	local := newBuiltIn()
	remote := embeddingtest.NewServer(t, "remote", 24)
	s := servertest.Start(t, servertest.Options{Local: local})
	anna := s.Setup("anna")
	const body = "The ferry leaves at 07:40 from pier 3."
	m := anna.Add(body)
	indexed(t, anna, embedding.ModelE5Multilingual)
	var got api.Memory
	anna.Must(http.MethodGet, api.MemoryPath(m.ID), nil, &got)
	if !got.Indexed {
		t.Error("the memory says that it is not indexed")
	}
	var now api.Settings
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	change := api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "mine", Kind: api.ProviderOpenAI, BaseURL: remote.URL + "/v1", APIKey: api.Some("sk-in-no-file")},
	}, Roles: map[string]*api.Role{api.RoleEmbedding: {Provider: "mine", Model: "m"}}}
	anna.Must(http.MethodPut, api.PathModels, change, &now)
	indexed(t, anna, "m")
	times := 0
	for _, text := range remote.Texts() { // beside those by which the model is got to know
		if text == body {
			times++
		}
	}
	if times != 1 {
		t.Errorf("embedded elsewhere %d times", times)
	}
	calls := local.model.Calls()
	s.Restart()
	anna = s.Login("anna")
	back := api.ModelsChange{Revision: now.Revision, Roles: map[string]*api.Role{api.RoleEmbedding: {Provider: api.ProviderLocal, Model: embedding.ModelE5Multilingual}}}
	anna.Must(http.MethodPut, api.PathModels, back, &now)
	indexed(t, anna, embedding.ModelE5Multilingual)
	if local.model.Calls() != calls {
		t.Error("switching back asked the model")
	}
	s.Stop()
	files := 0
	err := filepath.WalkDir(s.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("sk-in-no-file")) {
			t.Errorf("the key of the provider is in %s", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Error(files, err)
	}
}
