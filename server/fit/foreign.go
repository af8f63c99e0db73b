package fit

import (
	"context"
	"math"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// foreign is the way from questions that people ask of what is theirs to questions of
// other domains.
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
	from, err := centred(ctx, vectors, queries, own, embedding.Query)
	if err != nil {
		return f, err
	}
	to, err := centred(ctx, vectors, queries, other, embedding.Query)
	if err != nil {
		return f, err
	}
	begin, end := mean(from), mean(to)
	axis := make([]float32, len(begin))
	for i := range axis {
		axis[i] = end[i] - begin[i]
	}
	norm := math.Sqrt(dot(axis, axis))
	if norm < 1e-6 { // a model to which all questions are the same
		return f, nil
	}
	for i := range axis {
		axis[i] /= float32(norm)
	}
	return embedding.Foreign{Axis: axis, Middle: (dot(axis, begin) + dot(axis, end)) / 2}, nil
}
