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
	return open(tx, project)
}

// open makes a project's pool.
func open(tx *db.Tx, project int64) (Pool, error) {
	p := Pool{Project: project}
	var err error
	if p.Owner, err = account.InsertPool(tx, project); err != nil {
		return p, err
	}
	if err := tx.Must(`UPDATE project SET pool_id = ? WHERE id = ? AND pool_id IS NULL`, int64(p.Owner), project); err != nil {
		return p, err
	}
	all, err := Readers(tx, project)
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
	return db.List(rows, (*Pool).dest)
}

// EraseAccount takes an account out of every project. A pool for which nobody is
// named any more by that is shared no longer: its members were never meant to read it.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	all, err := db.IDs[int64](tx.Query(`SELECT project_id FROM project_member WHERE account_id = ?
		UNION SELECT project_id FROM project_pool_member WHERE account_id = ?`, int64(owner), int64(owner)))
	if err != nil {
		return err
	}
	for _, id := range all {
		err := changing(tx, id, func() error {
			n, err := tx.Exec(`DELETE FROM project_pool_member WHERE project_id = ? AND account_id = ?`, id, int64(owner))
			if err != nil {
				return err
			}
			if n > 0 {
				if _, err := tx.Exec(`UPDATE project SET sharing = 0 WHERE id = ? AND NOT EXISTS (SELECT 1 FROM project_pool_member WHERE project_id = ?)`, id, id); err != nil {
					return err
				}
			}
			_, err = tx.Exec(`DELETE FROM project_member WHERE project_id = ? AND account_id = ?`, id, int64(owner))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EnsureIn makes a project as described where there is none of its slug, and makes
// the account what it is to be in it; for an import by whoever runs the instance. An
// existing one stays as it is, and keeps its roots and aliases from a new one.
func (s *Store) EnsureIn(tx *db.Tx, owner db.AccountID, in api.ProjectAdd, as api.ProjectMember) (id int64, made bool, err error) {
	id, err = Find(tx, in.Slug)
	if made = fault.Is(err, fault.NotFound); made {
		id, err = s.bring(tx, in)
	}
	if err == nil && made {
		err = tell(tx, id)
	}
	if err != nil {
		return 0, false, err
	}
	return id, made, Join(tx, id, owner, as)
}

// bring makes a project with those of its roots and aliases that are no other's.
func (s *Store) bring(tx *db.Tx, in api.ProjectAdd) (int64, error) {
	r := row{slug: in.Slug, name: in.Name, description: in.Description, roots: in.Roots, aliases: in.Aliases}
	if in.Sharing {
		r.sharing = 1
	}
	if err := s.settle(&r); err != nil {
		return 0, err
	}
	roots, aliases := r.roots, r.aliases
	r.roots, r.aliases = nil, nil
	id, err := insert(tx, &r)
	if err != nil {
		return 0, err
	}
	for _, root := range roots {
		if _, err := tx.Exec(`INSERT INTO project_root (path, project_id) VALUES (?, ?) ON CONFLICT (path) DO NOTHING`, root, id); err != nil {
			return 0, err
		}
	}
	for _, alias := range aliases {
		if _, err := tx.Exec(`INSERT INTO project_alias (alias, project_id) SELECT CAST(? AS TEXT), CAST(? AS BIGINT)
			WHERE NOT EXISTS (SELECT 1 FROM project WHERE slug = ?) ON CONFLICT (alias) DO NOTHING`, alias, id, alias); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// Taken is a project that an account has a part in, and which.
type Taken struct {
	api.Project
	Named bool // for its pool
}

// TakenBy are the projects that an account has a part in, for an export.
func (s *Store) TakenBy(tx *db.Tx, owner db.AccountID) ([]Taken, error) {
	projects, err := s.ListIn(tx, account.Identity{Owner: owner})
	if err != nil {
		return nil, err
	}
	out := make([]Taken, len(projects))
	for i, p := range projects {
		out[i].Project = p
		if out[i].Named, err = listed(tx, `project_pool_member`, p.ID, int64(owner)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Claim is the project's pool whoever asks, made where nothing was shared yet; for an
// import by whoever runs the instance.
func Claim(tx *db.Tx, project int64) (Pool, error) {
	r, err := read(tx, project)
	if err != nil || r.pool != 0 {
		return Pool{project, db.AccountID(r.pool)}, err
	}
	return open(tx, project)
}

// Find is the project of a slug or alias whoever asks, else fault.NotFound.
func Find(tx *db.Tx, slug string) (id int64, err error) {
	err = tx.Row(`SELECT id FROM project WHERE slug = ? OR id = (SELECT project_id FROM project_alias WHERE alias = ?)`, []any{slug, slug}, &id)
	if fault.Is(err, fault.NotFound) {
		err = errNone
	}
	return id, err
}
