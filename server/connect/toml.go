package connect

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is TOML. The entry is a table with a header of its own, and perhaps tables
// below it; one that is written otherwise (inline, with dotted keys) is refused.
type tomlFormat struct{}

func (tomlFormat) read(config []byte) (map[string]any, error) {
	v := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(config, mark), &v)
	return v, err
}

// span is where a table with those below it stands in a text: from the line of its
// first header to the end of the line of its last value.
type span struct{ from, to int }

// spans are those of the entry, in order. They are several where other tables stand
// between its own.
func spans(text []byte, servers string) (list []span, err error) {
	var p unstable.Parser
	p.Reset(text)
	inside := false
	end := func(at int) {
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			at += n + 1
		} else {
			at = len(text)
		}
		list[len(list)-1].to = at
	}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			keys, header := path(e)
			inside = len(keys) > 1 && keys[0] == servers && keys[1] == Name
			if inside {
				from := bytes.LastIndexByte(text[:header], '\n') + 1
				if len(list) == 0 || list[len(list)-1].to < from && len(bytes.TrimSpace(text[list[len(list)-1].to:from])) > 0 {
					list = append(list, span{from: from})
				}
				end(header)
			}
		case unstable.KeyValue:
			if inside {
				end(int(e.Raw.Offset + e.Raw.Length))
			}
		}
	}
	return list, p.Error()
}

// path is a table's name and where it begins.
func path(e *unstable.Node) (keys []string, at int) {
	at = -1
	for it := e.Key(); it.Next(); {
		if k := it.Node(); true {
			if at < 0 {
				at = int(k.Raw.Offset)
			}
			keys = append(keys, string(k.Data))
		}
	}
	return keys, at
}

func (f tomlFormat) set(config []byte, servers string, want fields) ([]byte, error) {
	now, err := f.read(config)
	if err != nil {
		return nil, err
	}
	list, _ := now[servers].(map[string]any)
	entry, there := list[Name]
	if there && same(entry, want) {
		return config, nil
	}
	newline := "\n"
	if bytes.Contains(config, []byte("\r\n")) {
		newline = "\r\n"
	}
	text, err := table(servers, want, entry)
	if err != nil {
		return nil, err
	}
	text = strings.ReplaceAll(text, "\n", newline)
	if there {
		config, at, err := cut(config, servers)
		if err != nil {
			return nil, err
		}
		return splice(config, at, at, text), nil
	}
	out := bytes.Clone(config)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, newline...)
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(out, mark))) > 0 {
		out = append(out, newline...)
	}
	return append(out, text...), nil
}

// table writes the entry as a table, with what else stood in it.
func table(servers string, f fields, now any) (string, error) {
	var b strings.Builder
	b.WriteString("[" + servers + "." + Name + "]\n")
	for _, one := range f {
		b.WriteString(one.name + " = ")
		switch v := one.value.(type) {
		case string:
			b.WriteString(quoted(v))
		case []string:
			b.WriteString(list(v))
		case fields:
			inside := make([]string, len(v))
			for i, in := range v {
				inside[i] = in.name + " = " + quoted(in.value.(string))
			}
			b.WriteString("{ " + strings.Join(inside, ", ") + " }")
		}
		b.WriteString("\n")
	}
	entry, _ := now.(map[string]any)
	names := make([]string, 0, len(entry))
	for name := range entry {
		if !how[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		rest := toml.NewEncoder(&b).SetTablesInline(true)
		if err := rest.Encode(map[string]any{name: entry[name]}); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (tomlFormat) unset(config []byte, servers string) ([]byte, error) {
	out, at, err := cut(config, servers)
	if err != nil {
		return nil, err
	}
	// Of the empty lines around it, one side's go.
	before := bytes.TrimRight(out[:at], "\r\n")
	if at == len(out) && len(before) > 0 {
		n := len(before) + 1
		if len(out) > n-1 && out[n-1] == '\r' {
			n++
		}
		return out[:min(n, len(out))], nil
	}
	if len(before) == 0 || len(before)+1 < at {
		rest := out[at:]
		for len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
			rest = rest[1:]
		}
		return append(bytes.Clone(out[:at]), rest...), nil
	}
	return out, nil
}

// cut takes the entry's tables out, and tells where the first one stood.
func cut(config []byte, servers string) ([]byte, int, error) {
	list, err := spans(config, servers)
	if err != nil {
		return nil, 0, err
	}
	if len(list) == 0 {
		return nil, 0, errors.New("elowen's entry is no table with a header of its own")
	}
	out := bytes.Clone(config)
	for i := len(list) - 1; i >= 0; i-- {
		out = splice(out, list[i].from, list[i].to, "")
	}
	return out, list[0].from, nil
}
