package fit

import (
	"context"
	"maps"
	"math"
	"slices"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
)

// meansLeast is how many texts a group's mean takes; of fewer there is none.
const meansLeast = 5

// apartShare is the part of what lies between languages that is taken off: what is
// beyond is as much what the few texts of a language say as the language.
const apartShare = 0.9

// Means is what passages have in common, and what questions do: the mean of English
// ones, and the directions in which the means of other languages lie away from it, the
// same for both. Removing those directions is what Z. Yang, Y. Yang, D. Cer, E. Darve,
// "A Simple and Effective Method To Eliminate the Self Language Bias in Multilingual
// Representations" (2021), do with the principal components of each language.
func Means(ctx context.Context, vectors Vectors) (passages, queries embedding.Means, err error) {
	var stored, asked []background.Text
	known := map[string]bool{}
	add := func(list *[]background.Text, t background.Text) {
		if !known[t.Text] {
			known[t.Text] = true
			*list = append(*list, t)
		}
	}
	for _, t := range background.Passages() {
		add(&stored, t)
	}
	for _, t := range background.Queries() {
		add(&asked, t)
	}
	for _, p := range background.Pairs() {
		add(&stored, background.Text{Lang: p.Lang, Text: p.Passage})
		add(&asked, background.Text{Lang: p.Lang, Text: p.Question})
	}
	of, err := groupMeans(ctx, vectors, stored, embedding.Passage)
	if err != nil {
		return passages, queries, err
	}
	by, err := groupMeans(ctx, vectors, asked, embedding.Query)
	if err != nil {
		return passages, queries, err
	}
	apart := directions(append(offsets(of), offsets(by)...))
	return common(of, apart), common(by, apart), nil
}

// groupMeans are the means of the texts of each group (see embedding.Group). Which
// language texts are in is known here, nothing is guessed.
func groupMeans(ctx context.Context, vectors Vectors, texts []background.Text, kind embedding.Kind) (map[string][]float32, error) {
	plain := make([]string, len(texts))
	for i := range texts {
		plain[i] = texts[i].Text
	}
	list, err := vectors(ctx, plain, kind)
	if err != nil {
		return nil, err
	}
	groups := map[string][][]float32{}
	for i, t := range texts {
		group := embedding.Script(t.Text)
		if group == "Latn" {
			group = t.Lang
		}
		groups[group] = append(groups[group], list[i])
	}
	means := map[string][]float32{}
	for _, g := range embedding.Groups() {
		if len(groups[g]) >= meansLeast {
			means[g] = mean(groups[g])
		}
	}
	return means, nil
}

// offsets are the ways from the English mean to the others', in the order of groups.
func offsets(means map[string][]float32) (list [][]float64) {
	for _, group := range slices.Sorted(maps.Keys(means)) {
		if group == english {
			continue
		}
		way := make([]float64, len(means[group]))
		for i, x := range means[group] {
			way[i] = float64(x) - float64(means[english][i])
		}
		list = append(list, way)
	}
	return list
}

// common is what is taken off texts with those means.
func common(means map[string][]float32, apart [][]float32) embedding.Means {
	m := embedding.Means{All: means[english], Apart: apart, Tongues: map[string][]float32{}}
	for group, v := range means {
		at := make([]float32, len(apart))
		for j, axis := range apart {
			for i := range axis {
				at[j] += axis[i] * (v[i] - m.All[i])
			}
		}
		m.Tongues[group] = at
	}
	return m
}

// steps bounds the power iteration for one direction.
const steps = 300

// directions are the principal axes of vectors, seen from 0, that hold apartShare of the
// sum of their squares: by power iteration, one after the other.
func directions(list [][]float64) (axes [][]float32) {
	total := 0.0
	for _, v := range list {
		total += inner(v, v)
	}
	for left := total; len(axes) < len(list) && left > (1-apartShare)*total; {
		axis := slices.Clone(slices.MaxFunc(list, func(a, b []float64) int {
			if inner(a, a) < inner(b, b) {
				return -1
			}
			return 1
		}))
		for range steps {
			next := make([]float64, len(axis))
			for _, v := range list {
				by := inner(v, axis)
				for i := range next {
					next[i] += by * v[i]
				}
			}
			norm := math.Sqrt(inner(next, next))
			if norm == 0 {
				return axes
			}
			for i := range next {
				next[i] /= norm
			}
			axis = next
		}
		row := make([]float32, len(axis))
		for i, x := range axis {
			row[i] = float32(x)
		}
		axes = append(axes, row)
		left = 0
		for _, v := range list {
			by := inner(v, axis)
			for i := range v {
				v[i] -= by * axis[i]
			}
			left += inner(v, v)
		}
	}
	return axes
}

func inner(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
