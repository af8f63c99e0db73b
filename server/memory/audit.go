package memory

import (
	"context"
	"slices"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
)

// Events pages the audit of one memory, also of one that was purged, or of all
// of the account's (id 0), newest first. Errors: NotFound where the account has
// no such memory and no record of it, Invalid for a cursor that isn't one.
func (s *Store) Events(ctx context.Context, owner db.AccountID, id int64, cursor string, limit int) (api.Page[api.Event], error) {
	var page api.Page[api.Event]
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		page, err = s.events(tx, owner, id, cursor, limit)
		return err
	})
	return page, err
}

func (s *Store) events(tx *db.Tx, viewer db.AccountID, id int64, cursor string, limit int) (api.Page[api.Event], error) {
	page := api.Page[api.Event]{Items: []api.Event{}, AsOf: api.Time(tx.Now)}
	owner := viewer
	if id != 0 {
		var err error
		if owner, err = audited(tx, viewer, id); err != nil {
			return page, err
		}
	}
	read, err := audit.Read(tx, owner, id, cursor, limit)
	if err != nil {
		return page, err
	}
	page.Total, page.NextCursor = read.Total, read.Next
	t := audit.Teller{
		Owner: owner, Viewer: viewer,
		Texts:      func(ids []int64) (map[int64][]audit.Text, error) { return texts(tx, owner, ids) },
		Beginnings: func(ids []int64) (map[int64]string, error) { return beginningsOf(tx, owner, ids) },
		Bodies:     func(hashes []string) (map[string]int64, error) { return ofHashes(tx, owner, hashes) },
	}
	if t.Categories, err = s.categories.Names(tx, owner); err != nil {
		return page, err
	}
	page.Items, err = t.Tell(tx, read.Entries)
	return page, err
}

// audited is whose the audit of a memory is, as far as the account may read it; else
// fault.NotFound.
func audited(tx *db.Tx, who db.AccountID, id int64) (db.AccountID, error) {
	pools, err := project.Pools(tx, who)
	if err != nil {
		return 0, err
	}
	homes := []db.AccountID{who}
	for _, p := range pools {
		homes = append(homes, p.Owner)
	}
	for _, home := range homes {
		if known, err := audit.Knows(tx, home, id); err != nil || known {
			return home, err
		}
	}
	r, err := reach(tx, who, id) // without an event of its own
	return db.AccountID(r.owner), err
}

// texts are the bodies of memories that still exist, by memory, in the order of
// their revisions; the present one is the last.
func texts(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64][]audit.Text, error) {
	found := map[int64][]audit.Text{}
	for in, args := range db.InParts(ids) {
		args = append([]any{int64(owner)}, args...)
		for _, q := range []string{
			`SELECT memory_id, revision, body FROM memory_version WHERE owner_id = ? AND memory_id IN (` + in + `) ORDER BY memory_id, revision`,
			`SELECT id, revision, body FROM memory WHERE owner_id = ? AND id IN (` + in + `)`,
		} {
			rows := tx.Query(q, args...)
			err := rows.Each(func() error {
				var id int64
				var revision int64
				var body string
				if err := rows.Scan(&id, &revision, &body); err != nil {
					return err
				}
				found[id] = append(found[id], audit.NewText(revision, body))
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// otherText is how many bytes of another memory an event shows.
const otherText = 160

// beginningsOf are the first words of memories, by id.
func beginningsOf(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]string, error) {
	found := map[int64]string{}
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT id, SUBSTR(body, 1, ?) FROM memory WHERE owner_id = ? AND id IN (`+in+`)`, append([]any{otherText, int64(owner)}, args...)...)
		err := rows.Each(func() error {
			var id int64
			var body string
			if err := rows.Scan(&id, &body); err != nil {
				return err
			}
			found[id] = body
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ofHashes are the memories that have bodies of these hashes; of several the last one.
func ofHashes(tx *db.Tx, owner db.AccountID, hashes []string) (map[string]int64, error) {
	found := make(map[string]int64, len(hashes))
	for part := range slices.Chunk(hashes, db.InMost) {
		in, args := db.InTexts(part)
		rows := tx.Query(`SELECT id, body_hash FROM memory WHERE owner_id = ? AND body_hash IN (`+in+`) ORDER BY id`, append([]any{int64(owner)}, args...)...)
		err := rows.Each(func() error {
			var id int64
			var hash string
			if err := rows.Scan(&id, &hash); err != nil {
				return err
			}
			found[hash] = id
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Hashes are those of the bodies of the owner's memories, in the order of the ids; of
// what is gone there is none.
func (s *Store) Hashes(tx *db.Tx, owner db.AccountID, ids []int64) ([]string, error) {
	list := make([]string, 0, len(ids))
	found, err := readMany(tx, owner, ids)
	for _, id := range ids {
		if r := found[id]; r != nil {
			list = append(list, r.hash)
		}
	}
	return list, err
}
