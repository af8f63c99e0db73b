package connect

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Entry is how a client reaches elowen: by an address, or else by a command.
type Entry struct {
	URL     string // with /mcp at its end; empty: Command
	Token   string // "elw_…"; empty: none, of a command over one's own data directory
	Command string
	Args    []string
}

// fields are an object's, in the order in which they are written. Values are strings,
// lists of strings, and fields.
type fields []field

type field struct {
	name  string
	value any
}

// how are the fields of an entry that say how elowen is reached, in any of the clients.
// They are elowen's to change; whatever else stands in its entry is the person's.
var how = map[string]bool{
	"type": true, "command": true, "args": true, "env": true,
	"url": true, "httpUrl": true, "serverUrl": true,
	"headers": true, "http_headers": true, "env_http_headers": true,
	"bearer_token": true, "bearer_token_env_var": true,
}

// typed makes entries over HTTP: with a type, where the client wants one named, and
// with an address and headers under the client's names for them.
func typed(kind, address, headers string) func(Entry) fields {
	return func(e Entry) fields {
		var f fields
		if kind != "" {
			f = append(f, field{"type", kind})
		}
		return append(f, field{address, e.URL}, field{headers, fields{{"Authorization", "Bearer " + e.Token}}})
	}
}

// program makes entries of a command, after what the client wants named first.
func program(first fields) func(Entry) fields {
	return func(e Entry) fields {
		f := append(fields(nil), first...)
		f = append(f, field{"command", e.Command}, field{"args", e.Args})
		if e.Token != "" {
			f = append(f, field{"env", fields{{TokenVariable, e.Token}}})
		}
		return f
	}
}

// quoted is a JSON string. It is a basic string of TOML, too.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// list is a list of strings on one line, as JSON and TOML both write it.
func list(values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = quoted(v)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// compact writes fields as JSON on one line.
func compact(f fields) string { return object(f, "", "", "") }

// object writes fields as a JSON object. Each line after the first begins with newline
// and indent, and one unit more within the braces; without a newline it is one line.
func object(f fields, newline, indent, unit string) string {
	if len(f) == 0 {
		return "{}"
	}
	within, after := newline+indent+unit, newline+indent
	separator, colon := ","+within, ": "
	if newline == "" {
		separator = ", "
	}
	all := make([]string, len(f))
	for i, one := range f {
		all[i] = quoted(one.name) + colon
		switch v := one.value.(type) {
		case string:
			all[i] += quoted(v)
		case []string:
			all[i] += list(v)
		case fields:
			all[i] += object(v, newline, indent+unit, unit)
		case verbatim:
			all[i] += string(v)
		}
	}
	if newline == "" {
		within, after = "", ""
	}
	return "{" + within + strings.Join(all, separator) + after + "}"
}

// verbatim is a value as it stood in the config.
type verbatim string
