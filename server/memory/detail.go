package memory

import (
	"elowen/server/db"
	"elowen/server/markdown"
	"elowen/shared/api"
)

// What a memory's page shows of lists that may be longer.
const (
	detailEvents  = 20
	detailSimilar = 5
)

// Detail is all that a memory's page shows. days is the chart's (0: the default).
// Errors: NotFound, Invalid for days out of bounds.
func (s *Store) Detail(tx *db.Tx, owner db.AccountID, id int64, days int) (api.MemoryDetail, error) {
	var d api.MemoryDetail
	r, err := reach(tx, owner, id)
	if err != nil {
		return d, err
	}
	t, err := s.rules.Terms(tx)
	if err != nil {
		return d, err
	}
	if d.Memory, err = r.wire(t, tx.Now); err != nil {
		return d, err
	}
	d.Shape = markdown.Parse(r.body)
	if d.History, err = history(tx, db.AccountID(r.owner), &r, t, days); err != nil {
		return d, err
	}
	page, err := s.events(tx, owner, id, "", detailEvents)
	if err != nil {
		return d, err
	}
	d.Events, d.More = page.Items, page.NextCursor != ""
	d.Similar, err = s.alike(tx, db.AccountID(r.owner), r.body, id, detailSimilar)
	return d, err
}
