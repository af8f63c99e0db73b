package recall

import "elowen/server/words"

// Keyword is what the words of a hit count: its BM25, less where they carry little of
// what the question asks. One word of six that a memory happens to have says little,
// however rare it is.
func Keyword(h words.Hit) float64 {
	return h.Score * min(1, float64(h.Matched)/evidenceHalf)
}

// Blend is what a candidate's words and meaning come to: weight is the words' part,
// keyword the BM25, cosine the cosine with what is common taken off.
func Blend(weight, keyword, cosine float64) float64 {
	return weight*keyword/(keyword+wordsHalf) + (1-weight)*cosineScale*cosine
}

// Doubt is what a question's blends are read less by, or more where it is below 0: foreign
// is what the model's profile (embedding.Foreign) says of the question. It is the same for
// all memories, so it moves none before another.
func Doubt(weight, foreign float64) float64 {
	return (1 - weight) * cosineScale * foreignPart * foreign
}

// Sum is what relevance is a line of, where there is late interaction.
func Sum(late, blend float64) float64 { return late + lateBlend*blend }
