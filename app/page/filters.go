package page

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// filterChip is one filter of the list: what it says, and whether it is set.
type filterChip struct {
	name  string // of the filter, as filterMenu and clearFilter know it
	label string
	set   bool
}

// chips are the filters of a query, set or not, as they stand over the list. Those
// that mean nothing here are left out unless the address has them.
func (s *Session) chips(q api.MemoryQuery) []filterChip {
	category := filterChip{"category", text.Category, q.Uncategorized || q.CategoryID > 0}
	if q.Uncategorized {
		category.label = text.NoCategory
	} else if name, _ := s.category(&q.CategoryID); name != "" {
		category.label = name
	}
	list := []filterChip{
		category,
		{"kind", or(q.Kind, text.Kind), q.Kind != ""},
		{"importance", text.ImportanceField, q.Importance > 0},
		{"fades", text.Fades, q.FadesWithin > 0},
	}
	if q.Importance > 0 {
		list[2].label = text.AtLeast(q.Importance)
	}
	if q.FadesWithin > 0 {
		list[3].label = text.FadesWithin(q.FadesWithin)
	}
	if q.FadesWithin == 0 && (s.policy != nil && !s.policy.Policy.Enabled || q.Status == api.StatusDeleted || q.Status == api.StatusConsolidated) {
		list = list[:3] // nothing fades
	}
	if q.ProjectID > 0 || s.works() {
		list = append(list, filterChip{"project", or(s.projectName(q.ProjectID), text.Project), q.ProjectID > 0})
	}
	if q.NotIndexed || s.indexes() && s.overview.Stats.NotIndexed > 0 {
		list = append(list, filterChip{"indexed", text.NotIndexedFilter, q.NotIndexed})
	}
	if q.Unreviewed {
		list = append(list, filterChip{"reviewed", text.Unreviewed, true})
	}
	return list
}

