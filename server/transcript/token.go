package transcript

import (
	"database/sql"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
)

// Derived are the tables of this package that are derived from turns, so that a copy of
// the store may leave them out.
func Derived() []string { return []string{"turn_late_vector", "turn_late_label"} }

// tokens is a turn's packed token vectors; empty where it is in another language.
type tokens struct {
	entry  int64
	packed []byte
}

// putTokens stores token vectors by a Reranker in place of those that turns had, and tells
// of how many turns. That they are still there is for the caller to see to.
func putTokens(tx *db.Tx, owner db.AccountID, source string, items []tokens) (stored int, err error) {
	for _, it := range items {
		n := len(it.packed) / late.TokenBytes
		if _, err := tx.Exec(`INSERT INTO turn_late_label (owner_id, entry_id, source, text_hash, tokens) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (owner_id, entry_id) DO UPDATE SET source = excluded.source, text_hash = excluded.text_hash, tokens = excluded.tokens`,
			int64(owner), it.entry, source, textVersion, n); err != nil {
			return stored, err
		}
		if n == 0 {
			_, err = tx.Exec(`DELETE FROM turn_late_vector WHERE owner_id = ? AND entry_id = ?`, int64(owner), it.entry)
		} else {
			_, err = tx.Exec(`INSERT INTO turn_late_vector (owner_id, entry_id, vectors) VALUES (?, ?, ?)
				ON CONFLICT (owner_id, entry_id) DO UPDATE SET vectors = excluded.vectors`, int64(owner), it.entry, it.packed)
		}
		if err != nil {
			return stored, err
		}
		stored++
	}
	return stored, nil
}

// missingTokens is those of bodies that a Reranker has not seen, in their order.
func missingTokens(tx *db.Tx, owner db.AccountID, source string, bodies []embedding.Body) ([]int64, error) {
	have := make(map[int64]bool, len(bodies))
	for in, args := range db.InParts(entriesOf(bodies)) {
		rows := tx.Query(`SELECT entry_id FROM turn_late_label WHERE owner_id = ? AND source = ? AND text_hash = ? AND entry_id IN (`+in+`)`,
			append([]any{int64(owner), source, textVersion}, args...)...)
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				rows.Close()
				return nil, err
			}
			have[id] = true
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return lacking(bodies, have), nil
}

// tokenVectors calls f with the packed token vectors, by a Reranker, of turns. packed is
// valid until f returns.
func tokenVectors(tx *db.Tx, owner db.AccountID, source string, ids []int64, f func(id int64, packed []byte)) error {
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT l.entry_id, v.vectors FROM turn_late_label l JOIN turn_late_vector v ON v.owner_id = l.owner_id AND v.entry_id = l.entry_id
			WHERE l.owner_id = ? AND l.source = ? AND l.text_hash = ? AND l.tokens > 0 AND l.entry_id IN (`+in+`)`,
			append([]any{int64(owner), source, textVersion}, args...)...)
		var packed sql.RawBytes
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id, &packed); err != nil {
				rows.Close()
				return err
			}
			if len(packed)%late.TokenBytes == 0 {
				f(id, packed)
			}
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

// TokenBytes is how many bytes the token vectors of all accounts' turns take.
func TokenBytes(tx *db.Tx) (int64, error) {
	var n int64
	err := tx.Row(`SELECT COALESCE(SUM(tokens), 0) FROM turn_late_label`, nil, &n)
	return n * late.TokenBytes, err
}
