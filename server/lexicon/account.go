package lexicon

import (
	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
)

// EraseAccount removes the account's index of memories. Whoever keeps the texts can make
// it anew, from a Batch that is given all of them.
func EraseAccount(tx *db.Tx, owner db.AccountID) error { return Memories.EraseAccount(tx, owner) }

// EraseAccount removes the account's index on the shelf.
func (s Shelf) EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{`DELETE FROM ` + s.posting() + ` WHERE owner_id = ?`, `DELETE FROM ` + s.stat() + ` WHERE owner_id = ?`} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	return nil
}

// Outdated tells whether the account's index of memories was made by another version of
// the tokenizer, so that it is to be made anew. One that is not there is not.
func Outdated(tx *db.Tx, owner db.AccountID) (bool, error) { return Memories.Outdated(tx, owner) }

// Outdated is the same of the account's index on the shelf.
func (s Shelf) Outdated(tx *db.Tx, owner db.AccountID) (bool, error) {
	var version int
	err := tx.Row(`SELECT version FROM `+s.stat()+` WHERE owner_id = ?`, []any{int64(owner)}, &version)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return version != words.Version, err
}
