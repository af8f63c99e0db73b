package foreign

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// style says what a line break means.
type style int

const (
	markdown style = iota // nothing: a paragraph ends at an empty line
	plain                 // nothing in text that is wrapped, the end of a fact in a list of lines
	entries               // the end of a fact, as in what assistants write about a person
)

// block is a fact of running text: a bullet with all below it, a paragraph, an entry.
type block struct {
	line    int    // its first
	heading string // under which it stands
	text    string
	at      stamp
	fenced  bool // it stands in a block of code that is none
}

// prose cuts running text into blocks. It is given line after line, and end.
type prose struct {
	style style
	emit  func(block) error

	heading string
	lines   []string // of the block that is open
	first   int      // its line
	bullet  bool
	indent  int    // of the text after the bullet's mark
	fence   string // the mark that ends the code that is open
	asks    bool   // whether the fence is around text or around code is seen at its first line
	opening string // that fence's line
	opened  int    // its number
	code    bool   // the block that is open has code in it
	through bool   // it is around text
}

var (
	atxHeading  = regexp.MustCompile(`^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	boldHeading = regexp.MustCompile(`^(?:\*\*([^*]+?):?\*\*:?|__([^_]+?):?__:?)$`)
	bulletMark  = regexp.MustCompile(`^(\s*)([-*+•–]|\d{1,9}[.)])(\s+)(?:\[[ xX]\]\s+)?`)
	rule        = regexp.MustCompile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:=[ \t]*){3,})$`)
	fenceMark   = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})\\s*([\\w+-]*)")
)

// line takes the next line.
func (p *prose) line(n int, s string) error {
	if p.asks && strings.TrimSpace(s) != "" {
		p.asks = false
		if entryLike(s) {
			p.through = true
		} else {
			p.open(p.opened, p.opening)
			p.code = true
		}
	}
	if m := fenceMark.FindStringSubmatch(s); m != nil && (p.fence == "" || strings.HasPrefix(m[1], p.fence)) {
		return p.fenced(n, s, m)
	}
	if p.fence != "" && !p.through {
		if !p.asks {
			p.lines = append(p.lines, s)
		}
		return nil
	}
	blank := strings.TrimSpace(s) == ""
	if blank {
		if p.bullet && len(p.lines) > 0 { // what is indented under it still belongs to it
			p.lines = append(p.lines, "")
			return nil
		}
		return p.flush()
	}
	if rule.MatchString(s) {
		if m := strings.TrimSpace(s); len(p.lines) == 1 && !p.bullet && p.style == markdown && (m[0] == '=' || m[0] == '-') && !strings.Contains(m, " ") {
			p.heading, p.lines = plainHeading(p.lines[0]), nil // a heading that is underlined
			return nil
		}
		return p.flush()
	}
	for _, heading := range []*regexp.Regexp{atxHeading, boldHeading} {
		if m := heading.FindStringSubmatch(strings.TrimRight(s, " \t")); m != nil {
			err := p.flush()
			p.heading = plainHeading(strings.Join(m[1:], ""))
			return err
		}
	}
	indent := len(s) - len(strings.TrimLeft(s, " \t"))
	if m := bulletMark.FindStringSubmatch(s); m != nil && (!p.bullet || len(p.lines) == 0 || len(m[1]) < p.indent) {
		if err := p.flush(); err != nil {
			return err
		}
		p.open(n, strings.TrimSpace(s[len(m[0]):]))
		p.bullet, p.indent = true, len(m[1])+len(m[2])+1
		return nil
	}
	switch {
	case len(p.lines) == 0:
	case p.bullet && indent == 0 && p.lines[len(p.lines)-1] == "",
		p.style == entries && indent == 0,
		p.style != markdown && startsDated(s):
		if err := p.flush(); err != nil {
			return err
		}
	}
	if len(p.lines) == 0 {
		p.open(n, strings.TrimSpace(s))
		return nil
	}
	if p.bullet {
		s = s[min(indent, p.indent):]
	}
	p.lines = append(p.lines, strings.TrimRight(s, " \t"))
	return nil
}

func (p *prose) open(n int, s string) { p.first, p.lines = n, append(p.lines[:0:0], s) }

// fenced takes a line that begins or ends code.
func (p *prose) fenced(n int, s string, m []string) error {
	switch {
	case p.fence == "" && m[2] != "" && m[2] != "text" && m[2] != "txt" && m[2] != "plaintext" && m[2] != "markdown" && m[2] != "md":
		p.fence = m[1]
		if p.code = true; len(p.lines) > 0 {
			p.lines = append(p.lines, s)
			return nil
		}
		p.open(n, s)
	case p.fence == "":
		p.fence, p.asks, p.opening, p.opened = m[1], len(p.lines) == 0, s, n
		if !p.asks { // it belongs to what it stands under
			p.lines = append(p.lines, s)
			p.code = true
		}
	case p.through:
		err := p.flush()
		p.fence, p.through = "", false
		return err
	default:
		p.fence = ""
		if !p.asks {
			p.lines = append(p.lines, s)
		}
		p.asks = false
	}
	return nil
}

// end takes the end of the text.
func (p *prose) end() error {
	err := p.flush()
	p.heading, p.fence, p.asks, p.through = "", "", false, false
	return err
}

// text takes a whole text, whose first line is line n of a file. Within JSON all of it
// stands on one line: then step is 0.
func (p *prose) text(s string, n, step int) error {
	for _, line := range strings.Split(s, "\n") {
		if err := p.line(n, strings.TrimRight(line, "\r")); err != nil {
			return err
		}
		n += step
	}
	return p.end()
}

// flush gives the block that is open.
func (p *prose) flush() error {
	lines, whole := p.lines, p.bullet || p.code
	p.lines, p.bullet, p.code = nil, false, false
	if !whole && p.style == plain && separate(lines) {
		for i, line := range lines {
			if err := p.give(p.first+i, line); err != nil {
				return err
			}
		}
		return nil
	}
	return p.give(p.first, strings.Join(lines, "\n"))
}

func (p *prose) give(line int, text string) error {
	b := block{line: line, heading: p.heading, fenced: p.through}
	b.text, b.at = dated(strings.TrimSpace(text))
	if b.text = strings.TrimSpace(b.text); b.text == "" {
		return nil
	}
	return p.emit(b)
}

// wrapped is from which length on lines look as if a program had broken them.
const wrapped = 45

// separate tells whether the lines of a paragraph are facts of their own: each ends as
// a sentence does, or all are too short to have been wrapped.
func separate(lines []string) bool {
	if len(lines) < 2 {
		return false
	}
	short, ended := true, true
	for i, line := range lines {
		short = short && (utf8.RuneCountInString(line) < wrapped || i == len(lines)-1)
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(line, `"')]”’»`))
		ended = ended && strings.ContainsRune(".!?…。！？।؟", last)
	}
	return short || ended
}

func startsDated(s string) bool {
	rest, at := dated(s)
	return at.set || len(rest) < len(s)
}

// entryLike tells whether the first line in a fence is running text.
func entryLike(s string) bool {
	return startsDated(strings.TrimSpace(s)) || bulletMark.MatchString(s) || atxHeading.MatchString(s) || boldHeading.MatchString(strings.TrimSpace(s))
}

// plainHeading is a heading without its decoration.
func plainHeading(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*_`: ")
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}
