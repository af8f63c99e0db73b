package project

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

func sortMembers(list []api.ProjectMember) {
	slices.SortFunc(list, func(a, b api.ProjectMember) int { return cmp.Compare(a.Name, b.Name) })
}

// Add makes a project. Errors: Invalid, Taken for a slug, alias or root of another
// one.
func (s *Store) Add(ctx context.Context, who account.Identity, in api.ProjectAdd) (api.Project, error) {
	if err := validation.Struct(in); err != nil {
		return api.Project{}, err
	}
	r := row{slug: in.Slug, name: in.Name, description: in.Description, roots: in.Roots, aliases: in.Aliases}
	if in.Sharing {
		r.sharing = 1
	}
	if r.slug == "" {
		r.slug = slugOf(in.Name)
	}
	if err := s.settle(&r); err != nil {
		return api.Project{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Project, error) {
		id, err := insert(tx, &r)
		if err != nil {
			return api.Project{}, err
		}
		if err := tell(tx, id); err != nil {
			return api.Project{}, err
		}
		return get(tx, seeing(who), id)
	})
}

// seeing is who, with the right to see what was just changed.
func seeing(who account.Identity) account.Identity {
	who.Scopes = []string{api.ScopeAdmin}
	return who
}

func insert(tx *db.Tx, r *row) (int64, error) {
	if err := free(tx, 0, r.slug); err != nil {
		return 0, err
	}
	err := tx.Row(`INSERT INTO project (slug, name, description, sharing, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (slug) DO NOTHING RETURNING id`,
		[]any{r.slug, r.name, r.description, r.sharing, tx.Now, tx.Now}, &r.id)
	if fault.Is(err, fault.NotFound) {
		return 0, errSlug(r.slug)
	}
	if err != nil {
		return 0, err
	}
	return r.id, writeLists(tx, r, true, true)
}

func errSlug(slug string) error {
	return fault.Newf(fault.Taken, "A project is called %s already.", slug)
}

// free refuses a slug that is another project's alias.
func free(tx *db.Tx, id int64, slug string) error {
	var other int64
	err := tx.Row(`SELECT project_id FROM project_alias WHERE alias = ? AND project_id <> ?`, []any{slug, id}, &other)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	}
	return errSlug(slug)
}

// writeLists writes the roots or aliases of a row in the place of those there were.
func writeLists(tx *db.Tx, r *row, roots, aliases bool) error {
	if roots {
		if _, err := tx.Exec(`DELETE FROM project_root WHERE project_id = ?`, r.id); err != nil {
			return err
		}
		for _, root := range r.roots {
			n, err := tx.Exec(`INSERT INTO project_root (path, project_id) VALUES (?, ?) ON CONFLICT (path) DO NOTHING`, root, r.id)
			if err != nil {
				return err
			}
			if n == 0 {
				return fault.Newf(fault.Taken, "%s is a root of another project.", root)
			}
		}
	}
	if aliases {
		if _, err := tx.Exec(`DELETE FROM project_alias WHERE project_id = ?`, r.id); err != nil {
			return err
		}
		for _, alias := range r.aliases {
			n, err := tx.Exec(`INSERT INTO project_alias (alias, project_id) SELECT CAST(? AS TEXT), CAST(? AS BIGINT)
				WHERE NOT EXISTS (SELECT 1 FROM project WHERE slug = ? AND id <> ?) ON CONFLICT (alias) DO NOTHING`, alias, r.id, alias, r.id)
			if err != nil {
				return err
			}
			if n == 0 {
				return errSlug(alias)
			}
		}
	}
	return nil
}

// Patch changes what the patch names, if the project still has the revision (0:
// whatever it has). Errors: NotFound, Invalid, Taken, Stale with the project as it is.
func (s *Store) Patch(ctx context.Context, who account.Identity, id, ifRevision int64, in api.ProjectPatch) (api.Project, error) {
	if err := validation.Struct(in); err != nil {
		return api.Project{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Project, error) {
		r, err := current(tx, who, id, ifRevision)
		if err != nil {
			return api.Project{}, err
		}
		was := r
		if in.Name != nil {
			r.name = *in.Name
		}
		if in.Slug != nil {
			r.slug = *in.Slug
		}
		if in.Description != nil {
			r.description = *in.Description
		}
		if in.Roots != nil {
			r.roots = *in.Roots
		}
		if in.Aliases != nil {
			r.aliases = *in.Aliases
		}
		if in.Sharing != nil {
			r.sharing = 0
			if *in.Sharing {
				r.sharing = 1
			}
		}
		if err := s.settle(&r); err != nil {
			return api.Project{}, err
		}
		roots, aliases := !slices.Equal(r.roots, was.roots), !slices.Equal(r.aliases, was.aliases)
		if !roots && !aliases && r.slug == was.slug && r.name == was.name && r.description == was.description && r.sharing == was.sharing {
			return get(tx, seeing(who), id)
		}
		if err := free(tx, id, r.slug); err != nil {
			return api.Project{}, err
		}
		err = changing(tx, id, func() error {
			err := tx.Must(`UPDATE project SET slug = ?, name = ?, description = ?, sharing = ? WHERE id = ?`, r.slug, r.name, r.description, r.sharing, id)
			if fault.Is(err, fault.Taken) {
				return errSlug(r.slug)
			}
			if err != nil {
				return err
			}
			return writeLists(tx, &r, roots, aliases)
		})
		if err != nil {
			return api.Project{}, err
		}
		return get(tx, seeing(who), id)
	})
}

