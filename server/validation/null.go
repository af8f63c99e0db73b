package validation

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/fault"
)

// Nulls refuses null in a change for a field that it would not clear: one that is
// left out where it has no value, and is no api.Optional. Such a null would pass
// as a change and change nothing. data is JSON that was decoded into v, a pointer
// to a struct, already.
func Nulls(data []byte, v any) error { return nulls(data, reflect.TypeOf(v).Elem(), "") }

func nulls(data []byte, t reflect.Type, before string) error {
	if t.Kind() != reflect.Struct || hasUnmarshaler(t) {
		return nil
	}
	var values map[string]jsontext.Value
	if err := json.Unmarshal(data, &values); err != nil {
		return nil // no object, and what decoded it has said so
	}
	for _, f := range reflect.VisibleFields(t) {
		value, there := values[jsonName(f)]
		if !there || f.Anonymous || !strings.Contains(f.Tag.Get("json"), ",omitempty") {
			continue
		}
		path, inner := before+jsonName(f), f.Type
		if value.Kind() == 'n' {
			return fault.BadField(path, "null", "", path+" cannot be cleared by null. Leave it out to keep it as it is.")
		}
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if err := nulls(value, inner, path+"."); err != nil {
			return err
		}
	}
	return nil
}
