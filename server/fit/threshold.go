package fit

import (
	"context"
	"slices"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// thresholds are those of two texts that say the same: cosines with what is common taken
// off, from wordings of one fact and from near ones of different facts, which are the
// ones that must not be taken for the same. What hides a memory beside another one goes
// beyond nineteen in twenty of them; what is called the same fact, or made one of two,
// beyond 97 in a hundred, so a duplicate is never looser than a paraphrase. Nine in ten
// wordings of one fact belong together.
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
	set(&t, same, different)
	return t, same, different, nil
}

// set sets thresholds by sorted cosines of the same and of different facts.
func set(t *embedding.Thresholds, same, different []float64) {
	t.Cluster, t.Paraphrase = quantile(same, 0.1), quantile(different, 0.95)
	t.Duplicate = quantile(different, 0.97)
	t.Reinforce = t.Duplicate
}
