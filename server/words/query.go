package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQueryWords bounds the words of a question; later ones are ignored.
const MaxQueryWords = 128

// Query is a question as terms to look up. The zero value finds nothing.
type Query struct {
	// Terms are the distinct terms whose postings Score wants.
	Terms []string
	// Prefix is the folded beginning that the last word may be, for search while
	// it is typed; "" where the text ends in anything but a word. A caller that
	// wants it reads the postings of terms t with Prefix <= t < PrefixEnd(),
	// compared as bytes, as many as it can afford, and of Completions. One that
	// doesn't ignores both: the last word is in Terms as well.
	Prefix string
	// Completions are terms that words beginning with Prefix may have though the
	// terms don't begin with it: "runni" may become running, whose term is "run".
	Completions []string

	groups []group
}

// group is one word of the question: the terms any of which is that word.
type group struct {
	alternatives []alternative
	word         string  // as it stands in the question
	joined       bool    // it stands in a run without spaces
	weight       float64 // of the group's scores
	bonus        bool    // adds to scores, is no word of its own
	weak         bool    // marked in texts only where nothing else is
	typed        bool    // also matches terms that begin with the query's Prefix
}

type alternative struct {
	term   string
	weight float64
}

// What a match is worth against the word itself.
const (
	rootWeight   = 0.5 // another inflection, or a word that shares its root
	prefixWeight = 0.8 // a longer word
	unitWeight   = 0.2 // one character of a longer run of Han
	kanaWeight   = 0.2 // two of Hiragana, which mostly are grammar, also across two words
	mixedWeight  = 0.4 // one of Hiragana and one of Han: an ending, or grammar beside a word
)

// Empty tells whether the query can't find anything.
func (q Query) Empty() bool { return len(q.Terms) == 0 }

// PrefixEnd is a string after all that begin with Prefix, as bytes compare; ""
// without a Prefix.
func (q Query) PrefixEnd() string {
	last, size := utf8.DecodeLastRuneInString(q.Prefix)
	if size == 0 {
		return ""
	}
	if last++; last >= 0xD800 && last < 0xE000 { // surrogates are no text
		last = 0xE000
	}
	return q.Prefix[:len(q.Prefix)-size] + string(last)
}

// ParseQuery reads what a person typed or asked. Every text is a valid question:
// punctuation separates words, as in texts, and has no other meaning. Small words
// are dropped unless there are no others.
func ParseQuery(text string) Query {
	a := analyze(text)
	defer a.release()
	p := parser{at: map[string]int{}, away: a.away()}
	for _, keepSmall := range []bool{false, true} {
		p.read(a, keepSmall)
		if len(p.groups) > 0 {
			break
		}
	}
	p.typed(a, len(text))
	return p.query()
}

type parser struct {
	Query
	at   map[string]int // group of a first alternative
	away bool           // see analyzer.away
}

func (p *parser) read(a *analyzer, keepSmall bool) {
	var previous *token // the unit before
	for i := range a.tokens {
		if len(p.groups) >= MaxQueryWords {
			return
		}
		t := &a.tokens[i]
		small := (t.lex.stop || p.away && t.lex.away) && !keepSmall
		switch t.kind {
		case kindWord:
			if !small {
				g := p.group(group{weight: 1, word: a.text(t)}, t.lex.term)
				if t.lex.root != "" {
					p.also(g, t.lex.root, rootWeight)
				}
			}
		case kindWhole:
			p.whole(a.tokens[i-int(t.parts):i], t, a.text(t), keepSmall)
		case kindLone, kindPicture:
			if !small {
				p.group(group{weight: 1, word: a.text(t), joined: t.kind == kindLone}, t.lex.term)
			}
		case kindUnit:
			if r, _ := utf8.DecodeRuneInString(t.lex.word); !small && unicode.Is(unicode.Han, r) {
				p.group(group{weight: unitWeight, word: a.text(t), joined: true, weak: true}, t.lex.term)
			}
		case kindPair:
			// The pair follows its second unit.
			if !small && (keepSmall || previous == nil || !previous.lex.stop || !a.tokens[i-1].lex.stop) {
				weight := 1.0
				switch kana(t.lex.word) {
				case 1:
					weight = mixedWeight
				case 2:
					weight = kanaWeight
				}
				p.group(group{weight: weight, word: a.text(t), joined: true}, t.lex.term)
			}
		}
		if t.kind == kindUnit {
			previous = unitBefore(a.tokens, i)
		}
	}
}

