package page

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// categoryChoices are the account's categories; at is the one that is picked.
func (s *Session) categoryChoices(at int64, none bool, counts bool) []part.Choice {
	var out []part.Choice
	if s.overview == nil {
		return out
	}
	if none {
		note := ""
		if counts {
			note = text.Number(s.overview.Stats.Uncategorized)
		}
		out = append(out, part.Choice{Value: "none", Label: text.NoCategory, Rings: 1, Note: note, Picked: at < 0})
	}
	for _, c := range s.overview.Categories {
		note := ""
		if counts {
			note = text.Number(c.Count)
		}
		out = append(out, part.Choice{
			Value: strconv.FormatInt(c.ID, 10), Label: c.Name, Rings: c.Color + 1, Note: note, Picked: c.ID == at,
		})
	}
	return out
}

// kindNames are the kinds that forms offer and those in use.
func (s *Session) kindNames() []string {
	names := setting.Kinds()
	if s.overview == nil {
		return names
	}
	seen := map[string]bool{}
	for _, k := range names {
		seen[k] = true
	}
	var more []string
	for k := range s.overview.Stats.Kinds {
		if !seen[k] {
			more = append(more, k)
		}
	}
	sort.Strings(more)
	return append(names, more...)
}

func (s *Session) kindChoices(at string, counts bool) []part.Choice {
	var out []part.Choice
	for _, k := range s.kindNames() {
		note := ""
		if counts && s.overview != nil {
			note = text.Number(s.overview.Stats.Kinds[k])
		}
		out = append(out, part.Choice{Value: k, Label: k, Note: note, Picked: k == at})
	}
	return out
}

// importanceChoices are the ten levels, the weightiest first.
func importanceChoices(at int) []part.Choice {
	levels := setting.Levels()
	var out []part.Choice
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		out = append(out, part.Choice{
			Value: strconv.Itoa(l.Importance), Label: text.Level(l.Importance, l.Word), Picked: l.Importance == at,
		})
	}
	return out
}

// menuAt opens a menu under what was clicked.
func (s *Session) menuAt(el app.Value, m part.MenuSpec) {
	m.Anchor = browser.RectOf(el)
	m.Search = m.Search || len(m.Choices) > 12
	s.openMenu(&m)
}

// newCategory begins the value of the choice that makes a category; an id never
// begins so.
const newCategory = "new:"

// pickCategory opens the categories and goes on with the chosen id, 0 for none. A
// name that none has makes a new one, which is chosen as soon as it exists.
func (s *Session) pickCategory(el app.Value, at *int64, then func(id int64)) {
	open := int64(-1)
	if at != nil {
		open = *at
	}
	custom := func(name string) part.Choice {
		return part.Choice{Value: newCategory + name, Label: text.NewCategory(name), Icon: "plus", Rule: true}
	}
	s.menuAt(el, part.MenuSpec{Label: text.Category, Choices: s.categoryChoices(open, true, false), Search: true, Hint: text.CategoryHint, Custom: custom, Pick: func(v string) {
		if name, ok := strings.CutPrefix(v, newCategory); ok {
			s.makeCategory(name, then)
			return
		}
		id, _ := strconv.ParseInt(v, 10, 64)
		then(id)
	}})
}

// makeCategory makes a category and goes on with its id.
func (s *Session) makeCategory(name string, then func(id int64)) {
	var made api.Category
	s.send(sync.Write{Method: "POST", Path: api.PathCategories, Body: api.CategoryAdd{Name: name}, Out: &made}, func(err error) {
		if err != nil {
			s.fail(err)
			return
		}
		s.know(made)
		then(made.ID)
	})
}

// know shows a category that was just made, before the live overview brings it.
func (s *Session) know(made api.Category) {
	if s.overview == nil {
		return
	}
	for _, c := range s.overview.Categories {
		if c.ID == made.ID {
			return
		}
	}
	o := *s.overview
	o.Categories = append(slices.Clone(o.Categories), made)
	s.overview = &o
}

// pickImportance opens the scale.
func (s *Session) pickImportance(el app.Value, at int, then func(n int)) {
	s.menuAt(el, part.MenuSpec{Label: text.ImportanceField, Choices: importanceChoices(at), Search: false, Pick: func(v string) {
		if n, err := strconv.Atoi(v); err == nil {
			then(n)
		}
	}})
}

