package transfer

import (
	"elowen/server/category"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// home is the category where an add would put a memory that names none; ok tells
// whether there is one. It is asked for anew with each chunk, since a person may
// change it meanwhile. An account that this import makes has one.
func (i *importing) home(tx *db.Tx, t *target) (id int64, ok bool, err error) {
	if t.owner != 0 {
		if id, ok, err = i.Categories.Default(tx, t.owner); err != nil {
			return 0, false, err
		}
	}
	if !ok && t.made {
		id, _, err = i.shelf(tx, t, api.CategoryAdd{Name: category.FirstName, Color: setting.Int("category.color"), Default: true})
		if err != nil {
			return 0, false, err
		}
		ok, t.home = true, category.FirstName
	}
	if ok && t.home == "" {
		names, err := i.Categories.Names(tx, t.owner)
		if err != nil {
			return 0, false, err
		}
		t.home = names[id]
	}
	return id, ok, nil
}

// noteFiled says how many went where their lines didn't send them.
func (i *importing) noteFiled() {
	n := i.report.Filed
	if n == 0 {
		return
	}
	where := "the default categories of their accounts"
	if len(i.accounts) == 1 {
		for _, t := range i.accounts {
			where = t.home + ", the default category"
		}
	}
	went := "went"
	if i.o.DryRun {
		went = "would go"
	}
	if n == 1 {
		i.note("One line names no category; its memory %s to %s.", went, where)
		return
	}
	i.note("%d lines name no category; their memories %s to %s.", n, went, where)
}
