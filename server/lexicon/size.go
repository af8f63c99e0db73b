package lexicon

import "elowen/server/db"

// Size is how many bytes the index of words takes, of all accounts.
func Size(tx *db.Tx) (int64, error) {
	all := int64(0)
	for _, shelf := range []Shelf{Memories, Turns, Pairs} {
		var n int64
		if err := tx.Row(`SELECT COALESCE(SUM(LENGTH(term) + LENGTH(body)), 0) FROM `+shelf.posting(), nil, &n); err != nil {
			return 0, err
		}
		all += n
	}
	return all, nil
}
