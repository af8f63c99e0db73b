package category

import (
	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Seed gives a new account its first category, as its default, so that what is
// added without a category can be recalled.
func (s *Store) Seed(tx *db.Tx, owner db.AccountID) error {
	_, err := insert(tx, owner, api.CategoryAdd{Name: FirstName, Color: setting.Int("category.color"), Default: true})
	return err
}

// Owned answers fault.NotFound for a category that is not the account's.
func (s *Store) Owned(tx *db.Tx, owner db.AccountID, id int64) error {
	_, err := read(tx, owner, id)
	return err
}

// Placeable answers fault.NotFound for a category that is not the account's, and
// fault.Invalid for one that can't be its default. It is what account.Options takes.
func (s *Store) Placeable(tx *db.Tx, owner db.AccountID, id int64) error {
	r, err := read(tx, owner, id)
	if err == nil {
		err = placeable(tx, owner, &r, api.Ptr(true))
	}
	return err
}

// Default is where the account's adds without a category go; ok tells whether
// there is such a place.
func (s *Store) Default(tx *db.Tx, owner db.AccountID) (id int64, ok bool, err error) {
	return account.DefaultCategory(tx, owner)
}

// Names are the names of the account's categories, by id.
func (s *Store) Names(tx *db.Tx, owner db.AccountID) (map[int64]string, error) {
	rows, err := readAll(tx, owner)
	names := make(map[int64]string, len(rows))
	for i := range rows {
		names[rows[i].id] = rows[i].name
	}
	return names, err
}

// Ensure is the account's category of that name, whatever its case, made as
// described where there is none; an existing one stays as it is. Errors: Invalid.
func (s *Store) Ensure(tx *db.Tx, owner db.AccountID, in api.CategoryAdd) (id int64, made bool, err error) {
	key, err := nameKey(in.Name)
	if err != nil {
		return 0, false, err
	}
	err = tx.Row(`SELECT id FROM category WHERE owner_id = ? AND name_key = ?`, []any{int64(owner), key}, &id)
	if !fault.Is(err, fault.NotFound) {
		return id, false, err
	}
	id, err = insert(tx, owner, in)
	return id, err == nil, err
}

// Check answers the category if it still has the revision (0: whatever it has).
// Errors: NotFound, Stale with the category as it is.
func (s *Store) Check(tx *db.Tx, owner db.AccountID, id, ifRevision int64) (name string, err error) {
	r, err := s.current(tx, owner, id, ifRevision)
	return r.name, err
}

// Remove deletes a category that no memory is in any more; one that memories
// still refer to is refused by the store. It stops being the default.
func (s *Store) Remove(tx *db.Tx, owner db.AccountID, id int64) error {
	if err := setDefault(tx, owner, id, false); err != nil {
		return err
	}
	tx.Emit(owner, db.NounCategory, id)
	err := tx.Must(`DELETE FROM category WHERE owner_id = ? AND id = ?`, int64(owner), id)
	if fault.Is(err, fault.NotFound) {
		return errNone
	}
	return err
}

// EraseAccount removes what the account has here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM category WHERE owner_id = ?`, int64(owner))
	return err
}
