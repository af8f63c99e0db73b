package projection

import (
	"elowen/server/account"
	"elowen/server/db"
	wire "elowen/shared/live"
)

// statsView is the counts of an account's memories.
type statsView struct{}

func newStats(account.Identity, wire.Request) (View, error) { return statsView{}, nil }

func (statsView) Key() string { return "" }

func (statsView) Touched(n News) bool {
	return n.Of(db.NounMemory, db.NounUsage, db.NounRetention)
}

// Moved is always true: what is due grows with the clock, and counting it is cheap.
func (statsView) Moved(At) (bool, error) { return true, nil }

func (statsView) Rows(at At) (Part, error) {
	s := at.Stats()
	shown := Row{JSON: marshal(wire.StatsRow{Stats: s})}
	s.AsOf = 0
	shown.Essence = marshal(s)
	return Whole(shown), nil
}
