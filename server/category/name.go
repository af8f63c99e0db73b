package category

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// settle brings a row's texts into the form in which they are stored, and
// refuses what has none.
func (r *row) settle() error {
	r.name, r.icon = strings.TrimSpace(r.name), strings.TrimSpace(r.icon)
	r.description = strings.TrimSpace(r.description)
	for _, f := range []struct {
		field, text string
		lines       bool
	}{{"name", r.name, false}, {"description", r.description, true}, {"icon", r.icon, false}} {
		if err := check(f.field, f.text, f.lines); err != nil {
			return err
		}
	}
	if bound := setting.Get("category.color"); !bound.Contains(float64(r.color)) {
		return fault.BadField("color", "setting", bound.Range(), bound.Label+": "+bound.Range())
	}
	r.key = fold(r.name)
	return nil
}

// check holds a text against the row of the setting table that is named after
// its field.
func check(field, text string, lines bool) error {
	bound := setting.Get("category." + field)
	if !utf8.ValidString(text) {
		return fault.BadField(field, "utf8", "", bound.Label+": not valid UTF-8")
	}
	for _, c := range text {
		if unicode.IsControl(c) && !(lines && (c == '\n' || c == '\t' || c == '\r')) {
			return fault.BadField(field, "line", "", bound.Label+": no control characters")
		}
	}
	if n := utf8.RuneCountInString(text); !bound.Contains(float64(n)) {
		return fault.BadField(field, "length", bound.Range(), bound.Label+": "+bound.Range()+" "+bound.Unit)
	}
	return nil
}

// nameKey is the form in which names are compared.
func nameKey(name string) (string, error) {
	name = strings.TrimSpace(name)
	return fold(name), check("name", name, false)
}

// fold makes names equal that differ in case, width or spacing only.
func fold(name string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(name))), " ")
}

func errTaken(name string) error {
	return fault.New(fault.Taken, "There is a category “"+name+"” already.")
}
