package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

const (
	day  = vitality.DayMillis
	hour = day / 24
)

// me is the actor of the tests.
var me = audit.Actor{Name: "user:1"}

// rules are terms that a test sets.
type rules struct {
	mu    sync.Mutex
	terms Terms
}

func (r *rules) Terms(*db.Tx) (Terms, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.terms, nil
}

func (r *rules) set(change func(*Terms)) Terms {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.terms)
	return r.terms
}

// fixture is a store with two accounts, ann and bob, each with a category
// General as its default.
type fixture struct {
	t          testing.TB
	d          *db.DB
	clock      *dbtest.Clock
	rules      *rules
	categories *category.Store
	*Store
	ann, bob db.AccountID
}

func newFixture(t testing.TB, d *db.DB, clock *dbtest.Clock) *fixture {
	t.Helper()
	f := &fixture{t: t, d: d, clock: clock, rules: &rules{terms: Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: dbtest.Start + 3*hour}}}
	f.categories = category.New(d, CountByCategory)
	f.Store = New(d, f.categories, f.rules)
	f.ann, f.bob = f.account("ann"), f.account("bob")
	return f
}

// open is a fixture on SQLite.
func open(t testing.TB) *fixture {
	clock := dbtest.NewClock(dbtest.Start)
	return newFixture(t, dbtest.Open(t, clock), clock)
}

// each runs a test on every engine.
func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) { test(t, newFixture(t, d, clock)) })
}

func (f *fixture) account(name string) (owner db.AccountID) {
	f.t.Helper()
	f.update(func(tx *db.Tx) (err error) {
		if owner, err = account.InsertLocked(tx, name, "", api.RoleMember, 0); err != nil {
			return err
		}
		return f.categories.Seed(tx, owner)
	})
	return owner
}

func (f *fixture) update(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.Update(ctx, fn); err != nil {
		f.t.Fatalf("%+v", err)
	}
}

func (f *fixture) view(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.View(ctx, fn); err != nil {
		f.t.Fatalf("%+v", err)
	}
}

// add adds a memory of ann's.
func (f *fixture) add(body string, more ...func(*api.MemoryAdd)) api.Memory {
	f.t.Helper()
	in := api.MemoryAdd{Body: body}
	for _, m := range more {
		m(&in)
	}
	out, err := f.Add(ctx, f.ann, me, api.SourceUser, in)
	if err != nil {
		f.t.Fatalf("add %.40q: %v", body, err)
	}
	return out.Memory
}

func importance(n int) func(*api.MemoryAdd) { return func(in *api.MemoryAdd) { in.Importance = &n } }

func inCategory(id int64) func(*api.MemoryAdd) {
	return func(in *api.MemoryAdd) { in.CategoryID = api.Some(id) }
}

func uncategorized(in *api.MemoryAdd) { in.CategoryID = api.Null[int64]() }

// get reads a memory of ann's.
func (f *fixture) get(id int64) api.Memory {
	f.t.Helper()
	m, err := f.Get(ctx, f.ann, id)
	if err != nil {
		f.t.Fatalf("get %d: %v", id, err)
	}
	return m
}

func (f *fixture) patch(id int64, in api.MemoryPatch) api.Memory {
	f.t.Helper()
	m, err := f.Patch(ctx, f.ann, me, id, 0, in)
	if err != nil {
		f.t.Fatalf("patch %d: %v", id, err)
	}
	return m
}

func (f *fixture) trash(ids ...int64) {
	f.t.Helper()
	for _, id := range ids {
		if _, err := f.Trash(ctx, f.ann, me, id, 0, ""); err != nil {
			f.t.Fatalf("trash %d: %v", id, err)
		}
	}
}

// events are the audit of one of ann's memories, oldest first.
func (f *fixture) events(id int64) []api.Event {
	f.t.Helper()
	page, err := f.Events(ctx, f.ann, id, "", 500)
	if err != nil {
		f.t.Fatalf("events of %d: %v", id, err)
	}
	list := make([]api.Event, len(page.Items))
	for i, e := range page.Items {
		list[len(list)-1-i] = e
	}
	return list
}

// found are the ids that a search finds in ann's memories.
func (f *fixture) found(q string) []int64 {
	f.t.Helper()
	ids := []int64{}
	f.view(func(tx *db.Tx) error {
		hits, _, err := f.Search(tx, f.ann, q, false)
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return err
	})
	return ids
}

// seq is where an account's change log stands.
func (f *fixture) seq(owner db.AccountID) (n int64) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error {
		h, err := tx.Head(owner)
		n = h.Seq
		return err
	})
	return n
}

// refused checks an error's kind.
func refused(t testing.TB, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("got %v, want an error of kind %s", err, want)
	}
}

// prose writes sentences whose words are as frequent as words are: the commonest
// are English, so that they are taken for English.
type prose struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	small []string
}

func newProse(seed uint64) *prose {
	r := rand.New(rand.NewPCG(seed, 7))
	return &prose{r, rand.NewZipf(r, 1.15, 2.7, 40_000), strings.Fields("the of and to in is was for that on with he it as at his by from are this be have she not had they which were")}
}

// word is the word of a rank, the commonest first.
func (p *prose) word(n uint64) string {
	const letters = "etaoinshrdlcumwfgypbvk"
	if n < uint64(len(p.small)) {
		return p.small[n]
	}
	var b strings.Builder
	for n += 7; n > 0; n /= uint64(len(letters)) {
		b.WriteByte(letters[n%uint64(len(letters))])
		b.WriteByte("aeiou"[n%5])
	}
	return b.String()
}

func (p *prose) sentence() string {
	words := make([]string, 8+p.r.IntN(12))
	for i := range words {
		words[i] = p.word(p.zipf.Uint64())
	}
	return fmt.Sprintf("%s %d.", strings.Join(words, " "), p.r.IntN(2_000))
}

func lower(s string) string { return strings.ToLower(s) }
