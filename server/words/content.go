package words

import (
	"unicode"
	"unicode/utf8"
)

// Content gives the distinct terms by which a text is compared with others: those
// of a question for it, so without small words unless there are no others and of no
// more than MaxQueryWords words, and without roots, which only stand for other
// spellings. It is what ParseQuery finds, without what only a question needs.
func Content(text string) []string {
	a := analyze(text)
	defer a.release()
	c := counters.Get().(*counter)
	list := make([]string, 0, len(a.tokens))
	away := a.away()
	list = c.content(a, list, away, false)
	if len(list) == 0 {
		list = c.content(a, list, away, true)
	}
	clear(c.at) // of MaxQueryWords words, so it is small
	counters.Put(c)
	return list
}

func (c *counter) content(a *analyzer, list []string, away, keepSmall bool) []string {
	var previous *token // the unit before
	for i := range a.tokens {
		if len(list) >= MaxQueryWords {
			return list
		}
		t := &a.tokens[i]
		if c.asked(a, i, previous, away, keepSmall) {
			if _, ok := c.at[t.lex.term]; !ok {
				c.at[t.lex.term] = 0
				list = append(list, t.lex.term)
			}
		}
		if t.kind == kindUnit {
			previous = unitBefore(a.tokens, i)
		}
	}
	return list
}

// asked tells whether a question asks for the token at i.
func (*counter) asked(a *analyzer, i int, previous *token, away, keepSmall bool) bool {
	t := &a.tokens[i]
	small := (t.lex.stop || away && t.lex.away) && !keepSmall
	switch t.kind {
	case kindWhole:
		return true
	case kindUnit:
		r, _ := utf8.DecodeRuneInString(t.lex.word)
		return !small && unicode.Is(unicode.Han, r)
	case kindPair:
		return !small && (keepSmall || previous == nil || !previous.lex.stop || !a.tokens[i-1].lex.stop)
	}
	return !small
}
