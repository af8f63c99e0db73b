package project

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Options are the parts of a Store that come from elsewhere.
type Options struct {
	// Resolve makes an absolute path real where it is on this machine: Canonical.
	// Nil leaves every path as it was given.
	Resolve func(string) (string, error)
	// Erase removes a pool with all that it owns. It refuses one that holds memories.
	// Nil knows of none.
	Erase func(tx *db.Tx, pool db.AccountID) error
}

// Store is the projects of an instance. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	options Options
}

// New makes the store over an open database, and has changes of pools told to their
// readers.
func New(d *db.DB, o Options) *Store {
	d.SetAudience(Audience)
	return &Store{db: d, options: o}
}

// row is a project as stored, without its lists.
type row struct {
	id, revision             int64
	slug, name, description  string
	sharing                  int
	pool                     int64 // 0: none yet
	createdAt, changed       int64
	roots, aliases           []string
	member, readable, listed bool // of the one who looks; listed: they may see it
}

const columns = `id, revision, slug, name, description, sharing, COALESCE(pool_id, 0), created_at, updated_at`

func (r *row) dest() []any {
	return []any{&r.id, &r.revision, &r.slug, &r.name, &r.description, &r.sharing, &r.pool, &r.createdAt, &r.changed}
}

func (r *row) wire() api.Project {
	p := api.Project{
		ID: r.id, Revision: r.revision, Slug: r.slug, Name: r.name, Description: r.description, Roots: r.roots, Aliases: r.aliases,
		Sharing: r.sharing == 1, Member: r.member, Pool: r.readable, CreatedAt: api.Time(r.createdAt), UpdatedAt: api.Time(r.changed),
	}
	if p.Roots == nil {
		p.Roots = []string{}
	}
	if p.Aliases == nil {
		p.Aliases = []string{}
	}
	return p
}

// read is one project whoever looks, else fault.NotFound.
func read(tx *db.Tx, id int64) (row, error) {
	var r row
	err := tx.Row(`SELECT `+columns+` FROM project WHERE id = ?`, []any{id}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		err = errNone
	}
	return r, err
}

// List lists the projects that who has a part in, by name; to an administrator all.
func (s *Store) List(ctx context.Context, who account.Identity) ([]api.Project, error) {
	var list []api.Project
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		list, err = s.ListIn(tx, who)
		return err
	})
	return list, err
}

// ListIn is List inside a transaction.
func (s *Store) ListIn(tx *db.Tx, who account.Identity) ([]api.Project, error) {
	query, args := `SELECT `+columns+` FROM project WHERE id IN (`+mine+`) ORDER BY name, id`, []any{int64(who.Owner), int64(who.Owner)}
	if who.Can(api.ScopeAdmin) {
		query, args = `SELECT `+columns+` FROM project ORDER BY name, id`, nil
	}
	rows := tx.Query(query, args...)
	defer rows.Close()
	var found []*row
	for rows.Next() {
		r := new(row)
		if err := rows.Scan(r.dest()...); err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	rows.Close()
	if err := complete(tx, who.Owner, found); err != nil {
		return nil, err
	}
	list := make([]api.Project, len(found))
	for i, r := range found {
		list[i] = r.wire()
	}
	return list, nil
}

// complete reads what belongs to rows: their lists, and what who is in them.
func complete(tx *db.Tx, who db.AccountID, list []*row) error {
	by := make(map[int64]*row, len(list))
	for _, r := range list {
		by[r.id] = r
	}
	for _, q := range []struct {
		query string
		args  []any
		add   func(*row, string)
	}{
		{`SELECT project_id, path FROM project_root ORDER BY path`, nil, func(r *row, v string) { r.roots = append(r.roots, v) }},
		{`SELECT project_id, alias FROM project_alias ORDER BY alias`, nil, func(r *row, v string) { r.aliases = append(r.aliases, v) }},
		{`SELECT project_id, '' FROM project_member WHERE account_id = ?`, []any{int64(who)}, func(r *row, _ string) { r.member = true }},
		{`SELECT g.project_id, '' FROM project p JOIN ` + grants + ` g ON g.project_id = p.id WHERE p.sharing = 1 AND g.account_id = ?`, []any{int64(who)},
			func(r *row, _ string) { r.readable = true }},
	} {
		rows := tx.Query(q.query, q.args...)
		err := rows.Each(func() error {
			var id int64
			var value string
			if err := rows.Scan(&id, &value); err != nil {
				return err
			}
			if r := by[id]; r != nil {
				q.add(r, value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, r := range list {
		r.listed = r.member || r.readable
	}
	return nil
}

// Get is a project that who has a part in, or any to an administrator; else
// fault.NotFound.
func (s *Store) Get(ctx context.Context, who account.Identity, id int64) (api.Project, error) {
	var p api.Project
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		p, err = get(tx, who, id)
		return err
	})
	return p, err
}

func get(tx *db.Tx, who account.Identity, id int64) (api.Project, error) {
	r, err := read(tx, id)
	if err == nil {
		err = complete(tx, who.Owner, []*row{&r})
	}
	if err != nil {
		return api.Project{}, err
	}
	if !r.listed && !who.Can(api.ScopeAdmin) {
		return api.Project{}, errNone
	}
	return r.wire(), nil
}

// Choose is the function of that name in a transaction of its own.
func (s *Store) Choose(ctx context.Context, who db.AccountID, selected int64, path string) (id int64, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		id, err = Choose(tx, who, selected, path)
		return err
	})
	return id, err
}

// Members lists who works in a project and who is named for its pool. Errors:
// NotFound as in Get.
func (s *Store) Members(ctx context.Context, who account.Identity, id int64) (api.ProjectMembers, error) {
	var out api.ProjectMembers
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		out, err = s.members(tx, who, id)
		return err
	})
	return out, err
}

func (s *Store) members(tx *db.Tx, who account.Identity, id int64) (api.ProjectMembers, error) {
	p, err := get(tx, who, id)
	if err != nil {
		return api.ProjectMembers{}, err
	}
	out := api.ProjectMembers{Revision: p.Revision, Items: []api.ProjectMember{}}
	working, err := db.IDs[db.AccountID](tx.Query(`SELECT account_id FROM project_member WHERE project_id = ?`, id))
	if err != nil {
		return out, err
	}
	named, err := db.IDs[db.AccountID](tx.Query(`SELECT account_id FROM project_pool_member WHERE project_id = ?`, id))
	if err != nil {
		return out, err
	}
	is := map[db.AccountID]*api.ProjectMember{}
	of := func(a db.AccountID) *api.ProjectMember {
		if is[a] == nil {
			is[a] = &api.ProjectMember{}
		}
		return is[a]
	}
	for _, a := range working {
		of(a).Member = true
	}
	for _, a := range named {
		of(a).Named = true
	}
	names, err := account.NamesOf(tx, append(working, named...))
	if err != nil {
		return out, err
	}
	for a, m := range is {
		m.Name, m.DisplayName = names[a].Name, names[a].DisplayName
		out.Items = append(out.Items, *m)
	}
	sortMembers(out.Items)
	return out, nil
}
