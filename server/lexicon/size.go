package lexicon

import "elowen/server/db"

// Size is how many bytes the index of words takes, of all accounts.
func Size(tx *db.Tx) (int64, error) {
	var n int64
	err := tx.Row(`SELECT COALESCE(SUM(LENGTH(term) + LENGTH(body)), 0) FROM posting`, nil, &n)
	return n, err
}
