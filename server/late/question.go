package late

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/lexicon"
	"elowen/server/words"
)

// tokensMost is how many tokens of a question are compared.
const tokensMost = 32

// The weights of tokens, chosen together with the ranking's constants.
const (
	smoothing  = 1000 // memories of nobody's that are added to the owners'
	smallShare = 0.2  // of memories have a small word, or a mark
)

// Question is a question that was made ready.
type Question struct {
	r      *Reranker
	tokens []token
	asked  *asked
	common []float64 // of each token: its best cosine with background passages, on average
}

// token is one piece of a question.
type token struct {
	term  string  // of the word that it is in; empty for a small word or a mark
	share float64 // of memories anywhere that have the word
}

// Question makes a question ready. One that is not English finds nothing here.
// background tells how likely words are. Errors: Unavailable without weights,
// Cancelled.
func (r *Reranker) Question(ctx context.Context, text string, background words.Background) (*Question, error) {
	q := &Question{r: r}
	if !embedding.English(text) {
		return q, nil
	}
	pieces, states, err := r.model.Tokens(ctx, text, true)
	if err != nil {
		return nil, err
	}
	if q.tokens, err = r.tokens(text, len(pieces), background); err != nil {
		return nil, err
	}
	q.asked = newAsked(r.axes.Project(states))
	q.common = make([]float64, len(q.tokens))
	for _, packed := range r.background {
		for t, x := range q.asked.best(packed) {
			q.common[t] += float64(x) / float64(len(r.background))
		}
	}
	return q, nil
}

// tokens tells which word each of the first n pieces of a text is in. The model's
// pieces never reach over a space, nor from letters to marks.
func (r *Reranker) tokens(text string, n int, background words.Background) ([]token, error) {
	asked := map[string]bool{}
	for _, term := range words.ParseQuery(text).Terms {
		asked[term] = true
	}
	list := make([]token, 0, n)
	for _, field := range strings.Fields(text) {
		whole, err := r.model.Pieces(field)
		if err != nil {
			return nil, err
		}
		var parts []token
		for _, run := range runs(field) {
			pieces, err := r.model.Pieces(run)
			if err != nil {
				return nil, err
			}
			one := token{share: smallShare}
			if terms, _ := words.Terms(run); len(terms) > 0 && asked[terms[0].Text] {
				one.term = terms[0].Text
				if background != nil {
					one.share = background(run, false)
				}
			}
			for range pieces {
				parts = append(parts, one)
			}
		}
		for i := range whole { // letters that the model takes apart in another way are as many
			one := token{share: smallShare}
			if i < len(parts) {
				one = parts[i]
			}
			list = append(list, one)
		}
	}
	for len(list) < n {
		list = append(list, token{share: smallShare})
	}
	return list[:n], nil
}

// runs cuts a text into runs of letters and digits, and single marks.
func runs(field string) (list []string) {
	from, at := 0, 0
	for at < len(field) {
		r, size := utf8.DecodeRuneInString(field[at:])
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			if at > from {
				list = append(list, field[from:at])
			}
			list = append(list, field[at:at+size])
			from = at + size
		}
		at += size
	}
	if from < len(field) {
		list = append(list, field[from:])
	}
	return list
}

// weights are those of the tokens, which add up to 1, with 0 for all but the
// tokensMost largest.
func (q *Question) weights(found lexicon.Found) []float64 {
	weights := make([]float64, len(q.tokens))
	docs := float64(found.Stats.Docs)
	for t, one := range q.tokens {
		n := one.share * docs
		if one.term != "" {
			n = float64(found.Docs[one.term])
		}
		n = min(n, docs) + smoothing*one.share
		weights[t] = math.Sqrt(math.Log1p((docs + smoothing - n + 0.5) / (n + 0.5)))
	}
	if len(weights) > tokensMost {
		order := make([]int, len(weights))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
		for _, t := range order[tokensMost:] {
			weights[t] = 0
		}
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for t := range weights {
		weights[t] /= sum
	}
	return weights
}

// Score is how well memories of the owners answer the question. found is what its words
// found among those owners' memories. Bodies without fresh token vectors are missing in
// the answer.
func (q *Question) Score(tx *db.Tx, owners []db.AccountID, found lexicon.Found, bodies []embedding.Body) (map[int64]float64, error) {
	scores := make(map[int64]float64, len(bodies))
	if q.asked == nil || q.asked.tokens == 0 {
		return scores, nil
	}
	s := q.scorer(found)
	for _, owner := range owners {
		if err := vectors(tx, owner, q.r.hash, bodies, func(id int64, packed []byte) { scores[id] = s.of(packed) }); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// Of is what Score tells of packed token vectors; false for a question that has none.
func (q *Question) Of(found lexicon.Found, packed []byte) (float64, bool) {
	if q.asked == nil || q.asked.tokens == 0 || len(packed) == 0 {
		return 0, false
	}
	s := q.scorer(found)
	return s.of(packed), true
}

// scorer is the tokens of a question that count, with their weights.
type scorer struct {
	asked   *asked
	weights []float64
	common  float64
}

func (q *Question) scorer(found lexicon.Found) scorer {
	s := scorer{asked: q.asked}
	weights := q.weights(found)
	var keep []int
	for t, w := range weights {
		s.common += w * q.common[t]
		if w > 0 {
			keep = append(keep, t)
			s.weights = append(s.weights, w)
		}
	}
	if len(keep) < len(weights) {
		s.asked = q.asked.only(keep)
	}
	return s
}

func (s *scorer) of(packed []byte) float64 {
	sum := -s.common
	for t, x := range s.asked.best(packed) {
		sum += s.weights[t] * float64(x)
	}
	return sum
}
