package script

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/server/delivery"
)

// nested is a memory that a nested result held, with its body as the script was given it.
type nested struct {
	delivery.Emitted
	body string
}

// bodyOf is the body in an element as package render writes it; attributes have no ">".
func bodyOf(element string) string {
	_, body, ok := strings.Cut(element, ">")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(body, "</memory>")
}

// span is a place in a text that a memory has taken.
type span struct{ from, to int }

// surviving are those memories whose whole bodies stand in a text, each with what stands
// there. Longer ones are looked for first: what is a part of another one's body is no
// place of its own.
func surviving(text string, list []nested) []delivery.Emitted {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b nested) int { return len(b.body) - len(a.body) })
	type version struct {
		memory int64
		hash   string
	}
	seen := map[version]bool{}
	var taken []span
	var out []delivery.Emitted
	for _, n := range list {
		v := version{n.Memory, n.BodyHash}
		if seen[v] || n.body == "" {
			continue
		}
		for _, form := range forms(n.body) {
			if at, ok := place(text, form, taken); ok {
				seen[v] = true
				taken = append(taken, span{at, at + len(form)})
				out = append(out, delivery.Emitted{Delivery: n.Delivery, Element: form})
				break
			}
		}
	}
	return out
}

// forms are the ways in which a body may stand whole in a text.
func forms(body string) []string {
	if quoted := quote(body); quoted != body {
		return []string{body, quoted}
	}
	return []string{body}
}

// quote is a text as JavaScript's JSON.stringify writes it, without the quotation marks.
func quote(text string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if c < ' ' {
				b.WriteString(`\u00`)
				b.WriteByte(hex[c>>4])
				b.WriteByte(hex[c&15])
				continue
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// place is where a piece stands in a text as itself: not within what is taken, nor as a
// part of a longer word.
func place(text, piece string, taken []span) (int, bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], piece)
		if i < 0 {
			return 0, false
		}
		at := from + i
		end := at + len(piece)
		free := !slices.ContainsFunc(taken, func(s span) bool { return at < s.to && end > s.from })
		if free && apart(text[:at], piece) && apartBehind(text[end:], piece) {
			return at, true
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + size
	}
}

// apart tells whether a piece behind a text begins a word of its own.
func apart(before, piece string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(piece)
	if !joins(last) || !joins(first) {
		return true
	}
	// A letter that JSON writes for a character: the end of "\n".
	escaped := strings.ContainsRune("nrtbf", last) && strings.HasSuffix(before[:len(before)-1], `\`)
	return escaped
}

// apartBehind tells whether a piece before a text ends a word of its own.
func apartBehind(after, piece string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	last, _ := utf8.DecodeLastRuneInString(piece)
	return !joins(next) || !joins(last)
}

// joins tells whether a character makes a word with letters beside it. Scripts that
// write no spaces between words have no such.
func joins(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
