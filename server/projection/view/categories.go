package view

import (
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/projection"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// categories are the account's categories by name, with how many memories each has.
type categories struct {
	store *category.Store
	list  []api.Category // as last read; memories change nothing of them but the counts
	known bool           // the list still holds
}

func (*categories) Key() string { return "" }

func (c *categories) Touched(n projection.News) bool {
	if n.Of(db.NounCategory, db.NounProject, db.NounAccount) { // the account has the default
		c.known = false
		return true
	}
	return n.Of(db.NounMemory)
}

func (c *categories) Rows(at projection.At) (projection.Part, error) {
	if !c.known {
		list, err := c.store.Visible(at.Tx, at.Owner)
		if err != nil {
			return projection.Part{}, err
		}
		c.list, c.known = list, true
	}
	rows := make([]projection.Row, len(c.list))
	for i, one := range c.list {
		one.Count = at.InCategory(one.ID)
		rows[i] = projection.NewRow(one.ID, wire.CategoryRow{Category: one})
	}
	return projection.Whole(rows...), nil
}
