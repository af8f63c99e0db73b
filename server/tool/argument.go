package tool

import (
	"strconv"
	"strings"

	"elowen/server/category"
	"elowen/server/project"
	"elowen/server/render"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// ID is an id as an argument: a whole number, or its digits as text, as some models
// write it.
type ID int64

// UnmarshalJSON reads both.
func (i *ID) UnmarshalJSON(data []byte) error {
	digits := string(data)
	if len(digits) > 1 && digits[0] == '"' {
		digits = strings.TrimSpace(digits[1 : len(digits)-1])
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || len(digits) == 0 || digits[0] < '0' || digits[0] > '9' {
		return errID
	}
	*i = ID(n)
	return nil
}

var errID = fault.New(fault.Invalid, "an id is a whole number from 1")

// numbers are ids as the stores take them.
func numbers(list []ID) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}

// fresh refuses a body that holds memories as they were recalled.
func fresh(body string) error {
	if render.Framed(body) {
		return fault.BadField("body", "recalled", "", "The body contains memories as elowen recalled them, or its note about them: storing it would store them a second time. Nothing was stored. Write the new fact alone, in your own words")
	}
	return nil
}

// placed is where an agent works.
type placed struct {
	ProjectPath string `json:"projectPath,omitempty" validate:"text=agent.path"`
}

// ProjectPath judges where an agent works, as the arguments of that name are judged: for what a
// connection names.
func ProjectPath(path string) error { return validation.Struct(placed{path}) }

// where is the project of a call.
func (u *use) where(argument string) (project.Found, string, error) {
	told := strings.TrimSpace(argument)
	if told == "" {
		told = u.call.ProjectPath
		if err := ProjectPath(told); err != nil {
			return project.Found{}, "", fault.Wrap(fault.Invalid, err, "What this connection names as the place where you work can't be used: "+fault.ProblemOf(err).Detail+" Give the argument projectPath instead")
		}
	}
	found, err := u.Projects.Find(u.ctx, u.owner(), told)
	return found, told, err
}

// missing says that no project was found, where one was told of.
func missing(f project.Found, told string) string {
	if told == "" || f.ID != 0 {
		return ""
	}
	said := "No project has " + render.Cut(told, 200) + "."
	if len(f.Near) > 0 {
		said += " Called nearly so: " + strings.Join(f.Near, ", ") + "; projectPath may also be such a name."
	}
	return said
}

// categoryNamed is the category of a name (or an id in digits) that is meant: one of
// the account's own, or with a pool's project one of that pool's.
func (u *use) categoryNamed(name string, pool int64) (api.Category, error) {
	list, err := u.Categories.List(u.ctx, u.owner())
	if err != nil {
		return api.Category{}, err
	}
	n, _ := strconv.ParseInt(name, 10, 64)
	var names []string
	var byID api.Category
	for _, c := range list {
		if c.Shared != (pool != 0) || pool != 0 && (c.ProjectID == nil || *c.ProjectID != pool) {
			continue
		}
		if category.Key(c.Name) == category.Key(name) {
			return c, nil
		}
		if c.ID == n && n != 0 {
			byID = c
		}
		names = append(names, c.Name)
	}
	if byID.ID != 0 {
		return byID, nil
	}
	said := "There are none yet; leave it out"
	if len(names) > 0 {
		said = "There are: " + render.Cut(strings.Join(names, ", "), 1000)
	}
	return api.Category{}, fault.BadField("category", "unknown", "", "There is no category “"+render.Cut(name, 80)+"”. "+said+", or make it with MemoryCategoryCreate.")
}

// categoryName is the name of a memory's category; empty: none.
func (u *use) categoryName(m api.Memory) (string, error) {
	if m.CategoryID == nil {
		return "", nil
	}
	c, err := u.Categories.Get(u.ctx, u.owner(), *m.CategoryID)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return render.Harmless(c.Name), err
}
