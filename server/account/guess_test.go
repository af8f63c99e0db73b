package account

import (
	"context"
	"fmt"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Wrong tokens, from however many addresses, make nothing be forgotten that keeps
// people from being locked out, nor what bars those who guess passwords.
func TestWrongTokensPushNothingOut(t *testing.T) {
	ctx := context.Background()
	clock := dbtest.NewClock(dbtest.Start)
	s := New(dbtest.Open(t, clock), Options{})
	var ann db.AccountID
	if err := s.db.Update(ctx, func(tx *db.Tx) (err error) {
		ann, err = InsertLocked(tx, "ann", "", api.RoleMember, 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	token, err := s.AddToken(ctx, ann, api.TokenAdd{Name: "laptop"})
	if err != nil {
		t.Fatal(err)
	}
	from := func(client, secret string) error {
		_, err := s.TokenFrom(ctx, client, secret)
		return err
	}
	if err := from("home", token.Token); err != nil {
		t.Fatal(err)
	}
	now := clock.Now()
	s.attempts.knows("ann", "home", now)
	attacked := s.attempts.login("ann", "bar", now)
	for s.attempts.begin(now, attacked...) == nil {
	}

	// All but the last few as TokenFrom notes them, without asking the store.
	for i := range attemptKeys {
		client := fmt.Sprint("net ", i)
		if err := s.guesses.failed.begin(now+1, client); err != nil {
			t.Fatal(err)
		}
		s.guesses.note(fmt.Sprint(i), client, false, now+1)
	}
	clock.Advance(2)
	for i := range 50 {
		if err := from(fmt.Sprint("more ", i), fmt.Sprint(TokenPrefix, i)); !fault.Is(err, fault.Unauthenticated) {
			t.Fatal(err)
		}
	}
	for i := 0; ; i++ {
		if err := from("home", fmt.Sprint(TokenPrefix, i)); fault.Is(err, fault.TooMany) {
			break
		} else if i > 1000 {
			t.Fatal("nobody who guesses has to wait")
		}
	}

	now = clock.Now()
	if keys := s.attempts.login("ann", "home", now); len(keys) != 1 {
		t.Errorf("her address is forgotten: %v", keys)
	}
	if err := s.attempts.begin(now, attacked...); !fault.Is(err, fault.TooMany) {
		t.Errorf("who guessed at her password may go on: %v", err)
	}
	if err := from("home", token.Token); err != nil {
		t.Errorf("her token, from where it was used: %v", err)
	}
	for what, n := range map[string]int{"addresses": len(s.guesses.failed.byID), "wrong ones": len(s.guesses.wrong), "right ones": len(s.guesses.right)} {
		if n > attemptKeys {
			t.Errorf("%d %s are remembered", n, what)
		}
	}
}
