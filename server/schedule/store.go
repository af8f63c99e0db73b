package schedule

import (
	"elowen/server/db"
	"elowen/shared/fault"
)

// Next is the stored instant (Unix milliseconds) of an owner's next turn of a task,
// 0 where none was set. Owner 0 is the store.
func Next(tx *db.Tx, task string, owner db.AccountID) (at int64, err error) {
	err = tx.Row(`SELECT next_at FROM recurring_task WHERE name = ? AND owner_id = ?`, []any{task, int64(owner)}, &at)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	return at, err
}

// all are the instants of a task, by owner.
func all(tx *db.Tx, task string) (map[db.AccountID]int64, error) {
	rows := tx.Query(`SELECT owner_id, next_at FROM recurring_task WHERE name = ?`, task)
	defer rows.Close()
	found := map[db.AccountID]int64{}
	for rows.Next() {
		var owner, at int64
		if err := rows.Scan(&owner, &at); err != nil {
			return nil, err
		}
		found[db.AccountID(owner)] = at
	}
	return found, rows.Err()
}

// move stores the instant of the next turn and tells the task of it.
func (t *Task) move(tx *db.Tx, owner db.AccountID, at int64) error {
	if _, err := tx.Exec(`INSERT INTO recurring_task (name, owner_id, next_at) VALUES (?, ?, ?)
		ON CONFLICT (name, owner_id) DO UPDATE SET next_at = excluded.next_at`, t.Name, int64(owner), at); err != nil || t.Moved == nil {
		return err
	}
	return t.Moved(tx, owner, at)
}

// EraseAccount removes the account's turns.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM recurring_task WHERE owner_id = ?`, int64(owner))
	return err
}
