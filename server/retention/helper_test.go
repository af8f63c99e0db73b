package retention

import (
	"context"
	"fmt"
	"os"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/shared/api"
)

// sweeper is the variable that makes the test program a sweeping process: the
// data directory and the clock. See sweeperMain.
const sweeper = "ELOWEN_RETENTION_SWEEPER"

func TestMain(m *testing.M) {
	if how := os.Getenv(sweeper); how != "" {
		os.Exit(sweeperMain(how))
	}
	os.Exit(m.Run())
}

// house is a store with the nouns that the sweep needs.
type house struct {
	t        testing.TB
	d        *db.DB
	accounts *account.Store
	memories *memory.Store
	*Store
}

func nouns(d *db.DB) (*account.Store, *memory.Store, *Store) {
	settings := NewSettings()
	categories := category.New(d, memory.CountByCategory)
	accounts := account.New(d, account.Options{OnCreate: categories.Seed, OwnsCategory: categories.Owned})
	memories := memory.New(d, categories, settings)
	return accounts, memories, New(d, settings, memories, nil)
}

func open(t testing.TB, d *db.DB) *house {
	h := &house{t: t, d: d}
	h.accounts, h.memories, h.Store = nouns(d)
	return h
}

// person makes a locked account.
func (h *house) person(name string) db.AccountID {
	h.t.Helper()
	p, err := h.accounts.Add(context.Background(), api.PersonAdd{Name: name})
	if err != nil {
		h.t.Fatal(err)
	}
	return db.AccountID(p.ID)
}

const day = dayMillis

// old puts n memories into the account that were made days ago and never used.
func (h *house) old(owner db.AccountID, n int, days int64, importance int) []int64 {
	h.t.Helper()
	list := make([]memory.Carried, n)
	for i := range list {
		list[i] = memory.Carried{Body: fmt.Sprintf("Memory %d of %d days.", i, days), Importance: importance, Confidence: 0.8,
			CreatedAt: h.d.Now() - days*day - int64(i)}
	}
	var ids []int64
	err := h.d.Update(context.Background(), func(tx *db.Tx) (err error) {
		ids, err = h.memories.Insert(tx, owner, audit.Actor{Name: "test"}, "", list)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return ids
}

// status is how many memories of the account have each status.
func (h *house) status(owner db.AccountID) (active, deleted int) {
	h.t.Helper()
	s, err := h.memories.Stats(context.Background(), owner)
	if err != nil {
		h.t.Fatal(err)
	}
	return s.Active, s.Deleted
}

func (h *house) sweep() api.Sweep {
	h.t.Helper()
	s, err := h.Sweep(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	return s.Total()
}

// save changes the policy, whatever its revision.
func (h *house) save(change api.PolicyChange) api.Settings {
	h.t.Helper()
	now, err := h.Current(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	change.Revision = now.Revision
	saved, err := h.Save(context.Background(), change)
	if err != nil {
		h.t.Fatal(err)
	}
	return saved
}

// seq is where the account's change log stands.
func (h *house) seq(owner db.AccountID) int64 {
	h.t.Helper()
	var head db.Head
	err := h.d.View(context.Background(), func(tx *db.Tx) (err error) {
		head, err = tx.Head(owner)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return head.Seq
}

func each(t *testing.T, test func(t *testing.T, h *house, clock *dbtest.Clock)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) { test(t, open(t, d), clock) })
}
