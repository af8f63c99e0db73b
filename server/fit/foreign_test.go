package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Two kinds that are spread far in a direction in which they also lie apart are told
// apart by the other directions: better than by the way from mean to mean.
func TestWhatIsSpreadTellsLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	cloud := func(n int, at ...float64) (list [][]float32) {
		for range n {
			v := make([]float32, 64)
			for i := range v {
				v[i] = float32(0.1 * r.NormFloat64())
			}
			v[0] = float32(2 * r.NormFloat64())
			for i, x := range at {
				v[i] += float32(x)
			}
			list = append(list, v)
		}
		return list
	}
	from, to := cloud(400), cloud(300, 0.6, 0.3)
	axis := apart(from, to)
	plain := make([]float32, len(axis))
	begin, end := mean(from), mean(to)
	for i := range plain {
		plain[i] = end[i] - begin[i]
	}
	told, before := toldApart(axis, from, to), toldApart(plain, from, to)
	if told < 0.8 || told < before+0.15 {
		t.Errorf("%.3f of the pairs are in order, %.3f by the means alone", told, before)
	}
}

// toldApart is the share of pairs, one vector of each kind, that lie in the order of
// their kinds.
func toldApart(axis []float32, from, to [][]float32) float64 {
	n := 0
	for _, a := range from {
		for _, b := range to {
			if dot(axis, a) < dot(axis, b) {
				n++
			}
		}
	}
	return float64(n) / float64(len(from)*len(to))
}

// Whatever the kinds are: the direction has length 1 and leads from one to the other, or
// there is none.
func TestTheDirectionLeadsFromOneKindToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 12).Draw(t, "width")
		vector := rapid.SliceOfN(rapid.Float32Range(-1, 1), width, width)
		kind := rapid.SliceOfN(vector, 1, 20)
		from, to := kind.Draw(t, "from"), kind.Draw(t, "to")
		axis := apart(from, to)
		if axis == nil {
			return
		}
		if length := math.Sqrt(dot(axis, axis)); math.Abs(length-1) > 1e-4 {
			t.Fatalf("its length is %v", length)
		}
		if a, b := dot(axis, mean(from)), dot(axis, mean(to)); a >= b+1e-6 {
			t.Fatalf("it leads from %v to %v", a, b)
		}
	})
	one := [][]float32{{1, 2}, {1, 2}}
	if axis := apart(one, slices.Clone(one)); axis != nil {
		t.Errorf("a direction between the same: %v", axis)
	}
}
