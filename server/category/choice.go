package category

import (
	"elowen/server/db"
	"elowen/shared/fault"
)

// Choice is a category as those who sort are told of it. Two that are equal are the
// same category, with nothing changed that sorting goes by.
type Choice struct {
	ID          int64
	Name        string
	Description string
	Project     int64 // 0: bound to none
}

func (r *row) choice() Choice {
	return Choice{ID: r.id, Name: r.name, Description: r.description, Project: r.project}
}

// Choices are those of the owner's categories that a memory may be filed in that is in
// a project (0: in none), by name.
func Choices(tx *db.Tx, owner db.AccountID, in int64) ([]Choice, error) {
	rows, err := readAll(tx, owner)
	if err != nil {
		return nil, err
	}
	list := make([]Choice, 0, len(rows))
	for i := range rows {
		if r := &rows[i]; r.project == 0 || r.project == in {
			list = append(list, r.choice())
		}
	}
	return list, nil
}

// Still tells whether the owner's category is as it was.
func (c Choice) Still(tx *db.Tx, owner db.AccountID) (bool, error) {
	r, err := read(tx, owner, c.ID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && r.choice() == c, err
}

// Called finds the choice of a name, whatever its case; ok is false where there is none.
func Called(list []Choice, name string) (c Choice, ok bool) {
	key, err := nameKey(name)
	if err != nil {
		return c, false
	}
	for _, one := range list {
		if k, err := nameKey(one.Name); err == nil && k == key {
			return one, true
		}
	}
	return c, false
}
