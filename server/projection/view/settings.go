package view

import (
	"elowen/server/db"
	"elowen/server/projection"
	"elowen/server/retention"
	wire "elowen/shared/live"
)

// settings is the retention policy, with what it does to the account's memories.
type settings struct{ store *retention.Store }

func (settings) Key() string { return "" }

func (settings) Touched(n projection.News) bool {
	return n.Of(db.NounRetention, db.NounMemory, db.NounUsage)
}

// Moved is always true: what is due, and what is left of the day's limit, move by
// themselves.
func (settings) Moved(projection.At) (bool, error) { return true, nil }

func (s settings) Rows(at projection.At) (projection.Part, error) {
	now, err := s.store.StatusIn(at.Tx, at.Owner)
	if err != nil {
		return projection.Part{}, err
	}
	return projection.Whole(projection.NewRow(0, wire.SettingsRow{Retention: now})), nil
}
