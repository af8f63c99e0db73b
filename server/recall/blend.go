package recall

// Blend is what a candidate's words and meaning come to: weight is the words' part,
// keyword the BM25, cosine the cosine with what is common taken off.
func Blend(weight, keyword, cosine float64) float64 {
	return weight*keyword/(keyword+wordsHalf) + (1-weight)*cosineScale*cosine
}

// Sum is what relevance is a line of, where there is late interaction.
func Sum(late, blend float64) float64 { return late + lateBlend*blend }
