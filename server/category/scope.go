package category

import (
	"fmt"

	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Share is a part of what may be recalled: an owner, and those of its categories
// whose memories are meant. Memories in no category are recalled nowhere.
type Share struct {
	Owner      db.AccountID
	Categories []int64 // ascending; never empty
	Pool       bool    // the owner is a pool
}

// Scope is what the account may recall: its global categories; in a project (not 0)
// that it has a part in also those of its own that are bound to the project, and the
// project's pool if it may read it. A project that it has no part in is fault.NotFound;
// ids that are none give nothing before any query. Nothing is remembered from one call
// to the next: whoever was taken out gets nothing more from the next one.
func Scope(tx *db.Tx, owner db.AccountID, in int64) ([]Share, error) {
	if owner <= 0 || in < 0 {
		return nil, nil
	}
	if in != 0 {
		if _, err := project.Used(tx, owner, in); err != nil {
			return nil, err
		}
	}
	var list []Share
	own, err := db.IDs[int64](tx.Query(`SELECT id FROM category WHERE owner_id = ? AND (project_id IS NULL OR project_id = ?) ORDER BY id`, int64(owner), in))
	if err != nil {
		return nil, err
	}
	if len(own) > 0 {
		list = append(list, Share{Owner: owner, Categories: own})
	}
	if in == 0 {
		return list, nil
	}
	pool, ok, err := project.Readable(tx, owner, in)
	if err != nil || !ok || pool.Owner == 0 {
		return list, err
	}
	shared, err := db.IDs[int64](tx.Query(`SELECT id FROM category WHERE owner_id = ? AND project_id = ? ORDER BY id`, int64(pool.Owner), in))
	if err == nil && len(shared) > 0 {
		list = append(list, Share{Owner: pool.Owner, Categories: shared, Pool: true})
	}
	return list, err
}

// Bound are those of the owner's categories that are bound to a project, with it.
func Bound(tx *db.Tx, owner db.AccountID) (map[int64]int64, error) {
	rows := tx.Query(`SELECT id, project_id FROM category WHERE owner_id = ? AND project_id IS NOT NULL`, int64(owner))
	defer rows.Close()
	bound := map[int64]int64{}
	for rows.Next() {
		var id, in int64
		if err := rows.Scan(&id, &in); err != nil {
			return nil, err
		}
		bound[id] = in
	}
	return bound, rows.Err()
}

// Fallback is the owner's category for what fits in no other one in a project: the
// oldest that is bound to it, made and called after the project where there is none.
// The owner is an account that has a part in the project, or its pool; that is for
// the caller to know.
func Fallback(tx *db.Tx, owner db.AccountID, in int64) (int64, error) {
	var id int64
	err := tx.Row(`SELECT id FROM category WHERE owner_id = ? AND project_id = ? ORDER BY id LIMIT 1`, []any{int64(owner), in}, &id)
	if !fault.Is(err, fault.NotFound) {
		return id, err
	}
	name, err := project.Name(tx, in)
	if err != nil {
		return 0, err
	}
	for n := 1; ; n++ {
		called := name
		if n > 1 {
			called = fmt.Sprintf("%.70s %d", name, n)
		}
		id, err := insert(tx, owner, api.CategoryAdd{Name: called, ProjectID: in})
		if n > 100 || !fault.Is(err, fault.Taken) {
			return id, err
		}
	}
}

// Home is whose a category is that the account sees: its own, or that of a pool that
// it may read; else fault.NotFound.
func Home(tx *db.Tx, owner db.AccountID, id int64) (db.AccountID, error) {
	_, err := read(tx, owner, id)
	if !fault.Is(err, fault.NotFound) {
		return owner, err
	}
	return SharedHome(tx, owner, id)
}

// SharedHome is the pool, among those that the account may read, whose a category is;
// else fault.NotFound.
func SharedHome(tx *db.Tx, owner db.AccountID, id int64) (db.AccountID, error) {
	pools, err := project.Pools(tx, owner)
	if err != nil {
		return 0, err
	}
	for _, p := range pools {
		if _, err := read(tx, p.Owner, id); !fault.Is(err, fault.NotFound) {
			return p.Owner, err
		}
	}
	return 0, errNone
}

// Visible lists the categories that the account sees by name, its own first.
func (s *Store) Visible(tx *db.Tx, owner db.AccountID) ([]api.Category, error) {
	list, err := s.ListIn(tx, owner)
	if err != nil {
		return nil, err
	}
	pools, err := project.Pools(tx, owner)
	if err != nil {
		return nil, err
	}
	for _, p := range pools {
		rows, err := readAll(tx, p.Owner)
		if err != nil {
			return nil, err
		}
		shared, err := s.wire(tx, p.Owner, rows)
		if err != nil {
			return nil, err
		}
		for _, c := range shared {
			c.Shared, c.Default = true, false
			list = append(list, c)
		}
	}
	return list, nil
}
