package category

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// FirstName is the name of the category that a new account starts with.
const FirstName = "General"

// Add makes a category, for the account itself or for a pool that it may read: that
// only an administrator may, which is for the caller to know. Without a colour it takes the one that the account uses
// least, the lowest of several. Errors: Invalid, Taken for a name that is in use,
// NotFound for a project that the account has no part in.
func (s *Store) Add(ctx context.Context, owner db.AccountID, in api.CategoryAdd) (api.Category, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Category, error) {
		home, err := homeOf(tx, owner, in)
		if err != nil {
			return api.Category{}, err
		}
		id, err := insert(tx, home, in)
		if err != nil {
			return api.Category{}, err
		}
		c, err := s.get(tx, home, id)
		return c, mark(&c, home, owner, err)
	})
}

// homeOf is where a new category goes.
func homeOf(tx *db.Tx, owner db.AccountID, in api.CategoryAdd) (db.AccountID, error) {
	switch {
	case in.Shared && in.ProjectID == 0:
		return 0, fault.BadField("projectId", "required", "", "A shared category needs a project.")
	case in.Default && in.ProjectID != 0 && !in.Shared:
		return 0, errBoundDefault
	case in.Shared && in.Default:
		return 0, fault.BadField("default", "excluded", "shared", "A shared category is nobody's default.")
	case in.Shared:
		pool, err := project.Open(tx, owner, in.ProjectID)
		return pool.Owner, err
	case in.ProjectID != 0:
		_, err := project.Used(tx, owner, in.ProjectID)
		return owner, err
	}
	return owner, nil
}

// Patch changes what the patch names of one of the account's own categories, if the category still has the revision
// (0: whatever it has). Making it the default takes that from the one that was;
// not the default leaves the account without one. Errors: NotFound, Invalid,
// Taken, Stale with the category as it is.
func (s *Store) Patch(ctx context.Context, owner db.AccountID, id, ifRevision int64, in api.CategoryPatch) (api.Category, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Category, error) {
		if p := in.ProjectID; p.Value != nil {
			if _, err := project.Used(tx, owner, *p.Value); err != nil {
				return api.Category{}, err
			}
		}
		return s.patch(tx, owner, id, ifRevision, in)
	})
}

// PatchShared is Patch of a category of a pool that the account may read: only an
// administrator may, which is for the caller to know. It stays bound to its project,
// and is nobody's default.
func (s *Store) PatchShared(ctx context.Context, owner db.AccountID, id, ifRevision int64, in api.CategoryPatch) (api.Category, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Category, error) {
		home, err := SharedHome(tx, owner, id)
		if err != nil {
			return api.Category{}, err
		}
		if in.ProjectID.Set || in.Default != nil {
			return api.Category{}, fault.BadField("projectId", "excluded", "", "A shared category stays with its project, and is nobody's default.")
		}
		c, err := s.patch(tx, home, id, ifRevision, in)
		return c, mark(&c, home, owner, err)
	})
}

func (s *Store) patch(tx *db.Tx, owner db.AccountID, id, ifRevision int64, in api.CategoryPatch) (api.Category, error) {
	r, err := s.current(tx, owner, id, ifRevision)
	if err != nil {
		return api.Category{}, err
	}
	was := r
	if in.Name != nil {
		r.name = *in.Name
	}
	if in.Description != nil {
		r.description = *in.Description
	}
	if in.Color != nil {
		r.color = *in.Color
	}
	if in.Icon != nil {
		r.icon = *in.Icon
	}
	if p := in.ProjectID; p.Set {
		r.project = 0
		if p.Value != nil {
			r.project = *p.Value
		}
	}
	if err := r.settle(); err != nil {
		return api.Category{}, err
	}
	if err := placeable(tx, owner, &r, in.Default); err != nil {
		return api.Category{}, err
	}
	if r != was {
		if err := update(tx, owner, &r); err != nil {
			return api.Category{}, err
		}
	}
	if in.Default != nil {
		if err := setDefault(tx, owner, id, *in.Default); err != nil {
			return api.Category{}, err
		}
	}
	return s.get(tx, owner, id)
}

