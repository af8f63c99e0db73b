package category

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// settle brings a row's texts into the form in which they are stored, and
// refuses what has none.
func (r *row) settle() error {
	r.name, r.icon = strings.TrimSpace(r.name), strings.TrimSpace(r.icon)
	r.description = strings.TrimSpace(r.description)
	if err := validation.Struct(api.CategoryAdd{Name: r.name, Description: r.description, Icon: r.icon}); err != nil {
		return err
	}
	if bound := setting.Get("category.color"); !bound.Contains(float64(r.color)) {
		return fault.BadField("color", "setting", bound.Range(), bound.Label+": "+bound.Range())
	}
	r.key = Key(r.name)
	return nil
}

// nameKey is the key of a name that a category may have.
func nameKey(name string) (string, error) {
	name = strings.TrimSpace(name)
	return Key(name), validation.Struct(api.CategoryAdd{Name: name})
}

// Key is the form in which names of categories are compared: those that differ in
// case, width or spacing only are one.
func Key(name string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(name))), " ")
}

func errTaken(name string) error {
	return fault.New(fault.Taken, "There is a category “"+name+"” already.")
}
