package project

import (
	"elowen/server/db"
	"elowen/shared/fault"
)

// grants are who may read which pool while its project shares it: those named for
// it, and where nobody is, the members. It is the one place where that is said.
const grants = `(SELECT project_id, account_id FROM project_pool_member
	UNION ALL SELECT m.project_id, m.account_id FROM project_member m
	WHERE NOT EXISTS (SELECT 1 FROM project_pool_member n WHERE n.project_id = m.project_id))`

// Pool is what a project shares.
type Pool struct {
	Project int64
	Owner   db.AccountID // of its rows; 0: nothing was shared yet
}

// Readable tells whether the account may read the project's pool, in one query.
// Ids that are none give nothing before it.
func Readable(tx *db.Tx, who db.AccountID, project int64) (pool Pool, ok bool, err error) {
	if who <= 0 || project <= 0 {
		return Pool{}, false, nil
	}
	pool.Project = project
	err = tx.Row(`SELECT COALESCE(p.pool_id, 0) FROM project p JOIN `+grants+` g ON g.project_id = p.id
		WHERE p.id = ? AND p.sharing = 1 AND g.account_id = ?`, []any{project, int64(who)}, (*int64)(&pool.Owner))
	if fault.Is(err, fault.NotFound) {
		return Pool{}, false, nil
	}
	return pool, err == nil, err
}

func (p *Pool) dest() []any { return []any{&p.Project, (*int64)(&p.Owner)} }

// Pools are all pools that the account may read and that were used, in one query, by
// project.
func Pools(tx *db.Tx, who db.AccountID) ([]Pool, error) {
	if who <= 0 {
		return nil, nil
	}
	rows := tx.Query(`SELECT p.id, p.pool_id FROM project p JOIN `+grants+` g ON g.project_id = p.id
		WHERE p.sharing = 1 AND g.account_id = ? AND p.pool_id IS NOT NULL ORDER BY p.id`, int64(who))
	return db.List(rows, (*Pool).dest)
}

// Audience tells who reads those of the owners that are pools. It is what a store's
// SetAudience takes.
func Audience(tx *db.Tx, owners []db.AccountID) (map[db.AccountID][]db.AccountID, error) {
	var found map[db.AccountID][]db.AccountID
	for in, args := range db.InParts(owners) {
		rows := tx.Query(`SELECT p.pool_id, g.account_id FROM project p JOIN `+grants+` g ON g.project_id = p.id
			WHERE p.pool_id IN (`+in+`) AND p.sharing = 1`, args...)
		err := rows.Each(func() error {
			var pool, reader db.AccountID
			if err := rows.Scan((*int64)(&pool), (*int64)(&reader)); err != nil {
				return err
			}
			if found == nil {
				found = map[db.AccountID][]db.AccountID{}
			}
			found[pool] = append(found[pool], reader)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Readers are who may read the project's pool now.
func Readers(tx *db.Tx, project int64) ([]db.AccountID, error) {
	return db.IDs[db.AccountID](tx.Query(`SELECT g.account_id FROM project p JOIN `+grants+` g ON g.project_id = p.id WHERE p.id = ? AND p.sharing = 1`, project))
}

// users are who has a part in the project: its members, and those who may read its
// pool.
func users(tx *db.Tx, project int64) ([]db.AccountID, error) {
	return db.IDs[db.AccountID](tx.Query(`SELECT account_id FROM project_member WHERE project_id = ?
		UNION SELECT g.account_id FROM project p JOIN `+grants+` g ON g.project_id = p.id WHERE p.id = ? AND p.sharing = 1`, project, project))
}

// mine are the ids of the projects that an account has a part in, as a subquery with
// the account twice.
const mine = `SELECT project_id FROM project_member WHERE account_id = ?
	UNION SELECT p.id FROM project p JOIN ` + grants + ` g ON g.project_id = p.id WHERE p.sharing = 1 AND g.account_id = ?`

var errNone = fault.New(fault.NotFound, "There is no such project.")

// Used answers fault.NotFound for a project that the account has no part in; else
// the project's name.
func Used(tx *db.Tx, who db.AccountID, project int64) (name string, err error) {
	if who <= 0 || project <= 0 {
		return "", errNone
	}
	err = tx.Row(`SELECT name FROM project WHERE id = ? AND id IN (`+mine+`)`, []any{project, int64(who), int64(who)}, &name)
	if fault.Is(err, fault.NotFound) {
		err = errNone
	}
	return name, err
}

// Named is the project of a slug or alias that the account has a part in, else
// fault.NotFound.
func Named(tx *db.Tx, who db.AccountID, slug string) (id int64, err error) {
	err = tx.Row(`SELECT id FROM project WHERE (slug = ? OR id = (SELECT project_id FROM project_alias WHERE alias = ?)) AND id IN (`+mine+`)`,
		[]any{slug, slug, int64(who), int64(who)}, &id)
	if fault.Is(err, fault.NotFound) {
		err = errNone
	}
	return id, err
}

// Infer is the project that a path belongs to, among those that the account has a
// part in: the one with the longest root that contains it. The path is the real one,
// made so on the machine that it is on; here it is only compared. ok is false where
// it belongs to none.
func Infer(tx *db.Tx, who db.AccountID, p string) (id int64, ok bool, err error) {
	if who <= 0 || p == "" {
		return 0, false, nil
	}
	rows := tx.Query(`SELECT path, project_id FROM project_root WHERE project_id IN (`+mine+`)`, int64(who), int64(who))
	defer rows.Close()
	by := map[string]int64{}
	var roots []string
	for rows.Next() {
		var root string
		var project int64
		if err := rows.Scan(&root, &project); err != nil {
			return 0, false, err
		}
		by[root] = project
		roots = append(roots, root)
	}
	id, ok = by[longest(roots, p)]
	return id, ok, rows.Err()
}

// Choose is the project that a request is in: the one that was selected, which has to
// be one that the account has a part in (else fault.NotFound), else the one that the
// path belongs to, else none (0).
func Choose(tx *db.Tx, who db.AccountID, selected int64, p string) (int64, error) {
	if selected != 0 {
		_, err := Used(tx, who, selected)
		return selected, err
	}
	id, _, err := Infer(tx, who, p)
	return id, err
}
