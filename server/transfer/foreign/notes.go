package foreign

import (
	"errors"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"elowen/shared/api"
)

// notes reads basic-memory's notes: front matter, observations ("- [category] text
// #tag (context)"), relations ("- relation_type [[Target]] (context)") and what is
// written around them.
type notes struct{ tagged, odd int }

func (r *notes) picks(f *File) bool { return ending(f.Name) == ".md" || ending(f.Name) == ".markdown" }

// note is one file under way.
type note struct {
	title    string
	group    string
	created  *api.Time
	modified *api.Time
}

// errEnough ends the reading of lines.
var errEnough = errors.New("enough")

// frontMost bounds the lines of front matter.
const frontMost = 500

func (r *notes) read(c *collector, f *File) error {
	c.groups = "folders"
	front, body, err := split(f)
	if err != nil {
		return err
	}
	n := r.begin(c, f, front)
	return r.body(c, f, n, body)
}

// split gives the lines of the front matter, and whether there is one, to the line
// after it.
func split(f *File) (front []string, after int, err error) {
	closed := false
	err = f.lines(func(number int, line string) error {
		switch {
		case number == 1 && strings.TrimRight(line, " ") != "---", closed:
			return errEnough
		case number == 1:
		case strings.TrimRight(line, " ") == "---":
			closed, after = true, number
		case number > frontMost:
			return errEnough
		default:
			front = append(front, line)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if !closed {
		front, after = nil, 0
	}
	return front, after, err
}

// begin reads what stands in front. What is no YAML is left alone, as basic-memory
// does.
func (r *notes) begin(c *collector, f *File, front []string) *note {
	var meta struct {
		Title    yaml.Node `yaml:"title"`
		Tags     yaml.Node `yaml:"tags"`
		Created  yaml.Node `yaml:"created"`
		Modified yaml.Node `yaml:"modified"`
		Updated  yaml.Node `yaml:"updated"`
		Date     yaml.Node `yaml:"date"`
	}
	n := &note{}
	if len(front) > 0 && yaml.Unmarshal([]byte(strings.Join(front, "\n")), &meta) != nil {
		r.odd++
	}
	scalar := func(nodes ...yaml.Node) string {
		for _, one := range nodes {
			if one.Kind == yaml.ScalarNode && one.Tag != "!!null" && strings.TrimSpace(one.Value) != "" {
				return strings.TrimSpace(one.Value)
			}
		}
		return ""
	}
	base := path.Base(f.Name)
	if n.title = scalar(meta.Title); n.title == "" {
		n.title = strings.TrimSuffix(base, path.Ext(base))
	}
	if !meta.Tags.IsZero() && (meta.Tags.Kind == yaml.SequenceNode && len(meta.Tags.Content) > 0 || scalar(meta.Tags) != "") {
		r.tagged++
	}
	if folder, _, deep := strings.Cut(f.Name, "/"); deep {
		n.group = folder
	}
	when := func(text string) *api.Time {
		if at, ok := parseTime(text); ok {
			return c.at(at)
		}
		return nil
	}
	n.created, n.modified = when(scalar(meta.Created, meta.Date)), when(scalar(meta.Modified, meta.Updated))
	if f.Modified > 0 { // basic-memory goes by the file's times too
		if n.modified == nil {
			n.modified = api.Ptr(api.Time(f.Modified))
		}
		if n.created == nil {
			n.created = n.modified
		}
	}
	if n.created != nil && n.modified != nil && *n.modified < *n.created {
		n.modified = n.created
	}
	return n
}

// Observations and relations, as basic-memory knows them: a clock time or the mark of a
// task in brackets is no category, and a relation's line ends after its target.
var (
	observation = regexp.MustCompile(`^\[([^\[\]()]+)\]\s+(.+)$`)
	clockTime   = regexp.MustCompile(`^\d{1,3}:\d{2}(:\d{2})?([.,]\d{1,3})?(\s+-\s+.*)?$`)
	taskMark    = regexp.MustCompile(`^(?:[xX]|[^\pL\pN])$`)
	relation    = regexp.MustCompile(`^(?:"([^"]+)"|'([^']+)'|([^\s\[]+))\s*\[\[([^\[\]]+)\]\]\s*(?:\(([^()]*)\))?$`)
	listItem    = regexp.MustCompile(`^(\s*)[-*+]\s+(.*)$`)
)

// section is prose under a heading.
type section struct {
	heading string
	first   int
	lines   []string
}

func (r *notes) body(c *collector, f *File, n *note, after int) error {
	var s section
	code := ""
	flush := func() error {
		err := r.prose(c, f, n, &s)
		s.first, s.lines = 0, nil
		return err
	}
	err := f.lines(func(number int, line string) error {
		if number <= after {
			return nil
		}
		if m := fenceMark.FindStringSubmatch(line); m != nil && (code == "" || strings.HasPrefix(m[1], code)) {
			if code == "" {
				code = m[1]
			} else {
				code = ""
			}
		} else if code == "" {
			if m := atxHeading.FindStringSubmatch(line); m != nil {
				err := flush()
				s.heading = plainHeading(m[1])
				return err
			}
			if m := listItem.FindStringSubmatch(line); m != nil {
				if taken, err := r.listed(c, f, n, number, strings.TrimSpace(m[2])); taken || err != nil {
					return err
				}
			}
		}
		if s.first == 0 && strings.TrimSpace(line) != "" {
			s.first = number
		}
		if s.first != 0 {
			s.lines = append(s.lines, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// listed takes an item of a list that is an observation or a relation.
func (r *notes) listed(c *collector, f *File, n *note, line int, text string) (bool, error) {
	if m := relation.FindStringSubmatch(text); m != nil {
		target, _, _ := strings.Cut(m[4], "|")
		how := m[1] + m[2] + m[3]
		if how == "-" || strings.HasSuffix(how, ":") {
			how = "links to"
		}
		from := len(c.found.Items)
		if err := c.relate(f, line, n.title, how, target, strings.TrimSpace(m[5])); err != nil {
			return true, err
		}
		r.stamp(c, n, from)
		return true, nil
	}
	m := observation.FindStringSubmatch(text)
	if m == nil || strings.TrimSpace(m[1]) == "" || clockTime.MatchString(strings.TrimSpace(m[1])) || taskMark.MatchString(strings.TrimSpace(m[1])) {
		return false, nil
	}
	from := len(c.found.Items)
	err := c.add(f, line, "", api.Line{Body: n.title + ": " + strings.TrimSpace(m[2]), Kind: kindOf(m[1])})
	if err == nil {
		r.stamp(c, n, from)
	}
	return true, err
}

// stamp gives the items since from what their note has for all of them.
func (r *notes) stamp(c *collector, n *note, from int) {
	for i := from; i < len(c.found.Items); i++ {
		item := &c.found.Items[i]
		item.group, item.Memory.CreatedAt, item.Memory.UpdatedAt = n.group, n.created, n.modified
	}
}

// prose takes what a section has beside them as one memory.
func (r *notes) prose(c *collector, f *File, n *note, s *section) error {
	text := strings.TrimSpace(strings.Join(s.lines, "\n"))
	if text == "" {
		return nil
	}
	head := n.title
	if s.heading != "" && !strings.EqualFold(s.heading, n.title) {
		head += ": " + s.heading
	}
	from := len(c.found.Items)
	err := c.add(f, s.first, "", api.Line{Body: head + "\n\n" + text})
	if err == nil {
		r.stamp(c, n, from)
	}
	return err
}

func (r *notes) end(c *collector) error {
	if r.tagged > 0 {
		c.note("%s tags in front, which are left out; those in observations stay in their text.", count(r.tagged, "note has", "notes have"))
	}
	if r.odd > 0 {
		c.note("What stands in front of %s is no YAML and was left out.", count(r.odd, "note", "notes"))
	}
	return nil
}
