package view

import (
	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/projection"
	wire "elowen/shared/live"
)

// tokens are the account's own, the oldest first, with when each was last used.
type tokens struct{}

func (tokens) Key() string { return "" }

func (tokens) Touched(n projection.News) bool { return n.Of(db.NounToken, db.NounAccount) }

func (tokens) Rows(at projection.At) (projection.Part, error) {
	list, err := account.TokensIn(at.Tx, at.Owner)
	if err != nil {
		return projection.Part{}, err
	}
	rows := make([]projection.Row, len(list))
	for i, one := range list {
		rows[i] = projection.NewRow(one.ID, wire.TokenRow{Token: one})
	}
	return projection.Whole(rows...), nil
}
