package words

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSegment bounds the bytes folded at once: a letter under thousands of
// combining marks must not cost more than the marks.
const maxSegment = 128

// source reads a text as folded runes, each with the byte range that it came
// from. Several runes may share a range (ß gives two s).
type source struct {
	text       string
	pos        int
	runes      []rune // folded runes of the current segment
	at         int    // next of them
	start, end int    // byte range of the rune read last
	marked     bool   // its segment was a Latin letter with a mark
}

func (s *source) reset(text string) {
	s.text, s.pos, s.runes, s.at, s.start, s.end = text, 0, s.runes[:0], 0, 0, 0
}

// next reads one folded rune; ok is false at the end of the text.
func (s *source) next() (r rune, ok bool) {
	for {
		if s.at < len(s.runes) {
			r = s.runes[s.at]
			s.at++
			return r, true
		}
		if s.pos >= len(s.text) {
			return 0, false
		}
		s.start = s.pos
		if c := s.text[s.pos]; c < utf8.RuneSelf && (s.pos+1 == len(s.text) || s.text[s.pos+1] < utf8.RuneSelf) {
			s.pos++
			s.end = s.pos
			s.marked = false
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			return rune(c), true
		}
		s.segment()
	}
}

// segment folds the text up to the next place where normalization can't reach
// across.
func (s *source) segment() {
	_, size := utf8.DecodeRuneInString(s.text[s.pos:])
	s.pos += size
	for s.pos < len(s.text) && s.text[s.pos] >= utf8.RuneSelf && s.pos-s.start < maxSegment {
		p := norm.NFKC.PropertiesString(s.text[s.pos:])
		if p.Size() == 0 || p.BoundaryBefore() {
			break
		}
		s.pos += p.Size()
	}
	s.end = s.pos
	s.runes, s.marked = foldInto(s.runes[:0], s.text[s.start:s.end])
	s.at = 0
}
