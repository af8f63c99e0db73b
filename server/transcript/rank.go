package transcript

import (
	"cmp"
	"slices"

	"elowen/server/embedding"
	"elowen/server/journal"
	"elowen/server/recall"
	"elowen/server/words"
)

// The constants of the ranking, chosen on conversations of public dialogue sets.
const (
	pool       = 300  // the best by cosine, and as many by words
	goOn       = 50   // of the blend: those that are compared word by word
	alone      = 0.3  // the part of the turn's own words; the rest is that of it with the one before
	lateBlend  = 0.5  // the blend's part beside late
	besidePart = 0.85 // of a neighbour's cosine, for a token of the question
)

// candidate is a turn on its way to being found.
type candidate struct {
	id      int64
	keyword float64
	near    bool // it has fresh vectors
	cosine  float64
	blend   float64
	late    *float64
	score   float64
	entry   journal.Placed
}

// cut are the k best by cosine, the best first, of equals the newer. It reorders.
func cut(list []near, k int) []near {
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(b.entry, a.entry))
	})
	return list[:min(len(list), k)]
}

// worded is what the words of turns and of pairs come to, by ascending id. Both are.
func worded(turns, pairs []words.Hit) []words.Hit {
	list := make([]words.Hit, 0, max(len(turns), len(pairs)))
	for len(turns) > 0 || len(pairs) > 0 {
		switch {
		case len(pairs) == 0 || len(turns) > 0 && turns[0].ID < pairs[0].ID:
			list = append(list, words.Hit{ID: turns[0].ID, Score: alone * turns[0].Score})
			turns = turns[1:]
		case len(turns) == 0 || pairs[0].ID < turns[0].ID:
			list = append(list, words.Hit{ID: pairs[0].ID, Score: (1 - alone) * pairs[0].Score})
			pairs = pairs[1:]
		default:
			list = append(list, words.Hit{ID: turns[0].ID, Score: alone*turns[0].Score + (1-alone)*pairs[0].Score})
			turns, pairs = turns[1:], pairs[1:]
		}
	}
	return list
}

// weigh gives candidates their blend and keeps the best that go on.
func weigh(list []*candidate, p embedding.Profile) []*candidate {
	w := p.Words
	if w == 0 {
		w = embedding.WordsAlone().Words
	}
	for _, c := range list {
		c.blend = recall.Blend(w, c.keyword, c.cosine)
	}
	slices.SortFunc(list, func(a, b *candidate) int { return cmp.Or(cmp.Compare(b.blend, a.blend), cmp.Compare(b.id, a.id)) })
	return list[:min(len(list), goOn)]
}

// judge gives candidates their scores, and puts the best first. What has no late of its
// own has the one that its blend lets expect.
func judge(list []*candidate, p embedding.Profile) {
	for _, c := range list {
		l := p.Late.At(c.blend)
		if c.late != nil {
			l = *c.late
		}
		c.score = l + lateBlend*c.blend
	}
	slices.SortFunc(list, func(a, b *candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
}

// newestFirst orders turns.
func newestFirst(list []journal.Placed) {
	slices.SortFunc(list, func(a, b journal.Placed) int { return cmp.Compare(b.ID, a.ID) })
}

// distinct are ids, each once, ascending.
func distinct(ids []int64) []int64 {
	list := slices.Clone(ids)
	slices.Sort(list)
	return slices.Compact(list)
}
