package memory

import (
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/shared/api"
)

// This file is what those need who derive something from bodies (vectors, token
// vectors): which bodies there are, and their texts.

// Bodies are the account's active memories below an id, the newest first, without
// their texts. before 0 begins with the newest.
func (s *Store) Bodies(tx *db.Tx, owner db.AccountID, before int64, limit int) ([]embedding.Body, error) {
	if before == 0 {
		before = 1 << 62
	}
	return scanBodies(make([]embedding.Body, 0, limit), tx.Query(`SELECT id, body_hash FROM memory WHERE owner_id = ? AND id < ? AND status = ? ORDER BY id DESC LIMIT ?`,
		int64(owner), before, api.StatusActive, limit))
}

// BodiesOf are those of memories that are active, in no particular order.
func (s *Store) BodiesOf(tx *db.Tx, owner db.AccountID, ids []int64) ([]embedding.Body, error) {
	list := make([]embedding.Body, 0, len(ids))
	for in, args := range db.InParts(ids) {
		var err error
		if list, err = scanBodies(list, tx.Query(`SELECT id, body_hash FROM memory WHERE id IN (`+in+`) AND owner_id = ? AND status = ?`, append(args, int64(owner), api.StatusActive)...)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func scanBodies(list []embedding.Body, rows *db.Rows) ([]embedding.Body, error) {
	defer rows.Close()
	for rows.Next() {
		var b embedding.Body
		if err := rows.Scan(&b.Memory, &b.Hash); err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, rows.Err()
}

// Text is a body with its text.
type Text struct {
	embedding.Body
	Revision int64
	Text     string
}

// Texts are the bodies of those of memories that are active, the newest first.
func (s *Store) Texts(tx *db.Tx, owner db.AccountID, ids []int64) ([]Text, error) {
	var list []Text
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT id, body_hash, revision, body FROM memory WHERE id IN (`+in+`) AND owner_id = ? AND status = ? ORDER BY id DESC`, append(args, int64(owner), api.StatusActive)...)
		err := rows.Each(func() error {
			var t Text
			if err := rows.Scan(&t.Memory, &t.Hash, &t.Revision, &t.Text); err != nil {
				return err
			}
			list = append(list, t)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// CountActive is how many active memories the account has.
func (s *Store) CountActive(tx *db.Tx, owner db.AccountID) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ?`, []any{int64(owner), api.StatusActive}, &n)
	return n, err
}

// CountIndexed is how many of the account's active memories have a fresh vector in
// the space in use, and how many there are.
func (s *Store) CountIndexed(tx *db.Tx, owner db.AccountID) (indexed, total int, err error) {
	if total, err = s.CountActive(tx, owner); err != nil {
		return 0, 0, err
	}
	missing, err := countUnindexed(tx, owner, total)
	return total - missing, total, err
}

// countUnindexed is how many of the account's active memories have no fresh vector;
// all is their number.
func countUnindexed(tx *db.Tx, owner db.AccountID, all int) (n int, err error) {
	now, err := embedding.Current(tx)
	if err != nil || !now.On() || all == 0 {
		return all, err
	}
	err = tx.Row(`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ? AND `+embedding.Unindexed("memory"), []any{int64(owner), api.StatusActive}, &n)
	return n, err
}

// vectorLabel says what a memory's vector is of, and which space is in use.
type vectorLabel struct {
	memory int64
	label  embedding.Label
	in     embedding.Stored
}

// indexed tells whether the memory, as the row is now, has a fresh vector. A row
// that was copied for another memory has none.
func (r *row) indexed() bool {
	v := r.vector
	return v != nil && v.memory == r.id && embedding.Fresh(v.label, v.in, r.hash)
}

// tokenLabel says what a memory's token vectors are of.
type tokenLabel struct {
	memory int64
	label  late.Label
}

// lateIndexed tells likewise whether it has fresh token vectors, by the Reranker in use.
func (r *row) lateIndexed(source string) bool {
	v := r.tokens
	return v != nil && v.memory == r.id && source != "" && v.label.Fresh(source, r.hash)
}

// labelled finds out what the vectors and token vectors of rows are of.
func labelled(tx *db.Tx, owner db.AccountID, list ...*row) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]int64, len(list))
	for i, r := range list {
		ids[i] = r.id
	}
	tokens, err := late.Labels(tx, owner, ids)
	if err != nil {
		return err
	}
	for _, r := range list {
		if l, ok := tokens[r.id]; ok {
			r.tokens = &tokenLabel{r.id, l}
		}
	}
	now, err := embedding.Current(tx)
	if err != nil || !now.On() {
		return err
	}
	labels, err := embedding.Labels(tx, owner, now.ID, ids)
	if err != nil {
		return err
	}
	for _, r := range list {
		if l, ok := labels[r.id]; ok {
			r.vector = &vectorLabel{r.id, l, now}
		}
	}
	return nil
}
