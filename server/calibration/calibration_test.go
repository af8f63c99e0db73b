package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
)

var ctx = context.Background()

type rules struct{}

func (rules) Terms(*db.Tx) (memory.Terms, error) {
	return memory.Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: dbtest.Start + 1}, nil
}

// unit is a vector of length 1 near a middle.
func unit(r *rand.Rand, middle []float32, width float64) []float32 {
	v := make([]float32, len(middle))
	sum := 0.0
	for i := range v {
		v[i] = middle[i] + float32(width*r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// Ten subjects of eight facts each: facts of one subject are like each other, but none
// is another's wording. The thresholds lie above them, and far above strangers.
func TestMeasure(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		memories := memory.New(d, category.New(d, nil), rules{})
		s := New(d, memories)
		owners := map[string]db.AccountID{}
		if err := d.Update(ctx, func(tx *db.Tx) error {
			for _, name := range []string{"ann", "bob"} {
				id, err := account.InsertLocked(tx, name, "", api.RoleMember, 0)
				if err != nil {
					return err
				}
				owners[name] = id
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		measure := func(name string) api.Calibrated {
			t.Helper()
			out, err := s.Measure(ctx, owners[name])
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if out := measure("ann"); out.Model != "" || out.Enough {
			t.Errorf("embeddings are off: %+v", out)
		}
		r := rand.New(rand.NewPCG(1, 2))
		bodies := map[int64]string{}
		for i := range 80 {
			m, err := memories.Add(ctx, owners["ann"], audit.Actor{Name: "user:1"}, api.SourceUser, api.MemoryAdd{Body: fmt.Sprint("fact ", i)})
			if err != nil {
				t.Fatal(err)
			}
			bodies[m.ID] = m.Body
		}
		if err := d.Update(ctx, func(tx *db.Tx) error {
			now, _, err := embedding.Activate(tx, embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://h", Model: "m"})
			if err != nil {
				return err
			}
			list, err := memories.Bodies(tx, owners["ann"], 0, 100)
			if err != nil {
				return err
			}
			var middle []float32
			var items []embedding.Item
			for i, b := range list {
				if i%8 == 0 {
					middle = unit(r, make([]float32, 64), 1)
				}
				items = append(items, embedding.Item{Memory: b.Memory, BodyHash: b.Hash, Script: "Latn", Vectors: [][]float32{unit(r, middle, 0.1)}})
			}
			_, err = embedding.Put(tx, owners["ann"], now.ID, items)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		out := measure("ann")
		if out.Model != "m" || out.Memories != 80 || out.Pairs != 80*79/2 || !out.Enough {
			t.Fatalf("%+v", out)
		}
		p := out.Proposed
		if out.Strangers.Median > 100 || out.Nearest.Median < 600 || p.DuplicateThreshold == nil || p.ParaphraseThreshold == nil || p.RelevanceFloor != nil {
			t.Fatalf("%+v", out)
		}
		if *p.DuplicateThreshold < out.Nearest.Most || *p.ParaphraseThreshold <= out.Nearest.Median || *p.ParaphraseThreshold > *p.DuplicateThreshold || *p.DuplicateThreshold > 980 {
			t.Errorf("%d and %d of %+v", *p.DuplicateThreshold, *p.ParaphraseThreshold, out.Nearest)
		}
		if again := measure("ann"); again.Strangers != out.Strangers || *again.Proposed.DuplicateThreshold != *p.DuplicateThreshold {
			t.Error("other figures for the same memories")
		}
		if out := measure("bob"); out.Memories != 0 || out.Enough {
			t.Errorf("of another account: %+v", out)
		}
	})
}
