package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// class is what a folded rune does to the words around it.
type class uint8

const (
	classBreak   class = iota // ends a word
	classWord                 // letter or digit of a word
	classMark                 // combining mark that means something (Indic vowels, kana voicing)
	classUnit                 // character of a script written without spaces, East Asia
	classSEA                  // the same, South-East Asia
	classGlue                 // may join parts of a compound when between two words
	classPicture              // pictograph
	classNothing              // invisible: as if it weren't there
)

var asciiClass = func() (t [128]class) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			t[c] = classWord
		case strings.IndexByte(`-_./:@'&+#\,`, byte(c)) >= 0:
			t[c] = classGlue
		}
	}
	return t
}()

// classOf classifies a rune that has been folded.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		return asciiClass[r]
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA, r >= 0xAC00 && r <= 0xD7A3:
		return classUnit
	case r >= 0x300 && r <= 0x36F:
		return classNothing
	case r == 0x200B: // zero width space: a word boundary in Thai and Khmer
		return classBreak
	case r == utf8.RuneError:
		return classBreak
	case r >= 0x1F3FB && r <= 0x1F3FF: // skin tones
		return classNothing
	}
	switch {
	case unicode.IsLetter(r), unicode.In(r, unicode.Nd, unicode.Nl, unicode.No):
		if eastAsian(r) {
			return classUnit
		}
		if southEastAsian(r) {
			return classSEA
		}
		return classWord
	case unicode.IsMark(r):
		if silentMark(r) {
			return classNothing
		}
		return classMark
	case unicode.Is(unicode.So, r):
		return classPicture
	case unicode.Is(unicode.Cf, r):
		return classNothing
	}
	return classBreak
}

// eastAsian tells letters of Han, kana, bopomofo and Hangul, with their
// iteration and length marks.
func eastAsian(r rune) bool {
	switch {
	case r >= 0x1100 && r <= 0x11FF, r >= 0x2E80 && r <= 0x2FDF, r >= 0x3005 && r <= 0x3007, r >= 0x3021 && r <= 0x3029, r >= 0x3031 && r <= 0x3035,
		r >= 0x3038 && r <= 0x303C, r >= 0x3041 && r <= 0x318E, r >= 0x31A0 && r <= 0x31FF, r >= 0x3400 && r <= 0x9FFF, r >= 0xA960 && r <= 0xA97C,
		r >= 0xAC00 && r <= 0xD7FB, r >= 0xF900 && r <= 0xFAFF, r >= 0x1AFF0 && r <= 0x1B16F, r >= 0x20000 && r <= 0x3FFFF:
		return true
	}
	return false
}

// southEastAsian tells letters of Thai, Lao, Myanmar, Khmer and the Tai scripts.
func southEastAsian(r rune) bool {
	switch {
	case r >= 0x0E01 && r <= 0x0EDF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17DD, r >= 0x1950 && r <= 0x19DF, r >= 0x1A20 && r <= 0x1AAF,
		r >= 0xA9E0 && r <= 0xA9FE, r >= 0xAA60 && r <= 0xAADF:
		return true
	}
	return false
}

// silentMark tells marks whose absence leaves the same word: accents, Hebrew
// and Arabic points, presentation of pictographs.
func silentMark(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036F, r >= 0x0483 && r <= 0x0489, r >= 0x0591 && r <= 0x05C7, r >= 0x0610 && r <= 0x061A, r >= 0x064B && r <= 0x065F,
		r == 0x0670, r >= 0x06D6 && r <= 0x06ED, r >= 0x0711 && r <= 0x074A, r >= 0x08D3 && r <= 0x08FF, r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF,
		r >= 0x20D0 && r <= 0x20FF, r >= 0xFE00 && r <= 0xFE0F, r >= 0xFE20 && r <= 0xFE2F, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return false
}

// special folds letters which have no decomposition but which people type
// without their mark, and Arabic letters that are written interchangeably.
var special = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ɓ': "b", 'ɗ': "d", 'ƙ': "k",
	'ё': "е", 'ѐ': "е", 'ѝ': "и",
	'ى': "ي", 'ة': "ه", 'ک': "ك", 'ی': "ي", 'ـ': "",
	'ʼ': "'", '’': "'", '‘': "'", '′': "'", '‐': "-", '−': "-",
}

// foldInto appends the folded runes of one normalization segment of a text.
// marked tells whether a Latin letter lost a mark or was replaced by plain ones,
// which English words hardly ever have.
func foldInto(dst []rune, segment string) (runes []rune, marked bool) {
	r, size := utf8.DecodeRuneInString(segment)
	if size == len(segment) {
		switch {
		case r < utf8.RuneSelf:
			return append(dst, unicode.ToLower(r)), false
		case r == utf8.RuneError && size == 1:
			return append(dst, utf8.RuneError), false
		case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA, r >= 0xAC00 && r <= 0xD7A3,
			r >= 0x0E01 && r <= 0x0E32, r >= 0x0E34 && r <= 0x0E4E, r >= 0x1F300 && r <= 0x1FAFF, r == 0x200D, r == 0x200B:
			return append(dst, r), false
		}
		if t := foldTable(); int(r) < len(t) {
			return appendString(dst, t[r]), r < 0x250 && r >= 0xC0 || r >= 0x1E00 && r < 0x1F00
		}
	}
	return foldSlow(dst, segment, strings.ToLower)
}

func appendString(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}

// foldTable holds the folded form of each rune up to General Punctuation that
// stands alone, so that most texts need no normalizer.
var foldTable = sync.OnceValue(func() []string {
	const end = 0x2070
	table := make([]string, end)
	fold := cases.Fold()
	var runes []rune
	for r := rune(0x80); r < end; r++ {
		runes, _ = foldSlow(runes[:0], string(r), fold.String)
		table[r] = string(runes)
	}
	return table
})

// foldSlow is the definition of folding: NFKC, lower case, marks of Latin, Greek,
// Hebrew and Arabic letters dropped, digits of any script to 0–9.
func foldSlow(dst []rune, segment string, lower func(string) string) (runes []rune, marked bool) {
	composed := norm.NFKC.String(lower(norm.NFKC.String(segment)))
	for i, r := range composed {
		switch {
		case r < 0x80:
			dst = append(dst, unicode.ToLower(r))
			continue
		case unicode.IsMark(r):
			if silentMark(r) {
				marked = true
			} else {
				dst = append(dst, r)
			}
			continue
		case unicode.Is(unicode.Nd, r):
			dst = append(dst, digit(r))
			continue
		}
		if s, ok := special[r]; ok {
			marked = true
			dst = appendString(dst, s)
			continue
		}
		if norm.NFKD.PropertiesString(composed[i:]).Decomposition() == nil || !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Arabic, unicode.Hebrew) {
			dst = append(dst, r)
			continue
		}
		for _, d := range norm.NFKD.String(string(r)) {
			if silentMark(d) {
				marked = true
			} else if s, ok := special[d]; ok {
				marked = true
				dst = appendString(dst, s)
			} else {
				dst = append(dst, d)
			}
		}
	}
	return dst, marked
}

// digit gives the ASCII digit of the same value: every script has its ten in a row.
func digit(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}
