package httpd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// mark stands in every text of alice's: it may be in no answer of another's.
const mark = "xyzzyalice"

// absent are ids of nothing, as long as those that are there.
func (th things) absent() things {
	gone := func(n int64) int64 { return n + 1_000_000_000 }
	return things{gone(th.memory), gone(th.other), gone(th.trashed), gone(th.category), gone(th.token), gone(th.change), gone(th.session), gone(th.job), gone(th.receipt), gone(th.project), gone(th.transcript), gone(th.conversation), gone(th.entry), gone(th.queued), gone(th.server), "nobody", ""}
}

// state is all that an account can see of itself, and where its log stands.
func (p *person) state() string {
	p.Helper()
	var b strings.Builder
	for _, r := range Routes() {
		if r.Method != http.MethodGet || strings.Contains(r.Path, "{") || r.Scope != api.ScopeRead {
			continue
		}
		path := r.Path
		if path == api.PathProjects && p.id.Role == api.RoleAdmin {
			continue // administrators see what there is
		}
		if path == api.PathMemory {
			path += "?status=all&limit=500"
		}
		fmt.Fprintln(&b, path, p.must("GET", path, nil).text)
	}
	list := into[api.Page[api.Memory]](p, p.must("GET", api.PathMemory+"?status=all&limit=500", nil))
	for _, m := range list.Items {
		for _, part := range []string{"events", "vitality-history", "similar"} {
			fmt.Fprintln(&b, p.must("GET", api.MemoryPath(m.ID, part), nil).text)
		}
		fmt.Fprintln(&b, p.must("GET", api.PathMemory+"?q="+url.QueryEscape(m.Body)+"&status=all", nil).text)
	}
	for _, one := range into[api.Page[api.Transcript]](p, p.must("GET", api.PathTranscripts+"?limit=500", nil)).Items {
		fmt.Fprintln(&b, p.must("GET", api.TranscriptPath(one.ID), nil).text)
	}
	for _, one := range into[api.Page[api.Conversation]](p, p.must("GET", api.PathConversations+"?limit=500", nil)).Items {
		fmt.Fprintln(&b, p.must("GET", api.ConversationPath(one.ID), nil).text, p.must("GET", api.ConversationPath(one.ID, "messages"), nil).text, p.must("GET", api.ConversationPath(one.ID, "context"), nil).text)
	}
	fmt.Fprintln(&b, p.must("POST", api.PathTranscriptSearch, api.TranscriptSearch{Query: "lamp in the hall " + mark, Limit: api.Ptr(50)}).text)
	if p.id.Role != api.RoleAdmin { // who are told of projects
		fmt.Fprintln(&b, p.seq())
	}
	return b.String()
}

func (p *person) seq() int64 {
	p.Helper()
	var h db.Head
	if err := p.db.View(context.Background(), func(tx *db.Tx) (err error) { h, err = tx.Head(p.id.Owner); return }); err != nil {
		p.Fatal(err)
	}
	return h.Seq
}

var (
	digits = regexp.MustCompile(`\d+`)
	actor  = regexp.MustCompile(`(token|user):\d+`)
)

// told is an answer without the ids that are given out, which differ for twins.
// All else stays: counts, times, numbers.
func told(t testing.TB, a answer) string {
	t.Helper()
	text := a.text
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		data, err := json.Marshal(nameless(v))
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	h := a.Header()
	location := digits.ReplaceAllString(h.Get("Location"), "N")
	return fmt.Sprintln(a.Code, actor.ReplaceAllString(text, "$1:N"), h.Get("ETag"), h.Get("Allow"), location, h.Get("Retry-After"))
}

// nameless takes ids out of decoded JSON.
func nameless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			switch k {
			case "id", "conversationId", "leafId", "parentId", "entryId", "memoryId", "categoryId", "defaultCategoryId", "projectId", "slug", "nextCursor", "token":
				inner = inner == nil || inner == ""
			case "points": // of a map: each with its id
				inner = len(fmt.Sprint(inner))
			case "ids":
				if list, ok := inner.([]any); ok {
					inner = len(list)
				}
			case "detail", "message": // may repeat an id that was sent
				inner = digits.ReplaceAllString(fmt.Sprint(inner), "N")
			case "categories": // counts by id
				if m, ok := inner.(map[string]any); ok {
					counts := []string{}
					for _, n := range m {
						counts = append(counts, fmt.Sprint(n))
					}
					slices.Sort(counts)
					inner = counts
				} else if list, ok := inner.([]any); ok { // of a map: ids
					inner = len(list)
				}
			default:
				inner = nameless(inner)
			}
			out[k] = inner
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = nameless(v[i])
		}
		return out
	}
	return v
}

