package foreign

import (
	"cmp"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// headBytes is how much of a file is looked at to find out what it is.
const headBytes = 64 << 10

// shape is how a file of JSON begins.
type shape struct {
	kind jsontext.Kind   // of the first value; 0: it is no JSON
	keys map[string]bool // of the outermost object, or of the first of a list
	in   map[string]bool // of the first object in a list that stands in that object
	name string          // of "type" in it
}

func (s *shape) has(keys ...string) bool {
	for _, k := range keys {
		if s.keys[k] {
			return true
		}
	}
	return false
}

// shapeOf looks at the beginning of a file. What is no JSON has no shape.
func shapeOf(f *File) (*shape, error) {
	in, c, err := f.text()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	s := &shape{keys: map[string]bool{}, in: map[string]bool{}}
	d := jsontext.NewDecoder(io.LimitReader(in, headBytes))
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		return s, nil
	}
	s.kind = kind
	if kind == '[' {
		if _, err := d.ReadToken(); err != nil || d.PeekKind() != '{' {
			return s, nil
		}
	}
	s.object(d, s.keys, true)
	return s, nil
}

// object collects the names of an object, as far as it goes.
func (s *shape) object(d *jsontext.Decoder, keys map[string]bool, outer bool) {
	if _, err := d.ReadToken(); err != nil {
		return
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return
		}
		key := name.String()
		keys[key] = true
		if key == "type" && outer && d.PeekKind() == '"' {
			value, err := d.ReadToken()
			if err != nil {
				return
			}
			s.name = value.String()
			continue
		}
		if outer && d.PeekKind() == '[' {
			if _, err := d.ReadToken(); err != nil {
				return
			}
			if d.PeekKind() == '{' {
				s.object(d, s.in, false)
			}
			for k := d.PeekKind(); k != ']'; k = d.PeekKind() {
				if d.SkipValue() != nil {
					return
				}
			}
			if _, err := d.ReadToken(); err != nil {
				return
			}
			continue
		}
		if d.SkipValue() != nil {
			return
		}
	}
	_, _ = d.ReadToken()
}

// format is what JSON of this shape is, or empty.
func (s *shape) format() string {
	switch {
	case s.kind == 0:
		return ""
	case s.has("conversations_memory", "project_memories", "memory_files"):
		return api.FormatClaude
	case s.has("mapping") && s.kind == '[', s.has("enabled") && s.has("content") && s.kind == '[':
		return api.FormatChatGPT
	case s.name == "entity" || s.name == "relation" || s.has("entities") && (s.in["entityType"] || s.in["observations"] || s.has("relations")):
		return api.FormatMCPMemory
	case s.name == api.LineMemory || s.name == api.LineCategory || s.name == api.LineProject || s.name == api.LineTranscript || s.name == api.LinePurged:
		return api.FormatJSONL
	case s.has("export_metadata") && s.has("memories"), s.in["content_hash"], s.has("content_hash") && s.kind == '[':
		return api.FormatMCPMemoryService
	case s.has("results", "memories") && (s.in["memory"] || s.in["content"] || len(s.in) == 0), s.has("memory"), s.has("content") && s.has("state"):
		return api.FormatMem0
	}
	return ""
}

// Marks of basic-memory's notes.
var (
	permalink = regexp.MustCompile(`(?m)^permalink:\s`)
	observed  = regexp.MustCompile(`(?m)^\s*[-*+]\s+\[[\pL][^\[\]()]*\]\s+\S`)
	related   = regexp.MustCompile(`(?m)^\s*[-*+]\s+\S+\s+\[\[[^\[\]]+\]\]`)
)

// detect finds out what a bundle is.
func detect(b *Bundle) (string, error) {
	votes := map[string]int{}
	var json string // a file of JSON that is nothing known
	for _, f := range b.files {
		if exported[strings.ToLower(path.Base(f.Name))] && len(b.files) > 1 {
			continue
		}
		format, err := detectFile(f)
		if err != nil {
			return "", err
		}
		if format == "" {
			if wide, err := f.wide(); err != nil || wide {
				return "", cmp.Or(err, error(fault.Newf(fault.Invalid, "%s, line 1: %s Nothing was changed.", f.Name, inUTF16)))
			}
			json = f.Name
			continue
		}
		votes[format]++
	}
	// What says most about itself first: notes may lie beside an export.
	for _, format := range []string{api.FormatClaude, api.FormatChatGPT, api.FormatMem0, api.FormatMCPMemoryService, api.FormatMCPMemory,
		api.FormatJSONL, api.FormatBasicMemory, api.FormatMarkdown, api.FormatText} {
		if votes[format] > 0 {
			return format, nil
		}
	}
	if json != "" {
		return "", fault.Newf(fault.Invalid, "%s is nothing that is known here. Name its format; there are %s.", json, strings.Join(api.ImportFormats(), ", "))
	}
	if len(b.refused) > 0 {
		return api.FormatMarkdown, nil // the report says why nothing is read
	}
	return "", fault.New(fault.Invalid, "There is nothing to read in it: no file that ends in .json, .jsonl, .md or .txt.")
}

func detectFile(f *File) (string, error) {
	s, err := shapeOf(f)
	if err != nil {
		return "", err
	}
	e := ending(f.Name)
	if format := s.format(); format != "" && e != ".md" && e != ".markdown" {
		return format, nil
	}
	switch e {
	case ".jsonl", ".ndjson":
		return api.FormatJSONL, nil
	case ".json":
		return "", nil
	}
	in, c, err := f.text()
	if err != nil {
		return "", err
	}
	defer c.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", unreadable(f, err)
	}
	head = head[:n]
	if strings.HasPrefix(string(head), "SQLite format 3\x00") {
		return "", fault.New(fault.Invalid, "This is a SQLite database. An older elowen's is brought in with --from elowen, at a terminal.")
	}
	if e == ".md" || e == ".markdown" {
		if permalink.Match(head) || observed.Match(head) && related.Match(head) {
			return api.FormatBasicMemory, nil
		}
		return api.FormatMarkdown, nil
	}
	if e == ".txt" {
		return api.FormatText, nil
	}
	return "", nil
}
