package view

import (
	"elowen/server/db"
	"elowen/server/projection"
	wire "elowen/shared/live"
)

// picture tells when the account's map is another one. Its points are too many to be
// sent again with each change; who looks at the map reads them again when this moves.
type picture struct{}

func (picture) Key() string { return "" }

func (picture) Touched(n projection.News) bool {
	return n.Of(db.NounMemory, db.NounUsage, db.NounRetention)
}

func (picture) Rows(at projection.At) (projection.Part, error) {
	head, err := at.Tx.Head(at.Owner)
	if err != nil {
		return projection.Part{}, err
	}
	return projection.Whole(projection.NewRow(0, wire.MapRow{Seq: head.Seq, Total: at.Stats().Active})), nil
}
