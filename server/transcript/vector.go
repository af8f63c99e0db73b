package transcript

import (
	"database/sql"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/fault"
)

// item is the vectors of one turn.
type item struct {
	entry        int64
	conversation int64
	own          [][]float32 // of the turn alone
	pair         [][]float32 // of it with the one before; the same vectors where there is none
}

// put stores the vectors of turns in a space, and tells of how many. Of a space that is no
// longer in use none are. That the turns are still there is for the caller to see to.
// Errors: Corrupt as embedding.Accept.
func put(tx *db.Tx, owner db.AccountID, space embedding.SpaceID, items []item) (stored int, err error) {
	lists := make([][][]float32, 0, 2*len(items))
	for _, it := range items {
		lists = append(lists, it.own, it.pair)
	}
	now, ok, err := embedding.Accept(tx, space, lists)
	if err != nil || !ok {
		return 0, err
	}
	stamp, err := move(tx, owner, 1, 0)
	if err != nil {
		return 0, err
	}
	for _, it := range items {
		n, err := tx.Exec(`INSERT INTO turn_embedding (owner_id, space_id, entry_id, conversation_id, text_hash, width, own, stamp)
			SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
			WHERE `+embedding.InUse+`
			ON CONFLICT (owner_id, space_id, entry_id) DO UPDATE SET text_hash = excluded.text_hash, width = excluded.width, own = excluded.own, stamp = excluded.stamp`,
			int64(owner), int64(space), it.entry, it.conversation, textVersion, now.Width, len(it.own), stamp, int64(space), now.Width)
		if err != nil {
			return stored, err
		}
		if n == 0 {
			continue
		}
		stored++
		parts := append(it.own[:len(it.own):len(it.own)], it.pair...)
		for part, v := range parts {
			if _, err := tx.Exec(`INSERT INTO turn_vector (owner_id, space_id, entry_id, part, vector) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (owner_id, space_id, entry_id, part) DO UPDATE SET vector = excluded.vector`,
				int64(owner), int64(space), it.entry, part, embedding.Encode(v)); err != nil {
				return stored, err
			}
		}
		if _, err := tx.Exec(`DELETE FROM turn_vector WHERE owner_id = ? AND space_id = ? AND entry_id = ? AND part >= ?`,
			int64(owner), int64(space), it.entry, len(parts)); err != nil {
			return stored, err
		}
	}
	return stored, nil
}

// head is how often an account's vectors were written, and removed.
type head struct{ revision, removed int64 }

// move raises it, and gives the new revision.
func move(tx *db.Tx, owner db.AccountID, written, removed int64) (revision int64, err error) {
	err = tx.Row(`INSERT INTO turn_head AS h (owner_id, revision, removed) VALUES (?, ?, ?)
		ON CONFLICT (owner_id) DO UPDATE SET revision = h.revision + excluded.revision, removed = h.removed + excluded.removed RETURNING revision`,
		[]any{int64(owner), written, removed}, &revision)
	return revision, err
}

func headOf(tx *db.Tx, owner db.AccountID) (h head, err error) {
	err = tx.Row(`SELECT revision, removed FROM turn_head WHERE owner_id = ?`, []any{int64(owner)}, &h.revision, &h.removed)
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return h, err
}

// missing is those of bodies that have no fresh vectors in the space, in their order.
func missing(tx *db.Tx, owner db.AccountID, in embedding.Stored, bodies []embedding.Body) ([]int64, error) {
	fresh := make(map[int64]bool, len(bodies))
	for which, args := range db.InParts(entriesOf(bodies)) {
		rows := tx.Query(`SELECT entry_id, text_hash, width FROM turn_embedding WHERE owner_id = ? AND space_id = ? AND entry_id IN (`+which+`)`,
			append([]any{int64(owner), int64(in.ID)}, args...)...)
		for rows.Next() {
			var id int64
			l := embedding.Label{Space: in.ID}
			if err := rows.Scan(&id, &l.BodyHash, &l.Width); err != nil {
				rows.Close()
				return nil, err
			}
			fresh[id] = embedding.Fresh(l, in, textVersion)
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return lacking(bodies, fresh), nil
}

// entriesOf are whose texts they are.
func entriesOf(bodies []embedding.Body) []int64 {
	ids := make([]int64, len(bodies))
	for i, b := range bodies {
		ids[i] = b.Memory
	}
	return ids
}

func lacking(bodies []embedding.Body, have map[int64]bool) []int64 {
	list := []int64{}
	for _, b := range bodies {
		if !have[b.Memory] {
			list = append(list, b.Memory)
		}
	}
	return list
}

// fresh are the turns that have vectors in the space, of fresh width and text. None of the
// vectors is read.
func fresh(tx *db.Tx, owner db.AccountID, in embedding.Stored) (map[int64]bool, error) {
	ids, err := tx.Column(`SELECT entry_id AS v FROM turn_embedding WHERE owner_id = ? AND space_id = ? AND width = ? AND text_hash = ?`,
		int64(owner), int64(in.ID), in.Width, textVersion)
	there := make(map[int64]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	return there, err
}

// stored is one turn's vectors as they are read.
type stored struct {
	entry, conversation int64
	own                 int
}

// turnPage is how many turns are read at a time.
const turnPage = db.InMost

// vectors calls f with each vector in the space, of fresh width, that was written after
// the account's revision was since: by turn, its parts in order. raw is valid until f
// returns.
func vectors(tx *db.Tx, owner db.AccountID, in embedding.Stored, since int64, f func(s *stored, part int, raw []byte)) error {
	rows := tx.Query(`SELECT entry_id, conversation_id, own FROM turn_embedding WHERE owner_id = ? AND space_id = ? AND stamp > ? AND width = ? AND text_hash = ? ORDER BY entry_id`,
		int64(owner), int64(in.ID), since, in.Width, textVersion)
	var list []stored
	for rows.Next() {
		var s stored
		if err := rows.Scan(&s.entry, &s.conversation, &s.own); err != nil {
			rows.Close()
			return err
		}
		list = append(list, s)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	for len(list) > 0 {
		n := min(len(list), turnPage)
		if err := vectorsOf(tx, owner, in, list[:n], f); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func vectorsOf(tx *db.Tx, owner db.AccountID, in embedding.Stored, page []stored, f func(s *stored, part int, raw []byte)) error {
	first, last := page[0].entry, page[len(page)-1].entry
	rows := tx.Query(`SELECT entry_id, part, vector FROM turn_vector WHERE owner_id = ? AND space_id = ? AND entry_id >= ? AND entry_id <= ? ORDER BY entry_id, part`,
		int64(owner), int64(in.ID), first, last)
	defer rows.Close()
	var raw sql.RawBytes
	for at := 0; rows.Next(); {
		var entry int64
		var part int
		if err := rows.Scan(&entry, &part, &raw); err != nil {
			return err
		}
		for at < len(page) && page[at].entry < entry {
			at++
		}
		if at < len(page) && page[at].entry == entry {
			f(&page[at], part, raw)
		}
	}
	return rows.Err()
}
