package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/server/words"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// withHundred opens the dataset to read it.
func (b *bench) withHundred(ctx context.Context, fn func(s *store, n int) error) error {
	d, err := b.hundred(ctx)
	if err != nil {
		return err
	}
	s, err := openStore(ctx, d.dir)
	if err != nil {
		return err
	}
	defer s.close()
	return fn(s, d.size)
}

// peerOf is a peer with the texts of the dataset, given to fn.
func (b *bench) peerOf(ctx context.Context, n int, fn func(*peer) error) error {
	p, err := b.openPeer(ctx, 1)
	if err != nil {
		return err
	}
	defer p.close()
	bodies := make([]string, n)
	for i, c := 0, newCorpus(1); i < n; i++ {
		bodies[i] = c.carried(time.Now().UnixMilli()).Body
	}
	if err := p.fill(ctx, bodies); err != nil {
		return err
	}
	return fn(p)
}

// listLine is one page of a list and a window that jumps to a rank, in the order
// that time moves most, by vitality.
func listLine(ctx context.Context, b *bench) ([]figure, error) {
	var page, jump, first, theirs sample
	var size int
	err := b.withHundred(ctx, func(s *store, n int) (err error) {
		size = n
		q := api.MemoryQuery{Sort: api.SortVitality, Order: "desc"}
		first, err = b.repeat(ctx, func() (float64, error) {
			p, done := s.projector()
			defer done()
			began := cpu()
			_, err := p.List(ctx, s.owner, q, "", 50)
			return millis(cpu() - began), err
		})
		if err != nil {
			return err
		}
		p, done := s.projector()
		defer done()
		page, err = b.repeat(ctx, func() (float64, error) {
			return perCPU(50, func() error {
				got, err := p.List(ctx, s.owner, q, "", 50)
				if err == nil && (got.Total != n || len(got.Items) != min(50, n)) {
					err = fmt.Errorf("a page has %d of %d rows", len(got.Items), got.Total)
				}
				return err
			})
		})
		if err != nil {
			return err
		}
		v := p.Open(account.Identity{Owner: s.owner, Scopes: []string{api.ScopeRead}}, func() {})
		defer v.Close()
		rank := 0
		jump, err = b.repeat(ctx, func() (float64, error) {
			return perCPU(50, func() error {
				rank = (rank + n*7/11) % (n - 60) // far from the one before
				err := v.Subscribe(ctx, wire.Request{Type: wire.TypeSubscribe, ID: "w", View: wire.ViewMemories, Query: q, From: rank, Limit: 60})
				if err != nil {
					return err
				}
				if _, ok := v.Next(nil); !ok {
					return errors.New("a window has no snapshot")
				}
				return nil
			})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	err = b.peerOf(ctx, size, func(p *peer) (err error) {
		theirs, err = b.repeat(ctx, func() (float64, error) {
			return perCPU(20, func() error { return p.page(ctx, size/2, 60) })
		})
		return err
	})
	return []figure{
		of("first page of 50 by vitality, everything to be read", "ms CPU", first),
		of("page of 50 by vitality", "ms CPU", page),
		of("live window of 60 at a far rank, by vitality", "ms CPU", jump).against("SQL, LIMIT 60 OFFSET half, by date", theirs),
	}, err
}

// searchLine is keyword search as a recall uses it: the best ten with their rows.
func searchLine(ctx context.Context, b *bench) ([]figure, error) {
	var ours, typed, theirs sample
	var size, found int
	err := b.withHundred(ctx, func(s *store, n int) (err error) {
		size = n
		ours, err = b.repeat(ctx, func() (float64, error) {
			return perCPU(30, func() error {
				return s.db.View(ctx, func(tx *db.Tx) error {
					hits, _, err := s.memories.Search(tx, s.owner, question, false)
					if err != nil {
						return err
					}
					found = len(hits)
					hits = words.Top(hits, 10)
					ids := make([]int64, len(hits))
					for i, h := range hits {
						ids[i] = h.ID
					}
					rows, err := s.memories.Rows(tx, s.owner, ids)
					if err == nil && len(rows) == 0 {
						err = fmt.Errorf("nothing found for %q", question)
					}
					return err
				})
			})
		})
		if err != nil {
			return err
		}
		// In the list every hit has its rank, and the last word may only have begun.
		p, done := s.projector()
		defer done()
		i := 0
		typed, err = b.repeat(ctx, func() (float64, error) {
			return perCPU(32, func() error {
				i++ // no text twice: an answer may be kept for a moment
				second := common[i/40%len(common)]
				q := common[i%40] + " " + second[:min(len(second), 3)]
				_, err := p.List(ctx, s.owner, api.MemoryQuery{Q: q}, "", 50)
				return err
			})
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	err = b.peerOf(ctx, size, func(p *peer) (err error) {
		theirs, err = b.repeat(ctx, func() (float64, error) {
			return perCPU(10, func() error { return p.search(ctx, question, 10) })
		})
		return err
	})
	return []figure{
		of("keyword search, five common words, best 10", "ms CPU", ours).to(below(10)).against("FTS5, OR, by rank", theirs).
			noted("%s memories have one of the words", short(float64(found))),
		of("search as one types, ranked list, page of 50", "ms CPU", typed),
	}, err
}

// historyLine is the curve of a memory that was recalled very often.
func historyLine(ctx context.Context, b *bench) ([]figure, error) {
	s, err := b.freshStore(ctx, "history")
	if err != nil {
		return nil, err
	}
	defer s.drop()
	n := b.size(5_000, 50)
	now := s.db.Now()
	c := memory.Carried{Body: "A memory that is recalled all day.", Importance: 5, Confidence: 0.8, CreatedAt: now - 40*vitality.DayMillis, UseCount: int64(n)}
	for i := range n {
		at := now - 30*vitality.DayMillis + int64(i)*30*vitality.DayMillis/int64(n)
		c.Uses = append(c.Uses, api.Use{At: api.Time(at), Kind: api.UseRecall})
		c.LastUsedAt = at
	}
	if err := s.insert(ctx, []memory.Carried{c}); err != nil {
		return nil, err
	}
	var id int64
	p, done := s.projector()
	page, err := p.List(ctx, s.owner, api.MemoryQuery{}, "", 1)
	done()
	if err != nil {
		return nil, err
	}
	id = page.Items[0].ID
	points := 0
	got, err := b.repeat(ctx, func() (float64, error) {
		return perCPU(50, func() error {
			h, err := s.memories.History(ctx, s.owner, id, 0)
			if points = len(h.Points); err == nil && len(h.Recalls) == 0 {
				err = errors.New("the history shows no recall")
			}
			return err
		})
	})
	return []figure{of("history with "+short(float64(n))+" recalls in 30 days", "ms CPU", got).to(below(3)).noted("%d points", points)}, err
}