// placeable refuses a default that is bound to a project: what nobody filed would be
// recalled there only. on is what is asked for, nil for whatever it is.
func placeable(tx *db.Tx, owner db.AccountID, r *row, on *bool) error {
	if r.project == 0 || on != nil && !*on {
		return nil
	}
	now, ok, err := account.DefaultCategory(tx, owner)
	if err != nil || !(on != nil || ok && now == r.id) {
		return err
	}
	return errBoundDefault
}

var errBoundDefault = fault.BadField("projectId", "default", "", "The category where adds without one go belongs to no project.")

// current reads a category that a change was meant for.
func (s *Store) current(tx *db.Tx, owner db.AccountID, id, ifRevision int64) (row, error) {
	r, err := read(tx, owner, id)
	if err != nil || ifRevision == 0 || ifRevision == r.revision {
		return r, err
	}
	now, err := s.get(tx, owner, id)
	if err != nil {
		return r, err
	}
	return r, &fault.Error{Kind: fault.Stale, Detail: "The category was changed meanwhile. Nothing was changed; look at it as it is now.", Current: now}
}

// insert makes a category and, where asked, the default of it.
func insert(tx *db.Tx, owner db.AccountID, in api.CategoryAdd) (int64, error) {
	r := row{name: in.Name, description: in.Description, color: in.Color, icon: in.Icon, project: in.ProjectID}
	if r.color == 0 {
		var err error
		if r.color, err = leastUsed(tx, owner); err != nil {
			return 0, err
		}
	}
	if err := r.settle(); err != nil {
		return 0, err
	}
	id, err := tx.NewID(owner, "category")
	if err != nil {
		return 0, err
	}
	n, err := tx.Exec(`INSERT INTO category (id, owner_id, name, name_key, description, color, icon, project_id, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner_id, name_key) DO NOTHING`,
		id, int64(owner), r.name, r.key, r.description, r.color, r.icon, nullable(r.project), tx.Now, tx.Now)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errTaken(r.name)
	}
	tx.Emit(owner, db.NounCategory, id)
	if in.Default {
		err = setDefault(tx, owner, id, true)
	}
	return id, err
}

// nullable is a stored reference; 0 is NULL.
func nullable(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// update writes a changed row under the next revision.
func update(tx *db.Tx, owner db.AccountID, r *row) error {
	tx.Emit(owner, db.NounCategory, r.id)
	err := tx.Must(`UPDATE category SET revision = revision + 1, name = ?, name_key = ?, description = ?, color = ?, icon = ?, project_id = ?, updated_at = ?
		WHERE owner_id = ? AND id = ?`, r.name, r.key, r.description, r.color, r.icon, nullable(r.project), tx.Now, int64(owner), r.id)
	if fault.Is(err, fault.Taken) {
		return errTaken(r.name)
	}
	return err
}

// setDefault makes the category the account's default, or not, if that changes anything.
func setDefault(tx *db.Tx, owner db.AccountID, id int64, on bool) error {
	was, ok, err := account.DefaultCategory(tx, owner)
	if err != nil || (ok && was == id) == on {
		return err
	}
	tx.Emit(owner, db.NounCategory, id)
	if ok {
		tx.Emit(owner, db.NounCategory, was)
	}
	if !on {
		return account.SetDefaultCategory(tx, owner, nil)
	}
	return account.SetDefaultCategory(tx, owner, &id)
}

// leastUsed is the colour that the fewest of the account's categories have.
func leastUsed(tx *db.Tx, owner db.AccountID) (int, error) {
	bound := setting.Get("category.color")
	used := make([]int, int(bound.Max)+1)
	rows := tx.Query(`SELECT color FROM category WHERE owner_id = ?`, int64(owner))
	defer rows.Close()
	for rows.Next() {
		var c int
		if err := rows.Scan(&c); err != nil {
			return 0, err
		}
		if bound.Contains(float64(c)) {
			used[c]++
		}
	}
	least := int(bound.Min)
	for c := least; c < len(used); c++ {
		if used[c] < used[least] {
			least = c
		}
	}
	return least, rows.Err()
}
