package fit

import (
	"context"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// meansLeast is how many texts a group's mean takes; of fewer there is none.
const meansLeast = 5

// Means are those of texts: of each group (see embedding.Group), and of all, where each
// script counts as much as another.
func Means(ctx context.Context, vectors Vectors, texts []background.Text, kind embedding.Kind) (embedding.Means, error) {
	plain := make([]string, len(texts))
	for i := range texts {
		plain[i] = texts[i].Text
	}
	list, err := vectors(ctx, plain, kind)
	if err != nil {
		return embedding.Means{}, err
	}
	groups, scripts := map[string][][]float32{}, map[string][][]float32{}
	for i, t := range texts {
		script := embedding.Script(t.Text)
		group := script
		if script == "Latn" {
			group = t.Lang // it is known, nothing is to be guessed
		}
		groups[group] = append(groups[group], list[i])
		scripts[script] = append(scripts[script], list[i])
	}
	m := embedding.Means{Script: map[string][]float32{}}
	for _, g := range embedding.Groups() {
		if len(groups[g]) >= meansLeast {
			m.Script[g] = mean(groups[g])
		}
	}
	var all [][]float32
	for _, s := range embedding.Scripts() {
		if len(scripts[s]) > 0 {
			all = append(all, mean(scripts[s]))
		}
	}
	m.All = mean(all)
	return m, nil
}
