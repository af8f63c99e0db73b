package openaid_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"elowen/server/embedding/embeddingtest"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

// clients is where ./build.sh has put OpenAI's own clients. Where it has put none, as on a
// machine without npm or Python, the tests that need them say so.
func clients(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ELOWEN_OPENAI_CLIENTS")
	if dir == "" {
		t.Skip("no clients of OpenAI's for Node and Python: ELOWEN_OPENAI_CLIENTS is not set (./build.sh test sets it)")
	}
	if testing.Short() {
		t.Skip("other people's programs are no shorter under the race detector")
	}
	return dir
}

var toldIn = regexp.MustCompile(`the story is told in conversation (\d+)`)

// OpenAI's clients for Node and Python tell the story, and people see it with what was
// recalled in it.
func TestOutsideStories(t *testing.T) {
	dir := clients(t)
	for _, told := range []struct {
		by, script string
		args       []string
	}{
		{"node", "story.mjs", []string{filepath.Join(dir, "node_modules")}},
		{filepath.Join("venv", "bin", "python"), "story.py", nil},
	} {
		t.Run(told.script, func(t *testing.T) {
			w := newWorld(t)
			vectors := embeddingtest.NewServer(t, "e", 4)
			w.models(api.ModelsChange{
				Providers: []api.ProviderChange{{ID: "here", Kind: api.ProviderOpenAI, BaseURL: w.endpoint.OpenAI()}, {ID: "v", Kind: api.ProviderOpenAI, BaseURL: vectors.URL + "/v1"}},
				Roles:     map[string]*api.Role{api.RoleEmbedding: {Provider: "v", Model: "e"}},
			})
			m := w.ann.Add(ferry)
			w.endpoint.Handle(echo)
			script, err := filepath.Abs(filepath.Join("testdata", told.script))
			if err != nil {
				t.Fatal(err)
			}
			said := tell(t, filepath.Join(dir, told.by), append(append([]string{script}, told.args...), w.URL, w.token, ferry)...)
			found := toldIn.FindStringSubmatch(said)
			if found == nil {
				t.Fatalf("%s\n%s", said, w.Log())
			}
			shown := w.entries(found[1])
			if len(shown) != 5 || shown[1].Via != "start" || len(shown[1].Memories) != 1 || shown[1].Memories[0].ID != m.ID || !shown[1].Memories[0].InContext {
				t.Errorf("%+v", shown)
			}
			if strings.Contains(w.Log(), "ERROR") {
				t.Errorf("the server said:\n%s", w.Log())
			}
		})
	}
}

// tell runs a program to its end.
func tell(t *testing.T, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// echo answers with what it was asked, as JSON; it looks at the sea where it can, and
// breaks off where it is told to.
func echo(r *scripted.Request) scripted.Answer {
	type message struct {
		Role string `json:"role"`
		Text string `json:"text"`
	}
	list := []message{}
	asked := r.Asked()
	results := 0
	for _, m := range asked.Messages {
		list = append(list, message{m.Role, m.Text})
		if m.Role == "tool" {
			results++
		}
	}
	switch {
	case len(asked.Tools) > 0 && results == 0:
		return scripted.Says(scripted.Calls("c1", "Look", `{"at":`, `"sea"}`))
	case strings.Contains(r.Said("user"), "break off"):
		return scripted.Says(scripted.Text("I am"), scripted.Cut())
	}
	text, _ := json.Marshal(list)
	return scripted.Says(scripted.Pieces(string(text), 64), scripted.Usage(100, 20, 0))
}
