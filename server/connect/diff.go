package connect

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/diff"
)

// tokens are tokens of elowen, with their last characters apart.
var tokens = regexp.MustCompile(`elw_[A-Za-z0-9_-]*([A-Za-z0-9_-]{4})`)

// Masked hides the tokens in a text but for their last characters, by which people tell
// one from another.
func Masked(text []byte) []byte { return tokens.ReplaceAll(text, []byte("elw_…$1")) }

// hidden stands for a text that may be a secret of somebody else's.
const hidden = "…"

// Diff is what becomes of elowen's entry, for people; empty where nothing does. It is of
// the entry alone, written out in lines whatever the config's own layout: beside it
// stand other servers, with keys and passwords in their environments and headers, and
// diffs end up in terminals, logs and questions. In the entry itself tokens are masked,
// and texts that may be secrets but are none of elowen's are hidden.
func (c Change) Diff(file string) string {
	if c.Same() {
		return ""
	}
	text := diff.Diff(file, c.shown(c.Before), file, c.shown(c.After))
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasPrefix(text, []byte("diff ")) {
		text = rest // the command that nobody ran
	}
	if len(text) == 0 {
		return "Only what isn't shown changes in elowen's entry.\n"
	}
	return string(text)
}

// shown is elowen's entry in a config, for people; nothing where there is none.
func (c Change) shown(config []byte) []byte {
	all, err := c.Client.format.read(config)
	if err != nil { // it was read before
		return nil
	}
	entry, there := c.Client.entry(all)
	if !there {
		return nil
	}
	return c.Client.format.show(c.Client.servers, disclosed(entry))
}

// disclosed is an entry without what may be a secret.
func disclosed(entry any) any {
	m, ok := entry.(map[string]any)
	if !ok {
		return masked(entry, true)
	}
	out := make(map[string]any, len(m))
	for name, v := range m {
		out[name] = masked(v, !told[name])
	}
	return out
}

// told are the fields of an entry that hold no secret but elowen's token.
var told = map[string]bool{"type": true, "command": true, "args": true, "url": true, "httpUrl": true, "serverUrl": true}

// masked is a value with its tokens masked; to hide it hides all other texts.
func masked(v any, hide bool) any {
	switch v := v.(type) {
	case string:
		if hide && !tokens.MatchString(v) {
			return hidden
		}
		if hide {
			v = strings.Join(keptWords(v), " ")
		}
		return string(Masked([]byte(v)))
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = masked(v[i], hide)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = masked(inner, hide)
		}
		return out
	case bool, nil:
		return v
	}
	if hide {
		return hidden // a number may be one, too
	}
	return v
}

// keptWords are the words of a text with a token in it: the token, and how it is sent.
func keptWords(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		if w != "Bearer" && !tokens.MatchString(w) {
			words[i] = hidden
		}
	}
	return words
}

func (jsonFormat) show(servers string, entry any) []byte {
	return []byte(object(fields{{servers, fields{{Name, written(entry)}}}}, "\n", "", "  ") + "\n")
}

// written is a value as fields have it, names in order.
func written(v any) any {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		f := fields{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f = append(f, field{name, written(v[name])})
		}
		return f
	case []any:
		list := make([]string, 0, len(v))
		for _, one := range v {
			if text, ok := one.(string); ok {
				list = append(list, text)
			}
		}
		if len(list) == len(v) {
			return list
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return hidden
	}
	return verbatim(text)
}

func (tomlFormat) show(servers string, entry any) []byte {
	m, ok := entry.(map[string]any)
	if !ok {
		m = map[string]any{"": entry}
	}
	var b bytes.Buffer
	b.WriteString("[" + servers + "." + Name + "]\n")
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if toml.NewEncoder(&b).SetTablesInline(true).Encode(map[string]any{name: m[name]}) != nil {
			b.WriteString(quoted(name) + " = " + quoted(hidden) + "\n")
		}
	}
	return b.Bytes()
}
