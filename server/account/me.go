package account

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Me is the identity's own account, as served.
func (s *Store) Me(ctx context.Context, i Identity) (api.Me, error) {
	var me api.Me
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		me, err = s.MeIn(tx, i)
		return err
	})
	return me, err
}

// MeIn is Me inside a transaction, for those who show it in one.
func (s *Store) MeIn(tx *db.Tx, i Identity) (api.Me, error) {
	me, err := MeIn(tx, i)
	if err == nil && i.Can(api.ScopeAdmin) && s.options.Terminal != (api.Terminal{}) {
		me.Terminal = &s.options.Terminal
	}
	return me, err
}

// MeIn is the identity's own account, for those who only go by it: without what is told
// of the server.
func MeIn(tx *db.Tx, i Identity) (api.Me, error) {
	me := api.Me{Scopes: i.Scopes}
	var row personRow
	err := tx.Row(`SELECT `+personColumns+`, default_category_id`+switchColumns(", ", "")+` FROM account WHERE id = ? AND kind = 'person' AND erasing = 0`,
		[]any{int64(i.Owner)}, append(append(row.dest(), &me.DefaultCategoryID), switchesOf(&me.Memory)...)...)
	if fault.Is(err, fault.NotFound) {
		return me, errSignIn
	}
	me.Person = row.wire()
	return me, err
}

// PatchMe changes the identity's own account. A new password needs the current
// one, and ends the account's other sessions. ifRevision is the revision that the
// caller saw (0: any); another one is fault.Stale with the current state.
func (s *Store) PatchMe(ctx context.Context, i Identity, ifRevision int64, in api.MePatch) (api.Me, error) {
	change, err := s.ownPassword(ctx, i, in)
	if err != nil {
		return api.Me{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Me, error) {
		me, err := s.MeIn(tx, i)
		if err != nil {
			return me, err
		}
		if ifRevision != 0 && ifRevision != me.Revision {
			return me, stale(me)
		}
		if in.Password != nil {
			if err := change.apply(tx, i); err != nil {
				return me, err
			}
		}
		if c := in.DefaultCategoryID; c.Set && c.Value != nil {
			if s.options.OwnsCategory == nil {
				return me, fault.New(fault.NotFound, "There is no such category.")
			}
			if err := s.options.OwnsCategory(tx, i.Owner, *c.Value); err != nil {
				return me, err
			}
		}
		if c := in.DefaultCategoryID; c.Set {
			if err := SetDefaultCategory(tx, i.Owner, c.Value); err != nil {
				return me, err
			}
		}
		if in.DisplayName != nil {
			me.DisplayName = *in.DisplayName
		}
		flip(&me.Memory, in.Memory)
		tx.Emit(i.Owner, db.NounAccount, int64(i.Owner))
		err = tx.Must(`UPDATE account SET revision = revision + 1, display_name = ?`+switchColumns(", ", " = ?")+` WHERE id = ?`,
			append(append([]any{me.DisplayName}, switchValues(&me.Memory)...), int64(i.Owner))...)
		if err != nil {
			return me, err
		}
		return s.MeIn(tx, i)
	})
}

// newPassword is a password that was hashed, and its right to be set checked,
// before the transaction.
type newPassword struct {
	right   bool   // the current one was right
	checked string // the stored hash that it was compared with
	hash    string
	keys    []string
	began   int64
	store   *Store
}

// ownPassword does the slow part of a change of one's own password.
func (s *Store) ownPassword(ctx context.Context, i Identity, in api.MePatch) (newPassword, error) {
	if in.Password == nil {
		return newPassword{}, nil
	}
	current := ""
	if in.CurrentPassword != nil {
		current = *in.CurrentPassword
	}
	c := newPassword{store: s, began: s.db.Now()}
	var key string
	err := s.db.View(ctx, func(tx *db.Tx) error {
		return tx.Row(`SELECT name_key, password_hash FROM account WHERE id = ?`, []any{int64(i.Owner)}, &key, &c.checked)
	})
	if err != nil {
		return c, err
	}
	c.keys = []string{"own:" + key} // whoever is signed in is no stranger, and strangers don't bar them
	if err := s.attempts.begin(c.began, c.keys...); err != nil {
		return c, err
	}
	if c.right, _, err = s.hash.check(ctx, current, c.checked); err == nil && c.right {
		c.hash, err = s.hash.make(ctx, *in.Password)
	}
	if err != nil || c.right {
		s.attempts.succeeded(c.began, c.keys...)
	}
	return c, err
}

// apply sets the password. A wrong current one is told only here: a repeated
// request, whose current password is yesterday's, never comes this far.
func (c newPassword) apply(tx *db.Tx, i Identity) error {
	if !c.right {
		return fault.BadField("currentPassword", "match", "", "The current password is not right.")
	}
	if err := tx.Must(`UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?`, c.hash, int64(i.Owner), c.checked); err != nil {
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Stale, "The password was changed meanwhile. Nothing was changed by this request.")
		}
		return err
	}
	return endSessions(tx, i.Owner, i.SessionID)
}

func stale(current any) error {
	err := fault.New(fault.Stale, "It was changed meanwhile. Look at it as it is now, then try again.")
	err.Current = current
	return err
}

// number is a boolean as both engines store it.
func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
