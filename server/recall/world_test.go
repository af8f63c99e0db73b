package recall

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/server/vector"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var (
	ctx = context.Background()
	me  = audit.Actor{Name: "user:1"}
)

// sense is a model whose vectors are of what words mean: those of one line of meanings
// are the same. It tells what it embedded.
type sense struct {
	in   embedding.Space
	hold func(ctx context.Context) error // before each answer to a question; nil: nothing
	slow func(ctx context.Context) error // before each answer to a passage; nil: nothing

	cold atomic.Bool // it isn't loaded yet

	mu    sync.Mutex
	asked []string // questions
	told  []string // passages
}

var meanings = func() map[string]string {
	m := map[string]string{}
	for _, line := range []string{
		"dog hound puppy pes", "walk stroll promenade", "coffee espresso caffeine", "milk dairy cream", "car automobile vehicle",
		"port harbour dock", "sister sibling", "birthday anniversary", "violin fiddle", "boat ship vessel", "doctor physician", "rent lease",
	} {
		list := strings.Fields(line)
		for _, w := range list {
			m[w] = list[0]
		}
	}
	return m
}()

const senseWidth = 64

func axis(word string) []float64 {
	h := fnv.New64a()
	h.Write([]byte(word))
	r := rand.New(rand.NewPCG(h.Sum64(), 9))
	v := make([]float64, senseWidth)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func sensed(text string) []float32 {
	sum := make([]float64, senseWidth)
	for _, w := range plainWords(text) {
		weight := 0.15
		if m, ok := meanings[w]; ok {
			w, weight = m, 1
		}
		for i, x := range axis(w) {
			sum[i] += weight * x
		}
	}
	v := make([]float32, senseWidth)
	length := 1e-9
	for _, x := range sum {
		length += x * x
	}
	for i, x := range sum {
		v[i] = float32(x / math.Sqrt(length))
	}
	return v
}

func (e *sense) Space() embedding.Space   { return e.in }
func (e *sense) Limits() embedding.Limits { return embedding.Limits{Texts: 8, Bytes: 1 << 16} }

func (e *sense) Embed(ctx context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	wait := e.hold
	if kind == embedding.Passage {
		wait = e.slow
	}
	if wait != nil {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]embedding.Result, len(texts))
	for i, t := range texts {
		if kind == embedding.Query {
			e.asked = append(e.asked, t)
		} else {
			e.told = append(e.told, t)
		}
		out[i].Vectors = [][]float32{sensed(t)}
	}
	return out, nil
}

func (e *sense) questions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.asked)
}

// Loaded implements embedding.Loader.
func (e *sense) Loaded() bool { return !e.cold.Load() }

// senseProfile is how sense's cosines are to be read.
var senseProfile = embedding.Profile{
	Model: "sense", Words: 0.7, Blend: embedding.Line{Zero: 0.15, One: 0.6}, Floor: 0.3,
	Thresholds: embedding.Thresholds{Duplicate: 0.95, Paraphrase: 0.97},
}

// world is a store with two people, ann and bob, and a model.
type world struct {
	testing.TB
	db         *db.DB
	clock      *dbtest.Clock
	accounts   *account.Store
	categories *category.Store
	memories   *memory.Store
	service    *embedding.Service
	model      *sense
	snapshot   *embedding.Snapshot
	scope      Scope
	*Store
	ann, bob db.AccountID
	shelf    int64 // ann's
}

func newWorld(t testing.TB, d *db.DB, clock *dbtest.Clock) *world {
	t.Helper()
	w := &world{TB: t, db: d, clock: clock}
	w.categories = category.New(d, memory.CountByCategory)
	rules := retention.NewSettings()
	w.memories = memory.New(d, w.categories, rules)
	w.accounts = account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}, OnCreate: w.categories.Seed, OwnsCategory: w.categories.Owned})
	for name, id := range map[string]*db.AccountID{"ann": &w.ann, "bob": &w.bob} {
		p, err := w.accounts.Add(ctx, api.PersonAdd{Name: name, Role: api.RoleMember})
		if err != nil {
			t.Fatal(err)
		}
		*id = db.AccountID(p.ID)
	}
	w.service = embedding.NewService()
	w.scope = category.Scope
	w.Store = New(d, Options{
		Memories: w.memories, Indexes: vector.New(w.memories, 0), Service: w.service, Scope: func(tx *db.Tx, a db.AccountID, project int64) ([]category.Share, error) {
			return w.scope(tx, a, project)
		},
		Settings: retention.New(d, rules, w.memories, nil).SettingsIn,
	})
	w.memories.SetMeaning(w.Store)
	w.shelf = w.shelves(w.ann)[0]
	return w
}

