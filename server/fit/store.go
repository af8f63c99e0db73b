package fit

import (
	"context"
	"math"

	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/server/recall"
	"elowen/server/words"
)

// Vectors gives the vector of each text, of its first window where it has several.
type Vectors func(ctx context.Context, texts []string, kind embedding.Kind) ([][]float32, error)

// Tools are what texts are compared with.
type Tools struct {
	Vectors    Vectors        // nil: by words alone
	Late       *late.Reranker // nil: without late interaction
	Background words.Background
}

// Store is texts that questions are asked of, in memory.
type Store struct {
	tools    Tools
	profile  embedding.Profile
	texts    []string
	index    *index
	vectors  [][]float32 // with the mean taken off
	tokens   [][]byte
	question map[string]*late.Question
}

// NewStore makes a store, compared by a profile's means and weight of words.
func NewStore(ctx context.Context, tools Tools, profile embedding.Profile, texts []string) (*Store, error) {
	s := &Store{tools: tools, profile: profile, texts: texts, question: map[string]*late.Question{}}
	var err error
	if s.index, err = newIndex(texts); err != nil {
		return nil, err
	}
	if tools.Vectors != nil {
		if s.vectors, err = centred(ctx, tools.Vectors, profile.Passages, texts, embedding.Passage); err != nil {
			return nil, err
		}
	}
	if tools.Late != nil {
		for _, text := range texts {
			packed, err := tools.Late.Passage(ctx, text)
			if err != nil {
				return nil, err
			}
			s.tokens = append(s.tokens, packed)
		}
	}
	return s, nil
}

// centred are vectors with what they have in common taken off.
func centred(ctx context.Context, vectors Vectors, means embedding.Means, texts []string, kind embedding.Kind) ([][]float32, error) {
	list, err := vectors(ctx, texts, kind)
	if err != nil {
		return nil, err
	}
	own := make([][]float32, len(list))
	for i, v := range list {
		own[i] = append([]float32{}, v...)
		means.Centre(own[i])
	}
	return own, nil
}

// Figure is what a question and a text come to. The blend is as relevance reads it.
type Figure struct {
	Keyword, Cosine, Late, Blend float64
	Matched, Rarest              float64 // of the words, as recall takes them for evidence
	HasLate                      bool
}

// Ask compares a question with all texts.
func (s *Store) Ask(ctx context.Context, question string) ([]Figure, error) {
	found, err := s.index.find(question, s.tools.Background)
	if err != nil {
		return nil, err
	}
	figures := make([]Figure, len(s.texts))
	for _, h := range found.Hits {
		f := &figures[h.ID]
		f.Keyword, f.Matched, f.Rarest = recall.Keyword(h), float64(h.Matched), float64(h.Rarest)
	}
	doubt := 0.0
	if s.tools.Vectors != nil {
		q, err := centred(ctx, s.tools.Vectors, s.profile.Queries, []string{question}, embedding.Query)
		if err != nil {
			return nil, err
		}
		doubt = recall.Doubt(s.profile.Words, s.profile.Foreign.Of(q[0]))
		for i, v := range s.vectors {
			figures[i].Cosine = dot(q[0], v)
		}
	}
	if s.tools.Late != nil {
		q := s.question[question]
		if q == nil {
			if q, err = s.tools.Late.Question(ctx, question, s.tools.Background); err != nil {
				return nil, err
			}
			s.question[question] = q
		}
		for i, packed := range s.tokens {
			figures[i].Late, figures[i].HasLate = q.Of(found, packed)
		}
	}
	for i := range figures {
		f := &figures[i]
		f.Blend = recall.Blend(s.profile.Words, f.Keyword, f.Cosine) - doubt
	}
	return figures, nil
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// mean is the mean of vectors.
func mean(list [][]float32) []float32 {
	if len(list) == 0 {
		return nil
	}
	sum := make([]float64, len(list[0]))
	for _, v := range list {
		for i := range min(len(v), len(sum)) {
			sum[i] += float64(v[i])
		}
	}
	m := make([]float32, len(sum))
	for i := range sum {
		m[i] = float32(sum[i] / float64(len(list)))
	}
	return m
}

// quantile is the value below which a part of a sorted list lies.
func quantile(sorted []float64, part float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := part * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