// pickKind opens the kinds; another label may be typed.
func (s *Session) pickKind(el app.Value, at string, then func(kind string)) {
	s.menuAt(el, part.MenuSpec{Label: text.Kind, Choices: s.kindChoices(at, false), Search: true, Custom: useKind, Pick: then})
}

func useKind(kind string) part.Choice {
	return part.Choice{Value: kind, Label: text.NewKind(kind), Icon: "plus"}
}

func (s *Session) statusChoices() []part.Choice {
	var st api.MemoryStats
	if s.overview != nil {
		st = s.overview.Stats
	}
	at := s.route.Query.Status
	return []part.Choice{
		{Value: "", Label: text.Active, Note: text.Number(st.Active), Picked: at == ""},
		{Value: api.StatusConsolidated, Label: text.Consolidated, Note: text.Number(st.Consolidated), Picked: at == api.StatusConsolidated},
		{Value: "all", Label: text.All, Note: text.Number(st.Active + st.Deleted + st.Consolidated), Picked: at == "all"},
		{Value: api.StatusDeleted, Label: text.InTrash, Note: text.Number(st.Deleted), Rule: true, Picked: at == api.StatusDeleted},
	}
}

// projectName is the name of a project that one has a part in; "" for another.
func (s *Session) projectName(id int64) string {
	for _, x := range s.projects {
		if x.ID == id {
			return x.Name
		}
	}
	return ""
}

// chooseProject opens the projects that one works in, and goes on with the chosen one;
// 0: none.
func (s *Session) chooseProject(el app.Value, at int64, then func(id int64)) {
	choices := []part.Choice{{Value: "0", Label: text.Everywhere, Picked: at == 0}}
	for _, x := range s.projects {
		if x.Member || x.ID == at {
			choices = append(choices, part.Choice{Value: strconv.FormatInt(x.ID, 10), Label: x.Name, Icon: "folder", Picked: x.ID == at})
		}
	}
	s.menuAt(el, part.MenuSpec{Label: text.ProjectOf, Choices: choices, Pick: func(v string) {
		n, _ := strconv.ParseInt(v, 10, 64)
		then(n)
	}})
}

// works tells whether the person works in any project.
func (s *Session) works() bool {
	for _, x := range s.projects {
		if x.Member {
			return true
		}
	}
	return false
}

// pickProject opens the projects that one works in, and goes to the same page in the
// chosen one. Others, which administrators see, answer them as if they weren't there.
func (s *Session) pickProject(el app.Value, at int64) {
	choices := []part.Choice{{Value: "0", Label: text.AnyProject, Picked: at == 0}}
	for _, x := range s.projects {
		if x.Member || x.ID == at {
			choices = append(choices, part.Choice{Value: strconv.FormatInt(x.ID, 10), Label: x.Name, Icon: "folder", Picked: x.ID == at})
		}
	}
	s.menuAt(el, part.MenuSpec{Label: text.Project, Choices: choices, Pick: func(v string) {
		n, _ := strconv.ParseInt(v, 10, 64)
		s.visit(s.route.with(func(q *api.MemoryQuery) { q.ProjectID = n }))
	}})
}

// sortMenu opens the sorts; choosing the one in force turns it round.
func (s *Session) sortMenu(el app.Value) {
	q := s.route.Query.Normal()
	var choices []part.Choice
	for _, name := range api.Sorts() {
		if name == api.SortRelevance && q.Q == "" {
			continue
		}
		c := part.Choice{Value: name, Label: text.SortName(name), Picked: name == q.Sort}
		if c.Picked {
			c.Note = text.OrderName(name, q.Order)
		}
		choices = append(choices, c)
	}
	if q.Sort != api.SortRelevance {
		choices = append(choices, part.Choice{Value: "turn", Label: text.TurnRound, Note: text.OrderName(q.Sort, other(q.Order)), Icon: "arrow-down-wide-narrow", Rule: true})
	}
	s.menuAt(el, part.MenuSpec{Label: text.Sort, Choices: choices, Right: true, Pick: func(v string) {
		s.visit(s.route.with(func(m *api.MemoryQuery) {
			if v == "turn" {
				m.Order = other(q.Order)
				return
			}
			m.Sort, m.Order = v, ""
		}))
	}})
}

func other(order string) string {
	if order == "asc" {
		return "desc"
	}
	return "asc"
}
