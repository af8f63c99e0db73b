package embedding

import (
	"strings"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"elowen/server/words"
)

// languageMost bounds how much of a text is looked at, in bytes.
const languageMost = 2048

// toldFrom is of how many words a text's language is told.
const toldFrom = 4

// English tells whether a text counts as English: one in Latin script of which nothing
// says that it is in another language. That are its small words and marked letters or,
// where there are as many of both kinds, a detector that is sure. Of under four words
// nobody is.
func English(text string) bool {
	text = beginning(text)
	return Script(text) == "Latn" && englishLatin(text)
}

func englishLatin(text string) bool {
	if len(strings.Fields(text)) < toldFrom {
		return true
	}
	switch english, other := words.SmallWords(text); {
	case english > other:
		return true
	case other > english:
		return false
	}
	found := whatlanggo.Detect(text)
	return found.Lang == whatlanggo.Eng || !found.IsReliable()
}

func beginning(text string) string {
	if len(text) <= languageMost {
		return text
	}
	text = text[:languageMost]
	for len(text) > 0 && !utf8.ValidString(text[max(0, len(text)-utf8.UTFMax):]) {
		text = text[:len(text)-1]
	}
	return text
}

// latins are the languages in Latin script that are told apart.
var latins = whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{
	whatlanggo.Ces: true, whatlanggo.Deu: true, whatlanggo.Fra: true, whatlanggo.Ita: true, whatlanggo.Nld: true, whatlanggo.Pol: true, whatlanggo.Por: true,
	whatlanggo.Spa: true, whatlanggo.Swe: true, whatlanggo.Tur: true,
}}

// Group is what a text's vector has in common with others: its script (see Script), in
// Latin its likeliest language as an ISO 639-1 code. A language that there is none of goes
// with the one it looks like most. Where a model's Means are known, a text's vector tells
// it better (Means.Centre).
func Group(text string) string {
	script := Script(text)
	if script != "Latn" {
		return script
	}
	text = beginning(text)
	if englishLatin(text) {
		return "en"
	}
	return whatlanggo.DetectWithOptions(text, latins).Lang.Iso6391()
}

// Groups are all that Group can tell, beside "".
func Groups() []string {
	list := []string{"en"}
	for _, lang := range []whatlanggo.Lang{whatlanggo.Ces, whatlanggo.Deu, whatlanggo.Fra, whatlanggo.Ita, whatlanggo.Nld, whatlanggo.Pol, whatlanggo.Por, whatlanggo.Spa, whatlanggo.Swe, whatlanggo.Tur} {
		list = append(list, lang.Iso6391())
	}
	for _, script := range Scripts() {
		if script != "Latn" {
			list = append(list, script)
		}
	}
	return list
}
