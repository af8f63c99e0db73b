package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// tagged begins the name of every tag of ours: memory and memories.
const tagged = "memor"

// Harmless takes from a text what could be read as a tag of ours: the sign before its
// name becomes "&lt;". The result is the same for a text that went through before.
func Harmless(text string) string {
	var b *strings.Builder
	from := 0
	for i, r := range text {
		if !opens(r) || !named(text[i+utf8.RuneLen(r):]) {
			continue
		}
		if b == nil {
			b = &strings.Builder{}
		}
		b.WriteString(text[from:i])
		b.WriteString("&lt;")
		from = i + utf8.RuneLen(r)
	}
	if b == nil {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// opens tells whether a sign looks like the one that begins a tag.
func opens(r rune) bool {
	switch r {
	case '<', '＜', '﹤', '‹', '〈', '⟨', '˂', 'ᐸ', '❮', '\u2329':
		return true
	}
	return false
}

// named tells whether what follows a sign can be read as a name of ours: however many
// slashes, spaces and invisible characters stand before it or between its letters.
func named(rest string) bool {
	want := tagged
	for _, r := range rest {
		switch {
		case want == tagged && (r == '/' || r == '\\' || r == '／' || r == '∕' || r == '⁄' || r == '!' || r == '?'):
			continue
		case want == tagged && unicode.IsSpace(r), hidden(r):
			continue
		}
		if plainLetter(r) != rune(want[0]) {
			return false
		}
		if want = want[1:]; want == "" {
			return true
		}
	}
	return false
}

// hidden tells whether a character takes no place: controls, format characters,
// fillers, and marks that only change the look of others.
func hidden(r rune) bool {
	return r != ' ' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// lookalikes are letters of other scripts that are drawn as those of the name.
var lookalikes = map[rune]rune{
	'м': 'm', 'е': 'e', 'о': 'o', 'г': 'r', 'М': 'm', 'Е': 'e', 'О': 'o',
	'Μ': 'm', 'Ε': 'e', 'Ο': 'o', 'ο': 'o', 'ⅿ': 'm', 'Ⅿ': 'm', 'ℯ': 'e', 'ℴ': 'o',
}

// plainLetter is a letter in lower case and of usual width, whatever script draws it.
func plainLetter(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if plain, ok := lookalikes[r]; ok {
		return plain
	}
	if folded := width.LookupRune(r).Folded(); folded != 0 {
		r = folded
	}
	return unicode.ToLower(r)
}
