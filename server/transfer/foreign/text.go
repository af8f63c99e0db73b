package foreign

import (
	"slices"
	"strings"
	"unicode/utf8"

	"elowen/shared/api"
	"elowen/shared/setting"
)

// document reads Markdown or plain text: a fact a bullet or paragraph, under headings.
type document struct{ plain bool }

func (d *document) picks(f *File) bool {
	e := ending(f.Name)
	if d.plain {
		return e == ".txt" || e == "" || e == ".md" || e == ".markdown"
	}
	return e == ".md" || e == ".markdown" || e == "" || e == ".txt"
}

func (d *document) read(c *collector, f *File) error {
	s := markdown
	if d.plain || ending(f.Name) == ".txt" {
		s = plain
	}
	return c.prose(f, s)
}

func (d *document) end(*collector) error { return nil }

// prose reads a file of running text. What stands before it between lines of ---
// belongs to a program.
func (c *collector) prose(f *File, s style) error {
	c.groups = "headings"
	var around map[int]bool // lines of what stands outside of the code that an assistant put its entries in
	inside := false
	p := &prose{style: s, emit: func(b block) error {
		if inside = inside || b.fenced; !b.fenced && s != markdown {
			if around == nil {
				around = map[int]bool{}
			}
			around[b.line] = true
		}
		return c.block(f, b)
	}}
	from := len(c.found.Items)
	front := false
	err := f.lines(func(n int, line string) error {
		if s == markdown && (n == 1 || front) && strings.TrimRight(line, " ") == "---" {
			front = n == 1
			return nil
		}
		if front {
			return nil
		}
		return p.line(n, line)
	})
	if err == nil {
		err = p.end()
	}
	if !inside || err != nil {
		return err
	}
	kept := slices.DeleteFunc(c.found.Items[from:], func(i Item) bool { return around[i.Line] })
	if left := len(c.found.Items) - from - len(kept); left > 0 {
		c.note("%s around the block of entries and is no memory.", count(left, "paragraph stands", "paragraphs stand"))
	}
	c.found.Items = c.found.Items[:from+len(kept)]
	return nil
}

func (c *collector) block(f *File, b block) error {
	return c.add(f, b.line, b.heading, api.Line{Body: b.text, CreatedAt: c.at(b.at)})
}

// kindOf is a label as a kind, if it can be one.
func kindOf(label string) string {
	label = strings.ToLower(strings.TrimSpace(label))
	if n := utf8.RuneCountInString(label); n == 0 || n > int(setting.Get("memory.kind").Max) || strings.ContainsFunc(label, unprintable) {
		return ""
	}
	return label
}
