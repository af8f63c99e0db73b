package foreign

import (
	"path"
	"slices"
	"strings"
)

// claude reads the memories of Claude's account export: what it wrote about a person,
// what it wrote about each project, and its files of memory; or such text. Projects
// have their names from the export's projects.
type claude struct {
	projects map[string]string // names by id
	records  []claudeRecord
}

type claudeRecord struct {
	f            *File
	line         int
	Conversation string            `json:"conversations_memory"`
	Projects     map[string]string `json:"project_memories"`
	Files        []struct {
		Path      string `json:"path"`
		Content   string `json:"content"`
		UpdatedAt stamp  `json:"updated_at"`
	} `json:"memory_files"`
}

func (r *claude) picks(f *File) bool {
	base := strings.ToLower(path.Base(f.Name))
	folder := path.Base(path.Dir(f.Name))
	switch ending(f.Name) {
	case ".txt", ".md", ".markdown", "":
		return true
	case ".json":
		return strings.HasPrefix(base, "memor") || base == "projects.json" || folder == "memories" || folder == "projects"
	}
	return false
}

func (r *claude) read(c *collector, f *File) error {
	c.groups = "headings and projects"
	if ending(f.Name) != ".json" {
		shape, err := shapeOf(f)
		if err != nil {
			return err
		}
		if shape.kind != '[' && shape.kind != '{' || len(shape.keys) == 0 {
			return c.prose(f, entries)
		}
	}
	if r.projects == nil {
		r.projects = map[string]string{}
	}
	base := strings.ToLower(path.Base(f.Name))
	take := r.memories
	if base == "projects.json" || path.Base(path.Dir(f.Name)) == "projects" {
		take = r.project
	}
	d, err := f.json()
	if err != nil {
		return err
	}
	defer d.close()
	one := func() error {
		raw, line, err := d.value()
		if err != nil {
			return err
		}
		return take(c, f, line, raw)
	}
	if d.kind() == '[' {
		err = d.array(one)
	} else {
		err = one()
	}
	if err != nil {
		return err
	}
	return d.end()
}

func (r *claude) project(_ *collector, _ *File, _ int, raw []byte) error {
	var p struct {
		UUID string `json:"uuid"`
		Name string `json:"name"`
	}
	if record(raw, &p) == nil {
		r.projects[p.UUID] = p.Name
	}
	return nil
}

func (r *claude) memories(c *collector, f *File, line int, raw []byte) error {
	m := claudeRecord{f: f, line: line}
	if err := record(raw, &m); err != nil {
		return c.refuse(f, line, raw, "%s", err)
	}
	if m.Conversation == "" && len(m.Projects) == 0 && len(m.Files) == 0 {
		return c.refuse(f, line, raw, "There are no memories in it: neither conversations_memory nor project_memories nor memory_files.")
	}
	r.records = append(r.records, m)
	return nil
}

func (r *claude) end(c *collector) error {
	for _, m := range r.records {
		if err := r.unfold(c, &m); err != nil {
			return err
		}
	}
	return nil
}

func (r *claude) unfold(c *collector, m *claudeRecord) error {
	text := func(s string, style style, group string, at stamp) error {
		p := &prose{style: style, emit: func(b block) error {
			if group != "" {
				b.heading = group
			}
			if !b.at.set {
				b.at = at
			}
			return c.block(m.f, b)
		}}
		return p.text(s, m.line, 0)
	}
	if err := text(m.Conversation, entries, "", stamp{}); err != nil {
		return err
	}
	ids := make([]string, 0, len(m.Projects))
	for id := range m.Projects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := text(m.Projects[id], entries, r.projects[id], stamp{}); err != nil {
			return err
		}
	}
	for _, file := range m.Files {
		base := path.Base(file.Path)
		if err := text(file.Content, markdown, spoken(strings.TrimSuffix(base, path.Ext(base))), file.UpdatedAt); err != nil {
			return err
		}
	}
	return nil
}
