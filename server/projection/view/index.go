package view

import (
	"elowen/server/db"
	"elowen/server/projection"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// index is how far the account's memories are indexed for search by meaning.
type index struct {
	state func(tx *db.Tx, owner db.AccountID) (api.IndexState, error)
}

func (index) Key() string { return "" }

func (index) Touched(n projection.News) bool { return n.Of(db.NounMemory) }

// Moved is always true: a model that does not answer, or answers again, is in no log.
func (index) Moved(projection.At) (bool, error) { return true, nil }

func (v index) Rows(at projection.At) (projection.Part, error) {
	now, err := v.state(at.Tx, at.Owner)
	if err != nil {
		return projection.Part{}, err
	}
	count := at.Stats()
	now.Indexed, now.Total = count.Active-count.NotIndexed, count.Active
	return projection.Whole(projection.NewRow(0, wire.IndexRow{IndexState: now})), nil
}