// current reads a project that a change was meant for, with its lists.
func current(tx *db.Tx, who account.Identity, id, ifRevision int64) (row, error) {
	r, err := read(tx, id)
	if err == nil {
		err = complete(tx, who.Owner, []*row{&r})
	}
	if err != nil || ifRevision == 0 || ifRevision == r.revision {
		return r, err
	}
	return r, &fault.Error{Kind: fault.Stale, Detail: "The project was changed meanwhile. Nothing was changed; look at it as it is now.", Current: r.wire()}
}

// changing makes a change of a project: its next revision, told to all who see it
// before or after; and whoever gains or loses the pool is told that their memories
// are others now.
func changing(tx *db.Tx, id int64, change func() error) error {
	before, err := Readers(tx, id)
	if err != nil {
		return err
	}
	if err := tell(tx, id); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	if err := tx.Must(`UPDATE project SET revision = revision + 1, updated_at = ? WHERE id = ?`, tx.Now, id); err != nil {
		return err
	}
	if err := tell(tx, id); err != nil {
		return err
	}
	after, err := Readers(tx, id)
	if err != nil {
		return err
	}
	for _, pair := range [][2][]db.AccountID{{before, after}, {after, before}} {
		for _, a := range pair[0] {
			if !slices.Contains(pair[1], a) {
				renew(tx, a)
			}
		}
	}
	return nil
}

// renew tells an account that what it can read is another set now.
func renew(tx *db.Tx, a db.AccountID) {
	tx.Emit(a, db.NounMemory, 0)
	tx.Emit(a, db.NounCategory, 0)
}

// tell tells all who see the project now that it changed.
func tell(tx *db.Tx, id int64) error {
	for _, find := range []func() ([]db.AccountID, error){
		func() ([]db.AccountID, error) { return users(tx, id) },
		func() ([]db.AccountID, error) { return account.Admins(tx) },
	} {
		list, err := find()
		if err != nil {
			return err
		}
		for _, a := range list {
			tx.Emit(a, db.NounProject, id)
		}
	}
	return nil
}

// Delete deletes a project, if it still has the revision (0: whatever it has). What
// is filed under it in people's own categories stays there, bound to what is no more,
// and so is recalled nowhere until somebody binds the category anew. Errors:
// NotFound, Stale, Taken while its pool holds memories.
func (s *Store) Delete(ctx context.Context, who account.Identity, id, ifRevision int64) error {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (struct{}, error) {
		r, err := current(tx, who, id, ifRevision)
		if err != nil {
			return struct{}{}, err
		}
		all, err := users(tx, id)
		if err != nil {
			return struct{}{}, err
		}
		if err := tell(tx, id); err != nil {
			return struct{}{}, err
		}
		for _, a := range all {
			renew(tx, a)
		}
		if r.pool != 0 && s.options.Erase != nil {
			if err := tx.Must(`UPDATE project SET pool_id = NULL WHERE id = ?`, id); err != nil {
				return struct{}{}, err
			}
			if err := s.options.Erase(tx, db.AccountID(r.pool)); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, tx.Must(`DELETE FROM project WHERE id = ?`, id)
	})
	return err
}

// SetMember says what somebody is in a project: a member, and named for its pool or
// not. Somebody new who nothing is said of becomes a member. Errors: NotFound, also
// for a name without an account, Stale.
func (s *Store) SetMember(ctx context.Context, who account.Identity, id, ifRevision int64, in api.ProjectMemberSet) (api.ProjectMembers, error) {
	if err := validation.Struct(in); err != nil {
		return api.ProjectMembers{}, err
	}
	return s.setMember(ctx, who, id, ifRevision, in.Name, func(is *api.ProjectMember) error {
		known := is.Member || is.Named
		if in.Member != nil {
			is.Member = *in.Member
		} else if !known && in.Named == nil {
			is.Member = true
		}
		if in.Named != nil {
			is.Named = *in.Named
		}
		return nil
	})
}

