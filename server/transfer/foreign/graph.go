package foreign

import (
	"strings"

	"elowen/shared/api"
)

// graph reads the knowledge graph of the reference memory server: JSON lines of type
// entity and relation, or the one object that its read_graph answers.
type graph struct{}

type graphRecord struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

func (g *graph) picks(f *File) bool {
	e := ending(f.Name)
	return e == ".json" || e == ".jsonl" || e == ".ndjson" || e == "" || e == ".txt"
}

func (g *graph) read(c *collector, f *File) error {
	c.groups = "types of entities"
	shape, err := shapeOf(f)
	if err != nil {
		return err
	}
	if !shape.has("entities", "relations") && shape.kind != '[' {
		return f.lines(func(n int, line string) error {
			if strings.TrimSpace(line) == "" {
				return nil
			}
			return g.take(c, f, n, []byte(line), "")
		})
	}
	d, err := f.json()
	if err != nil {
		return err
	}
	defer d.close()
	list := func(kind string) error {
		return d.array(func() error {
			raw, line, err := d.value()
			if err != nil {
				return err
			}
			return g.take(c, f, line, raw, kind)
		})
	}
	if shape.kind == '[' {
		err = list("")
	} else {
		err = d.object(func(name string) error {
			switch name {
			case "entities":
				return list("entity")
			case "relations":
				return list("relation")
			}
			return d.skip()
		})
	}
	if err != nil {
		return err
	}
	return d.end()
}

func (g *graph) take(c *collector, f *File, line int, raw []byte, kind string) error {
	var r graphRecord
	if err := record(raw, &r); err != nil {
		return c.refuse(f, line, raw, "%s", err)
	}
	if kind == "" {
		kind = r.Type
	}
	switch kind {
	case "entity":
		return g.entity(c, f, line, &r)
	case "relation":
		return c.relate(f, line, r.From, r.RelationType, r.To, "")
	}
	return c.refuse(f, line, raw, "A line of a graph is an entity or a relation; this one is neither.")
}

// entity makes a fact of each observation, which begins with what it is about.
func (g *graph) entity(c *collector, f *File, line int, r *graphRecord) error {
	about := strings.TrimSpace(r.Name)
	if about == "" {
		return c.refuse(f, line, []byte(strings.Join(r.Observations, " ")), "The entity has no name.")
	}
	if t := strings.TrimSpace(r.EntityType); t != "" {
		about += " (" + t + ")"
	}
	if len(r.Observations) == 0 {
		return c.add(f, line, r.EntityType, api.Line{Body: about})
	}
	for _, o := range r.Observations {
		if o = strings.TrimSpace(o); o == "" {
			continue
		}
		if err := c.add(f, line, r.EntityType, api.Line{Body: about + ": " + o}); err != nil {
			return err
		}
	}
	return nil
}

func (g *graph) end(*collector) error { return nil }