// kana is how many letters of a word are Hiragana.
func kana(word string) (n int) {
	for _, r := range word {
		if unicode.Is(unicode.Hiragana, r) {
			n++
		}
	}
	return n
}

// unitBefore gives the unit before the one at i, of which the next pair is made.
func unitBefore(tokens []token, i int) *token {
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		if tokens[j].kind == kindUnit {
			return &tokens[j]
		}
	}
	return nil
}

// whole adds a compound: another way to spell each of its parts, and more score
// for texts that have it.
func (p *parser) whole(parts []token, t *token, word string, keepSmall bool) {
	found := false
	for i := range parts {
		if lex := parts[i].lex; keepSmall || !lex.stop {
			if g, ok := p.at[lex.term]; ok {
				p.also(g, t.lex.term, 1)
				found = true
			}
		}
	}
	p.group(group{weight: 1, word: word, bonus: found}, t.lex.term)
}

// group gives the index of the group with the given first term, a new one if
// there was none.
func (p *parser) group(g group, term string) int {
	if i, ok := p.at[term]; ok {
		old := &p.groups[i]
		old.weight = max(old.weight, g.weight)
		old.bonus = old.bonus && g.bonus
		old.weak = old.weak && g.weak
		return i
	}
	g.alternatives = append(g.alternatives, alternative{term, 1})
	p.groups = append(p.groups, g)
	p.at[term] = len(p.groups) - 1
	return len(p.groups) - 1
}

func (p *parser) also(g int, term string, weight float64) {
	for _, alt := range p.groups[g].alternatives {
		if alt.term == term {
			return
		}
	}
	p.groups[g].alternatives = append(p.groups[g].alternatives, alternative{term, weight})
}

// typed makes the last word a prefix if the text ends in it. A single letter is
// one only if it is all there is, a small word likewise.
func (p *parser) typed(a *analyzer, end int) {
	n := len(a.tokens)
	if n > 0 && a.tokens[n-1].kind == kindWhole {
		n--
	}
	if n == 0 || a.tokens[n-1].end != end {
		return
	}
	t := &a.tokens[n-1]
	g, ok := p.at[t.lex.term]
	if !ok || t.kind != kindWord && t.kind != kindLone {
		return
	}
	if t.kind == kindWord && len(t.lex.word) < 2 && len(p.groups) > 1 {
		return
	}
	p.groups[g].typed = true
	p.Prefix = t.lex.word
	p.Completions = completions(p.Prefix, t.lex.term)
}

// suffixes are English endings that the stemmer takes off.
var suffixes = []string{"ing", "ings", "ed", "edly", "es", "ies", "ied", "er", "ers", "ly", "ness", "ation", "ations", "ment", "ments", "ful", "able", "ities"}

// completions gives the terms of words that begin with prefix and end in a known
// suffix of which prefix has the beginning, as far as those terms are shorter.
func completions(prefix, term string) []string {
	if scriptOf(prefix) != scriptLatin {
		return nil
	}
	var terms []string
	for _, s := range suffixes {
		for n := 1; n < len(s); n++ {
			base, ok := strings.CutSuffix(prefix, s[:n])
			if !ok || len(base) < minRoot {
				continue
			}
			stem := stemEnglish(base + s)
			if !strings.HasPrefix(stem, prefix) && stem != term && !slices.Contains(terms, stem) {
				terms = append(terms, stem)
			}
		}
	}
	return terms
}

// query finishes: the distinct terms of all groups.
func (p *parser) query() Query {
	seen := make(map[string]bool, 2*len(p.groups))
	for _, g := range p.groups {
		for _, alt := range g.alternatives {
			if !seen[alt.term] {
				seen[alt.term] = true
				p.Terms = append(p.Terms, alt.term)
			}
		}
	}
	return p.Query
}
