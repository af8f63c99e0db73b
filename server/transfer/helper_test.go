package transfer_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/project"
	"elowen/server/retention"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// TestMain makes fewer of the long lives than rapid does by itself: each is many
// transactions. -rapid.checks asks for more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// house is a store with its nouns.
type house struct {
	t  testing.TB
	d  *db.DB
	in transfer.Parts
	*transfer.Store
}

func open(t testing.TB, d *db.DB) *house {
	settings := retention.NewSettings()
	categories := category.New(d, memory.CountByCategory)
	accounts := account.New(d, account.Options{OnCreate: categories.Seed, OwnsCategory: categories.Owned})
	memories := memory.New(d, categories, settings)
	p := transfer.Parts{Accounts: accounts, Projects: project.New(d, project.Options{}), Categories: categories, Memories: memories, Settings: settings,
		Retention: retention.New(d, settings, memories, nil)}
	return &house{t, d, p, transfer.New(d, p)}
}

// person makes a locked account.
func (h *house) person(name string) db.AccountID {
	h.t.Helper()
	p, err := h.in.Accounts.Add(context.Background(), api.PersonAdd{Name: name})
	if err != nil {
		h.t.Fatal(err)
	}
	return db.AccountID(p.ID)
}

// owner is the account of a name.
func (h *house) owner(name string) db.AccountID {
	h.t.Helper()
	p, err := h.in.Accounts.Person(context.Background(), name)
	if err != nil {
		h.t.Fatal(err)
	}
	return db.AccountID(p.ID)
}

// exported is the whole store as JSONL.
func (h *house) exported() string {
	h.t.Helper()
	var b bytes.Buffer
	if err := h.ExportAll(context.Background(), &b); err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

func (h *house) importAll(text string, o transfer.Options) api.ImportReport {
	h.t.Helper()
	o.TempDir = h.t.TempDir()
	r, err := h.ImportAll(context.Background(), strings.NewReader(text), o)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) importTo(owner db.AccountID, text string, o transfer.Options) api.ImportReport {
	h.t.Helper()
	o.TempDir = h.t.TempDir()
	r, err := h.Import(context.Background(), owner, strings.NewReader(text), o)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// rows are all memories of an account, of every status, by body.
func (h *house) rows(owner db.AccountID) map[string]api.Memory {
	h.t.Helper()
	out := map[string]api.Memory{}
	err := h.d.View(context.Background(), func(tx *db.Tx) error {
		var ids []int64
		for b, err := range h.in.Memories.Briefs(tx, owner, nil) {
			if err != nil {
				return err
			}
			ids = append(ids, b.ID)
		}
		list, err := h.in.Memories.Rows(tx, owner, ids)
		for _, m := range list {
			if _, twice := out[m.Body]; twice {
				h.t.Errorf("two memories %q", m.Body)
			}
			out[m.Body] = m
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

var byImport = transfer.Options{By: audit.Actor{Name: audit.ActorImport}}

func each(t *testing.T, test func(t *testing.T, h *house, clock *dbtest.Clock)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) { test(t, open(t, d), clock) })
}
