package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON, with comments and commas after the last member where the client
// takes them: what isn't there isn't added, so that strict clients keep reading theirs.
type jsonFormat struct{}

// mark is the byte order mark that some editors on Windows begin a file with.
var mark = []byte("\xef\xbb\xbf")

func (jsonFormat) read(config []byte) (map[string]any, error) {
	config = bytes.TrimPrefix(config, mark)
	if len(bytes.TrimSpace(config)) == 0 {
		return map[string]any{}, nil
	}
	config = bytes.Clone(config) // Standardize blanks comments out where they stand
	root, err := hujson.Parse(config)
	if err != nil {
		return nil, err
	}
	if name := twice(root); name != "" {
		return nil, fmt.Errorf("%q stands there twice", name)
	}
	root.Standardize()
	d := json.NewDecoder(bytes.NewReader(root.Pack()))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	return m, nil
}

// twice is a name that an object has twice, empty for none: which of the two counts is
// up to each reader.
func twice(v hujson.Value) string {
	for one := range v.All() {
		o, ok := one.Value.(*hujson.Object)
		if !ok {
			continue
		}
		seen := make(map[string]bool, len(o.Members))
		for _, m := range o.Members {
			name := m.Name.Value.(hujson.Literal).String()
			if seen[name] {
				return name
			}
			seen[name] = true
		}
	}
	return ""
}

// place is an object in a config and how it is written.
type place struct {
	object  *hujson.Object
	open    int // of its brace
	close   int // of its other brace
	indent  string
	unit    string
	newline string // empty: the object is on one line
}

func (jsonFormat) set(config []byte, servers string, f fields) ([]byte, error) {
	bom := config[:len(config)-len(bytes.TrimPrefix(config, mark))]
	text := config[len(bom):]
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte(string(bom) + object(fields{{servers, fields{{Name, f}}}}, "\n", "", "  ") + "\n"), nil
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	top := placed(text, root, 0)
	list := member(top.object, servers)
	var after []byte
	switch {
	case list == nil:
		after = add(text, top, servers, fields{{Name, f}})
	case list.Value.Kind() == 'n':
		after = splice(text, list.StartOffset, list.EndOffset, object(fields{{Name, f}}, top.newline, top.indent+top.unit, top.unit))
	default:
		inside := placed(text, *list, 1)
		if top.newline != "" { // of an empty object one sees nothing
			inside.unit = top.unit
			if len(inside.object.Members) == 0 {
				inside.newline = top.newline
			}
		}
		if now := member(inside.object, Name); now != nil {
			after = replace(text, inside, now, f)
		} else {
			after = add(text, inside, Name, f)
		}
	}
	return append(bytes.Clone(bom), after...), nil
}

// member is the value of a name in an object; nil where there is none.
func member(o *hujson.Object, name string) *hujson.Value {
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			return &o.Members[i].Value
		}
	}
	return nil
}

// placed looks at how an object is written.
func placed(text []byte, v hujson.Value, depth int) place {
	o := v.Value.(*hujson.Object)
	p := place{object: o, open: v.StartOffset, close: v.EndOffset - 1, unit: "  "}
	p.indent = indentation(text, v.StartOffset)
	inside := text[p.open : p.close+1]
	if bytes.ContainsRune(inside, '\n') || len(o.Members) == 0 && depth == 0 {
		p.newline = "\n"
		if bytes.Contains(text, []byte("\r\n")) {
			p.newline = "\r\n"
		}
	}
	if len(o.Members) > 0 {
		first := indentation(text, o.Members[0].Name.StartOffset)
		if rest, ok := strings.CutPrefix(first, p.indent); ok && rest != "" {
			p.unit = rest
		}
	}
	return p
}

// indentation is the white space at the beginning of the line of an offset.
func indentation(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// add puts a new member behind the last one of an object.
func add(text []byte, p place, name string, f fields) []byte {
	value := quoted(name) + ": " + object(f, p.newline, p.indent+p.unit, p.unit)
	if len(p.object.Members) == 0 {
		// Comments within stay before it.
		kept := bytes.TrimRight(text[p.open+1:p.close], " \t\r\n")
		return splice(text, p.open+1+len(kept), p.close, p.newline+ifAny(p.newline, p.indent+p.unit)+value+p.newline+ifAny(p.newline, p.indent))
	}
	last := p.object.Members[len(p.object.Members)-1].Value
	tail := bytes.TrimRight(text[last.EndOffset:p.close], " \t\r\n")
	at := last.EndOffset + len(tail)
	if p.newline == "" {
		value = " " + value
	} else {
		value = p.newline + p.indent + p.unit + value
	}
	if last.AfterExtra != nil { // there is a comma already; one after the new member keeps to it
		if p.newline == "" {
			return splice(text, at, at, value)
		}
		return splice(text, at, at, value+",")
	}
	after := splice(text, at, at, value)
	return splice(after, last.EndOffset, last.EndOffset, ",")
}

func ifAny(newline, s string) string {
	if newline == "" {
		return ""
	}
	return s
}

// replace gives elowen's entry the fields, and leaves what else stands in it. One that
// has them already stays as it is, however it is written.
func replace(text []byte, p place, now *hujson.Value, f fields) []byte {
	clone := now.Clone()
	clone.Standardize()
	var entry any
	if json.Unmarshal(clone.Pack(), &entry) == nil && same(entry, f) {
		return text
	}
	f = append(fields(nil), f...)
	if o, ok := now.Value.(*hujson.Object); ok {
		for _, m := range o.Members {
			if name := m.Name.Value.(hujson.Literal).String(); !how[name] {
				f = append(f, field{name, verbatim(text[m.Value.StartOffset:m.Value.EndOffset])})
			}
		}
	}
	return splice(text, now.StartOffset, now.EndOffset, object(f, p.newline, p.indent+p.unit, p.unit))
}

func (jsonFormat) unset(config []byte, servers string) ([]byte, error) {
	bom := config[:len(config)-len(bytes.TrimPrefix(config, mark))]
	text := config[len(bom):]
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	list := member(root.Value.(*hujson.Object), servers)
	o := list.Value.(*hujson.Object)
	at := 0
	for o.Members[at].Name.Value.(hujson.Literal).String() != Name {
		at++
	}
	m := o.Members[at]
	from, to := m.Name.StartOffset, m.Value.EndOffset
	comma := -1 // the one of the member before that nothing follows any more
	switch {
	case at+1 < len(o.Members) || m.Value.AfterExtra != nil: // its own comma goes with it
		to += len(m.Value.AfterExtra) + 1
	case at > 0:
		before := o.Members[at-1].Value
		comma = before.EndOffset + len(before.AfterExtra)
	}
	// The line goes with what stood on it.
	for from > 0 && (text[from-1] == ' ' || text[from-1] == '\t') {
		from--
	}
	if from > 0 && text[from-1] == '\n' {
		if from--; from > 0 && text[from-1] == '\r' {
			from--
		}
	}
	after := splice(text, from, to, "")
	if comma >= 0 {
		after = splice(after, comma, comma+1, "")
	}
	return append(bytes.Clone(bom), after...), nil
}

// splice puts something else in the place of a part of a text.
func splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}
