package part

import (
	"strconv"
	"strings"

	"elowen/app/tag"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Markdown shows the tree that the server made of a body. Only the kinds that it
// knows become elements, and only addresses of safe schemes become links.
func Markdown(m api.Memory, nodes []api.Node) app.UI {
	return tag.Div().Class("detail-body markdown").Attr("lang", m.Lang).Attr("dir", "auto").Body(shapes(nodes)...)
}

// Nodes shows such a tree of what was said.
func Nodes(nodes []api.Node) app.UI {
	return tag.Div().Class("markdown").Attr("dir", "auto").Body(shapes(nodes)...)
}

// Node shows one part of such a tree.
func Node(n api.Node) app.UI { return shape(n) }

// elements are the elements of kinds that have no more to say.
var elements = map[string]string{
	api.NodeEmphasis: "em", api.NodeStrong: "strong", api.NodeStruck: "s", api.NodeParagraph: "p", api.NodeQuote: "blockquote",
	api.NodeBullets: "ul", api.NodeNumbered: "ol", api.NodeItem: "li", api.NodeRow: "tr", api.NodeHead: "th", api.NodeCell: "td",
	api.NodeRule: "hr", api.NodeBreak: "br",
}

func shapes(nodes []api.Node) []app.UI {
	out := make([]app.UI, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, shape(n))
	}
	return out
}

func shape(n api.Node) app.UI {
	switch n.Kind {
	case api.NodeText:
		return app.Text(n.Text)
	case api.NodeMono:
		return app.Elem("code").Text(n.Text)
	case api.NodeCode:
		return app.Elem("pre").TabIndex(0).Text(n.Text)
	case api.NodeLink:
		if !strings.HasPrefix(n.To, "https://") && !strings.HasPrefix(n.To, "http://") && !strings.HasPrefix(n.To, "mailto:") {
			return tag.Box("span", "", shapes(n.In)...)
		}
		return tag.A().Attr("href", n.To).Attr("rel", "noopener noreferrer nofollow ugc").Attr("target", "_blank").Body(shapes(n.In)...)
	case api.NodeHeading:
		// The page has its own headings above; these are parts of a text.
		return tag.P().Class("md-head").Role("heading").Aria("level", min(n.Level+2, 6)).Body(shapes(n.In)...)
	case api.NodeTable:
		return tag.Box("div", "md-table", tag.Box("table", "", tag.Box("tbody", "", shapes(n.In)...)))
	}
	name, ok := elements[n.Kind]
	switch {
	case !ok:
		return tag.Box("span", "", shapes(n.In)...)
	case len(n.In) == 0 && (n.Kind == api.NodeRule || n.Kind == api.NodeBreak):
		return app.ElemSelfClosing(name)
	}
	e := app.Elem(name)
	if n.Kind == api.NodeNumbered && n.Level != 1 {
		e = e.Attr("start", strconv.Itoa(n.Level))
	}
	return e.Body(shapes(n.In)...)
}
