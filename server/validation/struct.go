package validation

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// judge is the one validator: it keeps what it learned of each type.
var judge = sync.OnceValue(func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(jsonName)
	v.RegisterCustomTypeFunc(optional, api.Optional[int]{})
	for tag, rule := range rules {
		err := v.RegisterValidation(tag, func(f validator.FieldLevel) bool { return rule(f.Field(), f.Param()) == "" })
		if err != nil {
			panic(err) // the tag's own name is malformed: a defect here
		}
	}
	return v
})

// optional is what a field holds that may be absent or null: a pointer to its value.
func optional(v reflect.Value) any { return v.Interface().(api.Optional[int]).Value }

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

// Struct judges a struct, or a pointer to one, by its validate tags. What is
// wrong comes as one fault.Invalid with an entry a field.
func Struct(v any) error {
	err := judge().Struct(v)
	var bad validator.ValidationErrors
	if err == nil {
		return nil
	}
	if !errors.As(err, &bad) {
		return fault.Wrap(fault.Internal, err, "")
	}
	out := &fault.Error{Kind: fault.Invalid}
	var said []string
	for _, f := range bad {
		_, path, _ := strings.Cut(f.Namespace(), ".")
		why, param := sentence(f)
		message := path + " " + why + "."
		out.Fields = append(out.Fields, fault.Field{Field: path, Rule: f.Tag(), Param: param, Message: message})
		said = append(said, message)
	}
	out.Detail = strings.Join(said, " ")
	return out
}

// sentence says what is wrong with a field, and the bound it breaks.
func sentence(f validator.FieldError) (why, param string) {
	param = f.Param()
	if rule, ours := rules[f.Tag()]; ours {
		if s, ok := setting.Lookup(bound(f)); ok {
			param = s.Range()
		}
		return rule(reflect.ValueOf(f.Value()), f.Param()), param
	}
	unit := ""
	switch f.Kind() {
	case reflect.String:
		unit = " characters"
	case reflect.Slice, reflect.Map:
		unit = " entries"
	}
	switch f.Tag() {
	case "required":
		return "is missing", param
	case "oneof":
		return "must be one of " + strings.Join(strings.Fields(param), ", "), param
	case "max":
		return "must be at most " + param + unit, param
	case "min":
		return "must be at least " + param + unit, param
	case "unique":
		return "must not have an entry twice", param
	}
	return fmt.Sprintf("breaks the rule %s", strings.TrimSpace(f.Tag()+" "+param)), param
}

// bound is the setting that a rule of ours takes its bounds from.
func bound(f validator.FieldError) string {
	switch f.Tag() {
	case "label":
		return "memory.kind"
	case "body":
		return "memory.body"
	case "name":
		return "account.name"
	case "password":
		return "account.password"
	}
	return f.Param()
}
