// Package calibration measures how alike an account's own memories are to the embedding
// model in use, and proposes thresholds by that.
//
// # Concepts
//
// Cosines mean something else in each model. Two memories taken by chance have nothing
// to do with each other, mostly: how their cosines are spread shows where strangers are.
// The cosines of each memory with the one nearest to it show where distinct facts about
// one thing are, since hardly any account keeps the same fact often. So the threshold
// of a duplicate is where one memory in a hundred has a neighbour above it, that of a
// paraphrase where one in twenty has, and both are above all but one in a hundred
// strangers.
//
// # Tables
//
// None.
//
// # Invariants
//
// It reads one account's memories and changes nothing: whoever wants the proposal saves
// it with the settings. The same memories give the same figures.
//
// # What it does not do
//
// It asks no model: what has no fresh vector isn't compared.
package calibration

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/settings"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Store calibrates. It is safe for concurrent use.
type Store struct {
	db       *db.DB
	memories *memory.Store
}

// New makes the store over an open database.
func New(d *db.DB, memories *memory.Store) *Store { return &Store{d, memories} }

// pairsMost is how many pairs are taken by chance.
const pairsMost = 50_000

// enough is how many memories tell anything.
const enough = 50

// Shares of a spread, and what lies between a stranger and a paraphrase at least.
const (
	duplicateShare  = 0.99
	paraphraseShare = 0.95
	strangerShare   = 0.99
	apart           = 0.05
)

// Measure compares the account's newest memories. Where embeddings are off there is no
// model, and nothing to compare.
func (s *Store) Measure(ctx context.Context, owner db.AccountID) (api.Calibrated, error) {
	var out api.Calibrated
	var vectors [][]float32
	err := s.db.View(ctx, func(tx *db.Tx) error {
		now, err := embedding.Current(tx)
		if err != nil {
			return err
		}
		if !now.On() {
			return nil
		}
		p, err := embedding.ProfileOf(tx, now)
		if err != nil {
			return err
		}
		out.Model = now.Model
		if out.Current, err = current(tx, now, p); err != nil {
			return err
		}
		vectors, err = s.read(tx, owner, now, p)
		return err
	})
	if err != nil {
		return out, err
	}
	out.Memories = len(vectors)
	if len(vectors) < 2 {
		return out, nil
	}
	strangers := chance(vectors)
	near, err := nearest(ctx, vectors)
	if err != nil {
		return out, err
	}
	out.Pairs, out.Enough = len(strangers), len(vectors) >= enough
	out.Strangers, out.Nearest = spread(strangers), spread(near)
	if out.Enough {
		out.Proposed = propose(strangers, near)
	}
	return out, nil
}

// current is what holds now.
func current(tx *db.Tx, now embedding.Stored, p embedding.Profile) (api.Profile, error) {
	set, err := settings.ReadRuntime(tx, int64(now.ID))
	if err != nil {
		return api.Profile{}, err
	}
	or := func(v *int, profile float64) *int {
		if v == nil && profile > 0 {
			return api.Ptr(perMille(profile))
		}
		return v
	}
	return api.Profile{
		RelevanceFloor: or(set.RelevanceFloor, p.Floor), DuplicateThreshold: or(set.DuplicateThreshold, p.Thresholds.Duplicate),
		ParaphraseThreshold: or(set.ParaphraseThreshold, p.Thresholds.Paraphrase),
	}, nil
}

// read is the first vector of each of the account's newest memories that has a fresh
// one, with the mean taken off.
func (s *Store) read(tx *db.Tx, owner db.AccountID, now embedding.Stored, p embedding.Profile) ([][]float32, error) {
	bodies, err := s.memories.Bodies(tx, owner, 0, setting.Int("calibrate.memories"))
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(bodies))
	hashes := make(map[int64]string, len(bodies))
	for i, b := range bodies {
		ids[i], hashes[b.Memory] = b.Memory, b.Hash
	}
	var list [][]float32
	for v, err := range embedding.Vectors(tx, owner, now.ID, ids) {
		if err != nil {
			return nil, err
		}
		one := make([]float32, v.Width)
		if v.Part != 0 || !embedding.Fresh(embedding.Label{Space: now.ID, BodyHash: v.BodyHash, Width: v.Width}, now, hashes[v.Memory]) || !embedding.Decode(one, v.Raw) {
			continue
		}
		p.Passages.Centre(one)
		list = append(list, one)
	}
	return list, nil
}

// chance are the cosines of pairs by chance, ascending: of all pairs where those are
// few.
func chance(vectors [][]float32) []float64 {
	n := len(vectors)
	var list []float64
	if n*(n-1)/2 <= pairsMost {
		for i := range vectors {
			for j := range i {
				list = append(list, dot(vectors[i], vectors[j]))
			}
		}
	} else {
		r := rand.New(rand.NewPCG(1, uint64(n))) // the same for the same memories
		for len(list) < pairsMost {
			if i, j := r.IntN(n), r.IntN(n); i != j {
				list = append(list, dot(vectors[i], vectors[j]))
			}
		}
	}
	slices.Sort(list)
	return list
}

// nearest are the cosines of each with the one nearest to it, ascending.
func nearest(ctx context.Context, vectors [][]float32) ([]float64, error) {
	list := make([]float64, len(vectors))
	for i := range list {
		list[i] = -1
	}
	for i := range vectors {
		if ctx.Err() != nil {
			return nil, fault.Wrap(fault.Cancelled, ctx.Err(), "The calibration was broken off.")
		}
		for j := range i {
			x := dot(vectors[i], vectors[j])
			list[i], list[j] = max(list[i], x), max(list[j], x)
		}
	}
	slices.Sort(list)
	return list, nil
}

func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}

// at is the value below which a share of an ascending list is.
func at(list []float64, share float64) float64 {
	return list[min(int(math.Ceil(share*float64(len(list))))-1, len(list)-1)]
}

func perMille(v float64) int { return int(math.Round(v * 1000)) }

func spread(list []float64) api.CalibratedSpread {
	return api.CalibratedSpread{Low: perMille(at(list, 0.1)), Median: perMille(at(list, 0.5)), High: perMille(at(list, 0.9)), Most: perMille(at(list, 0.99))}
}

// propose is the thresholds that follow from two spreads, within their bounds.
func propose(strangers, near []float64) api.Profile {
	floor := at(strangers, strangerShare) + apart
	paraphrase := max(at(near, paraphraseShare), floor)
	duplicate := max(at(near, duplicateShare), paraphrase+apart)
	bound := func(key string, v float64) *int {
		return api.Ptr(int(setting.Get(key).Clamp(float64(perMille(v)))))
	}
	return api.Profile{
		DuplicateThreshold:  bound("runtime.duplicateThreshold", duplicate),
		ParaphraseThreshold: bound("runtime.paraphraseThreshold", paraphrase),
	}
}
