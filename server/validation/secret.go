package validation

import (
	"reflect"
	"sync"
)

// hiddenText stands where a secret was.
const hiddenText = "hidden"

// Hidden is a copy of a request without its secrets: what stands in fields with the
// tag `secret:"true"` is replaced, so that it still tells whether there was one. The
// request itself stays as it is. ok is false for a type that has no such field, which
// needs no copy.
func Hidden(in any) (out any, ok bool) {
	if in == nil || !holdsSecret(reflect.TypeOf(in)) {
		return nil, false
	}
	return masked(reflect.ValueOf(in), false).Interface(), true
}

func isSecret(f reflect.StructField) bool { return f.Tag.Get("secret") == "true" }

// secretive remembers which types hold a secret.
var secretive sync.Map

func holdsSecret(t reflect.Type) bool {
	if known, ok := secretive.Load(t); ok {
		return known.(bool)
	}
	holds := searchSecret(t, map[reflect.Type]bool{})
	secretive.Store(t, holds)
	return holds
}

func searchSecret(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return searchSecret(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && (isSecret(f) || searchSecret(f.Type, seen)) {
				return true
			}
		}
	}
	return false
}

// masked copies a value; where hide is set, every text in it is hidden.
func masked(v reflect.Value, hide bool) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if hide && v.Len() > 0 {
			return reflect.ValueOf(hiddenText).Convert(v.Type())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out := reflect.New(v.Type().Elem())
			out.Elem().Set(masked(v.Elem(), hide))
			return out
		}
	case reflect.Slice:
		if !v.IsNil() {
			out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for i := range v.Len() {
				out.Index(i).Set(masked(v.Index(i), hide))
			}
			return out
		}
	case reflect.Map:
		if !v.IsNil() {
			out := reflect.MakeMapWithSize(v.Type(), v.Len())
			for key, value := range v.Seq2() {
				out.SetMapIndex(key, masked(value, hide))
			}
			return out
		}
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out.Field(i).Set(masked(v.Field(i), hide || isSecret(f)))
			}
		}
		return out
	}
	return v
}
