package categorizer

import (
	"context"
	"sync"

	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/shared/api"
)

// The built-in embedding decides only where it is sure. Tried on the notes of this
// package's test: with the means taken off, the nearest category is nearly always the
// right one where there is one, at 0.05 to 0.35, and what belongs to none comes near to
// all of them alike: within 0.02.
const (
	least   = 0.12 // the likeness of the nearest category
	margin  = 0.08 // by which it is nearer than the next, or than nothing at all
	members = 30   // the newest of a category's that a memory is compared with
	best    = 3    // the nearest members that count
)

// nearest keeps vectors of the descriptions of categories.
type nearest struct {
	mu    sync.Mutex
	space embedding.SpaceID
	known map[category.Choice][]float32
}

// ready tells whether a snapshot is of a built-in model whose cosines can be read.
func (n *nearest) ready(s *embedding.Snapshot) bool {
	return s.Ready() && s.Kind == api.ProviderLocal && len(s.Profile.Passages.All) > 0
}

// describe is the vectors of what categories are, with the mean taken off; nil for one
// that couldn't be embedded.
func (n *nearest) describe(ctx context.Context, s *embedding.Snapshot, list []category.Choice) (map[category.Choice][]float32, error) {
	n.mu.Lock()
	if n.space != s.ID || len(n.known) > 4096 {
		n.space, n.known = s.ID, map[category.Choice][]float32{}
	}
	found := make(map[category.Choice][]float32, len(list))
	var missing []category.Choice
	var texts []string
	for _, one := range list {
		if v, ok := n.known[one]; ok {
			found[one] = v
			continue
		}
		missing = append(missing, one)
		text := one.Name
		if one.Description != "" {
			text += ": " + one.Description
		}
		texts = append(texts, text)
	}
	n.mu.Unlock()
	for from := 0; from < len(texts); {
		to := s.Embedder.Limits().Take(texts, from)
		results, err := s.Embedder.Embed(ctx, texts[from:to], embedding.Passage)
		if err != nil {
			return nil, err
		}
		for i, r := range results {
			if r.Err == nil && len(r.Vectors) > 0 {
				v := r.Vectors[0]
				s.Profile.Passages.Centre(v)
				found[missing[from+i]] = v
			}
		}
		from = to
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.space == s.ID {
		for _, one := range missing {
			n.known[one] = found[one]
		}
	}
	return found, nil
}

// byMeaning decides by the built-in embedding.
func (c *Categorizer) byMeaning(ctx context.Context, q question) (decision, error) {
	s := c.o.Service.Snapshot()
	if !c.nearest.ready(s) {
		return decision{later: true}, nil
	}
	own := map[int64][][]float32{} // vectors by memory
	in := map[int64][]int64{}      // the members that are compared, by category
	err := c.o.DB.View(ctx, func(tx *db.Tx) error {
		ids := []int64{q.filing.ID}
		for _, one := range q.choices {
			list, err := c.o.Memories.Members(tx, q.owner, one.ID, members+1)
			if err != nil {
				return err
			}
			for _, id := range list {
				if id != q.filing.ID && len(in[one.ID]) < members {
					in[one.ID] = append(in[one.ID], id)
					ids = append(ids, id)
				}
			}
		}
		return readVectors(tx, c.o.Memories, q.owner, s, ids, own)
	})
	if err != nil {
		return decision{}, err
	}
	if len(own[q.filing.ID]) == 0 {
		return decision{later: true}, nil // it has no vector yet
	}
	descriptions, err := c.nearest.describe(embedding.For(ctx, q.owner), s, q.choices)
	if err != nil {
		return decision{}, err
	}
	var first, second float64
	var to category.Choice
	for _, one := range q.choices {
		if one.Description == "" {
			continue // a name alone doesn't say what belongs there, and what is there says less
		}
		score := likeness(own[q.filing.ID], descriptions[one], in[one.ID], own)
		if score > first {
			first, second, to = score, first, one
		} else if score > second {
			second = score
		}
	}
	d := decision{by: audit.Actor{Name: audit.ActorDaemon, Model: s.Model}, why: "nearest in meaning, by the built-in embedding"}
	if first >= least && first-second >= margin {
		d.to = to
	}
	return d, nil
}

// readVectors reads the fresh vectors of memories, with the mean taken off.
func readVectors(tx *db.Tx, memories *memory.Store, owner db.AccountID, s *embedding.Snapshot, ids []int64, into map[int64][][]float32) error {
	now, err := embedding.Current(tx)
	if err != nil || now.ID != s.ID {
		return err
	}
	bodies, err := memories.BodiesOf(tx, owner, ids)
	if err != nil {
		return err
	}
	hashes := make(map[int64]string, len(bodies))
	for _, b := range bodies {
		hashes[b.Memory] = b.Hash
	}
	for v, err := range embedding.Vectors(tx, owner, now.ID, ids) {
		if err != nil {
			return err
		}
		one := make([]float32, v.Width)
		if !embedding.Fresh(embedding.Label{Space: now.ID, BodyHash: v.BodyHash, Width: v.Width}, now, hashes[v.Memory]) || !embedding.Decode(one, v.Raw) {
			continue
		}
		s.Profile.Passages.Centre(one)
		into[v.Memory] = append(into[v.Memory], one)
	}
	return nil
}

// likeness is how near a memory is to a category: half by its description and half by
// those of its members that are nearest, or by the one of the two that there is.
func likeness(of [][]float32, description []float32, list []int64, vectors map[int64][][]float32) float64 {
	var top [best]float64
	count := 0
	for _, id := range list {
		if len(vectors[id]) == 0 {
			continue
		}
		x := -1.0
		for _, a := range of {
			for _, b := range vectors[id] {
				x = max(x, dot(a, b))
			}
		}
		count++
		for i := range top {
			if x > top[i] {
				x, top[i] = top[i], x
			}
		}
	}
	mean := 0.0
	for _, x := range top {
		mean += x / best
	}
	if description == nil {
		if count < best {
			return 0
		}
		return mean
	}
	said := -1.0
	for _, a := range of {
		said = max(said, dot(a, description))
	}
	if count < best {
		return said
	}
	return (said + mean) / 2
}

func dot(a, b []float32) (sum float64) {
	if len(a) != len(b) {
		return 0
	}
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
