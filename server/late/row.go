package late

import "elowen/server/lexicon"

// Row scores texts that stand in a row, such as the turns of a conversation: what a text
// leaves to those beside it counts for it too, for a part. It is of one question and of
// what its words found, and not safe for concurrent use.
type Row struct {
	s scorer
}

// Row is nil where the question has no tokens: one that is not English.
func (q *Question) Row(found lexicon.Found) *Row {
	if q.asked == nil || q.asked.tokens == 0 {
		return nil
	}
	return &Row{q.scorer(found)}
}

// Best is, for each of the question's tokens that count, the largest cosine with any of
// packed token vectors.
func (r *Row) Best(packed []byte) []float32 { return r.s.asked.best(packed) }

// Score is Question.Score of a text whose Best is own, where a token may also be answered
// by those beside it, whose Bests are given, at a part of its cosine.
func (r *Row) Score(own []float32, part float64, beside ...[]float32) float64 {
	sum := -r.s.common
	for t, x := range own {
		best := float64(x)
		for _, other := range beside {
			best = max(best, part*float64(other[t]))
		}
		sum += r.s.weights[t] * best
	}
	return sum
}
