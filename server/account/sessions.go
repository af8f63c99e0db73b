package account

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Sessions lists the account's living sessions, the last one used first.
func (s *Store) Sessions(ctx context.Context, i Identity) ([]api.Session, error) {
	list := []api.Session{}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		rows := tx.Query(`SELECT id, created_at, last_used_at, expires_at FROM session
			WHERE owner_id = ? AND expires_at > ? ORDER BY last_used_at DESC, id DESC`, int64(i.Owner), tx.Now)
		defer rows.Close()
		for rows.Next() {
			var id, created, used, expires int64
			if err := rows.Scan(&id, &created, &used, &expires); err != nil {
				return err
			}
			list = append(list, api.Session{ID: id, CreatedAt: api.Time(created), LastUsedAt: api.Time(used), ExpiresAt: api.Time(expires), Current: id == i.SessionID})
		}
		return rows.Err()
	})
	return list, err
}

// EndSession ends one of the account's sessions at once; its connections close.
// One that isn't there, or is somebody else's, is fault.NotFound.
func (s *Store) EndSession(ctx context.Context, owner db.AccountID, id int64) error {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (struct{}, error) {
		tx.Emit(owner, db.NounAccount, int64(owner))
		err := tx.Must(`DELETE FROM session WHERE id = ? AND owner_id = ?`, id, int64(owner))
		if fault.Is(err, fault.NotFound) {
			err = fault.New(fault.NotFound, "There is no such session.")
		}
		return struct{}{}, err
	})
	return err
}

// EndOthers ends the account's sessions but the identity's own.
func (s *Store) EndOthers(ctx context.Context, i Identity) (api.Ended, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Ended, error) { return endAll(tx, i.Owner, i.SessionID) })
}

// EndAll ends the sessions of the account of a name, whatever its case, but that of
// the identity who asks. Errors: NotFound.
func (s *Store) EndAll(ctx context.Context, by Identity, name string) (api.Ended, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Ended, error) {
		p, err := ByName(tx, name)
		if err != nil {
			return api.Ended{}, err
		}
		return endAll(tx, db.AccountID(p.ID), by.SessionID)
	})
}

func endAll(tx *db.Tx, owner db.AccountID, keep int64) (api.Ended, error) {
	tx.Emit(owner, db.NounAccount, int64(owner))
	n, err := tx.Exec(`DELETE FROM session WHERE owner_id = ? AND id <> ?`, int64(owner), keep)
	return api.Ended{Ended: int(n)}, err
}
