package openaid_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"elowen/server/code"
	"elowen/server/servertest"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	code.Child()
	os.Exit(m.Run())
}

// world is a server with a scripted endpoint for its models, and a person with a token.
type world struct {
	*servertest.Server
	t        testing.TB
	ann      *servertest.Client
	token    string
	endpoint *scripted.Server
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Server: servertest.Start(t, servertest.Options{}), t: t, endpoint: scripted.New(t)}
	w.ann = w.Setup("ann")
	w.token = w.Token("ann", "read", "write").Secret()
	w.endpoint.Models(scripted.Model{ID: "oak-1", Window: 128_000}, scripted.Model{ID: "maker/elm-2"}, scripted.Model{ID: "text-embed-3"})
	w.models(api.ModelsChange{
		Providers: []api.ProviderChange{{ID: "here", Kind: api.ProviderOpenAI, BaseURL: w.endpoint.OpenAI()}},
		Roles:     map[string]*api.Role{api.RoleChat: {Provider: "here", Model: "oak-1"}},
	})
	return w
}

// models changes who can be asked.
func (w *world) models(in api.ModelsChange) {
	w.t.Helper()
	var now api.Settings
	w.ann.Must(http.MethodGet, api.PathSettings, nil, &now)
	in.Revision = now.Revision
	w.ann.Must(http.MethodPut, api.PathModels, in, nil)
}

// client is OpenAI's own client for Go, which asks once.
func (w *world) client(token string) openai.Client {
	return openai.NewClient(option.WithBaseURL(w.URL+"/v1/"), option.WithAPIKey(token), option.WithMaxRetries(0))
}

// last is the last request that the endpoint got.
func (w *world) last() scripted.Asked {
	w.t.Helper()
	all := w.endpoint.Requests()
	if len(all) == 0 {
		w.t.Fatal("nothing was asked")
	}
	return all[len(all)-1].Asked()
}

// entries are those of a conversation as people see it.
func (w *world) entries(id string) []api.ConversationEntry {
	w.t.Helper()
	var page api.Page[api.ConversationEntry]
	w.ann.Must(http.MethodGet, api.PathConversations+"/"+id+"/messages", nil, &page)
	return page.Items
}

// post sends a body as it is; headers are names and values.
func (w *world) post(path, token, body string, headers ...string) (status int, answer string, header http.Header) {
	w.t.Helper()
	return w.send(http.MethodPost, path, token, body, headers...)
}

func (w *world) send(method, path, token, body string, headers ...string) (int, string, http.Header) {
	w.t.Helper()
	r, err := http.NewRequest(method, w.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	status, answer, header := w.Client().Send(r)
	return status, string(answer), header
}

// refusal is an error in OpenAI's shape.
type refusal struct {
	Error struct {
		Message, Type string
		Param, Code   *string
	}
}

func refused(t testing.TB, body string) (out refusal) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &out); err != nil || out.Error.Message == "" || out.Error.Type == "" || out.Error.Code == nil {
		t.Errorf("no error in OpenAI's shape: %v %s", err, body)
		out.Error.Code = new(string)
	}
	return out
}
