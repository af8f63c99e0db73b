package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Item is a memory to be, or what is refused of a file.
type Item struct {
	File   string   // its name in the bundle
	Line   int      // where it begins, from 1; 0 if it is about the file as a whole
	Memory api.Line // of type memory
	Err    error    // why it is refused; then Memory counts for nothing
	Head   string   // of one that is refused: how it begins, as it stands there

	group string // what it stands under there
}

// Fault is what makes a file unreadable.
type Fault struct {
	File    string
	Line    int // from 1
	Message string
}

// Error says it with its place.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Message
	}
	return fmt.Sprintf("%s, line %d: %s", f.File, f.Line, f.Message)
}

// Found is what a bundle has in it.
type Found struct {
	Format   string
	Detected bool // nobody said which format it is
	Items    []Item
	Faults   []Fault // not empty: nothing can be taken
	Notes    []string
}

// reader reads the files of one format. One is made for each bundle.
type reader interface {
	// picks tells whether a file belongs to the format, by its name. The others of a
	// bundle are left alone.
	picks(f *File) bool
	// read reads one file. It answers a *Fault where the file is broken.
	read(c *collector, f *File) error
	// end is told when all files are read. It answers what read would.
	end(c *collector) error
}

// readers are the formats by name.
var readers = map[string]func() reader{
	api.FormatMem0:             func() reader { return &mem0{} },
	api.FormatMCPMemory:        func() reader { return &graph{} },
	api.FormatMCPMemoryService: func() reader { return &service{} },
	api.FormatBasicMemory:      func() reader { return &notes{} },
	api.FormatChatGPT:          func() reader { return &chatGPT{} },
	api.FormatClaude:           func() reader { return &claude{} },
	api.FormatMarkdown:         func() reader { return &document{} },
	api.FormatText:             func() reader { return &document{plain: true} },
}

// faultsMost is how many faults of a file are told.
const faultsMost = 100

// Read reads a bundle as a format, or as what it seems to be where from is empty.
// Our own lines (api.FormatJSONL) are not read here: then Found has nothing but the
// format. Errors are those of the whole: an unknown format, nothing to read in it, too
// many items (fault.TooLarge), a disk or ctx that ends.
func Read(ctx context.Context, b *Bundle, from string) (*Found, error) {
	found := &Found{Format: from}
	if from == "" {
		var err error
		if found.Format, err = detect(b); err != nil {
			return nil, err
		}
		found.Detected = true
	}
	if found.Format == api.FormatJSONL {
		return found, nil
	}
	begin, ok := readers[found.Format]
	if !ok {
		return nil, fault.Newf(fault.Invalid, "There is no format %q to import. There are %s.", found.Format, strings.Join(api.ImportFormats(), ", "))
	}
	c := &collector{ctx: ctx, found: found, r: begin()}
	return found, c.run(b)
}

// collector takes what a reader finds.
type collector struct {
	ctx    context.Context
	found  *Found
	r      reader
	naive  int    // times without a zone
	groups string // what the groups are, in the plural
}

func (c *collector) run(b *Bundle) error {
	picked := c.pick(b)
	if len(picked) == 0 && len(b.refused) == 0 {
		return fault.Newf(fault.Invalid, "There is nothing of %s in it%s.", Title(c.found.Format), hint(c.found.Format))
	}
	c.found.Items = append(c.found.Items, b.refused...)
	c.found.Notes = append(c.found.Notes, b.notes...)
	if left := len(b.files) - len(picked) + b.ignored; left > 0 && len(b.files)+b.ignored > 1 {
		c.note("%s.", count(left, "file has nothing to do with it and was left alone", "files have nothing to do with it and were left alone"))
	}
	for _, f := range picked { // all of them: what is wrong is told in one go
		faults, err := scan(c.ctx, f)
		if err != nil {
			return err
		}
		c.found.Faults = append(c.found.Faults, faults...)
	}
	for _, f := range picked {
		if slices.ContainsFunc(c.found.Faults, func(x Fault) bool { return x.File == f.Name }) {
			continue
		}
		if err := c.broken(c.r.read(c, f)); err != nil {
			return err
		}
	}
	if err := c.broken(c.r.end(c)); err != nil {
		return err
	}
	order := map[string]int{}
	for n, f := range picked {
		order[f.Name] = n
	}
	slices.SortStableFunc(c.found.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line))
	})
	c.file()
	c.tellNaive()
	c.tellKeys()
	return nil
}

