package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"elowen/server/embedding/background"
	"elowen/server/embedding/local"
	"elowen/server/fit/cache"
	"elowen/server/late"
)

// fitAxes finds the mean and the principal axes of the tokens of all English texts
// that there are.
func fitAxes(ctx context.Context, m *cache.Model) (*late.Axes, error) {
	var texts []string
	known := map[string]bool{}
	add := func(lang, text string) {
		if lang == "en" && !known[text] {
			known[text] = true
			texts = append(texts, text)
		}
	}
	for _, t := range background.Passages() {
		add(t.Lang, t.Text)
	}
	for _, p := range background.Pairs() {
		add(p.Lang, p.Passage)
	}
	for _, w := range background.Paraphrases() {
		if w.Same {
			add(w.Lang, w.B)
		}
	}
	var all []float32
	for _, text := range texts {
		_, states, err := m.Tokens(ctx, text, false)
		if err != nil {
			return nil, err
		}
		all = append(all, states...)
	}
	const width = local.Width
	n := len(all) / width
	mean := make([]float64, width)
	for i, x := range all {
		mean[i%width] += float64(x) / float64(n)
	}
	centred := mat.NewDense(n, width, nil)
	for i, x := range all {
		centred.Set(i/width, i%width, float64(x)-mean[i%width])
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1/float64(n), centred.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&covariance, true) {
		return nil, fmt.Errorf("the covariance of %d tokens has no axes", n)
	}
	var columns mat.Dense
	eigen.VectorsTo(&columns)
	values := eigen.Values(nil) // ascending
	kept, total := 0.0, 0.0
	for i, v := range values {
		total += v
		if i >= width-late.Width {
			kept += v
		}
	}
	fmt.Printf("axes: %d texts, %d tokens, %.1f%% of the variance kept\n", len(texts), n, 100*kept/total)
	rows := make([][]float32, late.Width)
	for j := range rows {
		rows[j] = make([]float32, width)
		// An axis has two directions; the one whose largest part is positive is taken,
		// so that the file is the same again.
		most := 0.0
		for i := range width {
			if x := columns.At(i, width-1-j); x*x > most*most {
				most = x
			}
		}
		for i := range width {
			x := columns.At(i, width-1-j)
			if most < 0 {
				x = -x
			}
			rows[j][i] = float32(x)
		}
	}
	small := make([]float32, width)
	for i, x := range mean {
		small[i] = float32(x)
	}
	return late.NewAxes(small, rows)
}

// backgroundMost is how many background passages questions are compared with.
const backgroundMost = 120

// backgroundTokens are the token vectors of English passages that no question of the
// pairs is about.
func backgroundTokens(ctx context.Context, m *cache.Model, axes *late.Axes) ([][]byte, error) {
	asked := map[string]bool{}
	for _, p := range background.Pairs() {
		asked[p.Passage] = true
	}
	var list [][]byte
	for _, t := range background.Passages() {
		if t.Lang != "en" || asked[t.Text] || len(list) == backgroundMost {
			continue
		}
		_, states, err := m.Tokens(ctx, t.Text, false)
		if err != nil {
			return nil, err
		}
		list = append(list, axes.Pack(states))
	}
	return list, nil
}