// variants are the ways in which a route's request can name what isn't one's own:
// in its path, in its body, and in its query. mine are one's own things, theirs
// somebody's else or nobody's.
func variants(r Route, mine, theirs things) (list []struct {
	things
	query string
	body  any
}) {
	add := func(th things, query string, body any) {
		list = append(list, struct {
			things
			query string
			body  any
		}{th, query, body})
	}
	if r.Path == api.PathSetup || r.Path == api.PathLogin || r.Path == api.PathLogout {
		return nil
	}
	query, body := theirs.example(r, 77)
	add(theirs, query, body) // all of it theirs
	if strings.Contains(r.Path, "{") {
		query, body = mine.example(r, 78)
		add(theirs, query, body) // the path alone
		query, body = theirs.example(r, 79)
		add(mine, query, body) // all but the path
	}
	switch r.Method + " " + r.Path {
	case "POST " + api.PathMerge:
		add(mine, "", api.MemoryMerge{IDs: []int64{mine.memory, theirs.memory}, Body: "both"})
	case "POST " + api.PathPurge:
		add(mine, "", api.IDs{IDs: []int64{mine.trashed, theirs.trashed}})
		add(mine, "", api.IDs{IDs: []int64{theirs.memory}})
	case "POST " + api.PathBulk:
		for _, action := range []string{api.BulkTrash, api.BulkRestore, api.BulkPurge} {
			add(mine, "", api.MemoryBulk{IDs: []int64{mine.memory, theirs.trashed}, Action: action})
			add(mine, "", api.MemoryBulk{IDs: []int64{theirs.memory}, Action: action})
			add(mine, "", api.MemoryBulk{All: &api.MemoryQuery{CategoryID: theirs.category, Status: "all"}, Action: action})
		}
		add(mine, "", api.MemoryBulk{IDs: []int64{mine.memory}, Action: api.BulkCategory, CategoryID: api.Some(theirs.category)})
	case "POST " + api.PathMemory:
		add(mine, "", api.MemoryAdd{Body: "into a project", ProjectID: theirs.project})
		add(mine, "", api.MemoryAdd{Body: "into a pool", ProjectID: theirs.project, Shared: true})
	case "POST " + api.PathCategories:
		add(mine, "", api.CategoryAdd{Name: "bound", ProjectID: theirs.project})
		add(mine, "", api.CategoryAdd{Name: "shared", ProjectID: theirs.project, Shared: true})
	case "PATCH " + api.PathCategories + "/{id}":
		add(mine, "", api.CategoryPatch{ProjectID: api.Some(theirs.project)})
	case "POST " + api.PathTranscriptSearch:
		add(mine, "", api.TranscriptSearch{Query: mark})
		add(mine, "", api.TranscriptSearch{Query: mark + " lamp", ConversationID: theirs.transcript})
		add(mine, "", api.TranscriptSearch{ConversationID: theirs.transcript}) // nothing is looked for
	case "POST " + api.PathEmptyTrash:
		add(mine, "", api.EmptyTrash{ProjectID: theirs.project})
	case "GET " + api.PathMemory:
		add(mine, fmt.Sprintf("projectId=%d&status=all", theirs.project), nil)
		add(mine, fmt.Sprintf("projectId=%d&pool=true&status=all", theirs.project), nil)
		for _, sort := range api.Sorts() {
			add(mine, fmt.Sprintf("categoryId=%d&status=all&sort=%s", theirs.category, sort), nil)
		}
		add(mine, "q="+mark+"&status=all", nil)
		add(mine, "kind="+mark+"&status=all", nil)
	}
	return list
}

