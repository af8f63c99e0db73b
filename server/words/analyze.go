package words

import (
	"sync"
	"unicode/utf8"
)

// kind tells what a token is to the text and to a question.
type kind uint8

const (
	kindWord    kind = iota // a word, or a part of a compound
	kindWhole               // a compound as one term
	kindUnit                // a character within a run of a script without spaces
	kindLone                // such a character that stands alone
	kindPair                // two adjacent such characters
	kindPicture             // a pictograph
)

// token is one occurrence of a term in a text.
type token struct {
	lex        *lexeme
	start, end int // bytes of the text
	kind       kind
	marked     bool  // a Latin letter had a mark
	parts      uint8 // of a whole: how many words right before it are its parts
}

// counts tells whether the token adds to the text's length.
func (t *token) counts() bool { return t.kind != kindWhole && t.kind != kindPair }

// Bounds of a compound that becomes a term as a whole: more parts or runes are
// a path or an address of which nobody repeats all.
const (
	maxParts      = 6
	maxWholeRunes = 64
)

// part is a word of the compound being read.
type part struct {
	from, to   int // of analyzer.word
	start, end int
	glue       byte // what joins it to the part before
	marked     bool
}

// analyzer turns a text into tokens. The zero value is ready.
type analyzer struct {
	src    source
	tokens []token

	// The compound being read: parts that are complete, then the open one.
	word    []byte
	parts   []part
	open    part
	runes   int  // of the open part
	inWord  bool // a part is open
	glue    byte // read after the open part, which it may join to a next one
	glueEnd int  // where it ends in the text
	many    bool // too many parts for a whole

	// The run of characters without spaces.
	unit      []byte // the pair being built: the unit before and the open one
	split     int    // where the open unit starts in it
	unitStart int    // of the open unit
	unitEnd   int
	prevStart int // of the unit before; -1 if there is none
	run       int // units of the run so far, the open one included
	family    class

	flag      rune // a regional indicator that waits for its second
	flagStart int
}

var analyzers = sync.Pool{New: func() any { return new(analyzer) }}

// maxPooledTokens keeps the pool from holding on to what one huge text needed.
const maxPooledTokens = 1 << 13

// analyze reads a text. The analyzer must be released when its tokens are no
// longer needed.
func analyze(text string) *analyzer {
	a := analyzers.Get().(*analyzer)
	a.src.reset(text)
	a.tokens = a.tokens[:0]
	for {
		r, ok := a.src.next()
		if !ok {
			break
		}
		a.feed(r)
	}
	a.feed('\n')
	return a
}

// text is what a token is in the text.
func (a *analyzer) text(t *token) string { return a.src.text[t.start:t.end] }

func (a *analyzer) release() {
	if cap(a.tokens) > maxPooledTokens {
		return
	}
	a.src.text = ""
	analyzers.Put(a)
}

func (a *analyzer) feed(r rune) {
	c := classOf(r)
	if a.flag != 0 && c != classNothing {
		if regional(r) {
			a.emit(string([]rune{a.flag, r}), a.flagStart, a.src.end, kindPicture)
			a.flag = 0
			return
		}
		a.emit(string(a.flag), a.flagStart, a.flagStart+utf8.RuneLen(a.flag), kindPicture)
		a.flag = 0
	}
	switch c {
	case classNothing:
		return
	case classWord:
		a.endRun()
		a.letter(r)
		return
	case classMark:
		switch {
		case a.run > 0:
			a.extendUnit(r)
		case a.inWord && a.glue == 0:
			a.letter(r)
		}
		return
	case classGlue:
		a.endRun()
		a.join(byte(r))
		return
	}
	a.endCompound()
	switch c {
	case classUnit, classSEA:
		a.openUnit(r, c)
		return
	case classPicture:
		a.endRun()
		if regional(r) {
			a.flag, a.flagStart = r, a.src.start
			return
		}
		a.emit(string(r), a.src.start, a.src.end, kindPicture)
		return
	}
	a.endRun()
}

// regional tells the letters of which two make a country's flag.
func regional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

