package memory

import (
	"iter"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
)

// exportPage is how many memories are read at a time.
const exportPage = 256

// Export goes through the account's memories by ascending id, with all that
// belongs to each. They are read in pages, so other statements of the transaction
// may run meanwhile. A Carried is the caller's to keep.
func (s *Store) Export(tx *db.Tx, owner db.AccountID) iter.Seq2[*Carried, error] {
	return exports(tx, owner, 0)
}

// ExportWritten is Export of what an account wrote into a pool; the pool's own is what
// those wrote who are gone.
func (s *Store) ExportWritten(tx *db.Tx, pool, writer db.AccountID) iter.Seq2[*Carried, error] {
	return exports(tx, pool, writer)
}

func exports(tx *db.Tx, owner, writer db.AccountID) iter.Seq2[*Carried, error] {
	return func(yield func(*Carried, error) bool) {
		for last := int64(0); ; {
			page, err := exported(tx, owner, writer, last)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			if len(page) < exportPage {
				return
			}
			last = page[len(page)-1].ID
		}
	}
}

func exported(tx *db.Tx, owner, writer db.AccountID, last int64) ([]*Carried, error) {
	rows, err := readSome(tx, `owner_id = ? AND writer_id = ? AND id > ? ORDER BY id`, []any{int64(owner), int64(writer), last}, exportPage)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	page := make([]*Carried, len(rows))
	byID := make(map[int64]*Carried, len(rows))
	ids := make([]int64, len(rows))
	for i, r := range rows {
		page[i] = &Carried{
			ID: r.id, Body: r.body, Kind: r.kind, Importance: r.importance, Confidence: r.confidence, Subject: r.subject, CategoryID: r.category,
			Source: r.source, Status: r.status, UseCount: r.useCount, LastUsedAt: r.lastUsedAt, CreatedAt: r.createdAt, UpdatedAt: r.updatedAt,
			ReviewedAt: r.reviewedAt, DeletedAt: r.deletedAt, DeletedWhy: r.deletedWhy,
			DeletedBy: r.deletedBy, DeletedHow: r.deletedHow, Writer: db.AccountID(r.writer), Revision: r.revision,
		}
		byID[r.id], ids[i] = page[i], r.id
	}
	in, args := db.In(ids)
	args = append([]any{int64(owner)}, args...)
	events, err := audit.Of(tx, owner, ids...)
	if err != nil {
		return nil, err
	}
	for i := range events {
		c := byID[events[i].Memory]
		c.Events = append(c.Events, events[i].Line())
	}
	if err := exportUses(tx, in, args, byID); err != nil {
		return nil, err
	}
	versions := tx.Query(`SELECT memory_id, revision, body, at FROM memory_version WHERE owner_id = ? AND memory_id IN (`+in+`) ORDER BY memory_id, revision`, args...)
	defer versions.Close()
	for versions.Next() {
		var id int64
		var v api.LineVersion
		if err := versions.Scan(&id, &v.Revision, &v.Body, &v.At); err != nil {
			return nil, err
		}
		byID[id].Versions = append(byID[id].Versions, v)
	}
	return page, versions.Err()
}

func exportUses(tx *db.Tx, in string, args []any, byID map[int64]*Carried) error {
	rows := tx.Query(`SELECT memory_id, at, kind, times FROM usage_event WHERE owner_id = ? AND memory_id IN (`+in+`) ORDER BY memory_id, at, kind`, args...)
	defer rows.Close()
	for rows.Next() {
		var id, times int64
		var u api.Use
		if err := rows.Scan(&id, &u.At, &u.Kind, &times); err != nil {
			return err
		}
		for range times {
			byID[id].Uses = append(byID[id].Uses, u)
		}
	}
	return rows.Err()
}
