package foreign

import (
	"strings"

	"elowen/shared/api"
)

// service reads the export of mcp-memory-service: an object with export_metadata and
// memories, or the list that its REST API answers.
type service struct{ tagged int }

type serviceRecord struct {
	Content      string   `json:"content"`
	Tags         []string `json:"tags"`
	MemoryType   string   `json:"memory_type"`
	CreatedAt    stamp    `json:"created_at"`
	CreatedAtISO stamp    `json:"created_at_iso"`
	UpdatedAt    stamp    `json:"updated_at"`
	UpdatedAtISO stamp    `json:"updated_at_iso"`
}

func (s *service) picks(f *File) bool { return ending(f.Name) == ".json" || ending(f.Name) == "" }

func (s *service) read(c *collector, f *File) error {
	d, err := f.json()
	if err != nil {
		return err
	}
	defer d.close()
	list := func() error {
		return d.array(func() error {
			raw, line, err := d.value()
			if err != nil {
				return err
			}
			return s.take(c, f, line, raw)
		})
	}
	if d.kind() == '[' {
		err = list()
	} else {
		err = d.object(func(name string) error {
			if name == "memories" && d.kind() == '[' {
				return list()
			}
			return d.skip()
		})
	}
	if err != nil {
		return err
	}
	return d.end()
}

func (s *service) take(c *collector, f *File, line int, raw []byte) error {
	var r serviceRecord
	if err := record(raw, &r); err != nil {
		return c.refuse(f, line, raw, "%s", err)
	}
	if strings.TrimSpace(r.Content) == "" {
		return c.refuse(f, line, raw, "It has no text: there is no content in it.")
	}
	if !r.CreatedAt.set {
		r.CreatedAt = r.CreatedAtISO
	}
	if !r.UpdatedAt.set {
		r.UpdatedAt = r.UpdatedAtISO
	}
	if len(r.Tags) > 0 {
		s.tagged++
	}
	return c.add(f, line, "", api.Line{Body: r.Content, Kind: kindOf(r.MemoryType), CreatedAt: c.at(r.CreatedAt), UpdatedAt: c.at(r.UpdatedAt)})
}

func (s *service) end(c *collector) error {
	if s.tagged > 0 {
		c.note("%s tags, which are left out: a memory has many of them and stands in one category.", count(s.tagged, "memory has", "memories have"))
	}
	return nil
}
