package project

import (
	"fmt"
	"slices"
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Same is the project that is known by the slug and has the root, whoever asks; ok
// tells whether there is one. The slug may be any name: it is made one first.
func (s *Store) Same(tx *db.Tx, slug, root string) (p api.Project, ok bool, err error) {
	r := row{slug: slugOf(slug), roots: []string{root}}
	if s.settle(&r) != nil {
		return p, false, nil // no root that a project may have
	}
	id, err := Find(tx, r.slug)
	if fault.Is(err, fault.NotFound) {
		return p, false, nil
	}
	if err != nil {
		return p, false, err
	}
	p, err = get(tx, seeing(account.Identity{}), id)
	return p, err == nil && slices.Contains(p.Roots, r.roots[0]), err
}

// Carry makes a project as another system has it; for an import by whoever runs the
// instance. What it is called there is made a slug, and gets a number where another
// project has that one; a root or alias of another project stays with that. Errors:
// Invalid; then nothing was made.
func (s *Store) Carry(tx *db.Tx, in api.ProjectAdd) (api.Project, error) {
	in.Slug = slugOf(in.Slug)
	if err := validation.Struct(in); err != nil {
		return api.Project{}, err
	}
	for base, n := in.Slug, 2; ; n++ {
		_, err := Find(tx, in.Slug)
		if fault.Is(err, fault.NotFound) {
			break
		}
		if err != nil {
			return api.Project{}, err
		}
		number := fmt.Sprintf("-%d", n)
		most := int(setting.Get("project.slug").Max) - len(number)
		in.Slug = strings.TrimRight(base[:min(len(base), most)], "-") + number
	}
	id, err := s.bring(tx, in)
	if err != nil {
		return api.Project{}, err
	}
	if err := tell(tx, id); err != nil {
		return api.Project{}, err
	}
	return get(tx, seeing(account.Identity{}), id)
}

// Join makes an account a member of a project, or one of those named for its pool, or
// both, beside what it is already.
func Join(tx *db.Tx, project int64, owner db.AccountID, as api.ProjectMember) error {
	var tables []string
	for table, is := range map[string]bool{`project_member`: as.Member, `project_pool_member`: as.Named} {
		if !is {
			continue
		}
		already, err := listed(tx, table, project, int64(owner))
		if err != nil {
			return err
		}
		if !already {
			tables = append(tables, table)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	return changing(tx, project, func() error {
		for _, table := range tables {
			if err := list(tx, table, project, int64(owner), true); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pin names those for the pool who read it as members, so that whoever joins after
// that doesn't read it too. Where nobody reads it, it is shared no longer. A project that
// shares nothing, or names its readers already, stays as it is.
func Pin(tx *db.Tx, project int64) error {
	r, err := read(tx, project)
	if err != nil || r.sharing == 0 {
		return err
	}
	var named int
	if err := tx.Row(`SELECT COUNT(*) FROM project_pool_member WHERE project_id = ?`, []any{project}, &named); err != nil || named > 0 {
		return err
	}
	return changing(tx, project, func() error {
		n, err := tx.Exec(`INSERT INTO project_pool_member (project_id, account_id) SELECT project_id, account_id FROM project_member WHERE project_id = ?`, project)
		if err != nil || n > 0 {
			return err
		}
		return tx.Must(`UPDATE project SET sharing = 0 WHERE id = ?`, project)
	})
}

// Whole is a project whoever asks, else fault.NotFound.
func (s *Store) Whole(tx *db.Tx, id int64) (api.Project, error) {
	return get(tx, seeing(account.Identity{}), id)
}
