// Package markdown turns a body that was written in Markdown into a typed tree,
// which the browser shows without parsing anything.
//
// Concepts. A tree is made of the kinds of api.Node and nothing else. What a text
// says beyond them is shown as the text that it is: HTML is not interpreted, an
// image becomes a link to it, and a link whose address is of no safe scheme becomes
// its words.
//
// Invariants. All that the text says is in the tree, but for the marks of Markdown
// themselves; nothing in the tree is markup. The tree is no deeper and no larger
// than the bounds here, whatever the text: one that would be has none.
//
// It keeps nothing and knows no memories.
package markdown

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"elowen/shared/api"
)

// The bounds of a tree. Nobody writes a memory that needs more, and a browser has
// to draw it.
const (
	nodesMost = 4_000
	depthMost = 24
)

// The bounds of a text that is read at all. What a parser of Markdown spends on
// marks that don't pair grows with the square of their number.
const (
	bytesMost = 32 << 10
	marksMost = 3_000
)

// marks are the characters that something may begin with.
const marks = "*_`[]!<>~|#&"

var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify)).Parser()

// Parse is the tree of a text, nil where there is nothing in it that plain text
// doesn't show as well.
func Parse(body string) []api.Node {
	if len(body) > bytesMost || !strings.ContainsAny(body, marks+"-+=:0123456789") {
		return nil // most memories are a sentence
	}
	n := 0
	for i := range len(body) {
		if strings.IndexByte(marks, body[i]) >= 0 {
			n++
		}
	}
	if n > marksMost {
		return nil
	}
	t := tree{source: []byte(body)}
	list := t.children(reader.Parse(text.NewReader(t.source), parser.WithContext(parser.NewContext())), 0)
	if t.count > nodesMost || t.deep || !marked(list) {
		return nil
	}
	return list
}

// marked tells whether a tree holds more than paragraphs of plain text.
func marked(list []api.Node) bool {
	for _, n := range list {
		switch n.Kind {
		case api.NodeText, api.NodeBreak:
		case api.NodeParagraph:
			if marked(n.In) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

type tree struct {
	source []byte
	count  int
	deep   bool
}

func (t *tree) children(n ast.Node, depth int) []api.Node {
	if depth > depthMost {
		t.deep = true
	}
	if t.deep || t.count > nodesMost {
		return nil
	}
	var list []api.Node
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		list = t.add(list, c, depth)
	}
	return list
}

// say appends a text, to the one before it where there is one.
func (t *tree) say(list []api.Node, s string) []api.Node {
	if s == "" {
		return list
	}
	if n := len(list); n > 0 && list[n-1].Kind == api.NodeText {
		list[n-1].Text += s
		return list
	}
	t.count++
	return append(list, api.Node{Kind: api.NodeText, Text: s})
}

// add appends what a node of the parser's becomes.
func (t *tree) add(list []api.Node, n ast.Node, depth int) []api.Node {
	whole := func(node api.Node) []api.Node {
		t.count++
		node.In = t.children(n, depth+1)
		return append(list, node)
	}
	switch n := n.(type) {
	case *ast.Text:
		// The parser leaves escapes and entities to its renderers.
		list = t.say(list, plain(n.Segment.Value(t.source), n.IsRaw()))
		switch {
		case n.HardLineBreak():
			t.count++
			list = append(list, api.Node{Kind: api.NodeBreak})
		case n.SoftLineBreak():
			list = t.say(list, "\n")
		}
		return list
	case *ast.String:
		return t.say(list, string(n.Value))
	case *ast.Emphasis:
		if n.Level > 1 {
			return whole(api.Node{Kind: api.NodeStrong})
		}
		return whole(api.Node{Kind: api.NodeEmphasis})
	case *east.Strikethrough:
		return whole(api.Node{Kind: api.NodeStruck})
	case *ast.CodeSpan:
		t.count++
		return append(list, api.Node{Kind: api.NodeMono, Text: t.inside(n)})
	case *ast.Link:
		return t.link(list, n, string(n.Destination), depth)
	case *ast.Image:
		return t.link(list, n, string(n.Destination), depth)
	case *ast.AutoLink:
		address := string(n.URL(t.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			address = "mailto:" + address
		}
		label := string(n.Label(t.source))
		to, ok := safe(address)
		if !ok {
			return t.say(list, label)
		}
		t.count += 2
		return append(list, api.Node{Kind: api.NodeLink, To: to, In: []api.Node{{Kind: api.NodeText, Text: label}}})
	case *ast.RawHTML:
		return t.say(list, segments(n.Segments, t.source))
	case *ast.HTMLBlock:
		said := t.lines(n)
		if n.HasClosure() {
			said += string(n.ClosureLine.Value(t.source))
		}
		t.count++
		return append(list, api.Node{Kind: api.NodeParagraph, In: t.say(nil, strings.TrimRight(said, "\n"))})
	case *ast.Paragraph, *ast.TextBlock:
		return whole(api.Node{Kind: api.NodeParagraph})
	case *ast.Heading:
		return whole(api.Node{Kind: api.NodeHeading, Level: n.Level})
	case *ast.Blockquote:
		return whole(api.Node{Kind: api.NodeQuote})
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		t.count++
		return append(list, api.Node{Kind: api.NodeCode, Text: strings.TrimRight(t.lines(n), "\n")})
	case *ast.ThematicBreak:
		t.count++
		return append(list, api.Node{Kind: api.NodeRule})
	case *ast.List:
		if n.IsOrdered() {
			return whole(api.Node{Kind: api.NodeNumbered, Level: n.Start})
		}
		return whole(api.Node{Kind: api.NodeBullets})
	case *ast.ListItem:
		return whole(api.Node{Kind: api.NodeItem})
	case *east.Table:
		return whole(api.Node{Kind: api.NodeTable})
	case *east.TableHeader, *east.TableRow:
		return whole(api.Node{Kind: api.NodeRow})
	case *east.TableCell:
		if n.Parent().Kind() == east.KindTableHeader {
			return whole(api.Node{Kind: api.NodeHead})
		}
		return whole(api.Node{Kind: api.NodeCell})
	}
	return append(list, t.children(n, depth+1)...)
}

// link is a link with what is written on it, or only that, where one should not
// follow it.
func (t *tree) link(list []api.Node, n ast.Node, address string, depth int) []api.Node {
	in := t.children(n, depth+1)
	to, ok := safe(plain([]byte(address), false))
	if !ok {
		return append(list, in...)
	}
	if len(in) == 0 {
		in = t.say(nil, to)
	}
	t.count++
	return append(list, api.Node{Kind: api.NodeLink, To: to, In: in})
}

// inside is the text of the texts in a node.
func (t *tree) inside(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s, ok := c.(*ast.Text); ok {
			b.Write(s.Segment.Value(t.source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

func (t *tree) lines(n ast.Node) string { return segments(n.Lines(), t.source) }

func segments(list *text.Segments, source []byte) string {
	var b strings.Builder
	for i := range list.Len() {
		s := list.At(i)
		b.Write(s.Value(source))
	}
	return b.String()
}

// schemes are those that a link may lead to.
var schemes = map[string]bool{"http": true, "https": true, "mailto": true}

// safe is an address that may be followed: an absolute one of a known scheme.
func safe(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !schemes[strings.ToLower(u.Scheme)] || u.Scheme != "mailto" && u.Host == "" {
		return "", false
	}
	return u.String(), true
}
