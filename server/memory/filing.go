package memory

import (
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Who decided a memory's category.
const (
	filedByNobody  = 0 // it is where it goes by itself
	filedByHand    = 1 // whoever wrote it, or filed it since
	filedBySorting = 2 // sorting has looked at it, whether it moved it or not
)

// Filing is a memory as sorting sees it before a model is asked: what must still hold
// when the answer comes.
type Filing struct {
	ID         int64
	Revision   int64
	Hash       string // of the body
	CategoryID int64  // 0: none
	ByHand     bool   // somebody has chosen that category
	Writer     db.AccountID
	CreatedAt  int64 // Unix milliseconds
	Body       string
}

const filingColumns = `id, revision, body_hash, COALESCE(category_id, 0), category_by, writer_id, created_at, body`

func (f *Filing) dest(by *int64) []any {
	return []any{&f.ID, &f.Revision, &f.Hash, &f.CategoryID, by, (*int64)(&f.Writer), &f.CreatedAt, &f.Body}
}

// Sorting says which memories are to be sorted.
type Sorting struct {
	All     bool  // those that somebody filed too
	Default int64 // the category where memories go by themselves; 0: none
	Upto    int64 // ids up to this one
}

func (q Sorting) where() (string, []any) {
	if q.All {
		return `id <= ?`, []any{q.Upto}
	}
	// A category where nobody put it is none.
	return `id <= ? AND (category_id IS NULL OR category_id = ? AND category_by <> ?)`, []any{q.Upto, q.Default, filedByHand}
}

// Filings are the first of the owner's active memories that are to be sorted and have
// an id below before, the newest first.
func (s *Store) Filings(tx *db.Tx, owner db.AccountID, q Sorting, before int64, limit int) ([]Filing, error) {
	where, args := q.where()
	args = append([]any{int64(owner), api.StatusActive, before}, append(args, limit)...)
	return scanFilings(tx.Query(`SELECT `+filingColumns+` FROM memory WHERE owner_id = ? AND status = ? AND id < ? AND `+where+` ORDER BY id DESC LIMIT ?`, args...))
}

// CountFilings is how many of the owner's active memories are to be sorted.
func (s *Store) CountFilings(tx *db.Tx, owner db.AccountID, q Sorting) (n int, err error) {
	where, args := q.where()
	err = tx.Row(`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ? AND `+where, append([]any{int64(owner), api.StatusActive}, args...), &n)
	return n, err
}

// Unfiled are the owner's active memories below an id that nobody and no sorting has
// decided about, and that were made at or after since; the newest first. before 0
// begins with the newest.
func (s *Store) Unfiled(tx *db.Tx, owner db.AccountID, since, before int64, limit int) ([]Filing, error) {
	if before == 0 {
		before = 1 << 62
	}
	return scanFilings(tx.Query(`SELECT `+filingColumns+` FROM memory WHERE owner_id = ? AND status = ? AND id < ? AND category_by = ? AND created_at >= ? ORDER BY id DESC LIMIT ?`,
		int64(owner), api.StatusActive, before, filedByNobody, since, limit))
}

// Filing is one active memory of the owner's, else fault.NotFound.
func (s *Store) Filing(tx *db.Tx, owner db.AccountID, id int64) (Filing, error) {
	list, err := scanFilings(tx.Query(`SELECT `+filingColumns+` FROM memory WHERE id = ? AND owner_id = ? AND status = ?`, id, int64(owner), api.StatusActive))
	if err == nil && len(list) == 0 {
		err = errNone
	}
	if err != nil {
		return Filing{}, err
	}
	return list[0], nil
}

func scanFilings(rows *db.Rows) ([]Filing, error) {
	defer rows.Close()
	var list []Filing
	for rows.Next() {
		var f Filing
		var by int64
		if err := rows.Scan(f.dest(&by)...); err != nil {
			return nil, err
		}
		f.ByHand = by == filedByHand
		list = append(list, f)
	}
	return list, rows.Err()
}

// Members are the newest of the owner's active memories in a category that somebody
// chose for them.
func (s *Store) Members(tx *db.Tx, owner db.AccountID, category int64, limit int) ([]int64, error) {
	return db.IDs[int64](tx.Query(`SELECT id FROM memory WHERE owner_id = ? AND category_id = ? AND status = ? AND category_by = ? ORDER BY id DESC LIMIT ?`,
		int64(owner), category, api.StatusActive, filedByHand, limit))
}

// File puts a memory into one of its owner's categories (0 leaves it where it is), if
// it is still as it was when somebody was asked about it: its revision, body and
// category, and active. It tells whether it moved. What was looked at is noted either
// way, so that nobody is asked again. Errors: NotFound for a category that is not the
// owner's.
func (s *Store) File(tx *db.Tx, owner db.AccountID, by audit.Actor, was Filing, to int64, reason string) (moved bool, err error) {
	r, err := read(tx, owner, was.ID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil || r.status != api.StatusActive || r.revision != was.Revision || r.hash != was.Hash || r.category != was.CategoryID || (r.filed == filedByHand) != was.ByHand {
		return false, err
	}
	if to == 0 || to == r.category {
		if r.filed != filedByNobody {
			return false, nil
		}
		return false, tx.Must(`UPDATE memory SET category_by = ? WHERE id = ? AND owner_id = ? AND revision = ?`, filedBySorting, r.id, int64(owner), r.revision)
	}
	if err := s.categories.Owned(tx, owner, to); err != nil {
		return false, err
	}
	b, err := s.batch(tx, owner, by)
	if err != nil {
		return false, err
	}
	old := r
	if err := b.enter(&r); err != nil {
		return false, err
	}
	r.category, r.filed = to, filedBySorting
	if moved, err = b.update(&old, &r, audit.ActionCategory, reason); err != nil {
		return false, err
	}
	return moved, b.flush()
}
