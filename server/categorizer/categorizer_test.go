package categorizer

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/model/modeltest"
	"elowen/server/project"
	"elowen/server/secret"
	"elowen/server/settings"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

var me = audit.Actor{Name: "user:1"}

type rules struct{}

func (rules) Terms(*db.Tx) (memory.Terms, error) {
	return memory.Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: dbtest.Start + 1}, nil
}

// house is stores with ann and bob, and a utility model that is a script.
type house struct {
	*Categorizer
	t          *testing.T
	d          *db.DB
	clock      *dbtest.Clock
	accounts   *account.Store
	categories *category.Store
	memories   *memory.Store
	projects   *project.Store
	models     *model.Store
	script     *modeltest.Server
	ann, bob   db.AccountID
}

func newHouse(t *testing.T, d *db.DB, clock *dbtest.Clock) *house {
	h := &house{t: t, d: d, clock: clock}
	h.projects = project.New(d, project.Options{})
	h.categories = category.New(d, memory.CountByCategory)
	h.accounts = account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}, OnCreate: h.categories.Seed, OwnsCategory: h.categories.Owned})
	h.memories = memory.New(d, h.categories, rules{})
	h.script = modeltest.NewServer(t, func(modeltest.Request) string { return "0" })
	h.models = model.New(d, model.Options{
		Box: secret.New(filepath.Join(t.TempDir(), secret.FileName)),
		Others: func(tx *db.Tx) (api.Settings, error) {
			_, revision, err := settings.Read(tx, settings.Retention)
			return api.Settings{Revision: revision}, err
		},
	})
	changes := feed.New(d)
	t.Cleanup(changes.Close)
	h.Categorizer = New(Options{DB: d, Memories: h.memories, Models: h.models, Feed: changes, Wake: func(int64) <-chan time.Time { return nil }})
	for i, name := range []string{"ann", "bob"} {
		role := api.RoleMember
		if i == 0 {
			role = api.RoleAdmin
		}
		p, err := h.accounts.Add(ctx, api.PersonAdd{Name: name, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		*[]*db.AccountID{&h.ann, &h.bob}[i] = db.AccountID(p.ID)
	}
	return h
}

func each(t *testing.T, test func(t *testing.T, h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) { test(t, newHouse(t, d, clock)) })
}

// utility makes the script the utility model, or nobody.
func (h *house) utility(on bool) {
	h.t.Helper()
	now, err := h.models.Settings(ctx, true)
	if err != nil {
		h.t.Fatal(err)
	}
	in := api.ModelsChange{Revision: now.Revision, Roles: map[string]*api.Role{api.RoleUtility: nil}}
	if on {
		in.Providers = []api.ProviderChange{{ID: "p", Kind: api.ProviderOpenAI, BaseURL: h.script.URL + "/v1"}}
		in.Roles[api.RoleUtility] = &api.Role{Provider: "p", Model: "small"}
	}
	if _, err := h.models.Save(ctx, in); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) category(owner db.AccountID, in api.CategoryAdd) int64 {
	h.t.Helper()
	c, err := h.categories.Add(ctx, owner, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return c.ID
}

func (h *house) add(owner db.AccountID, in api.MemoryAdd) api.Memory {
	h.t.Helper()
	m, err := h.memories.Add(ctx, owner, me, api.SourceUser, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return m.Memory
}

func (h *house) in(owner db.AccountID, id int64) int64 {
	h.t.Helper()
	m, err := h.memories.Get(ctx, owner, id)
	if err != nil {
		h.t.Fatal(err)
	}
	if m.CategoryID == nil {
		return 0
	}
	return *m.CategoryID
}

func TestNoUtilityModelMeansNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.category(h.ann, api.CategoryAdd{Name: "Travel", Description: "trips"})
		m := h.add(h.ann, api.MemoryAdd{Body: "The ferry leaves at 07:40."})
		h.Pass(ctx)
		now, err := h.memories.Get(ctx, h.ann, m.ID)
		if err != nil || now.Revision != m.Revision || len(h.script.Requests()) != 0 {
			t.Errorf("%+v %v, %d requests", now, err, len(h.script.Requests()))
		}
		if err := h.d.View(ctx, func(tx *db.Tx) error { return h.Ready(tx, false) }); !fault.Is(err, fault.Unavailable) {
			t.Errorf("ready: %v", err)
		}
	})
}

