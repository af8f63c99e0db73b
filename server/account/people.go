package account

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

const personColumns = `id, name, display_name, role, disabled, password_hash, created_at, revision`

type personRow struct {
	api.Person
	hash    string
	created int64
}

func (r *personRow) dest() []any {
	return []any{&r.ID, &r.Name, &r.DisplayName, &r.Role, &r.Disabled, &r.hash, &r.created, &r.Revision}
}

func (r *personRow) wire() api.Person {
	p := r.Person
	p.Locked = r.hash == ""
	p.CreatedAt = api.Time(r.created)
	return p
}

// capable tells whether the person can administer: enabled, and able to sign in.
func (r *personRow) capable() bool {
	return r.Role == api.RoleAdmin && !r.Disabled && r.hash != ""
}

var (
	errNoPerson  = fault.New(fault.NotFound, "There is no account of that name.")
	errLastAdmin = fault.New(fault.Taken, "This is the last administrator who can sign in. Make another one first.")
	errNameTaken = fault.New(fault.Taken, "There is an account of that name already.")
)

// People lists all accounts, by name.
func (s *Store) People(ctx context.Context) ([]api.Person, error) {
	var list []api.Person
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		list, err = List(tx)
		return err
	})
	return list, err
}

// Person is the account of a name, whatever its case; else fault.NotFound.
func (s *Store) Person(ctx context.Context, name string) (api.Person, error) {
	var p api.Person
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		p, err = ByName(tx, name)
		return err
	})
	return p, err
}

// Add makes an account, locked if it has no password. A member if no role is
// given. Errors: Taken, Invalid.
func (s *Store) Add(ctx context.Context, in api.PersonAdd) (api.Person, error) {
	row := newAccount{name: in.Name, displayName: in.DisplayName, role: in.Role}
	if in.Password != "" {
		var err error
		if row.hash, err = s.hash.make(ctx, in.Password); err != nil {
			return api.Person{}, err
		}
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Person, error) {
		owner, err := s.create(tx, row)
		if err != nil {
			return api.Person{}, err
		}
		r, err := readPerson(tx, `id = ?`, int64(owner))
		return r.wire(), err
	})
}

// Patch changes the account of a name. Disabling it or giving it a password ends
// its sessions, but for the one of by; disabling it also revokes its tokens, for
// good: whoever is let in again may be another. ifRevision is the revision that the caller
// saw (0: any). Errors: NotFound, Stale, Taken for the last administrator.
func (s *Store) Patch(ctx context.Context, by Identity, name string, ifRevision int64, in api.PersonPatch) (api.Person, error) {
	hash := ""
	if in.Password != nil {
		var err error
		if hash, err = s.hash.make(ctx, *in.Password); err != nil {
			return api.Person{}, err
		}
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Person, error) {
		key, err := nameKey(name)
		if err != nil {
			return api.Person{}, errNoPerson
		}
		was, err := readPerson(tx, `name_key = ?`, key)
		if err != nil {
			return api.Person{}, err
		}
		if ifRevision != 0 && ifRevision != was.Revision {
			return api.Person{}, stale(was.wire())
		}
		is := was
		if in.DisplayName != nil {
			is.DisplayName = *in.DisplayName
		}
		if in.Role != nil && *in.Role != "" {
			is.Role = *in.Role
		}
		if in.Disabled != nil {
			is.Disabled = *in.Disabled
		}
		if hash != "" {
			is.hash = hash
		}
		if was.capable() && !is.capable() {
			if err := otherAdmin(tx, was.ID); err != nil {
				return api.Person{}, err
			}
		}
		owner := db.AccountID(was.ID)
		if is.Disabled || hash != "" {
			keep := int64(0)
			if by.Owner == owner && !is.Disabled {
				keep = by.SessionID
			}
			if err := endSessions(tx, owner, keep); err != nil {
				return api.Person{}, err
			}
		}
		if is.Disabled {
			if _, err := revoke(tx, `owner_id = ?`, was.ID); err != nil {
				return api.Person{}, err
			}
		}
		tx.Emit(owner, db.NounAccount, was.ID)
		err = tx.Must(`UPDATE account SET revision = revision + 1, display_name = ?, role = ?, disabled = ?, password_hash = ? WHERE id = ?`,
			is.DisplayName, is.Role, number(is.Disabled), is.hash, was.ID)
		is.Revision++
		return is.wire(), err
	})
}

func readPerson(tx *db.Tx, where string, arg any) (personRow, error) {
	var r personRow
	err := tx.Row(`SELECT `+personColumns+` FROM account WHERE kind = 'person' AND erasing = 0 AND `+where, []any{arg}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		err = errNoPerson
	}
	return r, err
}

// otherAdmin refuses where no capable administrator but this account is left.
func otherAdmin(tx *db.Tx, id int64) error {
	var n int64
	err := tx.Row(`SELECT COUNT(*) FROM account WHERE role = ? AND kind = 'person' AND disabled = 0 AND erasing = 0 AND password_hash <> '' AND id <> ?`,
		[]any{api.RoleAdmin, id}, &n)
	if err == nil && n == 0 {
		err = errLastAdmin
	}
	return err
}
