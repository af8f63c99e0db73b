package embedding

import (
	"database/sql"
	"iter"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Body names a memory's body without its text.
type Body struct {
	Memory int64
	Hash   string
}

// Labels tells, for memories of the account, what their vectors in a space are of.
// Those without any are missing.
func Labels(tx *db.Tx, owner db.AccountID, space SpaceID, ids []int64) (map[int64]Label, error) {
	found := make(map[int64]Label, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT memory_id, body_hash, width FROM embedding WHERE owner_id = ? AND space_id = ? AND memory_id IN (`+in+`)`,
			append([]any{int64(owner), int64(space)}, args...)...)
		if err := scanLabels(rows, space, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// FreshOf tells of each of bodies whether it has a fresh vector in the space. Their
// ids ascend.
func FreshOf(tx *db.Tx, owner db.AccountID, in Stored, bodies []Body) ([]bool, error) {
	fresh := make([]bool, len(bodies))
	if len(bodies) == 0 {
		return fresh, nil
	}
	first, last := bodies[0].Memory, bodies[len(bodies)-1].Memory
	where, args := `memory_id >= ? AND memory_id <= ?`, []any{first, last}
	if last-first > 4*int64(len(bodies)) { // a few out of many
		ids := make([]int64, len(bodies))
		for i, b := range bodies {
			ids[i] = b.Memory
		}
		where, args = db.In(ids)
		where = `memory_id IN (` + where + `)`
	}
	rows := tx.Query(`SELECT memory_id, body_hash, width FROM embedding WHERE owner_id = ? AND space_id = ? AND `+where+` ORDER BY memory_id`,
		append([]any{int64(owner), int64(in.ID)}, args...)...)
	defer rows.Close()
	at := 0
	for rows.Next() {
		var id int64
		l := Label{Space: in.ID}
		if err := rows.Scan(&id, &l.BodyHash, &l.Width); err != nil {
			return nil, err
		}
		for at < len(bodies) && bodies[at].Memory < id {
			at++
		}
		if at < len(bodies) && bodies[at].Memory == id {
			fresh[at] = Fresh(l, in, bodies[at].Hash)
		}
	}
	return fresh, rows.Err()
}

func scanLabels(rows *db.Rows, space SpaceID, found map[int64]Label) error {
	defer rows.Close()
	for rows.Next() {
		var id int64
		l := Label{Space: space}
		if err := rows.Scan(&id, &l.BodyHash, &l.Width); err != nil {
			return err
		}
		found[id] = l
	}
	return rows.Err()
}

// MissingOf is those of bodies that have no fresh vector in the space, in their
// order. Ids may be in any.
func MissingOf(tx *db.Tx, owner db.AccountID, in Stored, bodies []Body) ([]int64, error) {
	ids := make([]int64, len(bodies))
	for i, b := range bodies {
		ids[i] = b.Memory
	}
	labels, err := Labels(tx, owner, in.ID, ids)
	if err != nil {
		return nil, err
	}
	missing := make([]int64, 0, len(bodies)-min(len(labels), len(bodies)))
	for _, b := range bodies {
		if !Fresh(labels[b.Memory], in, b.Hash) {
			missing = append(missing, b.Memory)
		}
	}
	return missing, nil
}

// Indexed tells which of bodies have a fresh vector in the space in use. Where
// embeddings are off none have.
func Indexed(tx *db.Tx, owner db.AccountID, bodies []Body) (map[int64]bool, error) {
	now, err := Current(tx)
	if err != nil || !now.On() || len(bodies) == 0 {
		return nil, err
	}
	ids := make([]int64, len(bodies))
	for i, b := range bodies {
		ids[i] = b.Memory
	}
	labels, err := Labels(tx, owner, now.ID, ids)
	if err != nil {
		return nil, err
	}
	fresh := make(map[int64]bool, len(labels))
	for _, b := range bodies {
		if Fresh(labels[b.Memory], now, b.Hash) {
			fresh[b.Memory] = true
		}
	}
	return fresh, nil
}

// Revision is how often the account's vectors were changed.
func Revision(tx *db.Tx, owner db.AccountID) (int64, error) {
	var n int64
	err := tx.Row(`SELECT revision FROM embedding_head WHERE owner_id = ?`, []any{int64(owner)}, &n)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	return n, err
}

// ChangedSince is the memories whose vectors in the space were written after the
// account's revision was since. What was removed is not told.
func ChangedSince(tx *db.Tx, owner db.AccountID, space SpaceID, since int64) ([]int64, error) {
	return db.IDs[int64](tx.Query(`SELECT memory_id FROM embedding WHERE owner_id = ? AND space_id = ? AND stamp > ?`, int64(owner), int64(space), since))
}

// Count is how many of the account's memories have vectors in a space, fresh or not.
func Count(tx *db.Tx, owner db.AccountID, space SpaceID) (int, error) {
	var n int
	err := tx.Row(`SELECT COUNT(*) FROM embedding WHERE owner_id = ? AND space_id = ?`, []any{int64(owner), int64(space)}, &n)
	return n, err
}

// Vector is one stored vector with what it is of. Raw is as Encode writes it, and
// valid until the next.
type Vector struct {
	Memory   int64
	Part     int
	BodyHash string
	Script   string
	Width    int
	Raw      []byte
}

// vectorPage is how many memories are read at a time.
const vectorPage = db.InMost

// Vectors goes through the account's vectors in a space by ascending memory and
// part: all of them, or (ids not nil) those of memories. They are read in pages,
// so other statements of the transaction may run between two memories' pages.
func Vectors(tx *db.Tx, owner db.AccountID, space SpaceID, ids []int64) iter.Seq2[*Vector, error] {
	return func(yield func(*Vector, error) bool) {
		if ids == nil {
			for after := int64(0); ; {
				labels, err := labelled(tx, `SELECT memory_id, body_hash, script, width FROM embedding WHERE owner_id = ? AND space_id = ? AND memory_id > ? ORDER BY memory_id LIMIT ?`,
					int64(owner), int64(space), after, vectorPage)
				if err != nil {
					yield(nil, err)
					return
				}
				if len(labels) == 0 {
					return
				}
				after = labels[len(labels)-1].Memory
				rows := tx.Query(`SELECT memory_id, part, vector FROM embedding_vector WHERE owner_id = ? AND space_id = ? AND memory_id >= ? AND memory_id <= ? ORDER BY memory_id, part`,
					int64(owner), int64(space), labels[0].Memory, after)
				if !give(rows, labels, yield) || len(labels) < vectorPage {
					return
				}
			}
		}
		for rest := ids; len(rest) > 0; {
			n := min(len(rest), vectorPage)
			in, args := db.In(rest[:n])
			rest = rest[n:]
			args = append([]any{int64(owner), int64(space)}, args...)
			labels, err := labelled(tx, `SELECT memory_id, body_hash, script, width FROM embedding WHERE owner_id = ? AND space_id = ? AND memory_id IN (`+in+`) ORDER BY memory_id`, args...)
			if err != nil {
				yield(nil, err)
				return
			}
			rows := tx.Query(`SELECT memory_id, part, vector FROM embedding_vector WHERE owner_id = ? AND space_id = ? AND memory_id IN (`+in+`) ORDER BY memory_id, part`, args...)
			if !give(rows, labels, yield) {
				return
			}
		}
	}
}

func labelled(tx *db.Tx, query string, args ...any) ([]Vector, error) {
	rows := tx.Query(query, args...)
	defer rows.Close()
	var list []Vector
	for rows.Next() {
		var v Vector
		if err := rows.Scan(&v.Memory, &v.BodyHash, &v.Script, &v.Width); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// give yields rows of vectors with their labels, both by ascending memory.
func give(rows *db.Rows, labels []Vector, yield func(*Vector, error) bool) bool {
	defer rows.Close()
	var raw sql.RawBytes
	for at := 0; rows.Next(); {
		var memory int64
		var part int
		if err := rows.Scan(&memory, &part, &raw); err != nil {
			return yield(nil, err) && false
		}
		for at < len(labels) && labels[at].Memory < memory {
			at++
		}
		if at == len(labels) || labels[at].Memory != memory {
			continue
		}
		v := labels[at]
		v.Part, v.Raw = part, raw
		if !yield(&v, nil) {
			return false
		}
	}
	if err := rows.Err(); err != nil {
		return yield(nil, err) && false
	}
	return true
}
