package turn

import (
	"context"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/recall"
	"elowen/server/render"
	"elowen/shared/api"
)

// block is recall that is to come in.
type block struct {
	account db.AccountID // whose it is recalled for
	via     string       // journal.ViaStart or ViaWorking
	found   []recall.Recalled
	bytes   int  // that the whole framed block may take; 0: as much as there is
	bodies  int  // bytes of bodies that it may have, as they are now; 0: as many as there are
	whole   bool // come in only if nothing was delivered meanwhile
}

// came tells what became of a block.
type came struct {
	in      int  // memories that came in
	bytes   int  // of the block
	dropped int  // memories that were delivered by another way since they were found
	waits   bool // it was to come in whole, and can't
}

// attach puts a block behind the newest message, and counts what it shows, in one
// decision. Each memory is taken as it is now: one that was edited with its new body,
// one that is gone not at all. Where counting fails, that is logged, and the block comes
// in without.
func (t *turn) attach(ctx context.Context, b block) (out came, err error) {
	for _, counted := range []bool{true, false} {
		err = t.s.db.Update(ctx, func(tx *db.Tx) (err error) {
			out, err = t.place(tx, b, counted)
			return err
		})
		if err == nil || ctx.Err() != nil {
			return out, err
		}
		if counted {
			t.s.o.Log.Error("recalled memories could not be counted as used", "conversation", t.id, "error", err)
		}
	}
	return came{}, err
}

func (t *turn) place(tx *db.Tx, b block, counted bool) (out came, err error) {
	c, err := t.s.contexts.In(tx, t.owner, t.id)
	if err != nil {
		return out, err
	}
	anchor := c.Newest()
	if anchor == 0 || len(b.found) == 0 {
		return out, nil
	}
	ids, why := make([]int64, len(b.found)), map[int64]*journal.Why{}
	for i, m := range b.found {
		ids[i] = m.ID
		why[m.ID] = &journal.Why{Similarity: m.Similarity, Relevance: m.Relevance, Importance: m.Importance, Vitality: m.Vitality}
	}
	rows, err := t.s.o.Memories.Rows(tx, b.account, ids)
	if err != nil {
		return out, err
	}
	var list []render.Memory
	var deliveries []journal.Delivery
	bodies := 0
	for _, m := range rows {
		hash := audit.Hash(m.Body)
		switch {
		case m.Status != api.StatusActive:
		case c.Has(m.ID, hash):
			out.dropped++
		case b.bodies > 0 && bodies+len(m.Body) > b.bodies: // it has grown since it was found
		default:
			bodies += len(m.Body)
			list = append(list, render.Of(m))
			deliveries = append(deliveries, journal.Delivery{Memory: m.ID, BodyHash: hash, Why: why[m.ID]})
		}
	}
	if b.whole && out.dropped > 0 {
		out.waits = true
		return out, nil
	}
	text := render.Frame(list, tx.Now)
	for b.bytes > 0 && len(text) > b.bytes && len(list) > 0 {
		list, deliveries = list[:len(list)-1], deliveries[:len(deliveries)-1]
		text = render.Frame(list, tx.Now)
	}
	if len(list) == 0 {
		return out, nil
	}
	if _, err := journal.Append(tx, t.owner, t.id, c.Leaf, journal.Draft{Payload: &journal.TurnContext{Anchor: anchor, Block: text, Deliveries: deliveries, Via: b.via}}); err != nil {
		return out, err
	}
	out.in, out.bytes = len(list), len(text)
	if counted {
		err = t.count(tx, b.account, deliveries)
	}
	return out, err
}

// count counts what an entry of the same decision shows.
func (t *turn) count(tx *db.Tx, who db.AccountID, list []journal.Delivery) error {
	ids := make([]int64, len(list))
	for i, d := range list {
		ids[i] = d.Memory
	}
	_, err := t.s.o.Memories.Recalled(tx, who, ids)
	return err
}

// context is what stands in the conversation now.
func (t *turn) context(ctx context.Context) (c *delivery.Context, err error) {
	err = t.s.db.View(ctx, func(tx *db.Tx) error {
		c, err = t.s.contexts.In(tx, t.owner, t.id)
		return err
	})
	return c, err
}
