package tool

import (
	"bytes"
	"encoding/json"
	"strconv"

	"elowen/shared/setting"
)

// property is one property of a flat schema.
type property struct {
	name, kind, doc string
	key             string // of the setting with its bounds; empty: none
	need            bool
	items           []byte // of a list: the schema of one
	most            bool   // of a list: key bounds how many
	values          []string
}

func text(name, doc string) property    { return property{name: name, kind: "string", doc: doc} }
func whole(name, doc string) property   { return property{name: name, kind: "integer", doc: doc} }
func number(name, doc string) property  { return property{name: name, kind: "number", doc: doc} }
func boolean(name, doc string) property { return property{name: name, kind: "boolean", doc: doc} }

func list(name, doc string, items []byte) property {
	return property{name: name, kind: "array", doc: doc, items: items}
}

// needed makes it required.
func (p property) needed() property { p.need = true; return p }

// within bounds it by a row of the setting table.
func (p property) within(key string) property { p.key = key; return p }

// atMost is a limit whose default and bounds are a row of the setting table.
func atMost(key string) property {
	return whole("limit", "At most so many ("+setting.Format(setting.Get(key).Default)+")").within(key)
}

// object is the schema of an object with these properties and no others.
func object(properties ...property) json.RawMessage {
	var b, required bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(p.name) + ":")
		p.write(&b)
		if p.need {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			required.WriteString(quote(p.name))
		}
	}
	b.WriteString(`}`)
	if required.Len() > 0 {
		b.WriteString(`,"required":[` + required.String() + `]`)
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

// result is an object whose properties are always there.
func result(properties ...property) json.RawMessage {
	for i := range properties {
		properties[i].need = true
	}
	return object(properties...)
}

func (p property) write(b *bytes.Buffer) {
	b.WriteString(`{"type":` + quote(p.kind))
	if p.doc != "" {
		b.WriteString(`,"description":` + quote(p.doc))
	}
	if p.items != nil {
		b.WriteString(`,"items":`)
		b.Write(p.items)
	}
	if p.key != "" {
		s := setting.Get(p.key)
		low, high := "minimum", "maximum"
		switch p.kind {
		case "string":
			low, high = "minLength", "maxLength"
		case "array":
			low, high = "minItems", "maxItems"
		}
		if s.Min > 0 || p.kind == "integer" {
			b.WriteString(`,"` + low + `":` + setting.Format(s.Min))
		}
		b.WriteString(`,"` + high + `":` + setting.Format(s.Max))
	}
	b.WriteByte('}')
}

// id is the schema of an id.
var id = []byte(`{"type":"integer"}`)

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(text)
}

// propertiesOf are the names of a schema's properties, in order.
func propertiesOf(schema []byte) []string {
	names := []string{}
	d := json.NewDecoder(bytes.NewReader(schema))
	depth, inside := 0, false
	for {
		t, err := d.Token()
		if err != nil {
			return names
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
			if inside && depth < 2 {
				return names
			}
		case string:
			if depth == 1 && t == "properties" {
				inside = true
				continue
			}
			if inside && depth == 2 {
				names = append(names, t)
				if skip(d) != nil {
					return names
				}
			}
		}
	}
}

func skip(d *json.Decoder) error {
	var v json.RawMessage
	return d.Decode(&v)
}