// What is somebody else's is, to everyone but them, exactly what doesn't exist:
// the same status, text and headers, whoever asks, by every route.
func TestOthersThingsAreNobodys(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice := w.person("alice", api.RoleMember)
	theirs := alice.things(mark)
	alice.must("PATCH", api.PathMe, api.MePatch{DisplayName: api.Ptr("A")})
	before := alice.state()
	theirs.person = "alice"
	asked := 0
	// Two of a kind ask in step, one for what is alice's, one for what is nobody's;
	// all else about them is the same, and so must be the answers.
	for _, twins := range [][2]*person{
		{w.person("twin-1", api.RoleMember), w.person("twin-2", api.RoleMember)},
		{w.person("twin-3", api.RoleAdmin), w.person("twin-4", api.RoleAdmin)},
	} {
		for _, r := range Routes() {
			if twins[0].id.Role == api.RoleAdmin && (strings.HasPrefix(r.Path, api.PathPeople) || strings.HasPrefix(r.Path, api.PathProjects) || r.Scope == api.ScopeAdmin) {
				continue // administrators do see who is there, change the policy, and read the figures
			}
			what := twins[0].name + ": " + r.Method + " " + r.Path
			one, two := variants(r, twins[0].things("own"), theirs), variants(r, twins[1].things("own"), theirs.absent())
			for i := range one {
				asked++
				there := twins[0].callWith(r, one[i].things, one[i].query, one[i].body)
				gone := twins[1].callWith(r, two[i].things, two[i].query, two[i].body)
				x, y := told(t, there), told(t, gone)
				if x = strings.ReplaceAll(x, twins[0].name, twins[1].name); x != y {
					t.Errorf("%s, variant %d, tells that it is there:\n%s%s", what, i, x, y)
				}
				if strings.Contains(there.text, mark) {
					t.Errorf("%s, variant %d, shows it: %s", what, i, there.text)
				}
				if there.Code >= 500 {
					t.Errorf("%s, variant %d: %d %s", what, i, there.Code, there.text)
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d requests", asked)
	}
	if after := alice.state(); after != before {
		t.Errorf("alice's account changed:\n%s\n%s", before, after)
	}
	if strings.Contains(w.log.String(), mark) {
		t.Errorf("logged: %s", w.log)
	}
}

// Whatever somebody does, nothing that anybody else can see moves.
func TestNothingMovesForOthers(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, bob, root := w.person("alice", api.RoleMember), w.person("bob", api.RoleMember), w.person("root", api.RoleAdmin)
	bob.things("own")
	root.things("own")
	state := map[*person]string{bob: bob.state(), root: root.state()}
	for _, r := range Routes() {
		if r.Path == api.PathSetup || r.Path == api.PathLogin {
			continue
		}
		a := alice.call(r, alice.things(mark))
		for p, was := range state {
			if now := p.state(); now != was {
				t.Fatalf("after alice's %s %s (%d) %s sees another thing:\n%s\n%s", r.Method, r.Path, a.Code, p.name, was, now)
			}
		}
	}
	if s := state[bob] + state[root]; strings.Contains(s, mark) {
		t.Error("the mark is in what others see")
	}
	// The same words and names are everyone's.
	for _, p := range []*person{alice, bob} {
		p.must("POST", api.PathCategories, api.CategoryAdd{Name: "Plums"})
		if m := into[api.MemoryAdded](t, p.must("POST", api.PathMemory, api.MemoryAdd{Body: "The same body"})); m.Existing || len(m.Similar) != 0 {
			t.Errorf("%s is told of another's: %+v", p.name, m)
		}
	}
}

var secretMember = regexp.MustCompile(`"(token|code)":"[^"]*"`)

// Whatever others do, one is given the very same answers: no id, number or cursor in
// them tells that anything was done.
func TestAnswersTellNothingOfOthers(t *testing.T) {
	said := func(busy bool) (list []string) {
		w := newWorld(t, GateOptions{})
		alice, bob := w.person("alice", api.RoleMember), w.person("bob", api.RoleMember)
		bob.things("own")
		for i, r := range Routes() {
			if r.Path == api.PathSetup || r.Path == api.PathLogin || r.Path == api.PathLogout {
				continue
			}
			if busy {
				m := into[api.MemoryAdded](t, bob.must("POST", api.PathMemory, api.MemoryAdd{Body: fmt.Sprint("bob's ", i)}))
				bob.must("PATCH", api.MemoryPath(m.ID), api.MemoryPatch{Importance: api.Ptr(9)})
				bob.must("POST", api.PathCategories, api.CategoryAdd{Name: fmt.Sprint("Bob ", i)})
				bob.must("POST", api.PathConversations, api.ConversationAdd{})
				bob.must("POST", api.PathTranscripts, talk("own", 100+i))
				if _, err := w.accounts.AddToken(t.Context(), bob.id.Owner, api.TokenAdd{Name: fmt.Sprint("bob ", i)}); err != nil {
					t.Fatal(err)
				}
			}
			a := alice.call(r, alice.things(mark))
			list = append(list, fmt.Sprintln(r.Method, r.Path, a.Code, a.Header().Get("ETag"), a.Header().Get("Location"), secretMember.ReplaceAllString(a.text, "")))
		}
		return append(list, alice.state())
	}
	alone, among := said(false), said(true)
	for i := range alone {
		if alone[i] != among[i] {
			t.Errorf("alone:\n%samong others:\n%s", alone[i], among[i])
		}
	}
}

// Keys are one's own: another's neither answers for them nor is in their way.
func TestKeysAreOnesOwn(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, bob := w.person("alice", api.RoleMember), w.person("bob", api.RoleMember)
	for i, r := range Routes() {
		if !r.Write() || r.Scope == api.ScopeAdmin || r.Path == api.PathLogout || r.Path == api.PathTokens || strings.HasPrefix(r.Path, api.PathTokens+"/") || strings.HasPrefix(r.Path, api.PathSessions) {
			continue
		}
		what := r.Method + " " + r.Path
		key := fmt.Sprint("k", i)
		if a := alice.call(r, alice.things(mark), api.HeaderIdempotency, key); a.Code != r.Status {
			t.Errorf("%s: %d %s", what, a.Code, a.text)
		}
		b := bob.call(r, bob.things("own"), api.HeaderIdempotency, key)
		if b.Code != r.Status || b.Header().Get("Idempotency-Replayed") != "" || strings.Contains(b.text, mark) {
			t.Errorf("%s under alice's key: %d %s", what, b.Code, b.text)
		}
		c := bob.do("POST", api.PathCategories, api.CategoryAdd{Name: fmt.Sprint("Other ", i)}, api.HeaderIdempotency, key+"x")
		if c.Code != http.StatusCreated {
			t.Errorf("%s: %d %s", what, c.Code, c.text)
		}
	}
}

// Whether a name has an account is told to administrators only.
func TestNamesAreNotTold(t *testing.T) {
	w := newWorld(t, GateOptions{})
	w.person("alice", api.RoleMember)
	bob := w.person("bob", api.RoleMember)
	for _, r := range Routes() {
		if r.Path != api.PathPeople+"/{name}" {
			continue
		}
		x, y := bob.call(r, things{person: "alice"}), bob.call(r, things{person: "nobody"})
		if told(t, x) != told(t, y) {
			t.Errorf("%s: %s %s", r.Method, x.text, y.text)
		}
	}
	login := func(name string) answer {
		return w.send(request{"POST", api.PathLogin, api.Login{Name: name, Password: "not the password"}, nil})
	}
	if x, y := login("alice"), login("nobody"); told(t, x) != told(t, y) {
		t.Errorf("%s %s", x.text, y.text)
	}
	w.problem("a taken name", w.send(request{"POST", api.PathSetup, api.Setup{Code: "x", Name: "alice", Password: password}, nil}), fault.Gone)
}

// A token that outlived its account's rights opens nothing, and what was erased
// is gone for those who come after it.
func TestErasedAccountsAreGone(t *testing.T) {
	w := newWorld(t, GateOptions{})
	alice, root := w.person("alice", api.RoleMember), w.person("root", api.RoleAdmin)
	th := alice.things(mark)
	th.person, th.backup = "root", "none"
	root.must("DELETE", api.PathPeople+"/alice", nil)
	for _, r := range Routes() {
		if r.Scope != open {
			w.problem(r.Method+" "+r.Path, alice.call(r, th), fault.Unauthenticated)
		}
	}
	again := w.person("alice", api.RoleMember)
	if again.id.Owner == alice.id.Owner {
		t.Fatal("the id came back")
	}
	if s := again.state(); strings.Contains(s, mark) {
		t.Errorf("she sees what was erased: %s", s)
	}
	w.problem("her transcript", again.do("GET", api.TranscriptPath(th.transcript), nil), fault.NotFound)
	w.problem("her memory", again.do("GET", api.MemoryPath(th.memory), nil), fault.NotFound)
}
