package account

import (
	"fmt"
	"strings"

	"golang.org/x/text/secure/precis"

	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type newAccount struct {
	name, displayName, role string
	hash                    string // of the password; empty: locked
	created                 int64  // 0: now
}

// create makes an account and runs what belongs to it.
func (s *Store) create(tx *db.Tx, n newAccount) (db.AccountID, error) {
	owner, err := insert(tx, n)
	if err == nil && s.options.OnCreate != nil {
		err = s.options.OnCreate(tx, owner)
	}
	return owner, err
}

func insert(tx *db.Tx, n newAccount) (db.AccountID, error) {
	key, err := nameKey(n.name)
	if err != nil {
		return 0, err
	}
	if n.role == "" {
		n.role = api.RoleMember
	}
	if n.created == 0 {
		n.created = tx.Now
	}
	var id int64
	switches := defaultSwitches()
	err = tx.Row(`INSERT INTO account (name, name_key, display_name, role, password_hash, created_at`+switchColumns(", ", "")+`)
		VALUES (?, ?, ?, ?, ?, ?`+strings.Repeat(", ?", len(memorySwitches))+`) ON CONFLICT (name_key) DO NOTHING RETURNING id`,
		append([]any{n.name, key, n.displayName, n.role, n.hash, n.created}, switchValues(&switches)...), &id)
	if fault.Is(err, fault.NotFound) {
		return 0, errNameTaken
	}
	if err == nil {
		tx.Emit(db.AccountID(id), db.NounAccount, id)
	}
	return db.AccountID(id), err
}

// InsertLocked makes an account without a password, as an import needs it; what
// Options.OnCreate would add comes from the import. created is in Unix
// milliseconds, 0 for now. Errors: Taken, Invalid.
func InsertLocked(tx *db.Tx, name, displayName, role string, created int64) (db.AccountID, error) {
	return insert(tx, newAccount{name: name, displayName: displayName, role: role, created: created})
}

// List lists all accounts, by name.
func List(tx *db.Tx) ([]api.Person, error) {
	list := []api.Person{}
	rows := tx.Query(`SELECT ` + personColumns + ` FROM account WHERE kind = 'person' AND erasing = 0 ORDER BY name_key`)
	defer rows.Close()
	for rows.Next() {
		var r personRow
		if err := rows.Scan(r.dest()...); err != nil {
			return nil, err
		}
		list = append(list, r.wire())
	}
	return list, rows.Err()
}

// Owners lists the ids of all that may own rows, disabled accounts and pools too,
// for work that goes over everything.
func Owners(tx *db.Tx) ([]db.AccountID, error) {
	return db.IDs[db.AccountID](tx.Query(`SELECT id FROM account WHERE erasing = 0 ORDER BY id`))
}

// Owns tells whether an id is among the Owners.
func Owns(tx *db.Tx, id db.AccountID) (bool, error) {
	var n int
	err := tx.Row(`SELECT COUNT(*) FROM account WHERE id = ? AND erasing = 0`, []any{int64(id)}, &n)
	return n > 0, err
}

// InsertPool makes an account that is what a project shares: it owns memories, and
// nobody signs in to it or finds it among the people. project is the project's id.
func InsertPool(tx *db.Tx, project int64) (db.AccountID, error) {
	// No login name has a space in it, so none is equal to this.
	name := fmt.Sprintf("pool of project %d", project)
	var id int64
	err := tx.Row(`INSERT INTO account (name, name_key, display_name, role, disabled, password_hash, kind, created_at) VALUES (?, ?, '', ?, 1, '', 'pool', ?) RETURNING id`,
		[]any{name, name, api.RoleMember, tx.Now}, &id)
	return db.AccountID(id), err
}

// ErasePool removes a pool's account, whose rows are gone. Its audit goes along,
// as an erased person's does, in the transaction that calls MarkPool before.
func ErasePool(tx *db.Tx, pool db.AccountID) error {
	return tx.Must(`DELETE FROM account WHERE id = ? AND kind = 'pool' AND erasing = 1`, int64(pool))
}

// MarkPool begins the erasure of a pool: from here the audit lets its events go.
func MarkPool(tx *db.Tx, pool db.AccountID) error {
	return tx.Must(`UPDATE account SET erasing = 1 WHERE id = ? AND kind = 'pool'`, int64(pool))
}

// Named is a person as others see them.
type Named struct {
	ID          db.AccountID
	Name        string // to sign in with
	DisplayName string // as shown; the other one where they have none
}

// NamesOf are the people among the ids, by id.
func NamesOf(tx *db.Tx, ids []db.AccountID) (map[db.AccountID]Named, error) {
	names := make(map[db.AccountID]Named, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT id, name, CASE display_name WHEN '' THEN name ELSE display_name END FROM account
			WHERE id IN (`+in+`) AND kind = 'person' AND erasing = 0`, args...)
		err := rows.Each(func() error {
			var p Named
			if err := rows.Scan((*int64)(&p.ID), &p.Name, &p.DisplayName); err != nil {
				return err
			}
			names[p.ID] = p
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// Admins are the administrators, disabled ones too.
func Admins(tx *db.Tx) ([]db.AccountID, error) {
	return db.IDs[db.AccountID](tx.Query(`SELECT id FROM account WHERE role = ? AND kind = 'person' AND erasing = 0 ORDER BY id`, api.RoleAdmin))
}

// ByName is the account of a name, whatever its case; else fault.NotFound.
func ByName(tx *db.Tx, name string) (api.Person, error) {
	key, err := nameKey(name)
	if err != nil {
		return api.Person{}, errNoPerson
	}
	r, err := readPerson(tx, `name_key = ?`, key)
	return r.wire(), err
}

// DefaultCategory is where the account's adds without a category go; ok tells
// whether there is one.
func DefaultCategory(tx *db.Tx, owner db.AccountID) (id int64, ok bool, err error) {
	var p *int64
	if err := tx.Row(`SELECT default_category_id FROM account WHERE id = ?`, []any{int64(owner)}, &p); err != nil {
		return 0, false, err
	}
	if p == nil {
		return 0, false, nil
	}
	return *p, true, nil
}

// SetDefaultCategory sets it; nil is none. That the category is the account's is
// for the caller to know.
func SetDefaultCategory(tx *db.Tx, owner db.AccountID, id *int64) error {
	var value any
	if id != nil {
		value = *id
	}
	tx.Emit(owner, db.NounAccount, int64(owner))
	tx.Emit(owner, db.NounCategory, 0) // each one's "default" may differ now
	return tx.Must(`UPDATE account SET default_category_id = ? WHERE id = ?`, value, int64(owner))
}

// MarkErasing begins an erasure: from here the account is invisible and can do
// nothing, and the audit lets its events go. The last administrator is refused
// with fault.Taken. To close its open connections, disable it in a transaction
// before: the erased account's log tells nobody anything.
func MarkErasing(tx *db.Tx, owner db.AccountID) error {
	r, err := readPerson(tx, `id = ?`, int64(owner))
	if err != nil {
		return err
	}
	if r.capable() {
		if err := otherAdmin(tx, r.ID); err != nil {
			return err
		}
	}
	return tx.Must(`UPDATE account SET erasing = 1, disabled = 1 WHERE id = ?`, int64(owner))
}

// Delete ends an erasure: the account's row, sessions and tokens, revoked ones too. What other
// nouns own must be gone before.
func Delete(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{`DELETE FROM session WHERE owner_id = ?`, `DELETE FROM token WHERE owner_id = ?`, `DELETE FROM revoked_token WHERE owner_id = ?`} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	return tx.Must(`DELETE FROM account WHERE id = ? AND erasing = 1`, int64(owner))
}

// nameKey is the form in which names are compared, so that no two look alike:
// RFC 8265's for user names. A name that breaks the rules is fault.Invalid.
func nameKey(name string) (string, error) {
	if err := validation.Name("name", name); err != nil {
		return "", err
	}
	key, err := precis.UsernameCaseMapped.CompareKey(name)
	if err != nil {
		return "", fault.BadField("name", "name", "", "This name mixes characters that cannot be told apart or written together.")
	}
	return key, nil
}
