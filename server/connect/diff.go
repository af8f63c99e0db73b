package connect

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/tailscale/hujson"
)

// tokens are tokens of elowen, with their last characters apart.
var tokens = regexp.MustCompile(`elw_[A-Za-z0-9_-]*([A-Za-z0-9_-]{4})`)

// Masked hides the tokens in a text but for their last characters, by which people tell
// one from another.
func Masked(text []byte) []byte { return tokens.ReplaceAll(text, []byte("elw_…$1")) }

// hidden stands for a text that may be a secret of somebody else's.
const hidden = "…"

// Diff is what becomes of the config, line by line as it is written, for people; empty
// where nothing does. Names and layout are the config's own. What it says is shown of
// elowen's entry alone: beside it stand other servers, with keys and passwords in their
// environments, headers and comments, and diffs end up in terminals, logs and questions;
// so each value and comment there is hidden. In the entry itself tokens are masked, and
// texts that may be secrets but are none of elowen's are hidden.
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

// shown is a config for people.
func (c Change) shown(config []byte) []byte {
	config = bytes.ReplaceAll(bytes.TrimPrefix(config, mark), []byte("\r\n"), []byte("\n"))
	return c.Client.format.hide(config, c.Client.servers)
}

// told are the fields of an entry that hold no secret but elowen's token.
var told = map[string]bool{"type": true, "command": true, "args": true, "url": true, "httpUrl": true, "serverUrl": true}

// disclosed is a text of elowen's entry: with its tokens masked, and, where it may be a
// secret, without its other words.
func disclosed(text string, tell bool) string {
	switch {
	case tell:
	case tokens.MatchString(text):
		text = strings.Join(keptWords(text), " ")
	default:
		return hidden
	}
	return string(Masked([]byte(text)))
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

// How much is shown of a value.
const (
	nothing  = iota // of what isn't elowen's
	elowens         // of its entry: elowen's tokens
	anything        // of its entry, where no secret can be: all but the tokens' middle
)

func (jsonFormat) hide(config []byte, servers string) []byte {
	root, err := hujson.Parse(bytes.Clone(config))
	if err != nil { // an empty one, since it was read before
		return nil
	}
	hideJSON(&root, nil, servers)
	return root.Pack()
}

// hideJSON hides what is not to be shown of a value; at are the names that lead to it.
func hideJSON(v *hujson.Value, at []string, servers string) {
	v.BeforeExtra, v.AfterExtra = silent(v.BeforeExtra), silent(v.AfterExtra)
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			m.Name.BeforeExtra, m.Name.AfterExtra = silent(m.Name.BeforeExtra), silent(m.Name.AfterExtra)
			name, _ := m.Name.Value.(hujson.Literal)
			hideJSON(&m.Value, append(at[:len(at):len(at)], name.String()), servers)
			m.Name.Value = hujson.Literal(Masked(name))
		}
		x.AfterExtra = silent(x.AfterExtra)
	case *hujson.Array:
		for i := range x.Elements {
			hideJSON(&x.Elements[i], at, servers)
		}
		x.AfterExtra = silent(x.AfterExtra)
	case hujson.Literal:
		v.Value = hideLiteral(x, shownAt(at, servers))
	}
}

// shownAt is how much is shown of what stands at a place of a config.
func shownAt(at []string, servers string) int {
	switch {
	case len(at) < 2 || at[0] != servers || at[1] != Name:
		return nothing
	case len(at) == 3 && told[at[2]]:
		return anything
	}
	return elowens
}

func hideLiteral(l hujson.Literal, much int) hujson.Literal {
	switch kind := l.Kind(); {
	case much == anything:
		return hujson.Literal(Masked(l))
	case kind == '"' && much == elowens:
		return hujson.Literal(quoted(disclosed(l.String(), false)))
	case kind == '"' || kind == '0':
		return hujson.Literal(quoted(hidden))
	}
	return l // true, false and null tell nothing
}

// comments are those of JSON, as the client may take them.
var comments = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)

// silent is what stands between values with its comments hidden.
func silent(e hujson.Extra) hujson.Extra {
	return comments.ReplaceAllFunc(e, func(one []byte) []byte {
		if one[1] == '*' {
			return []byte("/* " + hidden + " */")
		}
		return []byte("// " + hidden)
	})
}

// tomlComments are what begins as a comment outside of values; what of a header looks
// like one is hidden along.
var tomlComments = regexp.MustCompile(`#[^\n]*`)

// tomlValues are the texts and numbers in a value of one line.
var tomlValues = regexp.MustCompile(`"(?:\\.|[^"\\])*"|'[^']*'|[+-]?\d[^\s,\]}]*`)

func (tomlFormat) hide(config []byte, servers string) []byte {
	var out bytes.Buffer
	var p unstable.Parser
	p.Reset(config)
	var table []string
	done := 0 // up to where config is in out
	between := func(to int) {
		out.Write(tomlComments.ReplaceAll(config[done:to], []byte("# "+hidden)))
		done = to
	}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, _ = path(e)
		case unstable.KeyValue:
			keys, from := path(e)
			to := int(e.Raw.Offset + e.Raw.Length)
			between(from)
			out.Write(hideTOML(config[from:to], shownAt(append(table[:len(table):len(table)], keys...), servers)))
			done = to
		}
	}
	if p.Error() != nil { // it was read before
		return nil
	}
	between(len(config))
	return out.Bytes()
}

// hideTOML hides what is not to be shown of a name with its value.
func hideTOML(pair []byte, much int) []byte {
	at := bytes.IndexByte(pair, '=') // of a name with one in quotes, more is hidden
	if at < 0 {
		return []byte(hidden)
	}
	name, value := pair[:at+1], pair[at+1:]
	out := bytes.Clone(Masked(name))
	// Comments may stand within what has several lines.
	long := bytes.Contains(value, []byte(`"""`)) || bytes.Contains(value, []byte("'''")) || bytes.ContainsRune(value, '\n')
	switch {
	case much == anything && !long:
		return append(out, Masked(value)...)
	case much == nothing || long:
		return append(out, " "+quoted(hidden)...)
	}
	return append(out, tomlValues.ReplaceAllFunc(value, func(one []byte) []byte {
		var text string
		if one[0] == '"' && json.Unmarshal(one, &text) == nil || one[0] == '\'' && len(one) > 1 {
			if one[0] == '\'' {
				text = string(one[1 : len(one)-1])
			}
			return []byte(quoted(disclosed(text, false)))
		}
		return []byte(quoted(hidden))
	})...)
}
