package markdown

import (
	"strings"

	"elowen/shared/api"
)

// Paragraphs are those of a text that Parse makes nothing of, with their lines. A text
// that goes on only changes the last of them, or adds more.
func Paragraphs(text string) []api.Node {
	list := []api.Node{}
	for _, paragraph := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		if paragraph == "" {
			continue
		}
		n := api.Node{Kind: api.NodeParagraph}
		for i, line := range strings.Split(paragraph, "\n") {
			if i > 0 {
				n.In = append(n.In, api.Node{Kind: api.NodeBreak})
			}
			n.In = append(n.In, api.Node{Kind: api.NodeText, Text: line})
		}
		list = append(list, n)
	}
	return list
}