func (a *analyzer) emit(term string, start, end int, k kind) {
	a.tokens = append(a.tokens, token{lex: lookup([]byte(term)), start: start, end: end, kind: k})
}

// letter adds a rune to the open part, or opens one.
func (a *analyzer) letter(r rune) {
	if a.glue == ',' && (r < '0' || r > '9') { // 3,5 and 1,000 but not "one,two"
		a.endCompound()
	}
	if a.glue != 0 {
		a.closePart()
	}
	if !a.inWord {
		a.inWord = true
		a.runes = 0
		a.open = part{from: len(a.word), start: a.src.start, glue: a.glue}
		a.glue = 0
	}
	a.open.end = a.src.end
	a.open.marked = a.open.marked || a.src.marked
	if a.runes++; a.runes <= MaxRunes {
		a.word = utf8.AppendRune(a.word, r)
	}
}

// join takes a character that may stand between parts of a compound.
func (a *analyzer) join(c byte) {
	if !a.inWord {
		return
	}
	if a.glue != 0 {
		if a.glue == '+' && c == '+' { // c++
			a.glueEnd = a.src.end
			a.suffixed("++")
		}
		a.endCompound()
		return
	}
	if last := a.word[len(a.word)-1]; c == ',' && (last < '0' || last > '9') {
		a.endCompound()
		return
	}
	a.glue, a.glueEnd = c, a.src.end
}

// suffixed ends the compound and makes it a whole with the given ending: c#, c++.
func (a *analyzer) suffixed(s string) {
	a.glue = 0
	if len(a.parts) > 0 || a.runes > MaxRunes {
		return
	}
	word := append(append([]byte(nil), a.word[a.open.from:]...), s...)
	start := a.open.start
	a.endCompound()
	a.tokens = append(a.tokens, token{lex: lookup(word), start: start, end: a.glueEnd, kind: kindWhole, parts: 1})
}

// closePart ends the open part; the glue read after it belongs to the next.
func (a *analyzer) closePart() {
	a.inWord = false
	a.open.to = len(a.word)
	if len(a.parts) == maxParts {
		// Give up the whole, keep the words.
		a.emitParts()
		a.parts, a.many = a.parts[:0], true
		n := copy(a.word, a.word[a.open.from:])
		a.word = a.word[:n]
		a.open.from, a.open.to = 0, n
	}
	a.parts = append(a.parts, a.open)
}

// endCompound ends the word or compound being read, if any.
func (a *analyzer) endCompound() {
	if !a.inWord {
		return
	}
	if a.glue == '#' {
		a.suffixed("#")
		if !a.inWord {
			return
		}
	}
	a.glue = 0
	a.closePart()
	a.contract()
	first := len(a.tokens)
	parts, many := len(a.parts), a.many
	start, end := a.parts[0].start, a.parts[parts-1].end
	a.emitParts()
	if parts > 1 && !many {
		if whole := a.appendWhole(); utf8.RuneCount(whole) <= maxWholeRunes {
			a.tokens = append(a.tokens, token{lex: lookup(whole), start: start, end: end, kind: kindWhole, parts: uint8(len(a.tokens) - first)})
		}
	}
	a.parts, a.word, a.many = a.parts[:0], a.word[:0], false
}

// contract undoes what an apostrophe does in English: "'s", "'ll" and the like
// are dropped, "don't" is the one word dont.
func (a *analyzer) contract() {
	n := len(a.parts)
	if n < 2 || a.parts[n-1].glue != '\'' {
		return
	}
	last, prev := &a.parts[n-1], &a.parts[n-2]
	switch string(a.word[last.from:last.to]) {
	case "s", "ll", "re", "ve", "d", "m":
		a.parts = a.parts[:n-1]
	case "t":
		if a.word[prev.to-1] == 'n' && prev.to == last.from {
			prev.to, prev.end = last.to, last.end
			a.parts = a.parts[:n-1]
		}
	}
}