func TestSortsWhatIsNew(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.utility(true)
		m := h.add(h.ann, api.MemoryAdd{Body: "The ferry leaves at 07:40."})
		h.Pass(ctx)
		if len(h.script.Requests()) != 0 {
			t.Error("asked though there is only one place to go")
		}
		travel := h.category(h.ann, api.CategoryAdd{Name: "Travel", Description: "trips,\nships"})
		h.category(h.bob, api.CategoryAdd{Name: "Secrets of bob"})
		h.script.Answer(modeltest.Named(func(note string) string {
			if strings.Contains(note, "ferry") {
				return "Travel"
			}
			return "none"
		}))
		m = h.add(h.ann, api.MemoryAdd{Body: "The ferry comes back at nine."})
		tea := h.add(h.ann, api.MemoryAdd{Body: "Tea is at four."})
		mine := h.add(h.ann, api.MemoryAdd{Body: "The ferry is blue.", CategoryID: api.Null[int64]()})
		general := *tea.CategoryID
		h.Pass(ctx)
		h.Pass(ctx)
		if got := h.in(h.ann, m.ID); got != travel {
			t.Errorf("in %d", got)
		}
		if h.in(h.ann, tea.ID) != general || h.in(h.ann, mine.ID) != 0 {
			t.Error("what fits nowhere, or was put nowhere on purpose, was moved")
		}
		requests := h.script.Requests()
		if len(requests) != 2 {
			t.Fatalf("%d requests: %+v", len(requests), requests)
		}
		for _, r := range requests {
			if strings.Contains(r.User, "bob") || strings.Contains(r.User, "General") || !strings.Contains(r.User, "1. Travel: trips, ships\n") || r.Model != "small" {
				t.Errorf("asked: %+v", r)
			}
		}
		events, err := h.memories.Events(ctx, h.ann, m.ID, "", 10)
		if e := events.Items[0]; err != nil || e.Model != "small" || e.Actor != audit.ActorDaemon || e.Action != "category" {
			t.Errorf("%+v %v", e, err)
		}
		// What is older is left to those who ask for it.
		old := h.add(h.ann, api.MemoryAdd{Body: "The ferry was red."})
		h.clock.Advance(25 * time.Hour.Milliseconds())
		h.add(h.ann, api.MemoryAdd{Body: "Tea is at five."})
		h.Pass(ctx)
		if h.in(h.ann, old.ID) != general || len(h.script.Requests()) != 3 {
			t.Error("an old memory was sorted")
		}
	})
}