// shelves are an account's own categories.
func (w *world) shelves(owner db.AccountID) (ids []int64) {
	w.view(func(tx *db.Tx) error {
		list, err := category.Scope(tx, owner, 0)
		ids = list[0].Categories
		return err
	})
	return ids
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) { test(t, newWorld(t, d, clock)) })
}

func open(t testing.TB) *world {
	clock := dbtest.NewClock(dbtest.Start)
	return newWorld(t, dbtest.Open(t, clock), clock)
}

func (w *world) view(fn func(tx *db.Tx) error) {
	w.Helper()
	if err := w.db.View(ctx, fn); err != nil {
		w.Fatal(err)
	}
}

// on makes a model of a name the one in use.
func (w *world) on(name string) {
	w.Helper()
	w.model = &sense{in: embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://" + name, Model: name}}
	w.use(w.model)
}

func (w *world) use(m *sense) {
	w.Helper()
	var s embedding.Stored
	if err := w.db.Update(ctx, func(tx *db.Tx) (err error) {
		s, _, err = embedding.Activate(tx, m.in)
		tx.Emit(w.ann, db.NounMemory, 0) // as package model does
		return err
	}); err != nil {
		w.Fatal(err)
	}
	w.snapshot = &embedding.Snapshot{Stored: s, Embedder: m, Profile: senseProfile}
	w.service.Use(w.snapshot)
}

// addTo adds a memory of an account's, in its default category, by a model that is too
// slow for an add: it is not indexed yet.
func (w *world) addTo(owner db.AccountID, body string, more ...func(*api.MemoryAdd)) int64 {
	w.Helper()
	in := api.MemoryAdd{Body: body}
	for _, m := range more {
		m(&in)
	}
	if w.model != nil {
		w.model.slow = func(context.Context) error { return errSlow }
		defer func() { w.model.slow = nil }()
	}
	out, err := w.memories.Add(ctx, owner, me, api.SourceUser, in)
	if err != nil {
		w.Fatal(err)
	}
	return out.ID
}

var errSlow = fault.New(fault.Unavailable, "Too slow.")

func (w *world) add(body string, more ...func(*api.MemoryAdd)) int64 {
	w.Helper()
	id := w.addTo(w.ann, body, more...)
	w.index(w.ann, id)
	return id
}

// index makes the vectors of memories, as the queue does.
func (w *world) index(owner db.AccountID, ids ...int64) {
	w.Helper()
	if w.snapshot == nil {
		return
	}
	if err := w.db.Update(ctx, func(tx *db.Tx) error {
		texts, err := w.memories.Texts(tx, owner, ids)
		if err != nil {
			return err
		}
		items := make([]embedding.Item, len(texts))
		for i, t := range texts {
			items[i] = embedding.Item{Memory: t.Memory, BodyHash: t.Hash, Script: embedding.Script(t.Text), Vectors: [][]float32{sensed(t.Text)}}
		}
		_, err = embedding.Put(tx, owner, w.snapshot.ID, items)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) retrieve(in api.RetrieveRequest) api.Retrieved {
	w.Helper()
	out, err := w.Retrieve(ctx, w.ann, in)
	if err != nil {
		w.Fatalf("%+v: %+v", in, err)
	}
	return out
}

// ids are those of what a question finds, the best first.
func (w *world) ids(q string) []int64 {
	w.Helper()
	return idsOf(w.retrieve(api.RetrieveRequest{Query: q}))
}

func idsOf(r api.Retrieved) []int64 {
	ids := []int64{}
	for _, m := range r.Memories {
		ids = append(ids, m.ID)
	}
	return ids
}

// reasons are those of the candidates.
func reasons(r api.Retrieved) map[int64]string {
	by := map[int64]string{}
	for _, c := range r.Candidates {
		by[c.ID] = c.Reason
	}
	return by
}

func same(t testing.TB, what string, got []int64, want ...int64) {
	t.Helper()
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func importance(n int) func(*api.MemoryAdd) { return func(in *api.MemoryAdd) { in.Importance = &n } }

func nowhere(in *api.MemoryAdd) { in.CategoryID = api.Null[int64]() }
