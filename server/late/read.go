package late

import (
	"database/sql"

	"elowen/server/db"
)

// give tells of rows of token vectors that are of the bodies of those hashes. What
// each is given is valid until it returns.
func give(rows *db.Rows, hashes map[int64]string, each func(id int64, packed []byte)) error {
	defer rows.Close()
	var packed sql.RawBytes
	for rows.Next() {
		var id int64
		var hash string
		if err := rows.Scan(&id, &hash, &packed); err != nil {
			return err
		}
		if hash == hashes[id] && len(packed)%TokenBytes == 0 {
			each(id, packed)
		}
	}
	return rows.Err()
}