// Between the question and the answer everything may happen; then nothing is written.
func TestWhatHappensMeanwhileWins(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.utility(true)
		travel := h.category(h.ann, api.CategoryAdd{Name: "Travel"})
		work := h.category(h.ann, api.CategoryAdd{Name: "Work"})
		for what, c := range map[string]struct {
			meanwhile func(m api.Memory)
			answer    string
		}{
			"an invented category": {nil, "Shipping"},
			"a number of nothing":  {nil, "7"},
			"a sentence":           {nil, "I think that it belongs to Travel."},
			"a hand that files": {func(m api.Memory) {
				if _, err := h.memories.SetCategory(ctx, h.ann, me, m.ID, 0, api.CategoryChoice{CategoryID: &work}); err != nil {
					t.Error(err)
				}
			}, "Travel"},
			"a hand that confirms": {func(m api.Memory) {
				if _, err := h.memories.SetCategory(ctx, h.ann, me, m.ID, 0, api.CategoryChoice{CategoryID: m.CategoryID}); err != nil {
					t.Error(err)
				}
			}, "Travel"},
			"a hand that edits": {func(m api.Memory) {
				if _, err := h.memories.Patch(ctx, h.ann, me, m.ID, 0, api.MemoryPatch{Body: api.Ptr(m.Body + " No more.")}); err != nil {
					t.Error(err)
				}
			}, "Travel"},
			"the trash": {func(m api.Memory) {
				if _, err := h.memories.Trash(ctx, h.ann, me, m.ID, 0, ""); err != nil {
					t.Error(err)
				}
			}, "Travel"},
			"another name": {func(api.Memory) {
				if _, err := h.categories.Patch(ctx, h.ann, travel, 0, api.CategoryPatch{Name: api.Ptr("Journeys")}); err != nil {
					t.Error(err)
				}
			}, "Travel"},
			"another description": {func(api.Memory) {
				if _, err := h.categories.Patch(ctx, h.ann, travel, 0, api.CategoryPatch{Description: api.Ptr("of " + fmt.Sprint(h.clock.Now()))}); err != nil {
					t.Error(err)
				}
			}, "Travel"},
		} {
			if _, err := h.categories.Patch(ctx, h.ann, travel, 0, api.CategoryPatch{Name: api.Ptr("Travel"), Description: api.Ptr("")}); err != nil {
				t.Fatal(err)
			}
			m := h.add(h.ann, api.MemoryAdd{Body: "The ferry leaves at 07:40: " + what})
			general := *m.CategoryID
			asked := len(h.script.Requests())
			h.script.Answer(func(r modeltest.Request) string {
				if c.meanwhile != nil {
					c.meanwhile(m)
				}
				return modeltest.Named(func(string) string { return c.answer })(r)
			})
			var f memory.Filing
			if err := h.d.View(ctx, func(tx *db.Tx) (err error) { f, err = h.memories.Filing(tx, h.ann, m.ID); return err }); err != nil {
				t.Fatal(err)
			}
			out, err := h.Sort(ctx, h.ann, f, false)
			if err != nil || out == Moved || len(h.script.Requests()) != asked+1 {
				t.Errorf("%s: %v %v", what, out, err)
			}
			want := general
			if what == "a hand that files" {
				want = work
			}
			if got := h.in(h.ann, m.ID); got != want {
				t.Errorf("%s: it is in %d, not %d", what, got, want)
			}
		}
		// A category that goes while the model thinks.
		m := h.add(h.ann, api.MemoryAdd{Body: "The last ferry."})
		h.script.Answer(func(r modeltest.Request) string {
			number := modeltest.Named(func(string) string { return "Travel" })(r)
			if _, err := h.memories.DeleteCategory(ctx, h.ann, me, travel, 0); err != nil && !fault.Is(err, fault.NotFound) {
				t.Error(err)
			}
			return number
		})
		h.Pass(ctx)
		if h.in(h.ann, m.ID) != *m.CategoryID {
			t.Error("it was filed where there is nothing")
		}
	})
}

func TestAnAnswerThatNeverComes(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.utility(true)
		travel := h.category(h.ann, api.CategoryAdd{Name: "Travel"})
		m := h.add(h.ann, api.MemoryAdd{Body: "The ferry leaves at 07:40."})
		h.script.Fail(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
		soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		h.Pass(soon)
		if h.in(h.ann, m.ID) != *m.CategoryID {
			t.Error("it was moved")
		}
		// Refused, it waits as long as it is told to, and then goes on.
		h.script.Fail(func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(429)
			return true
		})
		asked := len(h.script.Requests())
		if at := h.Pass(ctx); at != h.clock.Now()+60_000 {
			t.Errorf("again at %d", at-h.clock.Now())
		}
		h.script.Fail(nil)
		h.script.Answer(modeltest.Named(func(string) string { return "Travel" }))
		h.Pass(ctx)
		if len(h.script.Requests()) != asked+1 {
			t.Error("asked before the time")
		}
		h.clock.Advance(60_001)
		h.Pass(ctx)
		if h.in(h.ann, m.ID) != travel {
			t.Error("it does not go on")
		}
	})
}

