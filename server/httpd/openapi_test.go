package httpd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// readDocument is the OpenAPI document of all routes.
func readDocument(t testing.TB) map[string]any {
	t.Helper()
	s := &server{}
	data, err := document(s.table(), "/elowen", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func at(t testing.TB, v any, path ...string) any {
	t.Helper()
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no %q in %v", p, v)
		}
		if v, ok = m[p]; !ok {
			t.Fatalf("no %q of %v", p, path)
		}
	}
	return v
}

// compile makes a validator for a schema of the document.
func compile(t testing.TB, doc map[string]any, pointer string) *jsonschema.Schema {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("doc.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("doc.json#" + pointer)
	if err != nil {
		t.Fatalf("%s: %v", pointer, err)
	}
	return schema
}

// The document has every route and nothing else, and each part of it is one that
// OpenAPI 3.1 knows.
func TestDocument(t *testing.T) {
	doc := readDocument(t)
	if v := at(t, doc, "openapi"); v != "3.1.0" {
		t.Errorf("version %v", v)
	}
	if v := at(t, doc, "info", "version"); v != "1.2.3" {
		t.Errorf("info %v", v)
	}
	if v := doc["servers"].([]any)[0].(map[string]any)["url"]; v != "/elowen" {
		t.Errorf("servers %v", v)
	}
	paths := at(t, doc, "paths").(map[string]any)
	count, ids := 0, map[string]bool{}
	for _, r := range Routes() {
		count++
		op := at(t, paths, r.Path, strings.ToLower(r.Method)).(map[string]any)
		where := r.Method + " " + r.Path
		id, _ := op["operationId"].(string)
		if ids[id] || !regexp.MustCompile(`^[a-z]+([A-Z][A-Za-z0-9]*)+$`).MatchString(id) {
			t.Errorf("%s: operationId %q", where, id)
		}
		ids[id] = true
		if op["summary"] == "" {
			t.Errorf("%s: no summary", where)
		}
		if security, given := op["security"]; given != (r.Scope == "") {
			t.Errorf("%s: security %v", where, security)
		}
		named := map[string]bool{}
		params, _ := op["parameters"].([]any)
		for _, p := range params {
			p := p.(map[string]any)
			key := fmt.Sprint(p["in"], " ", p["name"])
			if named[key] {
				t.Errorf("%s: %s twice", where, key)
			}
			named[key] = true
			if p["in"] == "path" && p["required"] != true || p["schema"] == nil {
				t.Errorf("%s: parameter %v", where, p)
			}
		}
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(r.Path, -1) {
			if !named["path "+m[1]] {
				t.Errorf("%s: %s is not described", where, m[1])
			}
		}
		if named["header If-Match"] != r.ByRevision || named["header Idempotency-Key"] != r.Write() {
			t.Errorf("%s: headers %v", where, named)
		}
		responses := at(t, op, "responses").(map[string]any)
		for status, answer := range responses {
			if answer.(map[string]any)["description"] == "" {
				t.Errorf("%s: %s without a description", where, status)
			}
		}
		if responses[fmt.Sprint(r.Status)] == nil || responses["default"] == nil {
			t.Errorf("%s: responses %v", where, responses)
		}
		if (op["requestBody"] != nil) != (r.Takes != nil || r.Stream != "" && r.Method != "GET") {
			t.Errorf("%s: body %v", where, op["requestBody"])
		}
	}
	listed := 0
	for _, item := range paths {
		listed += len(item.(map[string]any))
	}
	if listed != count || count < 40 {
		t.Errorf("%d operations in the document, %d routes", listed, count)
	}
	references(t, doc, doc)
	for name := range at(t, doc, "components", "schemas").(map[string]any) {
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name) {
			t.Errorf("schema name %q", name)
		}
		compile(t, doc, "/components/schemas/"+name)
	}
}

// references checks that every $ref leads somewhere.
func references(t *testing.T, doc map[string]any, v any) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			path, ok := strings.CutPrefix(ref, "#/")
			if !ok {
				t.Errorf("$ref %q", ref)
				return
			}
			var parts []string
			for _, p := range strings.Split(path, "/") {
				p, err := url.PathUnescape(p)
				if err != nil {
					t.Error(err)
				}
				parts = append(parts, p)
			}
			at(t, doc, parts...)
		}
		for _, inner := range v {
			references(t, doc, inner)
		}
	case []any:
		for _, inner := range v {
			references(t, doc, inner)
		}
	}
}

// The schemas say what the validate tags say.
func TestSchemasHaveTheBounds(t *testing.T) {
	doc := readDocument(t)
	for name, c := range map[string]struct{ good, bad []string }{
		"MemoryAdd": {
			good: []string{`{"body":"x"}`, `{"body":"x","importance":10,"confidence":0.5,"categoryId":null}`, `{"body":"x","categoryId":7,"kind":"fact"}`},
			bad: []string{`{}`, `{"body":""}`, `{"body":"x","importance":11}`, `{"body":"x","importance":1.5}`, `{"body":"x","extra":1}`,
				`{"body":"x","kind":"` + strings.Repeat("k", 41) + `"}`, `{"body":"x","categoryId":"7"}`, `[]`},
		},
		"MemoryMerge":  {good: []string{`{"ids":[1,2],"body":"x"}`}, bad: []string{`{"ids":[1],"body":"x"}`, `{"ids":[1,1],"body":"x"}`, `{"ids":[0,1],"body":"x"}`}},
		"MemoryBulk":   {good: []string{`{"ids":[1],"action":"trash"}`, `{"all":{"status":"deleted"},"action":"purge"}`}, bad: []string{`{"action":"burn"}`, `{"action":"trash","all":{"sort":"luck"}}`, `{"action":"trash","all":{"nope":1}}`}},
		"EmptyTrash":   {good: []string{`{}`, `{"expect":0}`}, bad: []string{`{"expect":-1}`, `{"expect":"all"}`, `{"ids":[1]}`}},
		"TokenAdd":     {good: []string{`{"name":"t","scopes":["read"]}`}, bad: []string{`{"name":"t","scopes":["root"]}`, `{"name":""}`, `{"name":"t","scopes":["read","read"]}`}},
		"Setup":        {good: []string{`{"code":"c","name":"a","password":"0123456789"}`}, bad: []string{`{"code":"c","name":"a","password":"short"}`}},
		"PolicyChange": {good: []string{`{"revision":1,"graceDays":900}`}, bad: []string{`{}`, `{"revision":1,"enabled":"yes"}`, `{"revision":1,"dailyDeletionLimit":2.5}`, `{"revision":1,"vitalityFloor":0}`, `{"revision":1,"halfLifeDays":[1]}`}},
		"Memory":       {good: nil, bad: []string{`{}`}},
		"MePatch":      {good: []string{`{}`, `{"displayName":"x","memory":{"autoSave":true}}`}, bad: []string{`{"memory":{"autoSave":1}}`, `{"memory":{"nope":true}}`}},
	} {
		schema := compile(t, doc, "/components/schemas/"+name)
		judge := func(text string) error {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			return schema.Validate(v)
		}
		for _, text := range c.good {
			if err := judge(text); err != nil {
				t.Errorf("%s refuses %s: %v", name, text, err)
			}
		}
		for _, text := range c.bad {
			if judge(text) == nil {
				t.Errorf("%s takes %s", name, text)
			}
		}
	}
}