// broken notes a file that is broken, and passes on what concerns the whole.
func (c *collector) broken(err error) error {
	var f *Fault
	if errors.As(err, &f) {
		c.found.Faults = append(c.found.Faults, *f)
		return nil
	}
	return err
}

// pick finds the files of the format. One file is it, whatever its name. Text beside an
// export as JSON is something else, such as what was sent to an assistant.
func (c *collector) pick(b *Bundle) []*File {
	if len(b.files) == 1 && b.ignored == 0 {
		return b.files
	}
	var text, structured []*File
	for _, f := range b.files {
		switch {
		case !c.r.picks(f):
		case strings.HasPrefix(ending(f.Name), ".json") || ending(f.Name) == ".ndjson":
			structured = append(structured, f)
		default:
			text = append(text, f)
		}
	}
	if len(structured) > 0 {
		return structured
	}
	return text
}

// add takes an item. group is what it stands under there, or empty.
func (c *collector) add(f *File, line int, group string, m api.Line) error {
	m.Type = api.LineMemory
	return c.take(Item{File: f.Name, Line: line, Memory: m, group: strings.TrimSpace(group)})
}

// headMost is how much is kept of what is refused, in bytes, so that one knows it again.
const headMost = 400

// refuse takes an item that can't be taken over. raw is it, as it stands there.
func (c *collector) refuse(f *File, line int, raw []byte, format string, args ...any) error {
	return c.take(Item{File: f.Name, Line: line, Head: string(raw[:min(len(raw), headMost)]), Err: fault.Newf(fault.Invalid, format, args...)})
}

func (c *collector) take(i Item) error {
	if most := setting.Int("import.items"); len(c.found.Items) >= most {
		return tooMany(most)
	}
	if err := c.ctx.Err(); err != nil {
		return fault.Wrap(fault.Cancelled, err, "The import was cancelled. Nothing was changed.")
	}
	c.found.Items = append(c.found.Items, i)
	return nil
}

func tooMany(most int) error {
	return fault.Newf(fault.TooLarge, "There are more than %d memories in it. Split it; nothing was changed.", most)
}

func (c *collector) note(format string, args ...any) {
	c.found.Notes = append(c.found.Notes, fmt.Sprintf(format, args...))
}

// at is an instant as a line has it; none where there is none.
func (c *collector) at(t stamp) *api.Time {
	if !t.set {
		return nil
	}
	if t.naive {
		c.naive++
	}
	return api.Ptr(api.Time(t.ms))
}

// file makes categories of the groups, if they are few enough.
func (c *collector) file() {
	names := map[string]bool{}
	for _, i := range c.found.Items {
		if i.group != "" {
			names[strings.ToLower(i.group)] = true
		}
	}
	most := setting.Int("import.groups")
	if len(names) > most {
		c.note("Its %d %s are too many to become categories (at most %d do); its memories name none.", len(names), c.groups, most)
		return
	}
	longest := int(setting.Get("category.name").Max)
	left := 0
	for n := range c.found.Items {
		i := &c.found.Items[n]
		switch {
		case i.group == "":
		case len([]rune(i.group)) > longest || strings.ContainsFunc(i.group, unprintable):
			left++
		default:
			i.Memory.Category = api.Some(i.group)
		}
	}
	if left > 0 {
		c.note("%s: what it stands under is no name for a category.", count(left, "memory names none", "memories name none"))
	}
}

func (c *collector) tellNaive() {
	if c.naive > 0 {
		c.note("%s no time zone; read as UTC.", count(c.naive, "time names", "times name"))
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Title is the name of a format as people know it.
func Title(format string) string {
	switch format {
	case api.FormatMem0, api.FormatMCPMemoryService, api.FormatBasicMemory:
		return format
	case api.FormatMCPMemory:
		return "the MCP memory server"
	case api.FormatChatGPT:
		return "ChatGPT"
	case api.FormatClaude:
		return "Claude"
	case api.FormatMarkdown:
		return "Markdown"
	case api.FormatText:
		return "plain text"
	case api.FormatElowen:
		return "the older elowen"
	}
	return "elowen's own lines"
}

// hint says what a format looks for.
func hint(format string) string {
	switch format {
	case api.FormatBasicMemory, api.FormatMarkdown:
		return ": no file that ends in .md"
	case api.FormatMem0, api.FormatMCPMemoryService:
		return ": no file that ends in .json or .jsonl"
	case api.FormatChatGPT:
		return ": no conversations.json, no memory.json, no text"
	case api.FormatClaude:
		return ": no memories.json, no text"
	}
	return ""
}
