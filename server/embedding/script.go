package embedding

import "unicode"

// scripts are those that a text is told to be in, by their ISO 15924 codes. All
// others are "".
var scripts = []struct {
	code   string
	tables []*unicode.RangeTable
}{
	{"Latn", []*unicode.RangeTable{unicode.Latin}},
	{"Cyrl", []*unicode.RangeTable{unicode.Cyrillic}},
	{"Grek", []*unicode.RangeTable{unicode.Greek}},
	{"Hani", []*unicode.RangeTable{unicode.Han}},
	{"Jpan", []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	{"Hang", []*unicode.RangeTable{unicode.Hangul}},
	{"Arab", []*unicode.RangeTable{unicode.Arabic}},
	{"Hebr", []*unicode.RangeTable{unicode.Hebrew}},
	{"Deva", []*unicode.RangeTable{unicode.Devanagari}},
	{"Beng", []*unicode.RangeTable{unicode.Bengali}},
	{"Taml", []*unicode.RangeTable{unicode.Tamil}},
	{"Thai", []*unicode.RangeTable{unicode.Thai}},
}

const latin, han, japanese = 0, 3, 4

// Scripts are the codes that Script can tell, beside "".
func Scripts() []string {
	codes := make([]string, len(scripts))
	for i := range scripts {
		codes[i] = scripts[i].code
	}
	return codes
}

// scriptMost bounds how much of a text is looked at.
const scriptMost = 4096

// Script is the script that most of a text's letters are in, as an ISO 15924 code;
// "" for one that no means are kept for. A letter of Han stands for a word, so it
// counts three times; with some kana beside it, it is Japanese ("Jpan").
func Script(text string) string {
	var seen [16]int
	other, looked := 0, 0
	for _, r := range text {
		if looked++; looked > scriptMost {
			break
		}
		if r < 0x80 {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				seen[latin]++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		found := false
		for i := range scripts {
			if unicode.In(r, scripts[i].tables...) {
				seen[i]++
				found = true
				break
			}
		}
		if !found {
			other++
		}
	}
	seen[han] *= 3
	if kana := seen[japanese]; kana > 0 && kana*10 >= seen[han]/3 {
		seen[japanese] += seen[han]
		seen[han] = 0
	}
	best, most := "", other
	for i := range scripts {
		if seen[i] > most {
			best, most = scripts[i].code, seen[i]
		}
	}
	return best
}