func (a *analyzer) emitParts() {
	for _, p := range a.parts {
		a.tokens = append(a.tokens, token{lex: lookup(a.word[p.from:p.to]), start: p.start, end: p.end, kind: kindWord, marked: p.marked})
	}
}

// appendWhole spells a compound as one term and gives it as a slice of word that
// is valid until the next rune. Hyphens, underscores and apostrophes vanish
// unless they stand between two digits, so that wi-fi is wifi and gpt-4 is gpt4;
// everything else stays: pgx/v5, v1.2.3, 2024-05-01.
func (a *analyzer) appendWhole() []byte {
	from := len(a.word)
	for i, p := range a.parts {
		if i > 0 {
			vanishes := p.glue == '-' || p.glue == '_' || p.glue == '\''
			before, after := a.word[p.from-1], a.word[p.from]
			if !vanishes || isDigit(before) && isDigit(after) {
				a.word = append(a.word, p.glue)
			}
		}
		a.word = append(a.word, a.word[p.from:p.to]...)
	}
	return a.word[from:]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// maxUnitBytes bounds a character with its marks.
const maxUnitBytes = 48

// openUnit starts the next character of a run without spaces.
func (a *analyzer) openUnit(r rune, family class) {
	if a.run > 0 && a.family != family {
		a.endRun()
	}
	if a.run == 0 {
		a.family = family
		a.unit = a.unit[:0]
		a.split = 0
		a.prevStart = -1
	} else {
		a.closeUnit()
		n := copy(a.unit, a.unit[a.split:])
		a.unit = a.unit[:n]
		a.split = n
		a.prevStart = a.unitStart
	}
	a.run++
	a.unit = utf8.AppendRune(a.unit, r)
	a.unitStart, a.unitEnd = a.src.start, a.src.end
}

// extendUnit adds a mark to the open character.
func (a *analyzer) extendUnit(r rune) {
	a.unitEnd = a.src.end
	if len(a.unit)-a.split < maxUnitBytes {
		a.unit = utf8.AppendRune(a.unit, r)
	}
}

// closeUnit makes the open character a token, and one with the character before.
func (a *analyzer) closeUnit() {
	a.tokens = append(a.tokens, token{lex: lookup(a.unit[a.split:]), start: a.unitStart, end: a.unitEnd, kind: kindUnit})
	if a.prevStart >= 0 {
		a.tokens = append(a.tokens, token{lex: lookup(a.unit), start: a.prevStart, end: a.unitEnd, kind: kindPair})
	}
}

// endRun ends the run of characters without spaces, if any.
func (a *analyzer) endRun() {
	if a.run == 0 {
		return
	}
	a.closeUnit()
	if a.run == 1 {
		a.tokens[len(a.tokens)-1].kind = kindLone
	}
	a.run = 0
}

// inflected tells whether the text's words get roots: it doesn't look English.
// Small words of English speak against it; small words of other languages and
// Latin letters with marks for it. Questions are never judged this way.
func (a *analyzer) inflected() bool {
	english, other := a.small()
	return english == 0 || other > english
}

// small counts words that tell a language.
func (a *analyzer) small() (english, other int) {
	for i := range a.tokens {
		t := &a.tokens[i]
		if t.kind != kindWord {
			continue
		}
		switch {
		case t.lex.use == useEnglish:
			english++
		case t.lex.use == useOther, t.marked && t.lex.root != "":
			other++
		}
	}
	return english, other
}

// away tells whether a question is in another language than English, as far as its
// small words and marked letters tell. Words that are small in another language only
// say so where there are two of them, and none of English.
func (a *analyzer) away() bool {
	english, other := a.small()
	if english > 0 || other > 0 {
		return other > english
	}
	n := 0
	for i := range a.tokens {
		if t := &a.tokens[i]; t.kind == kindWord && t.lex.away {
			n++
		}
	}
	return n > 1
}

// SmallWords counts a text's words that tell its language among those of Latin
// letters: small words that are English only, and small words of others or words with
// marked letters.
func SmallWords(text string) (english, other int) {
	a := analyze(text)
	defer a.release()
	return a.small()
}
