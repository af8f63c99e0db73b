package memory

import (
	"elowen/server/db"
	"elowen/server/vitality"
)

// Fact is what is to be known of a memory to decide whether it is recalled, before its
// text. Instants are Unix milliseconds.
type Fact struct {
	ID         int64
	CategoryID int64 // 0: none
	CreatedAt  int64
	UpdatedAt  int64
	Importance int
	Vitality   float64 // 0 to 100
	Status     Status
	Hash       string // of the body
}

// Facts tells of memories of the account, as they are at tx.Now. Ids that are not there
// are missing.
func (s *Store) Facts(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]Fact, error) {
	t, err := s.rules.Terms(tx)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]Fact, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT id, COALESCE(category_id, 0), created_at, updated_at, last_used_at, use_count, importance, status, body_hash FROM memory WHERE id IN (`+in+`) AND owner_id = ?`,
			append(args, int64(owner))...)
		if err := scanFacts(rows, t, tx.Now, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func scanFacts(rows *db.Rows, t Terms, now int64, found map[int64]Fact) error {
	defer rows.Close()
	for rows.Next() {
		var f Fact
		var m vitality.Memory
		var status string
		if err := rows.Scan(&f.ID, &f.CategoryID, &f.CreatedAt, &f.UpdatedAt, &m.LastUsedAt, &m.UseCount, &f.Importance, &status, &f.Hash); err != nil {
			return err
		}
		f.Status = statusOf(status)
		m.Importance, m.CreatedAt, m.Active = f.Importance, f.CreatedAt, f.Status == Active
		var err error
		if f.Vitality, err = vitality.Vitality(m, t.Policy, now); err != nil {
			return err
		}
		found[f.ID] = f
	}
	return rows.Err()
}
