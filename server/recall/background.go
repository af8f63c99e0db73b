package recall

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/server/words"
)

// Frequencies tells how probable words are, in all languages together.
type Frequencies interface {
	// WordLogProbability is the natural logarithm of the probability of a word that
	// begins after a space; of "" that of the space itself.
	WordLogProbability(word string) float64
}

// The background is made from the probabilities of a model that knows a hundred
// languages: a word of one of them is that much more probable in a text of it.
const (
	backgroundLength    = 15 // words of a memory
	backgroundLanguages = 15
	// backgroundUnknown is the probability of any word where there is no such model: that
	// of a word which is neither common nor a name.
	backgroundUnknown = 3e-5
)

// Background is how likely words are to be in a memory. nil knows no word: all are the
// same.
func Background(f Frequencies) words.Background {
	if f == nil {
		return func(string, bool) float64 { return backgroundUnknown * backgroundLength }
	}
	space := f.WordLogProbability("")
	return func(word string, joined bool) float64 {
		p := f.WordLogProbability(word)
		if !joined { // as it stands at the beginning of a sentence, or within one
			lower := strings.ToLower(word)
			r, n := utf8.DecodeRuneInString(lower)
			p = max(p, f.WordLogProbability(lower), f.WordLogProbability(string(unicode.ToTitle(r))+lower[n:]))
		}
		if joined { // it doesn't begin after a space
			p -= space
		}
		return -math.Expm1(-backgroundLength * backgroundLanguages * math.Exp(p))
	}
}
