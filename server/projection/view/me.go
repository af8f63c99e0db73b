package view

import (
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/projection"
	wire "elowen/shared/live"
)

// me is the account itself, and what this session or token may do.
type me struct {
	accounts *account.Store
	who      account.Identity
}

func (m me) Key() string { return strings.Join(m.who.Scopes, " ") }

func (me) Touched(n projection.News) bool { return n.Of(db.NounAccount) }

func (m me) Rows(at projection.At) (projection.Part, error) {
	who := m.who
	who.Owner = at.Owner
	shown, err := m.accounts.MeIn(at.Tx, who)
	if err != nil {
		return projection.Part{}, err
	}
	return projection.Whole(projection.NewRow(shown.ID, wire.MeRow{Me: shown})), nil
}
