package projection

import (
	"context"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// List is one page of the memories that a query names, in its order, with all
// that was committed before the call. An empty cursor begins; a limit of 0 is the
// default of list.limit.
//
// Errors: fault.Invalid for a cursor that is none of this list or a limit out of
// bounds, fault.Unavailable for a search by meaning where nothing is indexed.
func (p *Projector) List(ctx context.Context, owner db.AccountID, q api.MemoryQuery, after string, limit int) (api.Page[api.Memory], error) {
	page := api.Page[api.Memory]{Items: []api.Memory{}}
	q = q.Normal()
	if err := p.ask(embedding.For(ctx, owner), q); err != nil {
		return page, err
	}
	row := setting.Get("list.limit")
	if limit == 0 {
		limit = int(row.Default)
	}
	if !row.Contains(float64(limit)) {
		return page, fault.BadField("limit", "setting", row.Range(), row.Label+": "+row.Range())
	}
	print := fingerprint(owner, queryKey(q))
	var from cursor
	if after != "" {
		var err error
		if from, err = decodeCursor(after, print, q.Sort == api.SortVitality); err != nil {
			return page, err
		}
	}
	r := p.resident(owner)
	defer p.release(r)
	if err := r.gate.enter(ctx); err != nil {
		return page, err
	}
	inside := true
	leave := func() {
		if inside {
			inside = false
			p.settle(r)
			r.gate.leave()
		}
	}
	defer leave()
	err := p.c.DB.View(ctx, func(tx *db.Tx) error {
		ids, err := r.page(tx, q, after != "", from, limit, print, &page)
		leave() // the rows need the snapshot, not the catalogue
		if err != nil {
			return err
		}
		if page.Items, err = p.c.Memories.Rows(tx, owner, ids); page.Items == nil {
			page.Items = []api.Memory{}
		}
		return err
	})
	return page, err
}

// page finds the ids of a page. The gate is held.
func (r *resident) page(tx *db.Tx, q api.MemoryQuery, further bool, at cursor, limit int, print [8]byte, page *api.Page[api.Memory]) ([]int64, error) {
	if err := r.advance(tx); err != nil {
		return nil, err
	}
	s, err := r.selection(tx, q)
	if err != nil {
		return nil, err
	}
	rows := r.cat.rows
	from := 0
	asOf := tx.Now
	if further {
		if q.Sort == api.SortVitality {
			asOf = at.asOf
		}
		from = s.seq.rank(rows, at.place, asOf)
		// The row of the cursor itself was on the page before, if it is still there.
		if next := s.seq.part(rows, from, 1, asOf); len(next) == 1 && s.seq.placeOf(&rows[next[0]]) == at.place {
			from++
		}
	}
	slots := s.seq.part(rows, from, limit, asOf)
	ids := make([]int64, len(slots))
	for i, slot := range slots {
		ids[i] = rows[slot].ID
	}
	page.Total, page.AsOf = s.seq.length(), api.Time(tx.Now)
	if n := len(slots); n > 0 && from+n < s.seq.length() {
		c := cursor{place: s.seq.placeOf(&rows[slots[n-1]])}
		if q.Sort == api.SortVitality {
			c.asOf = asOf
		}
		page.NextCursor = c.encode(print)
	}
	return ids, nil
}

// Stats counts the account's memories, with all that was committed before the call.
func (p *Projector) Stats(ctx context.Context, owner db.AccountID) (api.MemoryStats, error) {
	var out api.MemoryStats
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
		out = r.cat.stats(tx.Now)
		return nil
	})
	return out, err
}

// ask makes the question of a list that is searched by meaning ready. It is called
// before anything is held. Errors: fault.Unavailable where it cannot be asked.
func (p *Projector) ask(ctx context.Context, q api.MemoryQuery) error {
	switch {
	case q.Match != api.MatchMeaning || q.Q == "":
		return nil
	case p.c.Meaning == nil:
		return fault.New(fault.Unavailable, "Nothing is indexed by meaning: no embedding model is set up. Search by words.")
	}
	return p.c.Meaning.Ask(ctx, q.Q)
}
