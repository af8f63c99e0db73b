package foreign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/api"
	"elowen/shared/setting"
)

// mem0 reads what mem0 answers to get_all (a list, or an object with results and, of
// its graph, relations), page after page as JSON lines too, and what OpenMemory
// exports: an object with memories and categories.
type mem0 struct {
	categories map[string]string // names by id
	waiting    []waiting
	users      map[string]bool
	deleted    int
}

// waiting is an item whose categories may still come in the file.
type waiting struct {
	f    *File
	line int
	mem0Record
}

// mem0Record is a memory as mem0 has it.
type mem0Record struct {
	Memory      string         `json:"memory"`
	Content     string         `json:"content"` // OpenMemory's
	Text        string         `json:"text"`
	Categories  jsontext.Value `json:"categories"`
	CategoryIDs []string       `json:"category_ids"`
	Metadata    jsontext.Value `json:"metadata"`
	State       string         `json:"state"` // active, paused, archived, deleted
	CreatedAt   stamp          `json:"created_at"`
	UpdatedAt   stamp          `json:"updated_at"`
	UserID      string         `json:"user_id"`
}

func (r *mem0) picks(f *File) bool {
	e := ending(f.Name)
	return e == ".json" || e == ".jsonl" || e == ".ndjson" || e == "" || e == ".txt"
}

func (r *mem0) read(c *collector, f *File) error {
	c.groups = "categories"
	if r.users == nil {
		r.users, r.categories = map[string]bool{}, map[string]string{}
	}
	shape, err := shapeOf(f)
	if err != nil {
		return err
	}
	if shape.has("memory", "content", "text") && !shape.has("results", "memories") && shape.kind == '{' {
		return f.lines(func(n int, line string) error {
			if strings.TrimSpace(line) == "" {
				return nil
			}
			return r.take(c, f, n, []byte(line))
		})
	}
	d, err := f.json()
	if err != nil {
		return err
	}
	defer d.close()
	if d.kind() == '[' {
		err = r.list(c, d)
	} else {
		err = d.object(func(name string) error {
			switch {
			case (name == "results" || name == "memories") && d.kind() == '[':
				return r.list(c, d)
			case name == "relations" && d.kind() == '[':
				return d.array(func() error { return r.relation(c, d) })
			case name == "categories" && d.kind() == '[':
				return d.array(func() error { return r.category(d) })
			}
			return d.skip()
		})
	}
	if err != nil {
		return err
	}
	return d.end()
}

func (r *mem0) list(c *collector, d *cursor) error {
	return d.array(func() error {
		raw, line, err := d.value()
		if err != nil {
			return err
		}
		return r.take(c, d.f, line, raw)
	})
}

func (r *mem0) take(c *collector, f *File, line int, raw []byte) error {
	w := waiting{f: f, line: line}
	if err := record(raw, &w.mem0Record); err != nil {
		return c.refuse(f, line, raw, "%s", err)
	}
	if w.State == "deleted" {
		r.deleted++
		return nil
	}
	if w.UserID != "" {
		r.users[w.UserID] = true
	}
	for _, text := range []string{w.Content, w.Text} {
		if w.Memory == "" {
			w.Memory = text
		}
	}
	w.Categories, w.Metadata = w.Categories.Clone(), w.Metadata.Clone()
	if strings.TrimSpace(w.Memory) == "" {
		return c.refuse(f, line, raw, "It has no text: there is no memory in it.")
	}
	if most := setting.Int("import.items"); len(r.waiting) >= most {
		return tooMany(most)
	}
	r.waiting = append(r.waiting, w)
	return nil
}

// file hands on what waited for the names of its categories.
func (r *mem0) file(c *collector) error {
	for _, w := range r.waiting {
		m := api.Line{Body: w.Memory, CreatedAt: c.at(w.CreatedAt), UpdatedAt: c.at(w.UpdatedAt)}
		if err := c.add(w.f, w.line, r.group(&w.mem0Record), m); err != nil {
			return err
		}
	}
	return nil
}

// group is the first of its categories, by whatever field has them.
func (r *mem0) group(m *mem0Record) string {
	var names []string
	var one string
	if record(m.Categories, &names) != nil || len(names) == 0 {
		names = nil
		if record(m.Categories, &one) == nil && one != "" {
			names = strings.Split(one, ",")
		}
	}
	for _, id := range m.CategoryIDs {
		if name := r.categories[id]; name != "" && len(names) == 0 {
			names = append(names, name)
		}
	}
	var meta struct {
		Category string `json:"category"`
	}
	if len(names) == 0 && record(m.Metadata, &meta) == nil && meta.Category != "" {
		names = append(names, meta.Category)
	}
	if len(names) == 0 {
		return ""
	}
	return spoken(names[0])
}

// spoken writes a name of a program (personal_details) as people do.
func spoken(name string) string {
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || unicode.IsSpace(r) }), " ")
	first, n := utf8.DecodeRuneInString(name)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + name[n:]
}

// category is one of OpenMemory's list.
func (r *mem0) category(d *cursor) error {
	raw, _, err := d.value()
	if err != nil {
		return err
	}
	var in struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	if record(raw, &in) == nil {
		r.categories[in.ID] = in.Name
	}
	return nil
}

// relation is an edge of mem0's graph.
func (r *mem0) relation(c *collector, d *cursor) error {
	raw, line, err := d.value()
	if err != nil {
		return err
	}
	var in struct {
		Source       string `json:"source"`
		Relationship string `json:"relationship"`
		Relation     string `json:"relation"`
		Target       string `json:"target"`
		Destination  string `json:"destination"`
	}
	if err := record(raw, &in); err != nil {
		return c.refuse(d.f, line, raw, "%s", err)
	}
	return c.relate(d.f, line, in.Source, in.Relationship+in.Relation, in.Target+in.Destination, "")
}

// relate takes an edge of a graph as a sentence.
func (c *collector) relate(f *File, line int, from, how, to, more string) error {
	how = strings.Join(strings.Fields(strings.ReplaceAll(how, "_", " ")), " ")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if from == "" || how == "" || to == "" {
		return c.refuse(f, line, []byte(from+" "+how+" "+to), "A relation needs where it begins, what it is and where it leads.")
	}
	body := from + " " + how + " " + to
	if more != "" {
		body += " (" + more + ")"
	}
	return c.add(f, line, "", api.Line{Body: body})
}

func (r *mem0) end(c *collector) error {
	if err := r.file(c); err != nil {
		return err
	}
	if r.deleted > 0 {
		c.note("Left out %s deleted in mem0.", count(r.deleted, "memory that was", "memories that were"))
	}
	if len(r.users) > 1 {
		c.note("It has the memories of %d users; all of them come into one account.", len(r.users))
	}
	return nil
}
