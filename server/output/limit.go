package output

import (
	"strings"
	"unicode/utf8"
)

// Span is a piece of a text that stands in what was made of it: the bytes From to To of
// the text are those at At.
type Span struct{ At, From, To int }

// Shown is a text that was brought within a limit.
type Shown struct {
	Text string
	Kept []Span // in their order; what stands between them is a note
}

// Limit brings a text to at most so many bytes: its beginning, a note, and its end, all
// in whole characters, and in whole lines where lines are short. note is told which bytes
// are left out; it must not get longer for larger numbers than their digits make it.
// Where the note alone is too long, nothing but the beginning is left of it.
func Limit(text string, most int, note func(from, to int) string) Shown {
	if len(text) <= most {
		return Shown{Text: text, Kept: []Span{{0, 0, len(text)}}}
	}
	room := most - len(note(len(text), len(text)))
	if room <= 0 {
		return Shown{Text: text[:before(text, most)], Kept: []Span{{0, 0, before(text, most)}}}
	}
	head := before(text, room-room/4)
	if at := strings.LastIndexByte(text[:head], '\n') + 1; at > head-head/8 {
		head = at
	}
	tail := after(text, len(text)-room/4)
	if at := strings.IndexByte(text[tail:], '\n') + 1; at > 0 && at < room/32 {
		tail += at
	}
	middle := note(head, tail)
	return Shown{Text: text[:head] + middle + text[tail:], Kept: []Span{{0, 0, head}, {head + len(middle), tail, len(text)}}}
}

// Holds tells whether a piece stands whole in what is left of the text.
func (s Shown) Holds(piece string) bool {
	for _, k := range s.Kept {
		if strings.Contains(s.Text[k.At:k.At+k.To-k.From], piece) {
			return true
		}
	}
	return false
}

// before is the last place up to at where a character begins.
func before(text string, at int) int {
	for at = min(at, len(text)); at > 0 && at < len(text) && !utf8.RuneStart(text[at]); at-- {
	}
	return at
}

// after is the first place from at on where a character begins.
func after(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
