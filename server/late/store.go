package late

import (
	"elowen/server/db"
	"elowen/server/embedding"
)

// Tables are the tables of this package: derived from bodies, so that a copy of the
// store may leave them out.
func Tables() []string { return []string{"late_vector", "late_label"} }

// Item is the token vectors of one memory, as they were made from a body.
type Item struct {
	Memory   int64
	BodyHash string
	Vectors  []byte // packed; empty where the body is in another language
}

// Put stores token vectors by a Reranker in place of those that memories had, and
// tells of how many memories. Whether a body is still its memory's is for the caller
// to see to, in the same transaction.
func Put(tx *db.Tx, owner db.AccountID, source string, items []Item) (stored int, err error) {
	for _, it := range items {
		tokens := len(it.Vectors) / TokenBytes
		if _, err := tx.Exec(`INSERT INTO late_label (owner_id, memory_id, source, body_hash, tokens) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (owner_id, memory_id) DO UPDATE SET source = excluded.source, body_hash = excluded.body_hash, tokens = excluded.tokens`,
			int64(owner), it.Memory, source, it.BodyHash, tokens); err != nil {
			return stored, err
		}
		if tokens == 0 {
			_, err = tx.Exec(`DELETE FROM late_vector WHERE owner_id = ? AND memory_id = ?`, int64(owner), it.Memory)
		} else {
			_, err = tx.Exec(`INSERT INTO late_vector (owner_id, memory_id, vectors) VALUES (?, ?, ?)
				ON CONFLICT (owner_id, memory_id) DO UPDATE SET vectors = excluded.vectors`, int64(owner), it.Memory, it.Vectors)
		}
		if err != nil {
			return stored, err
		}
		tx.Emit(owner, db.NounMemory, it.Memory)
		stored++
	}
	return stored, nil
}

// label says what a memory's token vectors are of.
type label struct {
	hash   string
	tokens int
}

// Label says what a memory's token vectors are of, and which Reranker made them.
type Label struct {
	Source, BodyHash string
	Tokens           int // 0: the body is in another language
}

// Fresh tells whether there are token vectors by a Reranker of a body.
func (l Label) Fresh(source, bodyHash string) bool {
	return l.Tokens > 0 && l.Source == source && l.BodyHash == bodyHash
}

// Labels are those of memories that any Reranker has seen.
func Labels(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]Label, error) {
	found := make(map[int64]Label, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT memory_id, source, body_hash, tokens FROM late_label WHERE owner_id = ? AND memory_id IN (`+in+`)`, append([]any{int64(owner)}, args...)...)
		for rows.Next() {
			var id int64
			var l Label
			if err := rows.Scan(&id, &l.Source, &l.BodyHash, &l.Tokens); err != nil {
				rows.Close()
				return nil, err
			}
			found[id] = l
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func labels(tx *db.Tx, owner db.AccountID, source string, bodies []embedding.Body) (map[int64]label, error) {
	found := make(map[int64]label, len(bodies))
	for in, args := range db.InParts(memories(bodies)) {
		rows := tx.Query(`SELECT memory_id, body_hash, tokens FROM late_label WHERE owner_id = ? AND source = ? AND memory_id IN (`+in+`)`,
			append([]any{int64(owner), source}, args...)...)
		for rows.Next() {
			var id int64
			var l label
			if err := rows.Scan(&id, &l.hash, &l.tokens); err != nil {
				rows.Close()
				return nil, err
			}
			found[id] = l
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// MissingOf is those of bodies that a Reranker has not seen as they are, in their
// order.
func MissingOf(tx *db.Tx, owner db.AccountID, source string, bodies []embedding.Body) ([]int64, error) {
	known, err := labels(tx, owner, source, bodies)
	if err != nil {
		return nil, err
	}
	missing := []int64{}
	for _, b := range bodies {
		if l, ok := known[b.Memory]; !ok || l.hash != b.Hash {
			missing = append(missing, b.Memory)
		}
	}
	return missing, nil
}

// Indexed tells which of bodies have token vectors of a Reranker.
func Indexed(tx *db.Tx, owner db.AccountID, source string, bodies []embedding.Body) (map[int64]bool, error) {
	known, err := labels(tx, owner, source, bodies)
	if err != nil {
		return nil, err
	}
	indexed := map[int64]bool{}
	for _, b := range bodies {
		if l := known[b.Memory]; l.tokens > 0 && l.hash == b.Hash {
			indexed[b.Memory] = true
		}
	}
	return indexed, nil
}

// Count is how many of the account's memories a Reranker has seen, and how many of
// them have token vectors. What was edited since is counted too.
func Count(tx *db.Tx, owner db.AccountID, source string) (seen, have int, err error) {
	err = tx.Row(`SELECT COUNT(*), COALESCE(SUM(CASE WHEN tokens > 0 THEN 1 ELSE 0 END), 0) FROM late_label WHERE owner_id = ? AND source = ?`,
		[]any{int64(owner), source}, &seen, &have)
	return seen, have, err
}

// Size is how many bytes the token vectors of all accounts take.
func Size(tx *db.Tx) (int64, error) {
	var tokens int64
	err := tx.Row(`SELECT COALESCE(SUM(tokens), 0) FROM late_label`, nil, &tokens)
	return tokens * TokenBytes, err
}

// Remove takes out what is stored of memories: a purge leaves no token vector, from
// which a text could be guessed.
func Remove(tx *db.Tx, owner db.AccountID, ids []int64) error {
	for in, args := range db.InParts(ids) {
		args = append([]any{int64(owner)}, args...)
		for _, q := range []string{
			`DELETE FROM late_vector WHERE owner_id = ? AND memory_id IN (` + in + `)`,
			`DELETE FROM late_label WHERE owner_id = ? AND memory_id IN (` + in + `)`,
		} {
			if _, err := tx.Exec(q, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{`DELETE FROM late_vector WHERE owner_id = ?`, `DELETE FROM late_label WHERE owner_id = ?`} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	return nil
}

// memories are whose bodies they are.
func memories(bodies []embedding.Body) []int64 {
	ids := make([]int64, len(bodies))
	for i, b := range bodies {
		ids[i] = b.Memory
	}
	return ids
}

// vectors are the packed token vectors of those of bodies that are fresh.
func vectors(tx *db.Tx, owner db.AccountID, source string, bodies []embedding.Body, each func(id int64, packed []byte)) error {
	hashes := make(map[int64]string, len(bodies))
	for _, b := range bodies {
		hashes[b.Memory] = b.Hash
	}
	for in, args := range db.InParts(memories(bodies)) {
		rows := tx.Query(`SELECT l.memory_id, l.body_hash, v.vectors FROM late_label l JOIN late_vector v ON v.owner_id = l.owner_id AND v.memory_id = l.memory_id
			WHERE l.owner_id = ? AND l.source = ? AND l.tokens > 0 AND l.memory_id IN (`+in+`)`, append([]any{int64(owner), source}, args...)...)
		if err := give(rows, hashes, each); err != nil {
			return err
		}
	}
	return nil
}
