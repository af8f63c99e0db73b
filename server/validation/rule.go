package validation

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// rules are the tags that validator doesn't have. Each answers a sentence about
// the value that says what is wrong, beginning after the field's name; "" is good.
var rules = map[string]func(v reflect.Value, param string) string{
	"setting":  number,
	"line":     func(v reflect.Value, key string) string { return text(v.String(), key, "") },
	"text":     func(v reflect.Value, key string) string { return text(v.String(), key, "\n\r\t") },
	"label":    func(v reflect.Value, _ string) string { return label(v.String()) },
	"body":     func(v reflect.Value, _ string) string { return body(v.String()) },
	"ids":      ids,
	"count":    count,
	"name":     func(v reflect.Value, _ string) string { return name(v.String()) },
	"password": func(v reflect.Value, _ string) string { return password(v.String()) },
}

func number(v reflect.Value, key string) string {
	s := setting.Get(key)
	var n float64
	switch {
	case v.CanInt():
		n = float64(v.Int())
	case v.CanUint():
		n = float64(v.Uint())
	case v.CanFloat():
		n = v.Float()
	default:
		return "must be a number"
	}
	whole := s.Kind == setting.Whole
	switch {
	case s.Contains(n) && (!whole || n == math.Trunc(n)):
		return ""
	case whole:
		return "must be a whole number from " + s.Range()
	}
	return "must be a number from " + s.Range()
}

// text judges text of a row's length. Blank text counts as empty: a name of
// spaces is none.
func text(t, key, controls string) string {
	s := setting.Get(key)
	if why := characters(t, controls); why != "" {
		return why
	}
	n := utf8.RuneCountInString(t)
	if s.Min > 0 && strings.TrimSpace(t) == "" {
		return "must not be empty"
	}
	if !s.Contains(float64(n)) {
		return fmt.Sprintf("must have %s %s, not %d", s.Range(), s.Unit, n)
	}
	return ""
}

// characters refuses what could not be stored or shown as it is.
func characters(t, controls string) string {
	if !utf8.ValidString(t) {
		return "is not valid UTF-8"
	}
	for _, r := range t {
		if r == 0 {
			return "must not contain the character NUL"
		}
		if unicode.IsControl(r) && !strings.ContainsRune(controls, r) {
			return fmt.Sprintf("must not contain the control character U+%04X", r)
		}
	}
	return ""
}

func label(t string) string {
	if why := text(t, "memory.kind", ""); why != "" {
		return why
	}
	if strings.TrimSpace(t) != t {
		return "must not begin or end with a space"
	}
	return ""
}

// body judges a memory's body as it will be stored: trimmed.
func body(t string) string {
	s := setting.Get("memory.body")
	if !utf8.ValidString(t) {
		return "is not valid UTF-8"
	}
	if strings.ContainsRune(t, 0) {
		return "must not contain the character NUL"
	}
	n := len(strings.TrimSpace(t))
	switch {
	case n == 0:
		return "must not be empty"
	case !s.Contains(float64(n)):
		return fmt.Sprintf("must have at most %s %s, not %d; it was not cut", setting.Format(s.Max), s.Unit, n)
	}
	return ""
}

func ids(v reflect.Value, key string) string {
	s := setting.Get(key)
	if v.Kind() != reflect.Slice || !s.Contains(float64(v.Len())) {
		return "must list " + s.Range() + " ids"
	}
	seen := make(map[int64]struct{}, v.Len())
	for i := range v.Len() {
		id := v.Index(i).Int()
		if id < 1 {
			return "must list positive ids"
		}
		if _, twice := seen[id]; twice {
			return fmt.Sprintf("must not list an id twice (%d)", id)
		}
		seen[id] = struct{}{}
	}
	return ""
}

// count judges how long a list is.
func count(v reflect.Value, key string) string {
	s := setting.Get(key)
	if v.Kind() != reflect.Slice || !s.Contains(float64(v.Len())) {
		return "must list " + s.Range() + " " + s.Unit
	}
	return ""
}

var nameForm = regexp.MustCompile(`^[\pL\pN]([\pL\pN\pM._-]*[\pL\pN\pM])?$`)

func name(t string) string {
	if why := text(t, "account.name", ""); why != "" {
		return why
	}
	if !nameForm.MatchString(t) {
		return "must be letters and digits, with . _ or - only between them"
	}
	return ""
}

func password(t string) string {
	s := setting.Get("account.password")
	if !utf8.ValidString(t) {
		return "is not valid UTF-8"
	}
	if strings.ContainsRune(t, 0) {
		return "must not contain the character NUL"
	}
	if !s.Contains(float64(utf8.RuneCountInString(t))) {
		return "must have " + s.Range() + " " + s.Unit
	}
	return ""
}

// Name judges an account's name that comes without a struct around it, such as
// an argument of the command line. field is what it is called there.
func Name(field, value string) error {
	if why := name(value); why != "" {
		return fault.BadField(field, "name", setting.Get("account.name").Range(), field+" "+why+".")
	}
	return nil
}
