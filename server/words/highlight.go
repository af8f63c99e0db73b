package words

import "strings"

// Span is a range of a text in bytes: text[Start:End].
type Span struct {
	Start, End int
}

// Highlights gives the parts of a text that match the query, ascending, apart
// from each other and on rune boundaries. Words are marked as they stand in the
// text, whatever their case, marks and inflection; adjacent characters of a
// script without spaces are marked as one. Single characters of a longer run are
// marked only if nothing else matches. Never nil.
func Highlights(text string, q Query) []Span {
	spans := []Span{}
	if q.Empty() {
		return spans
	}
	strength := make(map[string]bool, len(q.Terms)) // true: strong
	for _, g := range q.groups {
		for _, alt := range g.alternatives {
			strength[alt.term] = strength[alt.term] || !g.weak
		}
	}
	for _, c := range q.Completions {
		strength[c] = true
	}
	a := analyze(text)
	defer a.release()
	roots := a.inflected()
	matches := func(t *token) (strong, found bool) {
		if strong, found = strength[t.lex.term]; found {
			return strong, true
		}
		if roots && t.kind == kindWord && t.lex.root != "" {
			if strong, found = strength[t.lex.root]; found {
				return strong, true
			}
		}
		if q.Prefix != "" && strings.HasPrefix(t.lex.word, q.Prefix) {
			return true, true
		}
		return false, false
	}
	strongOnly := false
	for i := range a.tokens {
		strong, found := matches(&a.tokens[i])
		if strong && !strongOnly {
			strongOnly = true
			spans = spans[:0]
		}
		if found && (strong || !strongOnly) {
			spans = appendSpan(spans, Span{a.tokens[i].start, a.tokens[i].end})
		}
	}
	return spans
}

// appendSpan adds a span and joins it with those that it touches. Spans come
// nearly in order: a whole after its parts, a pair after its second character.
func appendSpan(spans []Span, s Span) []Span {
	for n := len(spans); n > 0; n = len(spans) {
		last := spans[n-1]
		if last.End < s.Start {
			break
		}
		s = Span{min(last.Start, s.Start), max(last.End, s.End)}
		spans = spans[:n-1]
	}
	return append(spans, s)
}
