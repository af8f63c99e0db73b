package markdown

import (
	"github.com/yuin/goldmark/util"
)

// plain is what a piece of source reads as: without the backslashes of escapes,
// with entities as the characters that they stand for. Raw pieces are as they are.
func plain(source []byte, raw bool) string {
	if raw {
		return string(source)
	}
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(source))))
}
