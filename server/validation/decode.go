package validation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Decode reads one JSON value of at most http.body bytes into v, a pointer, and
// judges it by its tags if it is a struct. Errors: Invalid, TooLarge, and what
// the reader answers as Cancelled.
func Decode(r io.Reader, v any) error {
	data, err := Read(r, int64(setting.Get("http.body").Max))
	if err != nil {
		return err
	}
	return DecodeBytes(data, v)
}

// Read reads at most limit bytes; more are fault.TooLarge.
func Read(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(data)) > limit {
		return nil, fault.Newf(fault.TooLarge, "The body is larger than %d bytes. Nothing of it was taken.", limit)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Cancelled, err, "The body did not arrive whole.")
	}
	return data, nil
}

// DecodeBytes is Decode of a value that is already here.
func DecodeBytes(data []byte, v any) error {
	if err := Unmarshal(data, v); err != nil {
		return err
	}
	if t := reflect.TypeOf(v); t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return Struct(v)
	}
	return nil
}

// Unmarshal reads JSON by the strict rules and leaves judging to the caller.
func Unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return fault.New(fault.Invalid, "The text is not valid UTF-8. It was refused, not repaired.")
	}
	body := bytes.TrimLeft(data, " \t\r\n")
	if len(body) == 0 {
		return fault.New(fault.Invalid, "There is no JSON: the body is empty.")
	}
	target := reflect.TypeOf(v).Elem()
	if target.Kind() == reflect.Struct && body[0] != '{' && !hasUnmarshaler(target) {
		return fault.New(fault.Invalid, "The JSON must be an object, beginning with {.")
	}
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return semanticFault(semantic, target)
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return syntacticFault(syntactic)
	}
	return fault.Wrap(fault.Invalid, err, "The body is not the JSON that is expected here.")
}

func hasUnmarshaler(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface{ UnmarshalJSON([]byte) error })
	return ok
}

func syntacticFault(e *jsontext.SyntacticError) error {
	path := fieldPath(e.JSONPointer)
	if errors.Is(e.Err, jsontext.ErrDuplicateName) {
		return fault.BadField(path, "duplicate", "", "The name "+strconv.Quote(path)+" stands there twice.")
	}
	why := "it ends too early"
	if e.Err != nil && !errors.Is(e.Err, io.ErrUnexpectedEOF) {
		why = e.Err.Error()
	}
	return fault.Wrap(fault.Invalid, e, fmt.Sprintf("The body is not valid JSON at byte %d: %s.", e.ByteOffset, why))
}

func semanticFault(e *json.SemanticError, root reflect.Type) error {
	path := fieldPath(e.JSONPointer)
	if errors.Is(e.Err, json.ErrUnknownName) {
		message := "There is no field " + strconv.Quote(path) + "."
		if right := otherCase(root, path); right != "" {
			message += " Names count as written: this one is " + strconv.Quote(right) + "."
		}
		return fault.BadField(path, "unknown", "", message)
	}
	want := expected(e.GoType)
	if path == "" {
		return fault.New(fault.Invalid, "The JSON must be "+want+".")
	}
	return fault.BadField(path, "type", want, path+" must be "+want+".")
}

// fieldPath writes a JSON pointer as people do: halfLifeDays[3], all.kind. It is
// cut where it is endless.
func fieldPath(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if b.Len() > 200 {
			b.WriteString("…")
			break
		}
		if _, err := strconv.Atoi(token); err == nil && b.Len() > 0 {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		if len(token) > 100 {
			token = strings.ToValidUTF8(token[:100], "") + "…"
		}
		b.WriteString(token)
	}
	return b.String()
}

// otherCase finds the field of the outermost struct whose name differs from the
// given one by case alone.
func otherCase(t reflect.Type, name string) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	for _, f := range reflect.VisibleFields(t) {
		if right := jsonName(f); !f.Anonymous && f.IsExported() && right != name && strings.EqualFold(right, name) {
			return right
		}
	}
	return ""
}

var timeType = reflect.TypeFor[api.Time]()

// expected says what a field of the type takes.
func expected(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "something else"
	}
	if t == timeType {
		return "a time in RFC 3339, such as " + api.Layout
	}
	if inner, ok := OptionalOf(t); ok {
		return expected(inner) + " or null"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.String:
		return "text"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	return "an object"
}

// OptionalOf is the type inside an api.Optional, and whether t is one.
func OptionalOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || t.PkgPath() != timeType.PkgPath() || !strings.HasPrefix(t.Name(), "Optional[") {
		return nil, false
	}
	f, ok := t.FieldByName("Value")
	if !ok {
		return nil, false
	}
	return f.Type.Elem(), true
}