func or(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

// unfiltered is a query with all of its filters taken away, but not its words.
func unfiltered(q api.MemoryQuery) api.MemoryQuery {
	return api.MemoryQuery{Status: q.Status, Q: q.Q, Match: q.Match, Sort: q.Sort, Order: q.Order}
}

func (l *List) filters() app.UI {
	q := l.Query
	body := []app.UI{
		tag.Button().Class("filter").Attr("type", "button").DataSet("do", "filter").DataSet("arg", "status").
			Aria("pressed", "true").Aria("haspopup", "listbox").Body(tag.Words("span", "", text.StatusName(q.Status)), part.Icon("chevron-down")),
	}
	any := false
	for _, c := range l.S.chips(q) {
		any = any || c.set
		do := "filter"
		if c.name == "indexed" || c.name == "reviewed" {
			do = "toggle" // on or off, nothing to choose
		}
		open := tag.Button().Attr("type", "button").DataSet("do", do).DataSet("arg", c.name)
		if do == "filter" {
			open = open.Aria("haspopup", "listbox")
		}
		if !c.set {
			body = append(body, open.Class("filter").Aria("pressed", "false").Text(c.label))
			continue
		}
		body = append(body, tag.Span().Class("filter filter-on").Role("group").Aria("label", c.label).Body(
			open.Class("filter-label").Title(c.label).Aria("pressed", "true").Text(c.label),
			part.Button("filter-x", "clear", c.name, part.Icon("x")).Aria("label", text.Clearing(c.label)).Title(text.ClearFilter),
		))
	}
	if any {
		body = append(body, part.Button("linkish filter-clear", "clear-all", "", part.Text(text.ClearAll)))
	}
	filters := tag.Div().Class("filters").Role("group").Aria("label", text.Filters)
	if l.S.picked.empty() {
		return tag.Box("div", "over", filters.Body(body...))
	}
	// The bar of the picked rows lies over the filters, which keep their place: what one
	// reads below doesn't move.
	return tag.Box("div", "over", filters.Attr("inert", true).Body(body...), l.S.bulkBar(l.Query.Status, true))
}

// matches is the switch between searching by words and by meaning. It stands in the
// search field, so that nothing moves as the first letter is typed.
func (l *List) matches() app.UI {
	return part.Choose(text.MatchBy, "match", l.Query.Match, part.Choice{Label: text.MatchWords}, part.Choice{Value: "meaning", Label: text.MatchMeaning})
}

// filterMenu opens the choices of one filter.
func (s *Session) filterMenu(el app.Value, which string) {
	q := s.route.Query
	set := func(change func(q *api.MemoryQuery)) { s.visit(s.route.with(change)) }
	switch which {
	case "status":
		s.menuAt(el, part.MenuSpec{Label: text.Status, Choices: s.statusChoices(), Pick: func(v string) {
			if v == api.StatusDeleted {
				s.visit(route{Kind: trashPage})
				return
			}
			set(func(q *api.MemoryQuery) { q.Status, q.DeletedBy = v, "" })
		}})
	case "category":
		at := q.CategoryID
		if q.Uncategorized {
			at = -1
		} else if at == 0 {
			at = -2
		}
		s.menuAt(el, part.MenuSpec{Label: text.Category, Choices: s.categoryChoices(at, true, true), Pick: func(v string) {
			set(func(q *api.MemoryQuery) {
				q.CategoryID, _ = strconv.ParseInt(v, 10, 64)
				q.Uncategorized = q.CategoryID == 0
			})
		}})
	case "project":
		s.pickProject(el, q.ProjectID)
	case "kind":
		s.menuAt(el, part.MenuSpec{Label: text.Kind, Choices: s.kindChoices(q.Kind, true), Pick: func(v string) {
			set(func(q *api.MemoryQuery) { q.Kind = v })
		}})
	case "importance":
		s.menuAt(el, part.MenuSpec{Label: text.ImportanceField, Choices: s.atLeastChoices(q.Importance), Pick: func(v string) {
			set(func(q *api.MemoryQuery) { q.Importance = within(v, 1, 10) })
		}})
	case "fades":
		s.menuAt(el, part.MenuSpec{
			Label: text.Fades, Choices: fadesChoices(q.FadesWithin), Search: true, Hint: text.DaysHint,
			Custom: func(typed string) part.Choice {
				n := fadesDays(typed)
				if n == 0 {
					return part.Choice{}
				}
				return part.Choice{Value: strconv.Itoa(n), Label: text.FadesWithin(n), Icon: "clock"}
			},
			Pick: func(v string) { set(func(q *api.MemoryQuery) { q.FadesWithin = fadesDays(v) }) },
		})
	}
}

// fadesDays is a number of days that the filter takes, else 0.
func fadesDays(s string) int {
	bound := setting.Get("list.fades")
	return within(s, int(bound.Min), int(bound.Max))
}

func fadesChoices(at int) []part.Choice {
	var choices []part.Choice
	for _, d := range []int{7, 30, 90} {
		choices = append(choices, part.Choice{Value: strconv.Itoa(d), Label: text.FadesWithin(d), Picked: at == d})
	}
	if at > 0 && at != 7 && at != 30 && at != 90 {
		choices = append(choices, part.Choice{Value: strconv.Itoa(at), Label: text.FadesWithin(at), Picked: true})
	}
	return choices
}

// atLeastChoices are the levels of importance, each with how many active memories
// have it or more, as the server counted them.
func (s *Session) atLeastChoices(at int) []part.Choice {
	choices := importanceChoices(at)
	n := 0
	for i := range choices {
		if s.overview != nil {
			n += s.overview.Stats.Importance[choices[i].Value]
			choices[i].Note = text.Number(n)
		}
		if i > 0 {
			choices[i].Label += " " + text.OrMore
		}
	}
	return choices[:len(choices)-1] // at least 1 is no filter
}

// toggle sets a filter that is on or off.
func (l *List) toggle(which string) {
	l.S.visit(l.S.route.with(func(q *api.MemoryQuery) {
		if which == "indexed" {
			q.NotIndexed = !q.NotIndexed
		} else {
			q.Unreviewed = !q.Unreviewed
		}
	}))
}

// cleared takes a filter away and leaves the focus where the next key is useful.
func (l *List) cleared(which string) {
	l.S.visit(l.S.route.with(func(q *api.MemoryQuery) { clearFilter(q, which) }))
	l.ctx.Defer(func(app.Context) {
		browser.Focus(browser.Query(browser.Document(), `.filters [data-arg="`+which+`"]`))
	})
}
