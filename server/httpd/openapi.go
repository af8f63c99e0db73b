package httpd

import (
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

type object = map[string]any

// document makes the OpenAPI document of the routes. base is the path before
// theirs, without a last slash.
func document(routes []*Route, base, version string) ([]byte, error) {
	s := newSchemas()
	problem, err := s.of(reflect.TypeFor[fault.Problem]())
	if err != nil {
		return nil, err
	}
	paths := object{}
	taken, given := map[string]bool{}, map[string]bool{}
	for _, r := range routes {
		op, err := operation(s, r, problem, taken, given)
		if err != nil {
			return nil, err
		}
		item, _ := paths[r.Path].(object)
		if item == nil {
			item = object{}
			paths[r.Path] = item
		}
		item[strings.ToLower(r.Method)] = op
	}
	s.closeInputs(taken, given)
	delete(s.named, schemaName(timeType, "")) // every place has it spelled out
	if base == "" {
		base = "/"
	}
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "elowen", "version": version,
			"description": "Long-term memory for AI assistants. Errors are problem documents (RFC 9457). Times are RFC 3339 in UTC. Lists come in pages: nextCursor, given as cursor, leads on; empty is the end.",
			"license":     object{"name": "MIT", "identifier": "MIT"},
		},
		"servers":  []any{object{"url": base}},
		"security": []any{object{"token": []string{}}, object{"session": []string{}}},
		"paths":    paths,
		"components": object{
			"schemas": s.named,
			"securitySchemes": object{
				"token":   object{"type": "http", "scheme": "bearer", "description": "A personal token, elw_…"},
				"session": object{"type": "apiKey", "in": "cookie", "name": "elowen", "description": "Set by a sign-in; the name is __Host-elowen or __Secure-elowen behind https."},
			},
		},
	}, json.Deterministic(true), jsontext.WithIndent("  "))
}

