package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/server/projection"
	"elowen/server/retention"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// store is an open data directory with the nouns put together as the server does
// it, and one account.
type store struct {
	dir        string
	db         *db.DB
	accounts   *account.Store
	categories *category.Store
	settings   *retention.Settings
	memories   *memory.Store
	retention  *retention.Store
	transfer   *transfer.Store
	owner      db.AccountID // ann's
}

const (
	person   = "ann"
	password = "correct horse battery"
)

// me is the actor of what is written here.
var me = audit.Actor{Name: "user:1"}

// cheap is the cost of a password that protects nothing.
var cheap = account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}

// openStore opens a directory, and makes the account where it isn't there.
func openStore(ctx context.Context, dir string) (*store, error) {
	d, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, db: d, settings: retention.NewSettings()}
	s.categories = category.New(d, memory.CountByCategory)
	s.accounts = account.New(d, account.Options{Hash: cheap, OnCreate: s.categories.Seed, OwnsCategory: s.categories.Owned})
	s.memories = memory.New(d, s.categories, s.settings)
	s.retention = retention.New(d, s.settings, s.memories, nil)
	s.transfer = transfer.New(d, transfer.Parts{
		Accounts: s.accounts, Categories: s.categories, Memories: s.memories, Retention: s.retention, Settings: s.settings,
	})
	people, err := s.accounts.People(ctx)
	if err == nil && len(people) == 0 {
		_, err = s.accounts.Add(ctx, api.PersonAdd{Name: person, Password: password, Role: api.RoleAdmin})
	}
	if err == nil {
		s.owner, err = s.named(ctx, person)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return s, nil
}

// fresh opens a new store.
func (b *bench) freshStore(ctx context.Context, name string) (*store, error) {
	dir, err := b.fresh(name)
	if err != nil {
		return nil, err
	}
	return openStore(ctx, dir)
}

func (s *store) close() error { return s.db.Close() }

// drop closes the store and removes it, so that a long run needs no more room
// than one line.
func (s *store) drop() {
	_ = s.close()
	_ = os.RemoveAll(s.dir)
}

func (s *store) named(ctx context.Context, name string) (db.AccountID, error) {
	p, err := s.accounts.Person(ctx, name)
	return db.AccountID(p.ID), err
}

// batch is how many memories are inserted in one decision.
const batch = 2048

// fill brings n memories into ann's account.
func (s *store) fill(ctx context.Context, n int, one func(now int64) memory.Carried) error {
	for n > 0 {
		list := make([]memory.Carried, min(n, batch))
		n -= len(list)
		now := s.db.Now()
		for i := range list {
			list[i] = one(now)
		}
		if err := s.insert(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) insert(ctx context.Context, list []memory.Carried) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		_, err := s.memories.Insert(tx, s.owner, audit.Actor{Name: audit.ActorImport}, "", list)
		return err
	})
}

// projector makes what lists and live windows read.
func (s *store) projector() (*projection.Projector, func()) {
	f := feed.New(s.db)
	p := projection.New(projection.Config{DB: s.db, Feed: f, Memories: s.memories, Rules: s.settings})
	return p, func() { p.Close(); f.Close() }
}

// dataset is a closed store with 100,000 memories of ann's, which several lines
// read. Whoever writes takes a copy.
type dataset struct {
	dir     string
	size    int
	session string // the secret of a session of ann's
	token   string // of ann's
}

// hundred is the dataset, made by whoever asks first.
func (b *bench) hundred(ctx context.Context) (*dataset, error) {
	if b.data != nil {
		return b.data, nil
	}
	n := b.size(100_000, 200)
	b.say("  making a store of %d memories", n)
	s, err := b.freshStore(ctx, "hundred")
	if err != nil {
		return nil, err
	}
	defer s.close()
	d := &dataset{dir: s.dir, size: n}
	if err := s.fill(ctx, n, newCorpus(1).carried); err != nil {
		return nil, err
	}
	if d.session, d.token, err = s.signIn(ctx); err != nil {
		return nil, err
	}
	b.data = d
	return d, s.close()
}

// signIn opens a session of ann's and makes a token.
func (s *store) signIn(ctx context.Context) (session, token string, err error) {
	opened, err := s.accounts.Login(ctx, "bench", api.Login{Name: person, Password: password})
	if err != nil {
		return "", "", err
	}
	t, err := s.accounts.AddToken(ctx, s.owner, api.TokenAdd{Name: "bench"})
	return opened.Secret, t.Token, err
}

// copied is a directory of its own with the dataset's store.
func (b *bench) copied(d *dataset) (string, error) {
	dir, err := b.fresh("copy")
	if err != nil {
		return "", err
	}
	from, err := os.Open(filepath.Join(d.dir, db.FileName))
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(dir, db.FileName), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	defer to.Close()
	if _, err := io.Copy(to, from); err != nil {
		return "", err
	}
	if wal, err := os.Stat(filepath.Join(d.dir, db.FileName+"-wal")); err == nil && wal.Size() > 0 {
		return "", fmt.Errorf("the closed store has a write-ahead log")
	}
	return dir, to.Sync()
}
