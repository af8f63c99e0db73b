package memory

import (
	"elowen/server/db"
	"elowen/shared/api"
)

// Recent are the ids of the account's own active memories, the last changed first:
// those after a place (the zero Place: from the first one), at most limit of them.
// next is the place of the last one; more tells whether others follow it.
func (s *Store) Recent(tx *db.Tx, owner db.AccountID, after Place, limit int) (ids []int64, next Place, more bool, err error) {
	where, args := ``, []any{int64(owner), api.StatusActive}
	if after != (Place{}) {
		where = ` AND (updated_at < ? OR updated_at = ? AND id < ?)`
		args = append(args, after.At, after.At, after.ID)
	}
	rows := tx.Query(`SELECT id, updated_at FROM memory WHERE owner_id = ? AND status = ?`+where+` ORDER BY updated_at DESC, id DESC LIMIT ?`, append(args, limit+1)...)
	defer rows.Close()
	ids = []int64{}
	for rows.Next() {
		var p Place
		if err := rows.Scan(&p.ID, &p.At); err != nil {
			return nil, next, false, err
		}
		if len(ids) == limit {
			more = true
			continue
		}
		ids, next = append(ids, p.ID), p
	}
	return ids, next, more, rows.Err()
}

// Place is where a memory stands among those that were changed lately.
type Place struct {
	At int64 // Unix milliseconds
	ID int64
}
