package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"elowen/server/embedding"
	"elowen/server/embedding/background"
	"elowen/server/recall"
)

// answeredShare is the share of questions about something else that the floor lets be
// answered.
const answeredShare = 0.05

// Floor is the relevance that all profiles want: the setting's default.
const Floor = 0.2

const english = "en"

// Profile fits what a known profile leaves open: p has the prefixes and the weight of
// words.
//
// The line of late interaction, where tools have it, goes by the medians of English
// pairs and their best strangers. That of rows without token vectors goes by the
// median of pairs and by the floor: what of it reaches the floor is as seldom about
// something else.
func Profile(ctx context.Context, tools Tools, p embedding.Profile) (embedding.Profile, Report, error) {
	var r Report
	var err error
	if tools.Vectors != nil {
		if p.Passages, p.Queries, err = Means(ctx, tools.Vectors); err != nil {
			return p, r, err
		}
		if p.Foreign, err = foreign(ctx, tools.Vectors, p.Queries); err != nil {
			return p, r, err
		}
		if p.Thresholds, r.Same, r.Different, err = thresholds(ctx, tools.Vectors, p.Passages, p.Thresholds); err != nil {
			return p, r, err
		}
	}
	texts, pairs := storeOf(english)
	store, err := NewStore(ctx, tools, p, texts)
	if err != nil {
		return p, r, err
	}
	blend, sum := side{value: func(f Figure) float64 { return f.Blend }}, side{value: func(f Figure) float64 { return recall.Sum(f.Late, f.Blend) }}
	for i, pair := range pairs {
		figures, err := store.Ask(ctx, pair.Question)
		if err != nil {
			return p, r, err
		}
		blend.add(figures, i)
		sum.add(figures, i)
	}
	for _, t := range background.Foreign() {
		if t.Lang != english {
			continue
		}
		figures, err := store.Ask(ctx, t.Text)
		if err != nil {
			return p, r, err
		}
		blend.foreign(figures)
		sum.foreign(figures)
	}
	blend.sort()
	sum.sort()
	p.Floor = Floor
	p.Blend = blend.line()
	if most := quantile(blend.others[len(blend.others)-1], 1-answeredShare); most > p.Blend.Zero {
		if p.Blend.One <= most { // a model that hardly tells what belongs to a question
			p.Blend.One = p.Blend.Zero + (most-p.Blend.Zero)/Floor
		}
		p.Blend = Seated(p.Blend, Floor, most)
	}
	r.Own, r.Strangers, r.Foreign = blend.own, blend.strangers, blend.others
	if tools.Late != nil {
		p.Relevance = sum.line()
		r.Own, r.Strangers, r.Foreign = sum.own, sum.strangers, sum.others
	}
	return p, r, nil
}

// Seated is a line on which a value has a relevance; what has 1 stays, so that it is still
// what a question is about. A value that isn't below that leaves the line as it is.
func Seated(l embedding.Line, relevance, value float64) embedding.Line {
	if value < l.One {
		l.Zero = (value - relevance*l.One) / (1 - relevance)
	}
	return l
}

// Report is what the fit saw, for people, ascending.
type Report struct {
	Own, Strangers  []float64   // of what a question is about, and of the best of all else
	Foreign         [][]float64 // of the best for questions about something else, in stores of Sizes texts
	Same, Different []float64   // cosines of wordings
}

// storeOf is the passages of a language's pairs, then those of the background in all
// languages that are not among them.
func storeOf(lang string) (texts []string, own []background.Pair) {
	known := map[string]bool{}
	for _, p := range background.Pairs() {
		if p.Lang == lang {
			texts, own = append(texts, p.Passage), append(own, p)
			known[p.Passage] = true
		}
	}
	for _, t := range background.Passages() {
		if !known[t.Text] {
			texts = append(texts, t.Text)
		}
	}
	return texts, own
}

// side is values of questions, read in one way.
type side struct {
	value          func(Figure) float64
	own, strangers []float64
	sizes          []int       // of stores, ascending; the last is all
	others         [][]float64 // the best for foreign questions, by size
	order          []int       // in which texts come into a store
}

// add takes in a question about the text at own.
func (s *side) add(figures []Figure, own int) {
	best := math.Inf(-1)
	for i, f := range figures {
		if i != own {
			best = max(best, s.value(f))
		}
	}
	s.own, s.strangers = append(s.own, s.value(figures[own])), append(s.strangers, best)
}

// foreign takes in a question about none of the texts.
func (s *side) foreign(figures []Figure) {
	if s.sizes == nil {
		for n := len(figures); n >= 8; n /= 2 {
			s.sizes = append(s.sizes, n)
		}
		slices.Reverse(s.sizes)
		s.others = make([][]float64, len(s.sizes))
		s.order = rand.New(rand.NewPCG(1, 2)).Perm(len(figures))
	}
	best, at := math.Inf(-1), 0
	for i, n := range s.sizes {
		for ; at < n; at++ {
			best = max(best, s.value(figures[s.order[at]]))
		}
		s.others[i] = append(s.others[i], best)
	}
}

func (s *side) sort() {
	slices.Sort(s.own)
	slices.Sort(s.strangers)
	for _, list := range s.others {
		slices.Sort(list)
	}
}

// line goes through the medians, and rises with the size of a store as the best for
// foreign questions does near the floor.
func (s *side) line() embedding.Line {
	l := embedding.Line{Zero: quantile(s.strangers, 0.5), One: quantile(s.own, 0.5), Texts: float64(s.sizes[len(s.sizes)-1])}
	var n, sx, sy, sxx, sxy float64
	for i, list := range s.others {
		x, y := math.Log(float64(s.sizes[i])), quantile(list, 1-answeredShare)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if d := n*sxx - sx*sx; d > 0 {
		l.Crowd = max(0, (n*sxy-sx*sy)/d)
	}
	return l
}
