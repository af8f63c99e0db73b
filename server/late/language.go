package late

import (
	"strings"

	"github.com/abadojack/whatlanggo"

	"elowen/server/embedding"
	"elowen/server/words"
)

// languageMost bounds how much of a text is looked at, in bytes.
const languageMost = 2048

// surelyWords is how few words no language is told of.
const surelyWords = 4

// English tells whether a text counts as English, which the model knows: one in Latin
// script of which nothing says that it is in another language. That are its small
// words and marked letters or, where there are as many of both kinds, a detector that
// is sure. Of under four words nobody is.
func English(text string) bool {
	if len(text) > languageMost {
		text = strings.ToValidUTF8(text[:languageMost], "")
	}
	if embedding.Script(text) != "Latn" {
		return false
	}
	if len(strings.Fields(text)) < surelyWords {
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
