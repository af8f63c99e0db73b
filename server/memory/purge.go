package memory

import (
	"context"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/server/project"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Purge removes memories of the trash for good, all of them or none: the rows,
// the bodies of all their revisions, their uses, their words in the index and what
// repeated requests would be answered. Their audit stays, which holds hashes. When
// it is acknowledged, the bodies are in no file of the store (on PostgreSQL that is
// its own vacuum's business). Errors: NotFound, Invalid for a memory that is not
// in the trash: an active one is moved there first.
func (s *Store) Purge(ctx context.Context, owner db.AccountID, by audit.Actor, ids []int64) (api.BulkDone, error) {
	if err := validation.Struct(api.IDs{IDs: ids}); err != nil {
		return api.BulkDone{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.BulkDone, error) {
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return api.BulkDone{}, err
		}
		list, err := reachAll(tx, owner, ids)
		if err != nil {
			return api.BulkDone{}, err
		}
		return b.purge(list)
	})
}

// EmptyTrash purges all that is in the trash, of a project's pool where it names the
// project. Errors: Invalid, NotFound for a pool that one may not read, Stale with
// api.Matching where that is not as many as the caller expects.
func (s *Store) EmptyTrash(ctx context.Context, owner db.AccountID, by audit.Actor, in api.EmptyTrash) (api.BulkDone, error) {
	if err := validation.Struct(in); err != nil {
		return api.BulkDone{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.BulkDone, error) {
		owner := owner
		if in.ProjectID != 0 {
			pool, ok, err := project.Readable(tx, owner, in.ProjectID)
			if err != nil {
				return api.BulkDone{}, err
			}
			if !ok {
				return api.BulkDone{}, fault.New(fault.NotFound, "There is no such project, or nothing in it is shared with you.")
			}
			owner = pool.Owner
		}
		b, err := s.batch(tx, owner, by)
		if err != nil {
			return api.BulkDone{}, err
		}
		if in.Expect != nil {
			var have int
			if err := tx.Row(`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ?`, []any{int64(owner), api.StatusDeleted}, &have); err != nil {
				return api.BulkDone{}, err
			}
			if err := expected(in.Expect, have, true); err != nil {
				return api.BulkDone{}, err
			}
		}
		done := api.BulkDone{IDs: []int64{}}
		for {
			list, err := readSome(tx, `owner_id = ? AND status = ?`, []any{int64(owner), api.StatusDeleted}, bulkPage)
			if err != nil || len(list) == 0 {
				return done, err
			}
			some, err := b.purged(list)
			if err != nil {
				return done, err
			}
			done.IDs = append(done.IDs, some.IDs...)
			done.Changed += some.Changed
		}
	})
}

// bulkPage is how many rows a change of many holds at a time.
const bulkPage = db.InMost

// readSome reads at most limit rows that meet a condition.
func readSome(tx *db.Tx, where string, args []any, limit int) ([]*row, error) {
	rows := tx.Query(`SELECT `+columns+` FROM memory WHERE `+where+` LIMIT ?`, append(args[:len(args):len(args)], limit)...)
	defer rows.Close()
	var list []*row
	for rows.Next() {
		r := new(row)
		if err := rows.Scan(r.dest()...); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// purge is purged of rows of several owners.
func (b *batch) purge(list []*row) (api.BulkDone, error) {
	done := api.BulkDone{IDs: make([]int64, 0, len(list))}
	for len(list) > 0 {
		var here, rest []*row
		for _, r := range list {
			if r.owner == list[0].owner {
				here = append(here, r)
			} else {
				rest = append(rest, r)
			}
		}
		if err := b.moveTo(db.AccountID(list[0].owner)); err != nil {
			return done, err
		}
		some, err := b.purged(here)
		if err != nil {
			return done, err
		}
		list = rest
		done.IDs = append(done.IDs, some.IDs...)
		done.Changed += some.Changed
	}
	return done, nil
}

// purged removes rows of the batch's owner and all that belongs to them.
func (b *batch) purged(list []*row) (api.BulkDone, error) {
	done := api.BulkDone{IDs: make([]int64, 0, len(list))}
	for _, r := range list {
		if r.status != api.StatusDeleted {
			return done, fault.Newf(fault.Invalid, "Memory %d is not in the trash. Move it there first; nothing was purged.", r.id)
		}
		b.writer = r.writer
		b.index.Removed(r.id, r.body, int(r.words))
		if err := b.record(audit.Entry{Memory: r.id, Action: audit.ActionPurge}); err != nil {
			return done, err
		}
		b.tx.Emit(b.owner, db.NounMemory, r.id)
		done.IDs = append(done.IDs, r.id)
	}
	done.Changed = len(done.IDs)
	if done.Changed == 0 {
		return done, nil
	}
	for ids := done.IDs; len(ids) > 0; {
		n := min(len(ids), db.InMost)
		in, args := db.In(ids[:n])
		ids = ids[n:]
		args = append([]any{int64(b.owner)}, args...)
		for _, q := range []string{
			`DELETE FROM memory_version WHERE owner_id = ? AND memory_id IN (` + in + `)`,
			`DELETE FROM usage_event WHERE owner_id = ? AND memory_id IN (` + in + `)`,
			`DELETE FROM memory WHERE owner_id = ? AND id IN (` + in + `)`,
		} {
			if _, err := b.tx.Exec(q, args...); err != nil {
				return done, err
			}
		}
	}
	if err := embedding.Remove(b.tx, b.owner, done.IDs); err != nil {
		return done, err
	}
	if err := late.Remove(b.tx, b.owner, done.IDs); err != nil {
		return done, err
	}
	if err := b.tx.ForgetResults(done.IDs); err != nil {
		return done, err
	}
	b.tx.Erase()
	return done, b.flush()
}
