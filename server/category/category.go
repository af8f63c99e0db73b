package category

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Counts tells how many active memories are in each of the given categories of
// an account; one that is missing has none.
type Counts func(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]int, error)

// Store is the categories of an instance. It is safe for concurrent use.
type Store struct {
	db     *db.DB
	counts Counts
}

// New makes the store over an open database. Without counts (nil) every category
// is served as empty.
func New(d *db.DB, counts Counts) *Store { return &Store{db: d, counts: counts} }

// row is a category as stored.
type row struct {
	id, revision       int64
	name, key          string
	description, icon  string
	color              int
	project            int64 // 0: bound to none
	owner              int64 // of rows that were read
	createdAt, changed int64
}

const columns = `id, revision, name, name_key, description, color, icon, COALESCE(project_id, 0), created_at, updated_at, owner_id`

func (r *row) dest() []any {
	return []any{&r.id, &r.revision, &r.name, &r.key, &r.description, &r.color, &r.icon, &r.project, &r.createdAt, &r.changed, &r.owner}
}

func (r *row) wire(defaultID int64, count int) api.Category {
	c := api.Category{
		ID: r.id, Revision: r.revision, Name: r.name, Description: r.description, Color: r.color, Icon: r.icon,
		Default: r.id == defaultID, Count: count, CreatedAt: api.Time(r.createdAt), UpdatedAt: api.Time(r.changed),
	}
	if r.project != 0 {
		c.ProjectID = api.Ptr(r.project)
	}
	return c
}

var errNone = fault.New(fault.NotFound, "There is no such category.")

// read is one category of the account, else fault.NotFound.
func read(tx *db.Tx, owner db.AccountID, id int64) (row, error) {
	var r row
	err := tx.Row(`SELECT `+columns+` FROM category WHERE owner_id = ? AND id = ?`, []any{int64(owner), id}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		return r, errNone
	}
	return r, err
}

// rows are all categories of the account, by name.
func readAll(tx *db.Tx, owner db.AccountID) ([]row, error) {
	rows := tx.Query(`SELECT `+columns+` FROM category WHERE owner_id = ? ORDER BY name_key`, int64(owner))
	return db.List(rows, (*row).dest)
}

// List lists the categories that the account sees, by name: its own, and those of the
// pools that it may read.
func (s *Store) List(ctx context.Context, owner db.AccountID) ([]api.Category, error) {
	var list []api.Category
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		list, err = s.Visible(tx, owner)
		return err
	})
	return list, err
}

// ListIn lists the account's own categories by name.
func (s *Store) ListIn(tx *db.Tx, owner db.AccountID) ([]api.Category, error) {
	rows, err := readAll(tx, owner)
	if err != nil {
		return nil, err
	}
	return s.wire(tx, owner, rows)
}

// Get is one of the categories that the account sees, else fault.NotFound.
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (api.Category, error) {
	var c api.Category
	err := s.db.View(ctx, func(tx *db.Tx) error {
		home, err := Home(tx, owner, id)
		if err == nil {
			c, err = s.get(tx, home, id)
		}
		return mark(&c, home, owner, err)
	})
	return c, err
}

// mark says of a category whether it is one of a pool's.
func mark(c *api.Category, home, owner db.AccountID, err error) error {
	c.Shared = err == nil && home != owner
	return err
}

func (s *Store) get(tx *db.Tx, owner db.AccountID, id int64) (api.Category, error) {
	r, err := read(tx, owner, id)
	if err != nil {
		return api.Category{}, err
	}
	list, err := s.wire(tx, owner, []row{r})
	if err != nil {
		return api.Category{}, err
	}
	return list[0], nil
}

// wire renders rows with what is not in them: the default and the counts.
func (s *Store) wire(tx *db.Tx, owner db.AccountID, rows []row) ([]api.Category, error) {
	list := make([]api.Category, 0, len(rows))
	if len(rows) == 0 {
		return list, nil
	}
	defaultID, _, err := account.DefaultCategory(tx, owner)
	if err != nil {
		return nil, err
	}
	var counts map[int64]int
	if s.counts != nil {
		ids := make([]int64, len(rows))
		for i := range rows {
			ids[i] = rows[i].id
		}
		if counts, err = s.counts(tx, owner, ids); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		list = append(list, rows[i].wire(defaultID, counts[rows[i].id]))
	}
	return list, nil
}
