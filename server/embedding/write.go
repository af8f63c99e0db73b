package embedding

import (
	"encoding/binary"
	"math"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Item is the vectors of one memory, as they came for a body.
type Item struct {
	Memory   int64
	BodyHash string // of the body that was embedded
	Script   string // of that body, as Group tells it
	Vectors  [][]float32
}

// Put stores the vectors of memories in a space, in place of those they had in it,
// and tells how many memories that were. Of a space that is no longer in use, none
// are; nor vectors of another width than the space's. Whether a body is still its
// memory's is for the caller to see to, in the same transaction. Vectors are made
// of length 1, in place. Errors: Corrupt for what Normalize refuses, and for another
// width: then nothing is to be kept.
func Put(tx *db.Tx, owner db.AccountID, space SpaceID, items []Item) (stored int, err error) {
	lists := make([][][]float32, len(items))
	for i, it := range items {
		if it.BodyHash == "" {
			return 0, fault.New(fault.Corrupt, "The model answered no vector.")
		}
		lists[i] = it.Vectors
	}
	now, ok, err := Accept(tx, space, lists)
	if err != nil || !ok {
		return 0, err
	}
	stamp, err := move(tx, owner)
	if err != nil {
		return 0, err
	}
	for _, it := range items {
		took, err := put(tx, owner, space, stamp, now.Width, it)
		if err != nil {
			return stored, err
		}
		if took {
			stored++
			tx.Emit(owner, db.NounMemory, it.Memory)
		}
	}
	return stored, nil
}

// Accept sees whether vectors, a list for each of some texts, may be stored in a space,
// and makes them of length 1, in place. ok is false where the space is not in use any
// more, and where there are none. The width of a space's first vectors becomes its
// own. Whoever stores them asks InUse again with the statement that does. Errors:
// Corrupt for what Normalize refuses, for another width, and for a text without any.
func Accept(tx *db.Tx, space SpaceID, lists [][][]float32) (now Stored, ok bool, err error) {
	width := 0
	for _, list := range lists {
		if len(list) == 0 {
			return now, false, fault.New(fault.Corrupt, "The model answered no vector.")
		}
		for _, v := range list {
			if err := Normalize(v); err != nil {
				return now, false, err
			}
			if width == 0 {
				width = len(v)
			}
			if len(v) != width {
				return now, false, widths(len(v), width)
			}
		}
	}
	if width == 0 {
		return now, false, nil
	}
	if now, err = Current(tx); err != nil || now.ID != space || !now.On() {
		return now, false, err
	}
	if err := learn(tx, now, width); err != nil {
		return now, false, err
	}
	now.Width = width
	return now, true, nil
}

// InUse is the condition that a space is in use and has a width. Its arguments are the
// space's id and the width.
const InUse = `EXISTS (SELECT 1 FROM embedding_active a JOIN embedding_space s ON s.id = a.space_id WHERE a.id = 1 AND s.id = ? AND s.width = ?)`

func widths(got, want int) error {
	return fault.Newf(fault.Corrupt, "The model answered a vector of %d numbers where its others have %d.", got, want)
}

// learn takes the width of a space's first vectors for the space's, and refuses
// another one.
func learn(tx *db.Tx, s Stored, width int) error {
	if s.Asked != 0 && width != s.Asked {
		return fault.Newf(fault.Corrupt, "The model answered a vector of %d numbers where %d were asked for.", width, s.Asked)
	}
	if s.Width == width {
		return nil
	}
	n, err := tx.Exec(`UPDATE embedding_space SET width = ? WHERE id = ? AND width = 0`, width, int64(s.ID))
	if err == nil && n == 0 {
		return widths(width, s.Width)
	}
	return err
}

// move raises the account's revision.
func move(tx *db.Tx, owner db.AccountID) (revision int64, err error) {
	err = tx.Row(`INSERT INTO embedding_head (owner_id, revision) VALUES (?, 1)
		ON CONFLICT (owner_id) DO UPDATE SET revision = embedding_head.revision + 1 RETURNING revision`, []any{int64(owner)}, &revision)
	return revision, err
}

// put stores one memory's vectors. The statement itself asks that the space be in
// use and have their width, whatever was read before.
func put(tx *db.Tx, owner db.AccountID, space SpaceID, stamp int64, width int, it Item) (bool, error) {
	n, err := tx.Exec(`INSERT INTO embedding (owner_id, space_id, memory_id, body_hash, script, width, stamp)
		SELECT CAST(? AS BIGINT), s.id, CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), s.width, CAST(? AS BIGINT)
		FROM embedding_active a JOIN embedding_space s ON s.id = a.space_id WHERE s.id = ? AND s.width = ?
		ON CONFLICT (owner_id, space_id, memory_id) DO UPDATE SET body_hash = excluded.body_hash, script = excluded.script, width = excluded.width, stamp = excluded.stamp`,
		int64(owner), it.Memory, it.BodyHash, it.Script, stamp, int64(space), width)
	if err != nil || n == 0 {
		return false, err
	}
	for part, v := range it.Vectors {
		if _, err := tx.Exec(`INSERT INTO embedding_vector (owner_id, space_id, memory_id, part, vector) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (owner_id, space_id, memory_id, part) DO UPDATE SET vector = excluded.vector`,
			int64(owner), int64(space), it.Memory, part, Encode(v)); err != nil {
			return false, err
		}
	}
	_, err = tx.Exec(`DELETE FROM embedding_vector WHERE owner_id = ? AND space_id = ? AND memory_id = ? AND part >= ?`,
		int64(owner), int64(space), it.Memory, len(it.Vectors))
	return true, err
}

// Remove takes out all that is stored of memories, in every space: a purge leaves
// no vector, from which a text could be guessed.
func Remove(tx *db.Tx, owner db.AccountID, ids []int64) error {
	removed := int64(0)
	for in, args := range db.InParts(ids) {
		args = append([]any{int64(owner)}, args...)
		gone, err := tx.Exec(`DELETE FROM embedding WHERE owner_id = ? AND space_id IN (SELECT id FROM embedding_space) AND memory_id IN (`+in+`)`, args...)
		if err != nil {
			return err
		}
		if gone == 0 {
			continue // there are no vectors without it
		}
		removed += gone
		if _, err := tx.Exec(`DELETE FROM embedding_vector WHERE owner_id = ? AND space_id IN (SELECT id FROM embedding_space) AND memory_id IN (`+in+`)`, args...); err != nil {
			return err
		}
	}
	if removed == 0 {
		return nil
	}
	_, err := move(tx, owner)
	return err
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{
		`DELETE FROM embedding_vector WHERE owner_id = ?`,
		`DELETE FROM embedding WHERE owner_id = ?`,
		`DELETE FROM embedding_head WHERE owner_id = ?`,
	} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	return nil
}

// Forget drops the account's vectors of one space, so that they are made anew.
func Forget(tx *db.Tx, owner db.AccountID, space SpaceID) error {
	for _, q := range []string{
		`DELETE FROM embedding_vector WHERE owner_id = ? AND space_id = ?`,
		`DELETE FROM embedding WHERE owner_id = ? AND space_id = ?`,
	} {
		if _, err := tx.Exec(q, int64(owner), int64(space)); err != nil {
			return err
		}
	}
	// The width is the model's to say again once nobody has a vector of the old one.
	if _, err := tx.Exec(`UPDATE embedding_space SET width = 0 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM embedding WHERE space_id = ?)`, int64(space), int64(space)); err != nil {
		return err
	}
	_, err := move(tx, owner)
	return err
}

// Encode is a vector as it is stored.
func Encode(v []float32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
	}
	return b
}

// Decode reads a stored vector into v, and tells whether it has as many numbers.
func Decode(v []float32, b []byte) bool {
	if len(b) != 4*len(v) {
		return false
	}
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return true
}
