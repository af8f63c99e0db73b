package validation

import (
	"net/url"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Window is which page of a list is asked for.
type Window struct {
	Limit  *int   `json:"limit,omitempty" validate:"omitempty,setting=list.limit"`
	Cursor string `json:"cursor,omitempty" validate:"max=1000"`
}

// Rows is the limit, or its default.
func (w Window) Rows() int {
	if w.Limit == nil {
		return setting.Int("list.limit")
	}
	return *w.Limit
}

// Query reads a raw query string into pointers to structs, by the JSON names of
// their fields, and judges them. Each parameter stands at most once and belongs
// to one of them; all else is fault.Invalid. In an api.MemoryQuery `categoryId=none`
// is Uncategorized.
func Query(raw string, into ...any) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "The query string cannot be read: a % stands without its two digits, or a ; is in it.")
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names) // so that the same request gets the same answer
	for _, name := range names {
		shown := cut(name)
		if len(values[name]) > 1 {
			return fault.BadField(shown, "duplicate", "", "The parameter "+strconv.Quote(shown)+" stands there twice.")
		}
		if err := parameter(name, values.Get(name), into); err != nil {
			return err
		}
	}
	for _, target := range into {
		if err := Struct(target); err != nil {
			return err
		}
	}
	return nil
}

func parameter(name, value string, into []any) error {
	for _, target := range into {
		if q, ok := target.(*api.MemoryQuery); ok && name == "categoryId" && value == "none" {
			q.Uncategorized = true
			return nil
		}
		v := reflect.ValueOf(target).Elem()
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if jsonName(f) != name || !f.IsExported() {
				continue
			}
			if !set(v.Field(i), value) {
				want := expected(f.Type)
				return fault.BadField(name, "type", want, name+" must be "+want+".")
			}
			return nil
		}
	}
	shown := cut(name)
	return fault.BadField(shown, "unknown", "", "There is no parameter "+strconv.Quote(shown)+" here.")
}

// set parses a parameter's text into a field.
func set(v reflect.Value, value string) bool {
	if v.Kind() == reflect.Pointer {
		inner := reflect.New(v.Type().Elem())
		if !set(inner.Elem(), value) {
			return false
		}
		v.Set(inner)
		return true
	}
	if v.Type() == timeType {
		t, err := api.ParseTime(value)
		v.SetInt(int64(t))
		return err == nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(value)
		return utf8.ValidString(value)
	case reflect.Bool:
		switch value {
		case "true", "1":
			v.SetBool(true)
		case "false", "0":
			v.SetBool(false)
		default:
			return false
		}
		return true
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(value, 10, 64)
		v.SetInt(n)
		return err == nil
	}
	return false
}

// cut keeps an answer short and readable that repeats what was sent.
func cut(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
