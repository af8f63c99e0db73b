package transfer

import (
	"database/sql"
	"fmt"
	"slices"
)

// olderProject is a project of the file, with who has which part in it.
type olderProject struct {
	id                int64
	slug, path, notes string
	sharing           bool
	members           []int64         // users who work in it
	filed             []int64         // users who have a category of their own in it
	named             []int64         // users named for what it shares; where nobody is, the members read it
	shelves           []olderCategory // of what it shares
	writers           []int64         // users of whom something is there
}

// identity names a project of the file.
func (p *olderProject) identity() string { return fmt.Sprintf("project:%d:%s", p.id, p.slug) }

// readers are the users who read what the project shares, while it does.
func (p *olderProject) readers() []int64 {
	if len(p.named) > 0 {
		return p.named
	}
	return p.members
}

// readProjects reads the projects and everybody's part in them. Files before sharing
// have neither the column nor the list of those named.
func (o *older) readProjects() error {
	if !o.has["projects"]["slug"] {
		return nil
	}
	query := "SELECT id, slug, " + o.column("projects", "path", "''") + ", " + o.column("projects", "notes", "''") + ", " +
		o.column("projects", "memory_shared", "0") + " = 1 FROM projects ORDER BY id"
	err := o.each(query, nil, func(r *sql.Rows) error {
		p := &olderProject{}
		err := r.Scan(&p.id, &p.slug, &p.path, &p.notes, &p.sharing)
		o.projects[p.id] = p
		return err
	})
	if err != nil {
		return err
	}
	for table, add := range map[string]func(*olderProject, int64){
		"user_projects":          func(p *olderProject, user int64) { p.members = append(p.members, user) },
		"project_memory_members": func(p *olderProject, user int64) { p.named = append(p.named, user) },
	} {
		if !o.has[table]["user_id"] || !o.has[table]["project_id"] {
			continue
		}
		if err := o.readParts("SELECT project_id, user_id FROM "+table+" ORDER BY project_id, user_id", add); err != nil {
			return err
		}
	}
	for _, c := range sorted(o.categories) {
		switch p := o.projects[c.project]; {
		case p == nil:
		case c.user == 0:
			p.shelves = append(p.shelves, c)
		default:
			p.filed = append(p.filed, c.user)
		}
	}
	if !o.has["memory_categories"]["project_id"] || !o.has["memories"]["category_id"] {
		return nil
	}
	return o.readParts(`SELECT DISTINCT c.project_id, m.user_id FROM memories m JOIN memory_categories c ON c.id = m.category_id
		WHERE c.user_id = 0 AND c.project_id IS NOT NULL`, func(p *olderProject, user int64) { p.writers = append(p.writers, user) })
}

// readParts reads pairs of a project and a user.
func (o *older) readParts(query string, add func(*olderProject, int64)) error {
	return o.each(query, nil, func(r *sql.Rows) error {
		var project, user int64
		if err := r.Scan(&project, &user); err != nil {
			return err
		}
		if p := o.projects[project]; p != nil {
			add(p, user)
		}
		return nil
	})
}

// part is what a user is in the project: at work there, and reading what it shares.
func (p *olderProject) part(user int64) (member, reader bool) {
	return slices.Contains(p.members, user) || slices.Contains(p.filed, user), slices.Contains(p.readers(), user)
}
