package lexicon

import (
	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/fault"
)

// EraseAccount removes the account's index. Whoever keeps the texts can make it
// anew, from a Batch that is given all of them.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{`DELETE FROM posting WHERE owner_id = ?`, `DELETE FROM word_stat WHERE owner_id = ?`} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	return nil
}

// Outdated tells whether the account's index was made by another version of the
// tokenizer, so that it is to be made anew. One that is not there is not.
func Outdated(tx *db.Tx, owner db.AccountID) (bool, error) {
	var version int
	err := tx.Row(`SELECT version FROM word_stat WHERE owner_id = ?`, []any{int64(owner)}, &version)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return version != words.Version, err
}
