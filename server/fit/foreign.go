package fit

import (
	"context"
	"math"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// shrunk is how much of the spread of questions within their kind is taken as the same
// in all directions: what few texts say of single ones is not to be relied on. Chosen
// with kinds.tsv, on the fifth of its questions that the direction wasn't found with.
const shrunk = 0.75

// foreign is the way from questions that people ask of what is theirs to questions of
// other domains: the one along which the two lie farthest apart for how far either is
// spread (R. A. Fisher, "The use of multiple measurements in taxonomic problems", 1936,
// with the spread shrunk as O. Ledoit and M. Wolf do, "A well-conditioned estimator for
// large-dimensional covariance matrices", 2004).
func foreign(ctx context.Context, vectors Vectors, queries embedding.Means) (f embedding.Foreign, err error) {
	var own, other []string
	for _, t := range background.Queries() {
		own = append(own, t.Text)
	}
	for _, p := range background.Pairs() {
		own = append(own, p.Question)
	}
	for _, t := range background.Foreign() {
		other = append(other, t.Text)
	}
	for _, q := range background.Kinds() {
		if q.World {
			other = append(other, q.Text)
		} else {
			own = append(own, q.Text)
		}
	}
	from, err := centred(ctx, vectors, queries, own, embedding.Query)
	if err != nil {
		return f, err
	}
	to, err := centred(ctx, vectors, queries, other, embedding.Query)
	if err != nil {
		return f, err
	}
	axis := apart(from, to)
	if axis == nil { // a model to which all questions are the same
		return f, nil
	}
	return embedding.Foreign{Axis: axis, Middle: (dot(axis, mean(from)) + dot(axis, mean(to))) / 2}, nil
}

// apartSteps and apartExact bound the search for the direction. Shrunk as it is, the spread
// is much the same everywhere, and a few dozen steps do.
const (
	apartSteps = 200
	apartExact = 1e-6
)

// apart is the direction, of length 1, from one kind of vectors to the other; nil where
// their means are the same. The means' difference is to be the spread of that direction,
// which conjugate gradients solve without a matrix.
func apart(from, to [][]float32) []float32 {
	begin, end := mean(from), mean(to)
	var around [][]float64 // the vectors, seen from the mean of their kind
	total := 0.0
	for _, kind := range []struct {
		list [][]float32
		mean []float32
	}{{from, begin}, {to, end}} {
		for _, v := range kind.list {
			row := make([]float64, len(v))
			for i := range v {
				row[i] = float64(v[i]) - float64(kind.mean[i])
			}
			around = append(around, row)
			total += inner(row, row)
		}
	}
	n := float64(len(around))
	same := total / n / float64(len(begin)) // the spread in any direction, in the mean
	spread := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for _, row := range around {
			by := (1 - shrunk) * inner(row, v) / n
			for i := range out {
				out[i] += by * row[i]
			}
		}
		for i := range out {
			out[i] += shrunk * same * v[i]
		}
		return out
	}
	left := make([]float64, len(begin))
	for i := range left {
		left[i] = float64(end[i]) - float64(begin[i])
	}
	size := inner(left, left)
	if size < 1e-12 || same == 0 {
		return nil
	}
	way, step := make([]float64, len(left)), append([]float64{}, left...)
	for now, i := size, 0; now > apartExact*apartExact*size && i < apartSteps; i++ {
		to := spread(step)
		by := now / inner(step, to)
		for j := range way {
			way[j] += by * step[j]
			left[j] -= by * to[j]
		}
		before := now
		now = inner(left, left)
		for j := range step {
			step[j] = left[j] + now/before*step[j]
		}
	}
	length := math.Sqrt(inner(way, way))
	axis := make([]float32, len(way))
	for i, x := range way {
		axis[i] = float32(x / length)
	}
	return axis
}
