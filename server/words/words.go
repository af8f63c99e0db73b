// Package words is the pure core of keyword search: how a text becomes terms,
// how a question becomes a query, how the inverted index is encoded, and how
// matches are scored and marked. It knows no SQL and no clock.
//
// # Concepts
//
// A term is one string of the index. A text's terms are:
//
//   - each word, folded (NFKC, case, diacritics) and stemmed. The stemmer
//     follows from the word's own letters and never from a guess at the text's
//     language, so a question and a text always agree: English Snowball for
//     a–z, Russian Snowball for Cyrillic, light ending rules for Greek and
//     Arabic, none for the rest;
//   - the whole of a compound such as wi-fi, o'clock, pgx/v5, a@b.org or
//     2024-05-01, beside its parts (see appendWhole for its spelling);
//   - for scripts written without spaces (Han, kana, Hangul; Thai, Lao, Khmer,
//     Myanmar) each character and each pair of adjacent ones;
//   - each pictograph (emoji), without skin tone and presentation;
//   - in texts that don't look English, a root for each word of Latin letters:
//     "~" and the word without inflection endings of several European
//     languages. A question always asks for both, the root counts for less.
//
// Words longer than MaxRunes are cut to that length, in texts and questions
// alike, so they are still found by themselves.
//
// A posting says how often a term is in a memory and how long the memory is.
// Postings of one term are kept in chunks of ChunkSize consecutive memory ids,
// each chunk one small blob; package memory keeps those as rows
// of its own and is the only one to read and write them. Statistics
// (Stats) are an owner's own, so nobody else's memories move a score.
//
// # Invariants
//
// Nothing here fails on any input: broken UTF-8 separates words. Only a blob
// that didn't come from this package is refused (ErrCorrupt). A text is found by
// each of its own words. Terms hold no NUL and no space. A change that alters
// terms or blobs must raise Version, so that indexes are built again.
//
// # Not here
//
// Storing, permission, filtering by status, embeddings, the blend with cosines.
package words

import "sync"

// Version names the tokenizer and the posting format. An index stored under
// another version must be built again.
const Version = 1

// MaxRunes is the longest word kept, in runes after folding; longer ones are cut.
const MaxRunes = 64

// Term is a term of a text and how often it is in there.
type Term struct {
	Text  string
	Count int
}

// Terms gives a text's distinct terms in the order of first occurrence (roots
// last) and its length: the number of words, of characters in scripts written
// without spaces, and of pictographs. Compounds count by their parts, pairs and
// roots don't count.
func Terms(text string) (terms []Term, length int) {
	a := analyze(text)
	defer a.release()
	c := counters.Get().(*counter)
	c.terms = make([]Term, 0, len(a.tokens)+len(a.tokens)/4)
	for i := range a.tokens {
		t := &a.tokens[i]
		c.add(t.lex.term)
		if t.counts() {
			length++
		}
	}
	if a.inflected() {
		for i := range a.tokens {
			if t := &a.tokens[i]; t.kind == kindWord && t.lex.root != "" {
				c.add(t.lex.root)
			}
		}
	}
	terms = c.terms
	c.terms = nil
	if len(c.at) <= maxPooledTerms {
		clear(c.at)
		counters.Put(c)
	}
	return terms, length
}

// maxPooledTerms keeps one huge text from making the counting of all later
// small ones slow: clearing a map costs what it once held.
const maxPooledTerms = 1 << 10

type counter struct {
	terms []Term
	at    map[string]int32
}

var counters = sync.Pool{New: func() any { return &counter{at: make(map[string]int32, 128)} }}

func (c *counter) add(term string) {
	if i, ok := c.at[term]; ok {
		c.terms[i].Count++
		return
	}
	c.at[term] = int32(len(c.terms))
	c.terms = append(c.terms, Term{Text: term, Count: 1})
}