// In a project its own category stays where nothing else fits; what is shared is
// sorted among the shared categories, for one who may read them still.
func TestProjects(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.utility(true)
		boss := account.Identity{Scopes: []string{api.ScopeAdmin}}
		p, err := h.projects.Add(ctx, boss, api.ProjectAdd{Name: "Harbour", Slug: "harbour", Sharing: true})
		if err != nil {
			t.Fatal(err)
		}
		member := func(name string, in bool) {
			if _, err := h.projects.SetMember(ctx, boss, p.ID, 0, api.ProjectMemberSet{Name: name, Member: &in}); err != nil {
				t.Error(err)
			}
		}
		member("ann", true)
		member("bob", true)
		travel := h.category(h.ann, api.CategoryAdd{Name: "Travel"})
		h.script.Answer(modeltest.Named(func(note string) string {
			if strings.Contains(note, "ferry") {
				return "Travel"
			}
			return "none"
		}))
		crane := h.add(h.ann, api.MemoryAdd{Body: "The crane is yellow.", ProjectID: p.ID})
		ferry := h.add(h.ann, api.MemoryAdd{Body: "The ferry is blue.", ProjectID: p.ID})
		h.Pass(ctx)
		if h.in(h.ann, crane.ID) != *crane.CategoryID || h.in(h.ann, ferry.ID) != travel {
			t.Error("in the project")
		}
		// Shared: the pool's own categories, and only those.
		for _, name := range []string{"Cranes", "Ships"} {
			h.category(h.ann, api.CategoryAdd{Name: name, ProjectID: p.ID, Shared: true})
		}
		h.script.Answer(modeltest.Named(func(string) string { return "Ships" }))
		shared := h.add(h.bob, api.MemoryAdd{Body: "The pilot boat is orange.", ProjectID: p.ID, Shared: true})
		before := len(h.script.Requests())
		h.Pass(ctx)
		if now := h.in(h.bob, shared.ID); now == *shared.CategoryID || len(h.script.Requests()) != before+1 {
			t.Errorf("shared: in %d as before", now)
		}
		if r := h.script.Requests()[before]; strings.Contains(r.User, "Travel") {
			t.Errorf("a private category was told of: %s", r.User)
		}
		late := h.add(h.bob, api.MemoryAdd{Body: "The tug is green.", ProjectID: p.ID, Shared: true})
		h.script.Answer(func(r modeltest.Request) string {
			member("bob", false)
			return modeltest.Named(func(string) string { return "Ships" })(r)
		})
		h.Pass(ctx)
		if now := h.in(h.ann, late.ID); now != *late.CategoryID {
			t.Error("filed though its writer has lost the pool")
		}
	})
}

func TestAnswered(t *testing.T) {
	list := []category.Choice{{ID: 1, Name: "Travel"}, {ID: 2, Name: "Home & garden"}, {ID: 3, Name: "None of it"}}
	for text, want := range map[string]int64{
		"1": 1, " 2.\n": 2, `"Travel"`: 1, "travel": 1, "home & GARDEN": 2, `{"category": "Travel"}`: 1, `{"category": 2}`: 2,
		"```json\n{\"category\": \"Travel\"}\n```": 1, "2. Home & garden": 2, "<think>maybe 2</think>1": 1, "None of it": 3,
		"0": 0, "none": 0, `{"category": null}`: 0, "4": -1, "-1": -1, "": -1, "Cooking": -1, "1. Home & garden": -1, "{": -1, "1 2": -1,
	} {
		to, ok := answered(list, text)
		if got := to.ID; ok && got != want || !ok && want != -1 {
			t.Errorf("%q: %d %v, want %d", text, got, ok, want)
		}
	}
}

func FuzzAnswered(f *testing.F) {
	list := []category.Choice{{ID: 1, Name: "Travel"}, {ID: 2, Name: "Home"}}
	for _, s := range []string{"1", "Travel", `{"category": 1e99}`, "</think>", "```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if to, ok := answered(list, text); to.ID != 0 && (!ok || to != list[to.ID-1]) {
			t.Errorf("%q gives %+v", text, to)
		}
	})
}
