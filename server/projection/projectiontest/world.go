// Package projectiontest puts a store, its nouns and a Projector together for
// tests: everything real, on a file in the test's own directory, with a clock and
// ticks that the test moves.
//
// It is for tests only.
package projectiontest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/server/project"
	"elowen/server/projection"
	"elowen/server/projection/view"
	"elowen/server/retention"
	"elowen/server/schedule"
	"elowen/shared/api"
)

// World is everything below the adapters.
type World struct {
	T          testing.TB
	DB         *db.DB
	Accounts   *account.Store
	Projects   *project.Store
	Categories *category.Store
	Memories   *memory.Store
	Settings   *retention.Settings
	Retention  *retention.Store
	Feed       *feed.Feed
	Projector  *projection.Projector
	Ticks      chan time.Time // a value makes the clock's numbers be looked at
}

// Open makes a world on a new file. A nil clock is the machine's.
func Open(t testing.TB, clock *dbtest.Clock, more ...func(*projection.Config)) *World {
	t.Helper()
	return OpenIn(t, t.TempDir(), clock, more...)
}

// OpenIn is Open in a directory, which other worlds may use too, as other
// processes would.
func OpenIn(t testing.TB, dir string, clock *dbtest.Clock, more ...func(*projection.Config)) *World {
	t.Helper()
	c := db.Config{Dir: dir, Clock: db.SystemClock}
	if clock != nil {
		c.Clock = clock.Now
	}
	d, err := db.Open(context.Background(), c)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	return On(t, d, more...)
}

// On is a world over an open store.
func On(t testing.TB, d *db.DB, more ...func(*projection.Config)) *World {
	t.Helper()
	w := &World{T: t, DB: d, Settings: retention.NewSettings(), Ticks: make(chan time.Time)}
	w.Projects = project.New(d, project.Options{})
	w.Categories = category.New(d, memory.CountByCategory)
	w.Accounts = account.New(d, account.Options{OnCreate: w.Categories.Seed, OwnsCategory: w.Categories.Owned})
	w.Memories = memory.New(d, w.Categories, w.Settings)
	w.Retention = retention.New(d, w.Settings, w.Memories, nil)
	if err := schedule.New(d, nil, nil, w.Retention.Daily()).Boot(context.Background()); err != nil {
		t.Fatalf("boot: %v", err)
	}
	w.Feed = feed.New(d)
	w.Projector = w.Another(more...)
	t.Cleanup(w.Feed.Close)
	return w
}

// Another makes a second projector over the same store, which knows nothing yet.
func (w *World) Another(more ...func(*projection.Config)) *projection.Projector {
	c := projection.Config{
		DB: w.DB, Feed: w.Feed, Memories: w.Memories, Rules: w.Settings,
		Views: view.All(view.Sources{Accounts: w.Accounts, Categories: category.New(w.DB, nil), Retention: w.Retention, Projects: w.Projects}),
		Tick:  w.Ticks, Log: slog.New(slog.NewTextHandler(complaints{w.T}, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	for _, change := range more {
		change(&c)
	}
	p := projection.New(c)
	w.T.Cleanup(p.Close)
	return p
}

// complaints turns what is logged as a warning into a failed test.
type complaints struct{ t testing.TB }

func (c complaints) Write(b []byte) (int, error) {
	c.t.Errorf("logged: %s", b)
	return len(b), nil
}

// Account makes an account without a password and gives its identity.
func (w *World) Account(name string) account.Identity {
	w.T.Helper()
	var owner db.AccountID
	err := w.DB.Update(context.Background(), func(tx *db.Tx) (err error) {
		if owner, err = account.InsertLocked(tx, name, "", api.RoleMember, tx.Now); err != nil {
			return err
		}
		return w.Categories.Seed(tx, owner)
	})
	if err != nil {
		w.T.Fatalf("account: %v", err)
	}
	return account.Identity{Owner: owner, Name: name, Role: api.RoleMember, Scopes: []string{api.ScopeRead, api.ScopeWrite}}
}

// Add stores a memory.
func (w *World) Add(who account.Identity, body string, importance int) api.Memory {
	w.T.Helper()
	m, err := w.Memories.Add(context.Background(), who.Owner, audit.Actor{Name: who.Actor()}, api.SourceUser, api.MemoryAdd{Body: body, Importance: &importance})
	if err != nil {
		w.T.Fatalf("add: %v", err)
	}
	return m.Memory
}

// Fill stores n memories of many kinds, ages and uses in few transactions, and
// gives their ids.
func (w *World) Fill(who account.Identity, n int, body func(i int) string) []int64 {
	w.T.Helper()
	var all []int64
	kinds := []string{"fact", "preference", "decision", "project", "reference"}
	const batch = 2000
	for len(all) < n {
		err := w.DB.Update(context.Background(), func(tx *db.Tx) error {
			var list []memory.Carried
			for i := len(all); i < min(n, len(all)+batch); i++ {
				// Spread over a year by a step that shares no factor with it.
				age := int64(i) * 7_919_003 % (300 * 86_400_000)
				m := memory.Carried{
					Body: body(i), Kind: kinds[i%len(kinds)], Importance: 1 + i%10, Confidence: 0.8, Source: api.SourceUser,
					Status: api.StatusActive, CreatedAt: tx.Now - age, UpdatedAt: tx.Now - age/2, Revision: 1,
				}
				if i%3 == 0 {
					m.UseCount, m.LastUsedAt = int64(1+i%7), tx.Now-age/3
				}
				if i%20 == 19 {
					m.Status, m.DeletedAt, m.DeletedWhy = api.StatusDeleted, tx.Now, "test"
				}
				list = append(list, m)
			}
			ids, err := w.Memories.Insert(tx, who.Owner, audit.Actor{Name: audit.ActorImport}, "test", list)
			all = append(all, ids...)
			return err
		})
		if err != nil {
			w.T.Fatalf("fill: %v", err)
		}
	}
	return all
}

// Tick lets the clock's numbers be looked at.
func (w *World) Tick() { w.Ticks <- time.Time{} }