// RemoveMember takes somebody out of a project and of those named for its pool.
// Errors: NotFound, also for somebody who is neither, Stale.
func (s *Store) RemoveMember(ctx context.Context, who account.Identity, id, ifRevision int64, name string) (api.ProjectMembers, error) {
	return s.setMember(ctx, who, id, ifRevision, name, func(is *api.ProjectMember) error {
		if !is.Member && !is.Named {
			return fault.New(fault.NotFound, "Nobody of that name is in this project.")
		}
		is.Member, is.Named = false, false
		return nil
	})
}

func (s *Store) setMember(ctx context.Context, who account.Identity, id, ifRevision int64, name string, set func(*api.ProjectMember) error) (api.ProjectMembers, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.ProjectMembers, error) {
		if _, err := current(tx, who, id, ifRevision); err != nil {
			return api.ProjectMembers{}, err
		}
		p, err := account.ByName(tx, name)
		if err != nil {
			return api.ProjectMembers{}, err
		}
		var was api.ProjectMember
		if was.Member, err = listed(tx, `project_member`, id, p.ID); err != nil {
			return api.ProjectMembers{}, err
		}
		if was.Named, err = listed(tx, `project_pool_member`, id, p.ID); err != nil {
			return api.ProjectMembers{}, err
		}
		is := was
		if err := set(&is); err != nil {
			return api.ProjectMembers{}, err
		}
		if is != was {
			err = changing(tx, id, func() error {
				if err := list(tx, `project_member`, id, p.ID, is.Member); err != nil {
					return err
				}
				return list(tx, `project_pool_member`, id, p.ID, is.Named)
			})
			if err != nil {
				return api.ProjectMembers{}, err
			}
		}
		return s.members(tx, seeing(who), id)
	})
}

func listed(tx *db.Tx, table string, project, account int64) (bool, error) {
	var n int
	err := tx.Row(`SELECT COUNT(*) FROM `+table+` WHERE project_id = ? AND account_id = ?`, []any{project, account}, &n)
	return n > 0, err
}

func list(tx *db.Tx, table string, project, account int64, in bool) error {
	query := `DELETE FROM ` + table + ` WHERE project_id = ? AND account_id = ?`
	if in {
		query = `INSERT INTO ` + table + ` (project_id, account_id) VALUES (?, ?) ON CONFLICT (project_id, account_id) DO NOTHING`
	}
	_, err := tx.Exec(query, project, account)
	return err
}

// slugPattern is what a slug looks like.
var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// slugOf is a slug made of a name: what is no small letter or digit becomes a dash.
func slugOf(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := b.String()[:min(b.Len(), int(setting.Get("project.slug").Max))]
	if slug = strings.Trim(slug, "-"); slug == "" {
		return "project"
	}
	return slug
}

// settle brings a project into the form in which it is stored, and refuses what has
// none.
func (s *Store) settle(r *row) error {
	r.name, r.description = strings.TrimSpace(r.name), strings.TrimSpace(r.description)
	if !slugPattern.MatchString(r.slug) {
		return fault.BadField("slug", "slug", "", "A slug has small letters a to z, digits, and single dashes between them.")
	}
	for i, alias := range r.aliases {
		if !slugPattern.MatchString(alias) {
			return fault.BadField(fmt.Sprintf("aliases[%d]", i), "slug", "", "An alias has small letters a to z, digits, and single dashes between them.")
		}
	}
	r.aliases = sorted(r.aliases)
	r.aliases = slices.DeleteFunc(r.aliases, func(a string) bool { return a == r.slug })
	roots := make([]string, 0, len(r.roots))
	for i, root := range r.roots {
		if !path.IsAbs(root) {
			return fault.BadField(fmt.Sprintf("roots[%d]", i), "absolute", "", "A root is an absolute path, such as /srv/harbor.")
		}
		root = path.Clean(root)
		if s.options.Resolve != nil {
			if real, err := s.options.Resolve(root); err == nil {
				root = real
			}
		}
		if root == "/" {
			return fault.BadField(fmt.Sprintf("roots[%d]", i), "root", "", "The whole machine is no project.")
		}
		roots = append(roots, root)
	}
	r.roots = sorted(roots)
	return nil
}

// sorted is a list in order, without what is in it twice.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
