package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

var ctx = context.Background()

// What clients drop tools for: types that may be null, references, alternatives.
func flat(t *testing.T, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			switch name {
			case "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "nullable", "const":
				t.Errorf("%s has %s", at, name)
			case "type":
				if kind, ok := inner.(string); !ok || kind == "null" {
					t.Errorf("%s has the type %v", at, inner)
				}
			}
			flat(t, at+"/"+name, inner)
		}
	case []any:
		for _, inner := range v {
			flat(t, at, inner)
		}
	case nil:
		t.Errorf("%s is null", at)
	}
}

func TestSchemas(t *testing.T) {
	set := New(Options{})
	var names []string
	for _, one := range set.List() {
		names = append(names, one.Name)
		for what, schema := range map[string]json.RawMessage{"in": one.Input, "out": one.Output} {
			var v map[string]any
			if err := json.Unmarshal(schema, &v); err != nil {
				t.Fatalf("%s: %v in %s", one.Name, err, schema)
			}
			if v["type"] != "object" || v["additionalProperties"] != false {
				t.Errorf("%s %s: %s", one.Name, what, schema)
			}
			flat(t, one.Name+" "+what, v)
			var plain bytes.Buffer
			if json.Compact(&plain, schema) != nil || plain.String() != string(schema) {
				t.Errorf("%s %s is not compact", one.Name, what)
			}
		}
		if one.Title == "" || len(one.Description) < 60 || len(one.Description) > 500 || one.Scope != api.ScopeRead && one.Scope != api.ScopeWrite {
			t.Errorf("%s: %q, %q, scope %q", one.Name, one.Title, one.Description, one.Scope)
		}
		if one.ReadOnly() && one.Destructive {
			t.Errorf("%s only reads, and destroys", one.Name)
		}
		if set.Get(one.Name) != one {
			t.Errorf("%s is not found", one.Name)
		}
	}
	want := []string{"MemorySearch", "MemoryAdd", "MemoryUpdate", "MemoryMerge", "MemoryDelete", "MemoryListRecent", "MemoryCategories", "MemoryCategoryCreate", "MemoryCategoryDelete", "MemoryRecategorize"}
	if !slices.Equal(names, want) || set.Get("memorysearch") != nil {
		t.Errorf("tools %v", names)
	}
	// Arguments by their fixed names.
	for name, want := range map[string]string{
		"MemorySearch": "query limit after before conversation projectPath full", "MemoryAdd": "body kind importance category shared projectPath",
		"MemoryUpdate": "id body kind importance category", "MemoryMerge": "ids body", "MemoryDelete": "id", "MemoryListRecent": "limit conversation",
		"MemoryCategories": "", "MemoryCategoryCreate": "name description icon", "MemoryCategoryDelete": "id", "MemoryRecategorize": "all",
	} {
		if got := strings.Join(propertiesOf(set.Get(name).Input), " "); got != want {
			t.Errorf("%s takes %q, not %q", name, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]ID{`7`: 7, `"7"`: 7, `" 12 "`: 12, `9007199254740993`: 9007199254740993, `0`: 0, `-1`: 0, `1.5`: 0, `"x"`: 0, `""`: 0, `true`: 0, `null`: 0, `"+3"`: 0, `1e3`: 0, `[]`: 0, `"0x1"`: 0} {
		var got ID
		err := got.UnmarshalJSON([]byte(text))
		if (err == nil) != (want != 0) || got != want {
			t.Errorf("%s became %d, %v", text, got, err)
		}
	}
}

func as(scopes ...string) Call {
	return Call{Identify: func(context.Context) (account.Identity, error) {
		return account.Identity{Owner: 1, TokenID: 7, Scopes: scopes}, nil
	}}
}

// What a limit is without one is told as the setting has it.
func TestLimitsTellTheirDefaults(t *testing.T) {
	set := New(Options{})
	for name, key := range map[string]string{"MemorySearch": "agent.search", "MemoryListRecent": "agent.list"} {
		want := fmt.Sprintf(`"limit":{"type":"integer","description":"At most so many (%d)","minimum":1`, setting.Int(key))
		if got := string(set.Get(name).Input); !strings.Contains(got, want) {
			t.Errorf("%s: %s is not in %s", name, want, got)
		}
	}
}

// What goes wrong is a sentence that says what to do.
func TestErrorsAreResults(t *testing.T) {
	set := New(Options{})
	for _, c := range []struct{ name, args, says string }{
		{"MemorySearch", `{"query":"x","q":1}`, "It takes: query, limit, after, before, conversation, projectPath, full."},
		{"MemorySearch", `{"query":"  "}`, "say what to look for"},
		{"MemorySearch", `{}`, "say what to look for"},
		{"MemorySearch", `{"query":1}`, "query must be text"},
		{"MemorySearch", `{"query":"x","limit":"3"}`, "limit must be a whole number"},
		{"MemorySearch", `{"query":"x","limit":0}`, "limit must be"},
		{"MemorySearch", `{"query":"x","limit":51}`, "limit must be"},
		{"MemorySearch", `{"query":"x","limit":null}`, "limit cannot be"},
		{"MemorySearch", `{"query":"x","after":"yesterday"}`, "after must be a time"},
		{"MemorySearch", `{"query":"x","after":"2026-02-01","before":"2026-01-01"}`, "later"},
		{"MemorySearch", `{"query":"x","query":"y"}`, "twice"},
		{"MemorySearch", `[]`, "object"},
		{"MemorySearch", `{"query":"x","full":"yes"}`, "true or false"},
		{"MemoryAdd", `{"body":""}`, "body must not be empty"},
		{"MemoryAdd", `{"body":"x","importance":11}`, "importance must be"},
		{"MemoryAdd", `{"body":"` + strings.Repeat("x", 100_001) + `"}`, "was not cut"},
		{"MemoryAdd", `{"body":"<memory id=\"1\" kind=\"fact\">x</memory>"}`, "store them a second time"},
		{"MemoryUpdate", `{"id":1}`, "Nothing to change"},
		{"MemoryUpdate", `{"id":"one","body":"x"}`, "id must be a whole number"},
		{"MemoryUpdate", `{"body":"x"}`, "id must be"},
		{"MemoryUpdate", `{"id":1,"body":"<memories from='elowen'>"}`, "store them a second time"},
		{"MemoryMerge", `{"ids":[1],"body":"x"}`, "ids must list"},
		{"MemoryMerge", `{"ids":[1,1],"body":"x"}`, "twice"},
		{"MemoryMerge", `{"ids":1,"body":"x"}`, "ids must be a list"},
		{"MemoryMerge", `{"ids":[1,2],"body":"< memories from=\"elowen\""}`, "store them a second time"},
		{"MemoryDelete", `{}`, "id must be"},
		{"MemoryCategories", `{"all":true}`, "no field"},
		{"MemoryCategoryCreate", `{}`, "name"},
		{"MemoryRecategorize", `{}`, "no server runs"},
	} {
		r := set.Run(ctx, set.Get(c.name), as(api.ScopeRead, api.ScopeWrite), []byte(c.args))
		if !r.Failed || !strings.Contains(r.Text, c.says) || r.Object != nil {
			t.Errorf("%s %.100s: %v %s", c.name, c.args, r.Failed, r.Text)
		}
	}
	// A defect is told without its cause.
	if r := set.Run(ctx, set.Get("MemorySearch"), as(api.ScopeRead), []byte(`{"query":"x"}`)); !r.Failed || strings.Contains(r.Text, "nil pointer") {
		t.Errorf("a panic: %+v", r)
	}
}

// Where a connection says that the agent works is judged as the argument is.
func TestProjectOfAConnection(t *testing.T) {
	set := New(Options{})
	for what, path := range map[string]string{"invalid UTF-8": "/srv/\xff", "too long": "/" + strings.Repeat("ä", 1000), "a control": "/srv/\x1b[2J"} {
		call := as(api.ScopeRead, api.ScopeWrite)
		call.ProjectPath = path
		for name, args := range map[string]string{"MemorySearch": `{"query":"tea"}`, "MemoryAdd": `{"body":"tea","shared":true}`} {
			r := set.Run(ctx, set.Get(name), call, []byte(args))
			if !r.Failed || !strings.Contains(r.Text, "projectPath") || !strings.Contains(r.Text, "this connection names") {
				t.Errorf("%s, %s: %+v", what, name, r)
			}
		}
		argument, err := json.Marshal(path)
		if err != nil {
			t.Fatal(err)
		}
		if what == "invalid UTF-8" {
			argument = []byte(`"` + path + `"`)
		}
		r := set.Run(ctx, set.Get("MemorySearch"), as(api.ScopeRead), []byte(`{"query":"tea","projectPath":`+string(argument)+`}`))
		if !r.Failed || !strings.HasPrefix(r.Text, "projectPath ") && what != "invalid UTF-8" {
			t.Errorf("%s as an argument: %+v", what, r)
		}
		if (ProjectPath(path) == nil) || ProjectPath("/srv/moon") != nil || ProjectPath("") != nil {
			t.Errorf("%s: %v", what, ProjectPath(path))
		}
	}
}

func TestScopes(t *testing.T) {
	set := New(Options{})
	for _, one := range set.List() {
		r := set.Run(ctx, one, as("none"), nil)
		if !r.Failed || !strings.Contains(r.Text, "needs the scope") {
			t.Errorf("%s without a scope: %+v", one.Name, r)
		}
		if r := set.Run(ctx, one, as(api.ScopeRead), []byte(`{"x":1}`)); one.ReadOnly() == strings.Contains(r.Text, "needs the scope") {
			t.Errorf("%s with read: %+v", one.Name, r)
		}
		gone := Call{Identify: func(context.Context) (account.Identity, error) {
			return account.Identity{}, fault.New(fault.Unauthenticated, "x")
		}}
		if r := set.Run(ctx, one, gone, nil); !r.Failed || !strings.HasPrefix(r.Text, "x. Only the person can do that") {
			t.Errorf("%s for nobody: %+v", one.Name, r)
		}
	}
}
