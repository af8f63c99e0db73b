package httpd

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/jsonschema-go"

	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/setting"
)

const schemaPrefix = "#/components/schemas/"

// schemas turns Go types into JSON schemas, with the bounds of their validate
// tags, and collects the named ones.
type schemas struct {
	reflector jsonschema.Reflector
	named     map[string]any
}

func newSchemas() *schemas { return &schemas{named: map[string]any{}} }

// of is the schema of a type: a reference, if the type has a name of its own.
func (s *schemas) of(t reflect.Type) (any, error) {
	schema, err := s.reflector.Reflect(reflect.New(t).Elem().Interface(),
		jsonschema.RootRef,
		jsonschema.DefinitionsPrefix(schemaPrefix),
		jsonschema.CollectDefinitions(func(name string, schema jsonschema.Schema) { s.named[name] = plain(schema) }),
		jsonschema.InterceptDefName(schemaName),
		jsonschema.InterceptSchema(knownTypes),
		jsonschema.InterceptProp(bounds),
		jsonschema.InterceptNullability(neverNull),
	)
	return plain(schema), err
}

// plain is a schema as JSON has it, to be changed by hand.
func plain(schema jsonschema.Schema) any {
	data, err := json.Marshal(schema)
	if err != nil {
		panic(err) // the library's own type
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		panic(err)
	}
	return v
}

// schemaName is a type's name in the document: Memory, PageOfMemory.
func schemaName(t reflect.Type, _ string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, of, generic := strings.Cut(t.Name(), "[")
	if generic {
		of = strings.TrimSuffix(of, "]")
		name += "Of" + of[strings.LastIndexAny(of, "./")+1:]
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// knownTypes are those whose JSON is not what their Go type looks like.
func knownTypes(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	inner, ok := validation.OptionalOf(p.Value.Type())
	if !ok {
		return false, nil
	}
	kind := map[reflect.Kind]jsonschema.SimpleType{
		reflect.Int: jsonschema.Integer, reflect.Int64: jsonschema.Integer, reflect.Float64: jsonschema.Number, reflect.String: jsonschema.String, reflect.Bool: jsonschema.Boolean,
	}[inner.Kind()]
	p.Schema.WithType(nullable(kind))
	return true, nil
}

func nullable(t jsonschema.SimpleType) jsonschema.Type {
	return jsonschema.Type{SliceOfSimpleTypeValues: []jsonschema.SimpleType{t, jsonschema.Null}}
}

// instant is the schema of an api.Time.
func instant() *jsonschema.Schema {
	return new(jsonschema.Schema).WithType(jsonschema.String.Type()).WithFormat("date-time")
}

// special puts right what the library makes of times and of structs that may be
// null.
func special(s *jsonschema.Schema, t reflect.Type, always bool) {
	switch {
	case t == timeType:
		*s = *instant()
	case t == reflect.PointerTo(timeType):
		*s = *instant().WithType(nullable(jsonschema.String))
	case t == reflect.SliceOf(timeType):
		s.Items = new(jsonschema.Items).WithSchemaOrBool(instant().ToSchemaOrBool())
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && always && s.Ref != nil:
		ref := *s
		null := new(jsonschema.Schema).WithType(jsonschema.Null.Type())
		*s = jsonschema.Schema{AnyOf: []jsonschema.SchemaOrBool{ref.ToSchemaOrBool(), null.ToSchemaOrBool()}}
	}
}

var timeType = reflect.TypeFor[api.Time]()

// neverNull: lists and maps are empty, not null.
func neverNull(p jsonschema.InterceptNullabilityParams) {
	switch p.Type.Kind() {
	case reflect.Slice, reflect.Map:
		p.Schema.RemoveType(jsonschema.Null)
	}
}

// bounds writes the rules of a field's validate tag as keywords, and what is
// always there as required.
func bounds(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	tag := p.Field.Tag.Get("json")
	always := !strings.Contains(tag, ",omit")
	if always && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	special(p.PropertySchema, p.Field.Type, always)
	policyBounds(p.PropertySchema, p.Name)
	target := p.PropertySchema
	for _, rule := range strings.Split(p.Field.Tag.Get("validate"), ",") {
		name, param, _ := strings.Cut(rule, "=")
		if name == "dive" {
			if target.Items == nil || target.Items.SchemaOrBool == nil {
				return nil
			}
			target = target.Items.SchemaOrBool.TypeObject
			continue
		}
		keyword(target, p.Field.Type, name, param)
	}
	return nil
}

// policyBounds writes what the retention policy's own door refuses. It never
// refuses a grace period.
func policyBounds(s *jsonschema.Schema, name string) {
	switch name {
	case "vitalityFloor", "dailyDeletionLimit":
		row := setting.Get("retention." + name)
		s.WithMinimum(row.Min).WithMaximum(row.Max)
		if row.Kind == setting.Whole {
			s.WithMultipleOf(1)
		}
	case "halfLifeDays":
		if s.Items == nil || s.Items.SchemaOrBool == nil {
			return // of one memory
		}
		row, n := setting.Get(setting.HalfLifeKey(1)), int64(len(setting.Levels()))
		s.WithMinItems(n).WithMaxItems(n)
		s.Items.SchemaOrBool.TypeObject.WithMinimum(row.Min).WithMaximum(row.Max)
	}
}

// keyword writes one rule.
func keyword(s *jsonschema.Schema, t reflect.Type, rule, param string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch rule {
	case "setting":
		row := setting.Get(param)
		s.WithMinimum(row.Min).WithMaximum(row.Max)
		if row.Help != "" {
			s.WithDescription(row.Help)
		}
	case "line", "text":
		lengths(s, param)
	case "label":
		lengths(s, "memory.kind")
	case "body":
		lengths(s, "memory.body")
	case "name":
		lengths(s, "account.name")
	case "password":
		lengths(s, "account.password")
		s.WithFormat("password")
	case "ids":
		row := setting.Get(param)
		s.WithMinItems(int64(row.Min)).WithMaxItems(int64(row.Max)).WithUniqueItems(true)
		if s.Items != nil && s.Items.SchemaOrBool != nil {
			s.Items.SchemaOrBool.TypeObject.WithMinimum(1)
		}
	case "count":
		row := setting.Get(param)
		s.WithMinItems(int64(row.Min)).WithMaxItems(int64(row.Max))
	case "unique":
		s.WithUniqueItems(true)
	case "oneof":
		s.Enum = nil
		for _, word := range strings.Fields(param) {
			s.Enum = append(s.Enum, word)
		}
	case "required":
		if t.Kind() == reflect.String {
			s.WithMinLength(1)
		}
	case "min", "max":
		n, err := strconv.ParseInt(param, 10, 64)
		if err != nil {
			return
		}
		switch {
		case t.Kind() == reflect.String && rule == "min":
			s.WithMinLength(n)
		case t.Kind() == reflect.String:
			s.WithMaxLength(n)
		case t.Kind() == reflect.Slice && rule == "min":
			s.WithMinItems(n)
		case rule == "min":
			s.WithMinimum(float64(n))
		default:
			s.WithMaximum(float64(n))
		}
	}
}

func lengths(s *jsonschema.Schema, key string) {
	row := setting.Get(key)
	s.WithMinLength(int64(row.Min)).WithMaxLength(int64(row.Max))
	if row.Help != "" {
		s.WithDescription(row.Help)
	}
}
