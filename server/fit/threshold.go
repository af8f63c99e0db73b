package fit

import (
	"context"
	"slices"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// thresholds are those of two texts that say the same: cosines with the mean taken off,
// from wordings of one fact and from near ones of different facts, which are the ones
// that must not be taken for the same. What is only told of goes beyond nine in ten of
// them, what hides a memory beyond nineteen in twenty, what makes one of two beyond 97
// in a hundred. Nine in ten wordings of one fact belong together.
func thresholds(ctx context.Context, vectors Vectors, means embedding.Means, t embedding.Thresholds) (embedding.Thresholds, []float64, []float64, error) {
	var texts []string
	list := background.Paraphrases()
	for _, w := range list {
		texts = append(texts, w.A, w.B)
	}
	v, err := centred(ctx, vectors, means, texts, embedding.Passage)
	if err != nil {
		return t, nil, nil, err
	}
	var same, different []float64
	for i, w := range list {
		cosine := dot(v[2*i], v[2*i+1])
		if w.Same {
			same = append(same, cosine)
		} else {
			different = append(different, cosine)
		}
	}
	slices.Sort(same)
	slices.Sort(different)
	t.Duplicate, t.Paraphrase, t.Reinforce = quantile(different, 0.9), quantile(different, 0.95), quantile(different, 0.97)
	t.Cluster = quantile(same, 0.1)
	return t, same, different, nil
}
