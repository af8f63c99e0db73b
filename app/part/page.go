package part

import (
	"strconv"

	"elowen/app/tag"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// PageHead is the heading of a page, with what the page is for ("" says nothing) and
// what else stands beside it.
func PageHead(title, why string, beside ...app.UI) app.UI {
	head := []app.UI{tag.Words("h1", "", title)}
	if why != "" {
		head = append(head, tag.Words("p", "", why))
	}
	return tag.Box("div", "page-head", append([]app.UI{tag.Box("div", "grow", head...)}, beside...)...)
}

// Section is a part of a page under a heading, whose element has the id; beside stands
// in the line of the heading.
func Section(id, title string, beside []app.UI, body ...app.UI) app.UI {
	head := tag.Box("div", "section-head", append([]app.UI{tag.H2().ID(id).Text(title)}, beside...)...)
	return tag.Section().Class("section").Aria("labelledby", id).Body(append([]app.UI{head}, body...)...)
}

// Beside is one line of words in the line of a heading.
func Beside(words string) []app.UI { return []app.UI{tag.Words("span", "meta", words)} }

// Items is a list of things, each an Item.
func Items(items ...app.UI) app.UI { return tag.Box("ul", "items", items...) }

// Item is a thing in a list: its icon, what there is to say of it, and the buttons for
// what can be done with it.
func Item(icon string, about []app.UI, do ...app.UI) tag.Element {
	return tag.Li().Class("item").Body(append([]app.UI{Icon(icon), tag.Box("div", "grow", about...)}, do...)...)
}

// Choose is a switch between a few, whose action is do with the value of the one that is
// pressed; at is the value that holds now.
func Choose(label, do, at string, choices ...Choice) tag.Element {
	body := make([]app.UI, len(choices))
	for i, c := range choices {
		body[i] = tag.Button().Attr("type", "button").DataSet("do", do).DataSet("arg", c.Value).
			Aria("pressed", strconv.FormatBool(c.Value == at)).Text(c.Label)
	}
	return tag.Span().Class("seg").Role("group").Aria("label", label).Body(body...)
}
