package projection

import (
	"context"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/api"
)

// Rank tells where a memory stands in the list of a query, with all that was
// committed before the call. Errors: fault.NotFound for a memory that is not the
// account's, fault.Unavailable for a query by meaning.
func (p *Projector) Rank(ctx context.Context, owner db.AccountID, q api.MemoryQuery, id int64) (api.Rank, error) {
	var out api.Rank
	if err := p.ask(embedding.For(ctx, owner), q.Normal()); err != nil {
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
		if m == nil {
			return errNoMemory
		}
		out.Rank, out.Total = -1, s.seq.length()
		if s.holds(m) {
			out.Rank = s.seq.rank(r.cat.rows, s.seq.placeOf(m), tx.Now)
		}
		return nil
	})
	return out, err
}
