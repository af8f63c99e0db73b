package projection

import (
	"testing"

	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/server/words"
	"elowen/shared/api"
)

// crowd is a catalogue of n memories of all levels and ages.
func crowd(b *testing.B, n int) *catalogue {
	c := &catalogue{slots: map[int64]int32{}, tally: newTally(), terms: memory.Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: testNow}}
	for i := range n {
		age := int64(i) * 7_919_003 % (300 * vitality.DayMillis)
		m := brief{ID: int64(i + 1), Kind: "fact", Importance: int8(1 + i%10), CreatedAt: testNow - age, UpdatedAt: testNow - age/2}
		var err error
		if m.OrderKey, err = vitality.OrderKey(m.Vital(), c.terms.Policy); err != nil {
			b.Fatal(err)
		}
		if m.FadesAt, err = vitality.FadesAt(m.Vital(), c.terms.Policy); err != nil {
			b.Fatal(err)
		}
		c.put(&m)
	}
	return c
}

// Filtering and sorting all memories for a query that was not asked before.
func BenchmarkSelect100k(b *testing.B) {
	c := crowd(b, 100_000)
	for _, sort := range api.Sorts() {
		b.Run(sort, func(b *testing.B) {
			s := newSelection(api.MemoryQuery{Sort: sort})
			if sort == api.SortRelevance {
				s = newSelection(api.MemoryQuery{Q: "x"})
				for i := range 50_000 {
					s.hits = append(s.hits, words.Hit{ID: int64(2*i + 1), Score: float64(i * 7919 % 1000)})
				}
			}
			for b.Loop() {
				s.build(c, testNow)
			}
		})
	}
}

// Ranks 50,000 to 50,199 of the order of vitality at an instant.
func BenchmarkVitalityRanks100k(b *testing.B) {
	c := crowd(b, 100_000)
	s := newSelection(api.MemoryQuery{Sort: api.SortVitality})
	s.build(c, testNow)
	for b.Loop() {
		if len(s.seq.part(c.rows, 50_000, 200, testNow)) != 200 {
			b.Fatal("too few")
		}
	}
}

// One row leaves its place and finds another one.
func BenchmarkMoveOne100k(b *testing.B) {
	c := crowd(b, 100_000)
	s := newSelection(api.MemoryQuery{})
	s.build(c, testNow)
	i := 0
	for b.Loop() {
		i++
		slots := []int32{int32(i * 7919 % 100_000)}
		s.out(c.rows, slots)
		c.rows[slots[0]].UpdatedAt = testNow + int64(i)
		s.in(c.rows, slots)
	}
}
