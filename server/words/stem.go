package words

import (
	"hash/maphash"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/russian"
)

// use tells what a small word says about its text.
type use uint8

const (
	useNone    use = iota
	useEnglish     // a small word of English
	useOther       // a small word of another language
)

// lexeme is all that is known of a folded word.
type lexeme struct {
	word string // folded
	term string // as indexed
	root string // "~" and what inflection leaves; "" if the word has none
	stop bool   // left out of questions that have other words
	away bool   // likewise, where the question isn't English
	use  use
}

// The lexemes of frequent words are kept, because stemming one costs more than
// all the rest of reading it: in pairs of slots, the newer first. A lexeme
// depends on nothing but its word, so which ones stay makes no difference but
// time.
const (
	memoSlots = 1 << 15
	memoBytes = 40 // longer words are rare and not kept
)

var (
	memo     [memoSlots]atomic.Pointer[lexeme]
	memoSeed = maphash.MakeSeed()
)

// lookup gives the lexeme of a folded word, whole, character or pair.
func lookup(word []byte) *lexeme {
	if len(word) > memoBytes {
		return newLexeme(string(word))
	}
	i := maphash.Bytes(memoSeed, word) % memoSlots &^ 1
	first := memo[i].Load()
	if first != nil && first.word == string(word) {
		return first
	}
	if l := memo[i+1].Load(); l != nil && l.word == string(word) {
		return l
	}
	l := newLexeme(string(word))
	memo[i+1].Store(first)
	memo[i].Store(l)
	return l
}

func newLexeme(word string) *lexeme {
	l := &lexeme{word: word, term: word}
	s := smallWords()[word]
	l.stop, l.use, l.away = s.stop, s.use, s.away
	switch scriptOf(word) {
	case scriptLatin:
		if !l.stop {
			l.term = stemEnglish(word)
			l.root = root(word)
		}
	case scriptCyrillic:
		l.term = russian.Stem(word, false)
	case scriptGreek:
		l.term = stripOne(word, greekEndings, 3)
	case scriptArabic:
		l.term = stemArabic(word)
	}
	return l
}

type script uint8

const (
	scriptOther script = iota // none, several, or one without a stemmer
	scriptLatin               // a–z only
	scriptCyrillic
	scriptGreek
	scriptArabic
)

// scriptOf gives the one script of all a word's letters. Words with digits have none.
func scriptOf(word string) script {
	var of script
	for i := 0; i < len(word); {
		r, size := rune(word[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(word[i:])
		}
		i += size
		var s script
		switch {
		case r >= 'a' && r <= 'z':
			s = scriptLatin
		case r >= 0x400 && r < 0x530:
			s = scriptCyrillic
		case r >= 0x370 && r < 0x400:
			s = scriptGreek
		case r >= 0x600 && r < 0x700 && unicode.IsLetter(r):
			s = scriptArabic
		}
		if s == scriptOther || of != scriptOther && s != of {
			return scriptOther
		}
		of = s
	}
	return of
}

// stemEnglish applies the English Snowball stemmer (Porter 2) to a word of a–z,
// after putting an irregular form back to its base.
func stemEnglish(word string) string {
	if len(word) < 3 {
		return word
	}
	if base, ok := baseForms()[word]; ok {
		word = base
	}
	return english.Stem(word, false)
}
