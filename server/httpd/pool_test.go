package httpd

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// share adds a memory to a project's pool.
func (p *person) share(project int64, body string) api.Memory {
	p.Helper()
	return into[api.MemoryAdded](p, p.must("POST", api.PathMemory, api.MemoryAdd{Body: body, ProjectID: project, Shared: true})).Memory
}

// What is in a pool is, to everyone who may not read it, exactly what doesn't exist:
// to a stranger, to one who was taken out, and to an administrator who is not in it.
func TestPoolsAreNobodysElse(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice := w.person("alice", api.RoleMember)
	theirs := alice.things(mark)
	shared, other, trashed := alice.share(theirs.project, mark+": the tide turns at six"), alice.share(theirs.project, mark+": the crane is old"), alice.share(theirs.project, mark+": gone")
	alice.must("DELETE", api.MemoryPath(trashed.ID), nil)
	theirs.memory, theirs.other, theirs.trashed, theirs.category = shared.ID, other.ID, trashed.ID, *shared.CategoryID
	theirs.change = into[api.BulkDone](t, alice.must("POST", api.PathBulk, api.MemoryBulk{IDs: []int64{other.ID}, Action: api.BulkImportance, Importance: api.Ptr(8)})).Undo
	theirs.person = "alice"
	pool := func() string {
		return alice.must("GET", fmt.Sprintf("%s?projectId=%d&pool=true&status=all", api.PathMemory, theirs.project), nil).text
	}
	before := pool()
	if n := strings.Count(before, `"shared":true`); n != 3 {
		t.Fatalf("alice sees %d: %s", n, before)
	}
	asked := 0
	for _, c := range []struct {
		role   string
		former bool
	}{{api.RoleMember, false}, {api.RoleMember, true}, {api.RoleAdmin, false}} {
		what := fmt.Sprint(c.role, " ", c.former)
		twins := [2]*person{w.person(fmt.Sprint("one-", c.role, c.former), c.role), w.person(fmt.Sprint("two-", c.role, c.former), c.role)}
		for _, one := range twins {
			if c.former {
				w.join(theirs.project, one.name, true)
				w.join(theirs.project, one.name, false)
			}
		}
		for _, r := range Routes() {
			if !strings.HasPrefix(r.Path, api.PathMemory) && !strings.HasPrefix(r.Path, api.PathCategories) || r.Scope == api.ScopeAdmin {
				continue
			}
			one, two := variants(r, twins[0].things("own"), theirs), variants(r, twins[1].things("own"), theirs.absent())
			for i := range one {
				asked++
				x := told(t, twins[0].callWith(r, one[i].things, one[i].query, one[i].body))
				y := told(t, twins[1].callWith(r, two[i].things, two[i].query, two[i].body))
				if x = strings.ReplaceAll(x, twins[0].name, twins[1].name); x != y {
					t.Errorf("%s: %s %s, variant %d, tells that it is there:\n%s%s", what, r.Method, r.Path, i, x, y)
				}
				if strings.Contains(x, mark) {
					t.Errorf("%s: %s %s, variant %d, shows it: %s", what, r.Method, r.Path, i, x)
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d requests", asked)
	}
	if after := pool(); after != before {
		t.Errorf("the pool changed:\n%s\n%s", before, after)
	}
}

// A reader does with a pool's memory what one does with one's own, by every route.
func TestReadersOfAPool(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, bob := w.person("alice", api.RoleMember), w.person("bob", api.RoleMember)
	th := alice.things(mark)
	w.join(th.project, "bob", true)
	for _, r := range Routes() {
		if !strings.HasPrefix(r.Path, api.PathMemory+"/{id}") {
			continue
		}
		mine := bob.things("own")
		body := fmt.Sprintf("for %s %s there is a lamp", r.Method, r.Path)
		m := alice.share(th.project, body)
		mine.memory, mine.category = m.ID, *m.CategoryID
		mine.trashed = alice.share(th.project, body+", gone").ID
		alice.must("DELETE", api.MemoryPath(mine.trashed), nil)
		if a := bob.call(r, mine); a.Code != r.Status {
			t.Errorf("%s %s: %d %s", r.Method, r.Path, a.Code, a.text)
		}
	}
	one, two := alice.share(th.project, "the first of two"), alice.share(th.project, "the second of two")
	own := bob.things("own")
	w.problem("a merge across", bob.do("POST", api.PathMerge, api.MemoryMerge{IDs: []int64{one.ID, own.memory}, Body: "both"}), fault.Invalid)
	merged := into[api.MemoryMerged](t, bob.must("POST", api.PathMerge, api.MemoryMerge{IDs: []int64{one.ID, two.ID}, Body: "both of them"}))
	if !merged.Shared || merged.Writer != "bob" {
		t.Errorf("%+v", merged)
	}
	bob.must("POST", api.PathPurge, api.IDs{IDs: []int64{one.ID, two.ID}})
	window := fmt.Sprintf("%s?projectId=%d&pool=true&q=both", api.PathMemory, th.project)
	page := into[api.Page[api.Memory]](t, bob.must("GET", window, nil))
	if page.Total != 1 || page.Items[0].ID != merged.ID {
		t.Errorf("%+v", page)
	}
	// At the next call it is over.
	w.join(th.project, "bob", false)
	if page = into[api.Page[api.Memory]](t, bob.must("GET", window, nil)); page.Total != 0 || len(page.Items) != 0 {
		t.Errorf("after he was taken out: %+v", page)
	}
	w.problem("the memory", bob.do("GET", api.MemoryPath(merged.ID), nil), fault.NotFound)
}

// Only an administrator makes, changes or deletes a shared category, and only one who
// reads the pool.
func TestSharedCategoriesOverREST(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, root, out := w.person("alice", api.RoleMember), w.person("root", api.RoleAdmin), w.person("out", api.RoleAdmin)
	th := alice.things(mark)
	w.join(th.project, "root", true)
	shared := *alice.share(th.project, "makes it").CategoryID
	for what, p := range map[string]*person{"a member": alice, "an administrator outside": out} {
		kind := fault.Forbidden
		add := p.do("POST", api.PathCategories, api.CategoryAdd{Name: "More", ProjectID: th.project, Shared: true})
		if p == out {
			kind = fault.NotFound
		}
		w.problem(what+" adds", add, kind)
		w.problem(what+" changes", p.do("PATCH", api.CategoryPath(shared), api.CategoryPatch{Name: api.Ptr("x")}), kind)
		w.problem(what+" deletes", p.do("DELETE", api.CategoryPath(shared), nil), kind)
	}
	// A token without the scope doesn't do what its person may.
	plain := w.person("root", api.RoleAdmin, api.ScopeRead, api.ScopeWrite)
	w.problem("without the scope", plain.do("PATCH", api.CategoryPath(shared), api.CategoryPatch{Name: api.Ptr("x")}), fault.Forbidden)
	if c := into[api.Category](t, root.must("PATCH", api.CategoryPath(shared), api.CategoryPatch{Name: api.Ptr("Everybody's")}, "If-Match", `"1"`)); c.Name != "Everybody's" || !c.Shared {
		t.Errorf("%+v", c)
	}
	w.problem("stale", root.do("PATCH", api.CategoryPath(shared), api.CategoryPatch{Name: api.Ptr("x")}, "If-Match", `"1"`), fault.Stale)
	if done := into[api.BulkDone](t, root.must("DELETE", api.CategoryPath(shared), nil)); done.Changed != 1 {
		t.Errorf("%+v", done)
	}
	// Members change no project, and see only their own.
	th.person = "alice"
	for _, r := range Routes() {
		if strings.HasPrefix(r.Path, api.PathProjects) && r.Method != http.MethodGet {
			w.problem(r.Method+" "+r.Path, alice.call(r, th), fault.Forbidden)
		}
	}
	bob := w.person("bob", api.RoleMember)
	if page := into[api.Page[api.Project]](t, bob.must("GET", api.PathProjects, nil)); page.Total != 0 {
		t.Errorf("bob sees %+v", page)
	}
	w.problem("a project", bob.do("GET", api.ProjectPath(th.project), nil), fault.NotFound)
	w.problem("its members", bob.do("GET", api.ProjectPath(th.project, "members"), nil), fault.NotFound)
}

// Erasing somebody leaves what they shared; a project goes once its pool is empty.
func TestWhatAnErasedPersonShared(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, bob, root := w.person("alice", api.RoleMember), w.person("bob", api.RoleMember), w.person("root", api.RoleAdmin)
	th := alice.things(mark)
	w.join(th.project, "bob", true)
	m := alice.share(th.project, "what stays")
	root.must("DELETE", api.PathPeople+"/alice", nil)
	got := into[api.Memory](t, bob.must("GET", api.MemoryPath(m.ID), nil))
	if got.Body != "what stays" || got.Writer != "" || !got.Shared {
		t.Errorf("%+v", got)
	}
	if people := into[api.Page[api.Person]](t, root.must("GET", api.PathPeople, nil)); people.Total != 2 {
		t.Errorf("%+v", people)
	}
}

// Recall in a project searches one's own and the pool together; outside of it, or
// without a part in it, only one's own.
func TestRecallInAProject(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, bob, cid := w.person("alice", api.RoleMember), w.person("bob", api.RoleMember), w.person("cid", api.RoleMember)
	th := alice.things("alice")
	w.join(th.project, "bob", true)
	shared := alice.share(th.project, "The crane at pier seven is inspected by Hedvig Lindqvist")
	own := into[api.MemoryAdded](t, bob.must("POST", api.PathMemory, api.MemoryAdd{Body: "Hedvig Lindqvist takes her tea without sugar"}))
	inside := into[api.MemoryAdded](t, bob.must("POST", api.PathMemory, api.MemoryAdd{Body: "Hedvig Lindqvist owes me a crane manual", ProjectID: th.project}))
	filed := into[api.MemoryAdded](t, bob.must("POST", api.PathMemory, api.MemoryAdd{Body: "Hedvig Lindqvist is filed nowhere", CategoryID: api.Null[int64]()}))
	ask := func(p *person, project int64) map[int64]bool {
		t.Helper()
		in := api.RetrieveRequest{Query: "Hedvig Lindqvist"}
		in.ProjectID = project
		got := into[api.Retrieved](t, p.must("POST", api.PathRetrieve, in))
		found := map[int64]bool{}
		for _, m := range got.Memories {
			found[m.ID] = true
		}
		return found
	}
	is := func(what string, got map[int64]bool, want ...int64) {
		t.Helper()
		for _, id := range want {
			if !got[id] {
				t.Errorf("%s: %d is missing in %v", what, id, got)
			}
		}
		if len(got) != len(want) || got[filed.ID] {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	is("bob, outside", ask(bob, 0), own.ID)
	is("bob, in the project", ask(bob, th.project), own.ID, inside.ID, shared.ID)
	is("alice, in the project", ask(alice, th.project), shared.ID)
	is("alice, outside", ask(alice, 0))
	w.problem("cid", cid.do("POST", api.PathRetrieve, api.RetrieveRequest{Query: "Hedvig Lindqvist", ProjectID: th.project}), fault.NotFound)
	w.join(th.project, "bob", false)
	w.problem("bob, taken out", bob.do("POST", api.PathRetrieve, api.RetrieveRequest{Query: "Hedvig Lindqvist", ProjectID: th.project}), fault.NotFound)
}
