package project

import (
	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Open is the project's pool for who may read it, made where nothing was shared yet;
// else fault.NotFound.
func Open(tx *db.Tx, who db.AccountID, project int64) (Pool, error) {
	p, ok, err := Readable(tx, who, project)
	if err != nil {
		return p, err
	}
	if !ok {
		return p, fault.New(fault.NotFound, "There is no such project, or nothing in it is shared with you.")
	}
	if p.Owner != 0 {
		return p, nil
	}
	if p.Owner, err = account.InsertPool(tx, project); err != nil {
		return p, err
	}
	if err := tx.Must(`UPDATE project SET pool_id = ? WHERE id = ? AND pool_id IS NULL`, int64(p.Owner), project); err != nil {
		return p, err
	}
	all, err := readers(tx, project)
	for _, a := range all {
		renew(tx, a)
	}
	return p, err
}

// Of is the project that a pool is of; ok tells whether there is one.
func Of(tx *db.Tx, pool db.AccountID) (project int64, ok bool, err error) {
	err = tx.Row(`SELECT id FROM project WHERE pool_id = ?`, []any{int64(pool)}, &project)
	if fault.Is(err, fault.NotFound) {
		return 0, false, nil
	}
	return project, err == nil, err
}

// Name is a project's name whoever asks, else fault.NotFound.
func Name(tx *db.Tx, project int64) (string, error) {
	r, err := read(tx, project)
	return r.name, err
}

// Slugs are the slugs of all projects, by id.
func Slugs(tx *db.Tx) (map[int64]string, error) {
	rows := tx.Query(`SELECT id, slug FROM project`)
	defer rows.Close()
	slugs := map[int64]string{}
	for rows.Next() {
		var id int64
		var slug string
		if err := rows.Scan(&id, &slug); err != nil {
			return nil, err
		}
		slugs[id] = slug
	}
	return slugs, rows.Err()
}

// AllPools are the pools of all projects, whoever may read them, for work that goes
// over everything.
func AllPools(tx *db.Tx) ([]Pool, error) {
	rows := tx.Query(`SELECT id, pool_id FROM project WHERE pool_id IS NOT NULL ORDER BY id`)
	defer rows.Close()
	var list []Pool
	for rows.Next() {
		var p Pool
		if err := rows.Scan(&p.Project, (*int64)(&p.Owner)); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// EraseAccount takes an account out of every project. A pool for which nobody is
// named any more by that is shared no longer: its members were never meant to read it.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	all, err := accounts(tx.Query(`SELECT project_id FROM project_member WHERE account_id = ?
		UNION SELECT project_id FROM project_pool_member WHERE account_id = ?`, int64(owner), int64(owner)))
	if err != nil {
		return err
	}
	for _, id := range all {
		err := changing(tx, int64(id), func() error {
			n, err := tx.Exec(`DELETE FROM project_pool_member WHERE project_id = ? AND account_id = ?`, int64(id), int64(owner))
			if err != nil {
				return err
			}
			if n > 0 {
				if _, err := tx.Exec(`UPDATE project SET sharing = 0 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM project_pool_member WHERE project_id = ?)`, int64(id), int64(id)); err != nil {
					return err
				}
			}
			_, err = tx.Exec(`DELETE FROM project_member WHERE project_id = ? AND account_id = ?`, int64(id), int64(owner))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EnsureIn makes a project as described where there is none of its slug, and makes
// the account a member; for an import by whoever runs the instance. An existing one
// stays as it is.
func (s *Store) EnsureIn(tx *db.Tx, owner db.AccountID, in api.ProjectAdd) (id int64, made bool, err error) {
	err = tx.Row(`SELECT id FROM project WHERE slug = ? OR id = (SELECT project_id FROM project_alias WHERE alias = ?)`, []any{in.Slug, in.Slug}, &id)
	switch {
	case fault.Is(err, fault.NotFound):
		r := row{slug: in.Slug, name: in.Name, description: in.Description, roots: in.Roots, aliases: in.Aliases}
		if in.Sharing {
			r.sharing = 1
		}
		if err := s.settle(&r); err != nil {
			return 0, false, err
		}
		if id, err = insert(tx, &r); err != nil {
			return 0, false, err
		}
		made = true
	case err != nil:
		return 0, false, err
	}
	return id, made, changing(tx, id, func() error { return list(tx, `project_member`, id, int64(owner), true) })
}
