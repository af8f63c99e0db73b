package memory

import (
	"iter"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
)

// Purged is what is left of a purged memory.
type Purged struct {
	ID     int64
	Events []api.LineEvent
}

// ExportPurged goes through what is left of the account's purged memories, by
// ascending id.
func (s *Store) ExportPurged(tx *db.Tx, owner db.AccountID) iter.Seq2[Purged, error] {
	return func(yield func(Purged, error) bool) {
		for last := int64(0); ; {
			ids, err := audit.Memories(tx, owner, last, exportPage)
			var here map[int64]*row
			if err == nil {
				here, err = readMany(tx, owner, ids)
			}
			if err != nil {
				yield(Purged{}, err)
				return
			}
			for _, id := range ids {
				last = id
				if here[id] != nil {
					continue
				}
				entries, err := audit.Of(tx, owner, id)
				out := make([]api.LineEvent, len(entries))
				for i := range entries {
					out[i] = entries[i].Line()
				}
				if !yield(Purged{id, out}, err) || err != nil {
					return
				}
			}
			if len(ids) < exportPage {
				return
			}
		}
	}
}

// InsertPurged brings in what is left of memories that were purged elsewhere: for
// each its audit, under an id of its own that nothing else gets. It answers the
// ids in the order of the list.
func (s *Store) InsertPurged(tx *db.Tx, owner db.AccountID, by audit.Actor, list [][]api.LineEvent) ([]int64, error) {
	b, err := s.batch(tx, owner, by)
	if err != nil {
		return nil, err
	}
	first, err := tx.NewIDs(owner, "memory", len(list))
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(list))
	for i, events := range list {
		if err := audit.CheckLines(events); err != nil {
			return nil, err
		}
		ids[i] = first + int64(i)
		if len(events) == 0 {
			continue
		}
		if err := b.carryEvents(&row{id: ids[i]}, events, "", ""); err != nil {
			return nil, err
		}
	}
	return ids, b.flush()
}

// Twin is a memory that has a body in question.
type Twin struct {
	ID         int64
	CategoryID int64 // 0: none
	CreatedAt  int64
	Status     string
}

// Twins finds the account's memories that have one of these bodies, by body and
// ascending id. Bodies are compared as they are stored: trimmed.
func (s *Store) Twins(tx *db.Tx, owner db.AccountID, bodies []string) (map[string][]Twin, error) {
	byHash := make(map[string]string, len(bodies))
	hashes := make([]string, 0, len(bodies))
	for _, body := range bodies {
		h := audit.Hash(body)
		if _, ok := byHash[h]; !ok {
			byHash[h] = body
			hashes = append(hashes, h)
		}
	}
	found := map[string][]Twin{}
	for len(hashes) > 0 {
		n := min(len(hashes), db.InMost)
		part := hashes[:n]
		hashes = hashes[n:]
		in, args := db.InTexts(part)
		rows := tx.Query(`SELECT id, COALESCE(category_id, 0), created_at, status, body_hash FROM memory WHERE owner_id = ? AND body_hash IN (`+in+`) ORDER BY id`,
			append([]any{int64(owner)}, args...)...)
		err := rows.Each(func() error {
			var t Twin
			var hash string
			if err := rows.Scan(&t.ID, &t.CategoryID, &t.CreatedAt, &t.Status, &hash); err != nil {
				return err
			}
			found[byHash[hash]] = append(found[byHash[hash]], t)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