// operation describes one route. The names of schemas that it takes and gives are
// noted in taken and given.
func operation(s *schemas, r *Route, problem any, taken, given map[string]bool) (object, error) {
	op := object{"summary": r.Summary, "operationId": operationID(r), "tags": []string{tag(r)}}
	params, err := parameters(s, r)
	if err != nil {
		return nil, err
	}
	if len(params) > 0 {
		op["parameters"] = params
	}
	switch {
	case r.Takes != nil:
		body, err := s.of(r.Takes)
		if err != nil {
			return nil, err
		}
		note(body, taken)
		op["requestBody"] = object{"required": !r.Optional, "content": object{"application/json": object{"schema": body}}}
	case r.Stream != "" && r.Method != http.MethodGet:
		content := object{}
		for _, t := range append([]string{r.Stream}, r.Accepts...) {
			content[t] = object{"schema": object{"type": "string"}}
			if t == multipartForm {
				content[t] = object{"schema": object{"type": "object", "description": "Files, each with its name; the names of the parts don't matter",
					"additionalProperties": object{"type": "string", "contentMediaType": "application/octet-stream"}}}
			}
		}
		op["requestBody"] = object{"required": true, "content": content}
	}
	success := object{"description": "Done"}
	switch {
	case r.Gives != nil:
		out, err := s.of(r.Gives)
		if err != nil {
			return nil, err
		}
		note(out, given)
		content := object{"application/json": object{"schema": out}}
		if r.Stream != "" && r.Method != http.MethodGet { // in steps, where they were asked for
			step, err := s.of(reflect.TypeFor[api.ImportStep]())
			if err != nil {
				return nil, err
			}
			note(step, given)
			content[r.Stream] = object{"schema": object{"type": "string", "description": "With progress: a JSON object a line, each an ImportStep; the last has the report or the problem"}}
		}
		success["content"] = content
		if revisioned(r.Gives) {
			success["headers"] = object{"ETag": object{"description": "The revision, for If-Match", "schema": object{"type": "string"}}}
		}
	case r.Stream != "" && r.Status == http.StatusOK:
		success["content"] = object{r.Stream: object{"schema": object{"type": "string"}}}
	}
	responses := object{strconv.Itoa(r.Status): success}
	if r.Gives == reflect.TypeFor[api.MemoryAdded]() {
		responses["200"] = object{"description": "It was there already; nothing was added", "content": success["content"]}
	}
	responses["default"] = object{
		"description": "A problem document says what is wrong",
		"content":     object{fault.ProblemType: object{"schema": problem}},
	}
	op["responses"] = responses
	if r.Scope == open {
		op["security"] = []any{}
	} else {
		op["description"] = "Needs the scope " + r.Scope + "."
		op["x-scope"] = r.Scope
	}
	return op, nil
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// parameters are those of the path, the query, and the headers.
func parameters(s *schemas, r *Route) ([]any, error) {
	var list []any
	for _, m := range placeholder.FindAllStringSubmatch(r.Path, -1) {
		schema := object{"type": "string"}
		if m[1] == "id" {
			schema = object{"type": "integer", "format": "int64", "minimum": 1}
		}
		list = append(list, object{"name": m[1], "in": "path", "required": true, "schema": schema})
	}
	for _, q := range r.Query {
		in := newSchemas() // apart: parameters are no schema of the document
		in.reflector = s.reflector
		t := reflect.TypeOf(q).Elem()
		if _, err := in.of(t); err != nil {
			return nil, err
		}
		props, _ := in.named[schemaName(t, "")].(object)["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(props)) {
			schema := props[name]
			if kinds, ok := schema.(object)["type"].([]any); ok { // a parameter can be absent, but not null
				schema.(object)["type"] = slices.DeleteFunc(kinds, func(k any) bool { return k == "null" })[0]
			}
			if t == reflect.TypeFor[api.MemoryQuery]() && name == "categoryId" {
				schema = object{"anyOf": []any{schema, object{"const": "none"}}}
			}
			list = append(list, object{"name": name, "in": "query", "schema": schema})
		}
	}
	if r.ByRevision {
		list = append(list, object{"name": "If-Match", "in": "header", "description": `The revision that was seen, in double quotes; another one answers 409 with the current state`, "schema": object{"type": "string", "pattern": `^"[1-9][0-9]*"$`}})
	}
	if r.Write() {
		most := int(setting.Get("http.idempotencyKey").Max)
		list = append(list, object{"name": api.HeaderIdempotency, "in": "header", "description": "Makes the write happen once, however often it is sent", "schema": object{"type": "string", "minLength": 1, "maxLength": most}})
	}
	return list, nil
}

// closeInputs says of what is only ever taken that it has no other fields: they
// are refused. What is given may grow.
func (s *schemas) closeInputs(taken, given map[string]bool) {
	s.reach(given)
	s.reach(taken)
	for name := range taken {
		if schema, ok := s.named[name].(object); ok && !given[name] && schema["type"] == "object" {
			schema["additionalProperties"] = false
		}
	}
}

// reach adds the schemas that those in set refer to.
func (s *schemas) reach(set map[string]bool) {
	for grew := true; grew; {
		before := len(set)
		for _, name := range slices.Collect(maps.Keys(set)) {
			note(s.named[name], set)
		}
		grew = len(set) > before
	}
}

// note adds the names of the schemas that v refers to.
func note(v any, names map[string]bool) {
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			names[strings.TrimPrefix(ref, schemaPrefix)] = true
		}
		for _, inner := range v {
			note(inner, names)
		}
	case []any:
		for _, inner := range v {
			note(inner, names)
		}
	}
}

// revisioned tells whether values of the type have an ETag.
func revisioned(t reflect.Type) bool {
	v := reflect.New(t).Elem()
	f := reflect.Value{}
	if t.Kind() == reflect.Struct {
		f = v.FieldByName("Revision")
	}
	if !f.IsValid() {
		return false
	}
	f.SetInt(1)
	return revisionOf(v.Interface()) == 1
}

// operationID is made of method and path, so that it changes only with them.
func operationID(r *Route) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(r.Method))
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(r.Path, "/api"), func(c rune) bool { return strings.ContainsRune("/{}-.", c) }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// tag groups the routes by their noun.
func tag(r *Route) string {
	rest, ok := strings.CutPrefix(r.Path, "/api/")
	if !ok {
		return "server"
	}
	noun, _, _ := strings.Cut(rest, "/")
	if strings.Contains(noun, ".") {
		return "server"
	}
	return noun
}
