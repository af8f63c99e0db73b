package view

import (
	"elowen/server/db"
	"elowen/server/job"
	"elowen/server/projection"
	wire "elowen/shared/live"
)

// maintenance are the account's maintenance jobs and receipts, the newest first.
type maintenance struct{ store *job.Store }

func (maintenance) Key() string { return "" }

func (maintenance) Touched(n projection.News) bool { return n.Of(db.NounJob) }

// Moved is always true: a receipt goes when its time is over.
func (maintenance) Moved(projection.At) (bool, error) { return true, nil }

func (m maintenance) Rows(at projection.At) (projection.Part, error) {
	list, err := m.store.ListIn(at.Tx, at.Owner)
	if err != nil {
		return projection.Part{}, err
	}
	rows := make([]projection.Row, len(list))
	for i, one := range list {
		rows[i] = projection.NewRow(one.ID, wire.MaintenanceRow{Maintenance: one})
	}
	return projection.Whole(rows...), nil
}
