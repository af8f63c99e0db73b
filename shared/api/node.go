package api

// Node is a piece of a text that was written in Markdown: an element with what is
// inside it, or a text. The server makes the tree, the browser shows it and parses
// nothing.
type Node struct {
	Kind  string `json:"k"`            // one of the kinds below
	Text  string `json:"t,omitempty"`  // of NodeText and NodeCode
	To    string `json:"to,omitempty"` // of NodeLink: an address of a scheme that is safe
	Level int    `json:"n,omitempty"`  // of NodeHeading: 1 to 6; of NodeNumbered: the first number
	In    []Node `json:"in,omitempty"`
}

// The kinds of node.
const (
	NodeText      = "text"
	NodeBreak     = "br"
	NodeEmphasis  = "em"
	NodeStrong    = "strong"
	NodeStruck    = "del"
	NodeMono      = "code" // in a line
	NodeLink      = "a"
	NodeParagraph = "p"
	NodeHeading   = "h"
	NodeQuote     = "quote"
	NodeCode      = "pre" // lines of their own
	NodeRule      = "hr"
	NodeBullets   = "ul"
	NodeNumbered  = "ol"
	NodeItem      = "li"
	NodeTable     = "table"
	NodeRow       = "tr"
	NodeHead      = "th"
	NodeCell      = "td"
)
