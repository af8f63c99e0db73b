package words

import (
	"strings"
	"unicode/utf8"
)

// rootEndings are inflection endings of Czech, Swedish, German, Spanish and
// their neighbours, folded, longest first. Consonants alone are left (but for
// s): taking them would part živo-t from život-a.
var rootEndings = byLength(
	"a", "e", "i", "o", "u", "y", "s",
	"ar", "er", "or", "en", "em", "es", "et", "an", "as", "os", "am", "um", "im", "ou", "om", "us", "is",
	"ho", "mu", "mi", "na", "ne", "ni", "ach", "ech", "ich", "ych", "ove", "ovi", "ern", "ens", "ets", "ars",
	"ami", "emi", "imi", "ymi", "eho", "iho", "emu", "imu", "arna", "erna", "orna", "arnas", "ernas", "ornas", "ung", "ungen",
)

// The shortest a root may be, in bytes, after one ending is taken off and after
// two. Shorter ones join words that have nothing in common: of pairs joined in
// Spanish, a third weren't by Spanish Snowball when endings were taken off
// without end down to three letters, under a fifth are with these.
const (
	minRoot      = 3
	minInnerRoot = 4
)

// root gives the root of a folded word of a–z with its mark, or "" for words too
// short to have one. Two endings are taken off, so that forms which differ in
// several meet: doktor-ovi, dokt-or.
func root(word string) string {
	if len(word) < minRoot {
		return ""
	}
	return rootMark + stripOne(stripOne(word, rootEndings, minRoot), rootEndings, minInnerRoot)
}

// rootMark sets roots apart from all other terms.
const rootMark = "~"

// greekEndings are the commonest endings of nouns, adjectives and verbs, folded
// (σ stands for the final letter too), longest first.
var greekEndings = byLength(
	"α", "ε", "η", "ι", "ο", "υ", "ω", "ασ", "εσ", "ησ", "οσ", "ουσ", "ου", "οι", "ων", "ον", "εισ", "ει", "ισ", "υσ", "αν", "ματα", "ματοσ", "ματων", "αμε", "ετε", "ουν", "ουμε",
)

// Arabic's clitics and endings, after the letters were unified: the article with
// and without what is written together with it, then the commonest endings.
var (
	arabicPrefixes = byLength("ال", "وال", "بال", "كال", "فال", "لل")
	arabicEndings  = byLength("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
)

func stemArabic(word string) string {
	for _, p := range arabicPrefixes {
		if rest, ok := strings.CutPrefix(word, p); ok && utf8.RuneCountInString(rest) >= 2 {
			word = rest
			break
		}
	}
	return stripOne(word, arabicEndings, 3)
}

// stripOne takes the first ending that fits off the word and leaves at least min
// runes.
func stripOne(word string, endings []string, min int) string {
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(word, e); ok && utf8.RuneCountInString(rest) >= min {
			return rest
		}
	}
	return word
}

// byLength orders endings so that the first that fits is the longest.
func byLength(endings ...string) []string {
	for i := 1; i < len(endings); i++ {
		for j := i; j > 0 && len(endings[j]) > len(endings[j-1]); j-- {
			endings[j], endings[j-1] = endings[j-1], endings[j]
		}
	}
	return endings
}
