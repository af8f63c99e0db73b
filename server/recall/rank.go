package recall

import (
	"cmp"
	"math"
	"slices"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/vector"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// The constants of the ranking, chosen on conversations of public dialogue sets; they
// hold for every model, what differs by model is in its profile.
const (
	pool         = 300  // the best by cosine, and as many by words
	goOn         = 100  // of the blend: those that are compared word by word
	passedMost   = 100  // of those that are passed over, how many are told of
	wordsHalf    = 12   // the BM25 at which words count half
	cosineScale  = 2.5  // makes a cosine, from which what is common was taken, as much as words
	foreignPart  = 0.7  // how much a question's kind counts, as a cosine
	lateBlend    = 0.3  // the blend's part beside late
	agreed       = 0.12 // the blend from which meaning and words agree with late; what is missing of it is taken off late
	otherTongue  = 0.5  // relevance that a memory in another language than the question's stands behind; the floor is the same
	fromEnglish  = 0.1  // the same where the question is English, which people ask in of whatever they keep
	otherTongues = 4    // so many memories in other languages crowd an English question as one in English
	evidenceHalf = 0.5  // of the question's rarity, in the words that match
	evidenceRare = 6.5  // the idf from which a word is rare: about one of 700 memories of anybody has it
)

// The order where there are no embeddings.
const (
	plainRelevance  = 0.6
	plainImportance = 0.25
	plainRecency    = 0.15
	recencyHalfLife = 30 * vitality.DayMillis
)

// candidate is a memory on its way to being recalled.
type candidate struct {
	id    int64
	owner db.AccountID
	fact  memory.Fact

	hit     vector.Hit // where near
	near    bool       // it has a fresh vector
	cosine  float64    // 0 without
	keyword float64    // see Keyword
	matched float64    // share of the question's rarity in the words that match
	rarest  float64    // the largest idf of them
	late    *float64

	blend     float64
	relevance float64
	score     float64
	reason    string
	of        int64 // of a duplicate: the picked one
}

// scale is how numbers are read.
type scale struct {
	profile    embedding.Profile // of the space; of words alone where there is none
	meaning    bool              // vectors took part
	floor      float64
	importance float64 // its weight
	vitality   float64 // its weight
	now        int64
	group      string  // of the question, as embedding.Group tells
	doubt      float64 // see Doubt
	own        int     // how many memories in that language those that are asked have
	texts      int     // how many they have in all
}

// weight is the part of words in the blend.
func (s *scale) weight() float64 {
	if s.profile.Words > 0 {
		return s.profile.Words
	}
	return embedding.WordsAlone().Words
}

// blended is a candidate's blend.
func (s *scale) blended(c *candidate) float64 {
	w := s.weight()
	return w*c.keyword/(c.keyword+wordsHalf) + (1-w)*cosineScale*c.cosine
}

// line is a candidate's relevance. What has no late of its own has the one that its
// blend lets expect, so that one floor and one order are right for all; where that is
// not known either, the blend has a line of its own.
func (s *scale) line(c *candidate) float64 {
	p, texts, blend := &s.profile, s.crowd(c), c.blend-s.doubt
	switch {
	case c.late != nil && p.Relevance != (embedding.Line{}):
		return p.Relevance.In(texts).At(*c.late + lateBlend*blend - s.alone(c, blend))
	case p.Relevance != (embedding.Line{}) && p.Late != (embedding.Guess{}):
		return p.Relevance.In(texts).At(p.Late.At(blend) + lateBlend*blend)
	case p.Blend != (embedding.Line{}):
		return p.Blend.In(texts).At(blend)
	}
	// Of a model that nothing is known of the cosine says nothing yet.
	words := embedding.WordsAlone()
	return words.Blend.At(words.Words * c.keyword / (c.keyword + wordsHalf))
}

// alone is what late is read less by where neither meaning nor words say the same: token
// by token a question about a place or a number is like any memory that names one. Where
// the meaning isn't known it cannot agree, and nothing is taken off.
func (s *scale) alone(c *candidate, blend float64) float64 {
	if !s.meaning || !c.near {
		return 0
	}
	return max(0, agreed-blend)
}

// crowd is how many memories a candidate stands among. The more there are, the better is
// the best of those that a question isn't about. What is in the question's language
// stands among its like; of the others, which are seldom what is asked for, each must
// stand out from all, except to a question in English: people ask in it of whatever
// they keep.
func (s *scale) crowd(c *candidate) int {
	switch {
	case !s.meaning || !c.near || c.hit.Tongue(s.group):
		return s.own
	case s.group == "en":
		return max(s.own, s.texts/otherTongues)
	}
	return s.texts
}

// evident tells whether words alone say that a candidate belongs to the question.
func (c *candidate) evident() bool { return c.matched >= evidenceHalf && c.rarest >= evidenceRare }

// relevant tells whether relevance does.
func (s *scale) relevant(c *candidate) bool { return c.relevance >= s.floor }

// scored is what candidates are ordered by.
func (s *scale) scored(c *candidate) float64 {
	important := float64(c.fact.Importance-1) / 9
	relevance := c.relevance
	if s.meaning && c.near && !c.hit.Tongue(s.group) {
		if s.group == "en" {
			relevance -= fromEnglish
		} else {
			relevance -= otherTongue
		}
	}
	if !s.meaning {
		age := float64(max(0, s.now-c.fact.UpdatedAt))
		return plainRelevance*relevance + plainImportance*important + plainRecency*math.Exp2(-age/recencyHalfLife)
	}
	return (1-s.importance-s.vitality)*relevance + s.importance*important + s.vitality*c.fact.Vitality/100
}

// byBlend orders candidates for the cut, of equals the newer first.
func byBlend(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.blend, a.blend), cmp.Compare(b.id, a.id))
}

// byScore orders them for the packing, of equals the newer first.
func byScore(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
}

// judge gives candidates that went on their relevance and score, marks those below the
// floor, and puts all into the order of their scores.
func (s *scale) judge(list []*candidate) {
	for _, c := range list {
		c.relevance = s.line(c)
		c.score = s.scored(c)
		if c.reason = ""; !s.relevant(c) && !c.evident() {
			c.reason = api.ReasonFloor
		}
	}
	slices.SortFunc(list, byScore)
}

// packing is what fits.
type packing struct {
	count int
	bytes int
	size  func(*candidate) int       // of its body
	alike func(a, b *candidate) bool // they say the same in other words
}

// pack picks from judged candidates, in their order, and gives each its reason.
func (p packing) pack(list []*candidate) []*candidate {
	picked := make([]*candidate, 0, min(p.count, len(list)))
	left := p.bytes
	for _, c := range list {
		if c.reason != "" {
			continue
		}
		if len(picked) >= p.count {
			c.reason = api.ReasonCount
			continue
		}
		if i := slices.IndexFunc(picked, func(o *candidate) bool { return p.alike(c, o) }); i >= 0 {
			c.reason, c.of = api.ReasonDuplicate, picked[i].id
			continue
		}
		if size := p.size(c); size > left {
			c.reason = api.ReasonBytes
		} else {
			left -= size
			c.reason = api.ReasonPicked
			picked = append(picked, c)
		}
	}
	return picked
}

// path tells how the picked ones came in.
func (s *scale) path(picked []*candidate) string {
	if !s.meaning {
		return api.PathKeyword
	}
	for _, c := range picked {
		if c.near && s.relevant(c) && s.profile.Known() {
			return api.PathSemantic
		}
	}
	if len(picked) > 0 {
		return api.PathKeyword
	}
	return api.PathSemantic
}
