package account

import (
	"context"
	"strings"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var (
	errLogin    = fault.New(fault.Unauthenticated, "The name or the password is not right.")
	errDisabled = fault.New(fault.Forbidden, "This account is disabled. An administrator can enable it again.")
)

// Login opens a session for a name and password. client is the network address of
// whoever asks. An unknown name, a locked account and a wrong password answer
// alike (fault.Unauthenticated), and count towards fault.TooMany, for the client and,
// where the name was never signed in from there, for the name.
func (s *Store) Login(ctx context.Context, client string, in api.Login) (Opened, error) {
	key, bad := nameKey(in.Name)
	if bad != nil {
		key = strings.ToLower(in.Name) // no account has it, but it counts as one that could
	}
	began := s.db.Now()
	keys := s.attempts.login(key, client, began)
	if err := s.attempts.begin(began, keys...); err != nil {
		return Opened{}, err
	}
	var (
		owner    db.AccountID
		hash     string
		disabled bool
	)
	err := s.db.View(ctx, func(tx *db.Tx) error {
		if bad != nil {
			return nil
		}
		err := tx.Row(`SELECT id, password_hash, disabled FROM account WHERE name_key = ? AND kind = 'person' AND erasing = 0`, []any{key}, &owner, &hash, &disabled)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		return err
	})
	var ok, stale bool
	if err == nil {
		ok, stale, err = s.hash.check(ctx, in.Password, hash)
	}
	if err != nil {
		s.attempts.succeeded(began, keys...) // nothing was tried
		return Opened{}, err
	}
	if !ok {
		return Opened{}, errLogin
	}
	s.attempts.succeeded(began, keys...)
	s.attempts.knows(key, client, began)
	if disabled {
		return Opened{}, errDisabled
	}
	better := hash
	if stale {
		if better, err = s.hash.make(ctx, in.Password); err != nil {
			return Opened{}, err
		}
	}
	var out Opened
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		// What was checked must still be so.
		err := tx.Must(`UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ? AND disabled = 0 AND erasing = 0`, better, int64(owner), hash)
		if fault.Is(err, fault.NotFound) {
			return errLogin
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM session WHERE owner_id = ? AND expires_at <= ?`, int64(owner), tx.Now); err != nil {
			return err
		}
		out, err = openSession(tx, owner)
		return err
	})
	return out, err
}

// Replace ends the session that a secret proves: the browser that had it was just
// given another. A secret that proves none ends none.
func (s *Store) Replace(ctx context.Context, secret string) error {
	if secret == "" {
		return nil
	}
	hash := hashSecret(secret)
	return s.db.Update(ctx, func(tx *db.Tx) error {
		r, err := readSession(tx, `session.secret_hash = ? OR session.previous_hash = ?`, hash, hash)
		if fault.Is(err, fault.Unauthenticated) {
			return nil
		}
		if err != nil {
			return err
		}
		return endSession(tx, r.identity)
	})
}

func endSession(tx *db.Tx, i Identity) error {
	tx.Emit(i.Owner, db.NounAccount, int64(i.Owner))
	_, err := tx.Exec(`DELETE FROM session WHERE id = ? AND owner_id = ?`, i.SessionID, int64(i.Owner))
	return err
}

// Logout ends the identity's session. A token has none to end: fault.Invalid.
func (s *Store) Logout(ctx context.Context, i Identity) error {
	if i.SessionID == 0 {
		return fault.New(fault.Invalid, "A token has no session to end. Revoke the token instead.")
	}
	return s.db.Update(ctx, func(tx *db.Tx) error { return endSession(tx, i) })
}
