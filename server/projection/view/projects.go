package view

import (
	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/server/projection"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// projects are those that the account has a part in, by name; to an administrator all.
type projects struct {
	store *project.Store
	who   account.Identity
}

func (p projects) Key() string {
	if p.who.Can(api.ScopeAdmin) {
		return api.ScopeAdmin
	}
	return ""
}

// Touched also tells a change of the account: its role decides what it sees.
func (projects) Touched(n projection.News) bool { return n.Of(db.NounProject, db.NounAccount) }

func (p projects) Rows(at projection.At) (projection.Part, error) {
	who := p.who
	who.Owner = at.Owner
	list, err := p.store.ListIn(at.Tx, who)
	if err != nil {
		return projection.Part{}, err
	}
	rows := make([]projection.Row, len(list))
	for i, one := range list {
		rows[i] = projection.NewRow(one.ID, wire.ProjectRow{Project: one})
	}
	return projection.Whole(rows...), nil
}
