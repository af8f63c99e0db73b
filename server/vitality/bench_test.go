package vitality

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func BenchmarkVitality(b *testing.B) {
	m, p := Memory{Importance: 5, UseCount: 3, CreatedAt: epoch, Active: true}, DefaultPolicy()
	for i := range int64(b.N) {
		if _, err := Vitality(m, p, epoch+i); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvictableAt(b *testing.B) {
	m, p := Memory{Importance: 10, UseCount: 3, CreatedAt: epoch, Active: true}, DefaultPolicy()
	for i := range int64(b.N) {
		if _, _, err := EvictableAt(m, p, epoch+i); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRow computes what is stored with a row.
func BenchmarkRow(b *testing.B) {
	m, p := Memory{Importance: 10, UseCount: 3, CreatedAt: epoch, Active: true}, DefaultPolicy()
	for b.Loop() {
		if _, err := OrderKey(m, p); err != nil {
			b.Fatal(err)
		}
		if _, err := FadesAt(m, p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBuildHistory5000 is a memory with 5,000 recalls, each two points.
func BenchmarkBuildHistory5000(b *testing.B) {
	m, uses := recalled(5000)
	p := DefaultPolicy()
	b.ReportAllocs()
	for b.Loop() {
		h, err := BuildHistory(m, p, uses, nil, epoch, 90, epoch)
		if err != nil || len(h.Recalls) != 5000 || len(h.Points) < 10_000 {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlanMillion finds what is due among a million rows and puts it in the
// order in which it goes: lowest vitality, then oldest.
func BenchmarkPlanMillion(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	rows := make([]Memory, 1_000_000)
	for i := range rows {
		rows[i] = Memory{Importance: 1 + r.IntN(Levels), UseCount: r.Int64N(10), CreatedAt: epoch - r.Int64N(300*DayMillis), Active: true}
	}
	type candidate struct {
		row int
		v   float64
	}
	p, due := DefaultPolicy(), []candidate(nil)
	for b.Loop() {
		due = due[:0]
		for i, m := range rows {
			ok, err := Evictable(m, p, epoch)
			if err != nil {
				b.Fatal(err)
			}
			if ok {
				v, _ := Vitality(m, p, epoch)
				due = append(due, candidate{i, v})
			}
		}
		slices.SortFunc(due, func(x, y candidate) int {
			return cmp.Or(cmp.Compare(x.v, y.v), cmp.Compare(rows[x.row].CreatedAt, rows[y.row].CreatedAt))
		})
	}
	b.ReportMetric(float64(len(due)), "due")
}
