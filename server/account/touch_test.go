package account_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
)

// occupy keeps the writer busy until free is called.
func (f *fixture) occupy() (free func()) {
	f.Helper()
	busy, done := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = f.db.Update(ctx, func(*db.Tx) error {
			close(busy)
			<-done
			return errors.New("nothing is to be kept of this")
		})
	})
	<-busy
	free = sync.OnceFunc(func() {
		close(done)
		wg.Wait()
	})
	f.Cleanup(free)
	return free
}

// Whatever a read wants noted: with a writer that doesn't come to it, each read is
// answered, many of them too, and the writer isn't left a heap of notes.
func TestReadsDoNotDependOnTheWriter(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		s := account.New(f.db, account.Options{Hash: cheap, Patience: time.Millisecond})
		tok, err := f.AddToken(ctx, db.AccountID(f.bob.ID), api.TokenAdd{Name: "t"})
		f.must("token", err)
		young, old, lost := f.login("bob"), f.login("bob"), f.login("bob")
		f.clock.Advance(25 * hour)
		young = f.renewed("young", young.Secret) // seen for the first time below
		f.renewed("lost", lost.Secret)           // its answer never arrives
		f.clock.Advance(2 * hour)

		free := f.occupy()
		before := runtime.NumGoroutine()
		for range 300 { // more than the writer's queue holds
			i, err := s.Token(ctx, tok.Token)
			if err != nil || int64(i.Owner) != f.bob.ID {
				t.Fatalf("token: %+v %v", i, err)
			}
			for what, secret := range map[string]string{"unconfirmed": young.Secret, "due": old.Secret, "lost": lost.Secret} {
				if o, err := s.Session(ctx, secret); err != nil || o.Secret != "" || int64(o.Identity.Owner) != f.bob.ID {
					t.Fatalf("%s: %+v %v", what, o, err)
				}
			}
		}
		if n := runtime.NumGoroutine() - before; n > 20 { // one for each of the four, and some of the engine's
			t.Errorf("%d goroutines wait for the writer", n)
		}
		free()

		// What could not be noted is noted the next time.
		f.renewed("due", old.Secret)
		f.renewed("lost", lost.Secret)
		_, err = f.Token(ctx, tok.Token)
		f.must("token", err)
		list, err := f.Tokens(ctx, db.AccountID(f.bob.ID))
		f.must("tokens", err)
		if len(list) != 1 || list[0].LastUsedAt == nil || int64(*list[0].LastUsedAt) != f.clock.Now() {
			t.Errorf("%+v", list)
		}
	})
}

// renewed is the session with the new secret that it must get.
func (f *fixture) renewed(what, secret string) account.Opened {
	f.Helper()
	o, err := f.Session(ctx, secret)
	f.must(what, err)
	if o.Secret == "" {
		f.Fatalf("%s: not renewed", what)
	}
	return o
}

// A write that the store refuses doesn't cost the read its answer.
func TestReadsWhoseNotesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		first, err := f.AddToken(ctx, db.AccountID(f.bob.ID), api.TokenAdd{Name: "first"})
		f.must("token", err)
		second, err := f.AddToken(ctx, db.AccountID(f.bob.ID), api.TokenAdd{Name: "second"})
		f.must("token", err)
		_, err = f.Token(ctx, first.Token)
		f.must("token", err)
		one := f.login("bob")
		f.clock.Advance(hour)
		two := f.login("bob")
		f.must("index", f.db.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE UNIQUE INDEX one_token_at_a_time ON token (last_used_at)`)
			if err == nil {
				_, err = tx.Exec(`CREATE UNIQUE INDEX one_session_at_a_time ON session (rotated_at)`)
			}
			return err
		}))
		f.clock.Advance(25 * hour)
		_, err = f.Token(ctx, first.Token)
		f.must("token", err)
		f.renewed("one", one.Secret)
		if i, err := f.Token(ctx, second.Token); err != nil || int64(i.Owner) != f.bob.ID {
			t.Errorf("token: %+v %v", i, err)
		}
		if o, err := f.Session(ctx, two.Secret); err != nil || o.Secret != "" || int64(o.Identity.Owner) != f.bob.ID {
			t.Errorf("session: %+v %v", o, err)
		}
	})
}
