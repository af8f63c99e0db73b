package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// settleBody is a body as it is stored: trimmed, and nothing else. What cannot be
// stored as it is, is refused.
func settleBody(body string) (string, error) {
	bound := setting.Get("memory.body")
	bad := func(rule, param, message string) (string, error) {
		return "", fault.BadField("body", rule, param, message)
	}
	if !utf8.ValidString(body) {
		return bad("utf8", "", "The body is not valid UTF-8. It was not repaired.")
	}
	if strings.ContainsRune(body, 0) {
		return bad("nul", "", "The body contains a NUL character. It was not removed.")
	}
	body = strings.TrimSpace(body)
	if !bound.Contains(float64(len(body))) {
		return bad("length", bound.Range(), "The body must have "+bound.Range()+" bytes. It was not cut.")
	}
	if invisible(body) {
		return bad("visible", "", "The body has only characters that cannot be seen.")
	}
	return body, nil
}

// invisible tells whether a text has nothing that anybody could see: space, format
// and control characters, fillers and what only changes the look of others.
func invisible(body string) bool {
	return strings.IndexFunc(body, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && r != brailleBlank
	}) < 0
}

// brailleBlank is a letter without a mark.
const brailleBlank = '\u2800'

// langs are the languages that their script tells. A script that several
// languages share (Latin, Cyrillic, Arabic, Devanagari) tells none.
var langs = []struct {
	script *unicode.RangeTable
	tag    string
	weight int // letters of a script without spaces stand for more
}{
	{unicode.Hiragana, "ja", 3}, {unicode.Katakana, "ja", 3}, {unicode.Hangul, "ko", 2},
	{unicode.Thai, "th", 1}, {unicode.Lao, "lo", 1}, {unicode.Khmer, "km", 1}, {unicode.Myanmar, "my", 1},
	{unicode.Greek, "el", 1}, {unicode.Hebrew, "he", 1}, {unicode.Armenian, "hy", 1}, {unicode.Georgian, "ka", 1},
	{unicode.Tamil, "ta", 1}, {unicode.Telugu, "te", 1}, {unicode.Kannada, "kn", 1}, {unicode.Malayalam, "ml", 1},
	{unicode.Gujarati, "gu", 1}, {unicode.Gurmukhi, "pa", 1}, {unicode.Oriya, "or", 1}, {unicode.Sinhala, "si", 1},
	{unicode.Ethiopic, "am", 1}, {unicode.Tibetan, "bo", 1},
}

// langOf guesses a body's language from its letters' script alone, for a lang
// attribute: which glyphs and line breaks a browser takes. Han is Chinese, or
// Japanese where any kana stands beside it. Empty where the script tells none.
func langOf(body string) string {
	other, han, kana := 0, 0, 0
	var seen [32]int
	for _, r := range body {
		if r < 0x370 { // up to Latin and its marks
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0xC0 {
				other++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		if unicode.Is(unicode.Han, r) {
			han += 3
			continue
		}
		found := false
		for i := range langs {
			if unicode.Is(langs[i].script, r) {
				seen[i] += langs[i].weight
				if langs[i].tag == "ja" {
					kana++
				}
				found = true
				break
			}
		}
		if !found {
			other++
		}
	}
	scores := map[string]int{}
	for i := range langs {
		if seen[i] > 0 {
			scores[langs[i].tag] += seen[i]
		}
	}
	switch {
	case kana > 0:
		scores["ja"] += han
	case scores["ko"] > 0:
		scores["ko"] += han // hanja among Hangul
	case han > 0:
		scores["zh"] = han
	}
	best, most := "", other
	for tag, n := range scores {
		if n > most || n == most && best != "" && tag < best {
			best, most = tag, n
		}
	}
	return best
}
