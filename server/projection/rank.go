package projection

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Rank tells where a memory stands in the list of a query, with all that was
// committed before the call. Errors: fault.NotFound for a memory that is not the
// account's or not in that list, fault.Unavailable for a query by meaning.
func (p *Projector) Rank(ctx context.Context, owner db.AccountID, q api.MemoryQuery, id int64) (api.Rank, error) {
	var out api.Rank
	if err := answerable(q); err != nil {
		return out, err
	}
	r := p.resident(owner)
	defer p.release(r)
	if err := r.gate.enter(ctx); err != nil {
		return out, err
	}
	defer r.gate.leave()
	defer p.settle(r)
	err := p.c.DB.View(ctx, func(tx *db.Tx) error {
		if err := r.advance(tx); err != nil {
			return err
		}
		s, err := r.selection(tx, q.Normal())
		if err != nil {
			return err
		}
		m := r.cat.get(id)
		if m == nil || !s.holds(m) {
			return fault.New(fault.NotFound, "This memory is not in that list.")
		}
		out.Rank, out.Total = s.seq.rank(r.cat.rows, s.seq.placeOf(m), tx.Now), s.seq.length()
		return nil
	})
	return out, err
}
