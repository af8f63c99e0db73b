package command

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible is text of somebody else's (a memory's body, a name, an argument) as it
// is shown on a terminal, on one line: what would steer the terminal, or turn the
// order of what is read, stands there as an escape instead of acting.
func visible(text string) string { return escape(text, "") }

// escape replaces what acts on a terminal by how Go writes it, but for the
// characters in keep.
func escape(text, keep string) string {
	acts := func(r rune) bool { return steers(r) && !strings.ContainsRune(keep, r) }
	if utf8.ValidString(text) && strings.IndexFunc(text, acts) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case acts(r) && r == '\n':
			b.WriteString(`\n`)
		case acts(r) && r == '\t':
			b.WriteString(`\t`)
		case acts(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// steers tells whether a terminal obeys the character instead of showing it: the
// controls of ASCII and of C1, the ends of lines and paragraphs, and the marks
// that order text of two directions.
func steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// say writes what text says, which may hold anything, to where a person reads.
// Only its line ends act.
func say(w io.Writer, text func(w io.Writer)) {
	var b strings.Builder
	text(&b)
	_, _ = io.WriteString(w, escape(b.String(), "\n")) // a reader that is gone is told by the next write
}
