package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// behind tells whether search by meaning doesn't know everything, or can't be asked.
func (s *Session) behind() bool {
	x := s.index
	return x != nil && (x.Problem != "" || x.Model != "" && x.Indexed < x.Total)
}

// indexLine is how far the memories are indexed, and what is wrong with the model; link
// leads to where it is changed.
func (s *Session) indexLine(link bool) app.UI {
	x := s.index
	if x == nil {
		return tag.Span().Hidden(true)
	}
	body := []app.UI{part.Text(text.IndexedFor(*x))}
	if x.Problem != "" {
		retry := ""
		if x.RetryAt != nil {
			retry = browser.Date(*x.RetryAt, browser.FullTime)
		}
		body = append(body, part.Text(". "), tag.Words("span", "index-trouble", text.IndexTrouble(x.Problem, retry)))
	}
	if link && s.admin() {
		label := text.ChangeModel
		if x.Model == "" {
			label = text.ChooseModel
		}
		body = append(body, part.Text(" "), part.Link(route{Kind: modelsPage}.path(), label))
	}
	return tag.P().Class("meta index-line").Role("status").Body(body...)
}
