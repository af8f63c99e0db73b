package servertest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"elowen/server/servertest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// A project's life in the whole program: what is shared, who reads it, what the sweep
// and an erasure do to it, what a check of the store says, and its end.
func TestAProjectsLife(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	root := s.Setup("root")
	anna, bela := s.Person("anna"), s.Person("bela")
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	var p api.Project
	root.Must(http.MethodPost, api.PathProjects, api.ProjectAdd{Name: "Harbor", Roots: []string{link}, Sharing: true}, &p)
	if want, err := filepath.EvalSymlinks(real); err != nil || len(p.Roots) != 1 || p.Roots[0] != want {
		t.Errorf("the root is %v, not the real one", p.Roots)
	}
	for _, name := range []string{"anna", "bela"} {
		root.Must(http.MethodPost, api.ProjectPath(p.ID, "members"), api.ProjectMemberSet{Name: name}, nil)
	}
	var m api.MemoryAdded
	anna.Must(http.MethodPost, api.PathMemory, api.MemoryAdd{Body: "The crane is inspected in May.", Importance: api.Ptr(1), ProjectID: p.ID, Shared: true}, &m)
	bela.Must(http.MethodGet, api.MemoryPath(m.ID), nil, nil)
	if err := root.Do(http.MethodGet, api.MemoryPath(m.ID), nil, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("the administrator reads what is shared by others: %v", err)
	}

	list := s.Admin("user", "list")
	if strings.Contains(list, "pool") || strings.Count(list, "\n") != 4 {
		t.Errorf("the people are\n%s", list)
	}
	if _, stderr, code := s.Command("", "admin", "user", "erase", "pool of project "+strconv.FormatInt(p.ID, 10), "--yes"); code == 0 {
		t.Errorf("a pool is erased as a person: %s", stderr)
	}
	if out := s.Admin("backup", filepath.Join(dir, "copy.db")); !strings.Contains(out, "copy.db") {
		t.Errorf("%s", out)
	}
	if out := s.Admin("verify"); strings.Contains(out, "fault") {
		t.Errorf("%s", out)
	}

	// What is exported of everything is there again in a new store.
	file := filepath.Join(dir, "all.jsonl")
	s.Admin("export", file)
	other := servertest.Start(t, servertest.Options{})
	if out := other.Admin("import", file); !strings.Contains(out, " 0 refused") {
		t.Errorf("%s", out)
	}
	for _, name := range []string{"anna", "bela"} {
		if _, stderr, code := other.Command(servertest.Password+"\n", "admin", "user", "passwd", name, "--password-stdin"); code != 0 {
			t.Fatal(stderr)
		}
	}
	var there api.Page[api.Project]
	again := other.Login("bela")
	again.Must(http.MethodGet, api.PathProjects, nil, &there)
	if there.Total != 1 || !there.Items[0].Pool {
		t.Fatalf("%+v", there)
	}
	var page api.Page[api.Memory]
	again.Must(http.MethodGet, api.PathMemory+"?pool=true&projectId="+strconv.FormatInt(there.Items[0].ID, 10), nil, &page)
	if page.Total != 1 || page.Items[0].Body != m.Body || page.Items[0].Writer != "anna" {
		t.Errorf("%+v", page)
	}

	s.Admin("user", "erase", "anna", "--yes")
	var left api.Memory
	bela.Must(http.MethodGet, api.MemoryPath(m.ID), nil, &left)
	if left.Writer != "" || !left.Shared {
		t.Errorf("%+v", left)
	}
	// The pool is not deleted with what is in it.
	if err := root.Do(http.MethodDelete, api.ProjectPath(p.ID), nil, nil); !fault.Is(err, fault.Taken) {
		t.Errorf("deleted with a memory in its pool: %v", err)
	}
	s.Clock.Advance(100 * 24 * 3_600_000_000_000)
	s.Admin("retention", "sweep")
	root, bela = s.Login("root"), s.Login("bela")
	bela.Must(http.MethodGet, api.MemoryPath(m.ID), nil, &left)
	if left.Status != api.StatusDeleted || left.DeletedBy != api.DeletedBySweep {
		t.Errorf("after a sweep: %+v", left)
	}
	bela.Must(http.MethodDelete, api.MemoryPath(m.ID, "purge"), nil, nil)
	root.Must(http.MethodDelete, api.ProjectPath(p.ID), nil, nil)
	if err := bela.Do(http.MethodGet, api.ProjectPath(p.ID), nil, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if out := s.Admin("verify"); strings.Contains(out, "fault") {
		t.Errorf("%s", out)
	}
}
