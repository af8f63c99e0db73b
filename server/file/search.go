package file

import (
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"elowen/server/tool"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

type searchArguments struct {
	Pattern    string `json:"pattern" validate:"required,text=file.pattern"`
	Path       string `json:"path,omitempty" validate:"text=file.path"`
	Name       string `json:"name,omitempty" validate:"text=file.path"`
	IgnoreCase bool   `json:"ignoreCase,omitempty"`
}

// searching is a search that goes on.
type searching struct {
	pattern *regexp.Regexp
	name    string

	b       strings.Builder
	files   int
	bytes   int64
	matches int
	skipped int    // binary and large files
	unread  int    // files and folders that can't be read
	partly  int    // folders with more entries than are looked at
	deep    int    // folders too deep to be looked into
	stopped string // why it looked no further
}

func search(ctx context.Context, r roots, args []byte) (string, error) {
	in, err := tool.Arguments[searchArguments](searchInput, args)
	if err != nil {
		return "", err
	}
	s := &searching{name: in.Name}
	expression := in.Pattern
	if in.IgnoreCase {
		expression = "(?i)" + expression
	}
	if s.pattern, err = regexp.Compile(expression); err != nil {
		return "", fault.BadField("pattern", "pattern", "", "The pattern is no regular expression: "+err.Error()+".")
	}
	if _, err := path.Match(in.Name, "x"); err != nil {
		return "", fault.BadField("name", "pattern", "", "The name is no pattern such as *.go.")
	}
	at, all, err := r.find(in.Path)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("file.searchSeconds"))*time.Second)
	defer cancel()
	places := []place{at}
	if all {
		places = places[:0]
		for _, one := range r {
			places = append(places, place{one, "."})
		}
	}
	for _, p := range places {
		if err := s.in(ctx, p, in.Path); err != nil {
			return "", err
		}
	}
	return s.told(), nil
}

// in searches a place: a file, or all files below a folder.
func (s *searching) in(ctx context.Context, p place, told string) error {
	opened, err := p.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	info, err := opened.Stat(p.inside)
	if err != nil {
		return wrong(err, told)
	}
	if info.IsDir() {
		s.folder(ctx, opened, p, 1)
		return nil
	}
	s.file(ctx, opened, p)
	return nil
}

// deepest is how many folders below each other are searched.
const deepest = 64

// over tells whether the search has to end, and notes why.
func (s *searching) over(ctx context.Context) bool {
	switch {
	case s.stopped != "":
	case ctx.Err() != nil:
		s.stopped = "its time was over"
	case s.matches >= setting.Int("file.matches"):
		s.stopped = "it found enough"
	case s.files >= setting.Int("file.searched") || s.bytes >= int64(setting.Int("file.searchedBytes")):
		s.stopped = "there are too many files"
	}
	return s.stopped != ""
}

// folder searches what is in a folder. Links are not followed, and what may not be read
// is passed over.
func (s *searching) folder(ctx context.Context, in *os.Root, p place, depth int) {
	entries, more, err := entriesOf(in, p.inside)
	if err != nil {
		s.unread++
		return
	}
	if more {
		s.partly++
	}
	for _, e := range entries {
		if s.over(ctx) {
			return
		}
		one := place{p.root, path.Join(p.inside, e.Name())}
		switch {
		case e.IsDir() && e.Name() == ".git":
		case e.IsDir() && depth >= deepest:
			s.deep++
		case e.IsDir():
			s.folder(ctx, in, one, depth+1)
		case e.Type().IsRegular():
			if ok, _ := path.Match(s.name, e.Name()); ok || s.name == "" {
				s.file(ctx, in, one)
			}
		}
	}
}

func (s *searching) file(ctx context.Context, in *os.Root, p place) {
	f, info, err := regular(in, p.inside)
	if err != nil {
		s.unread++
		return
	}
	defer f.Close()
	isBinary, err := sniffed(f)
	if err != nil {
		s.unread++
		return
	}
	s.files++
	if isBinary || info.Size() > int64(setting.Int("file.large")) {
		s.skipped++
		return
	}
	s.bytes += info.Size()
	// The whole line is looked at, whatever is shown of it; a file is not larger than that.
	err = eachLine(ctx, f, setting.Int("file.large"), func(number int, text []byte, whole bool) bool {
		if at := s.pattern.FindIndex(text); at != nil {
			s.matches++
			fmt.Fprintf(&s.b, "%s:%d: %s\n", line(p.told()), number, around(text, whole, at[0], at[1]))
		}
		return s.matches < setting.Int("file.matches")
	})
	if err != nil && ctx.Err() == nil {
		s.unread++
	}
}

// around is what is shown of a line in which something was found: its beginning, or,
// where that is not in it, from a bit before it on.
func around(text []byte, whole bool, from, to int) string {
	most := setting.Int("file.columns")
	if to <= most || from < most/4 {
		return shown(text, whole)
	}
	begin := from - most/4
	for begin < from && !utf8.RuneStart(text[begin]) {
		begin++
	}
	return "… " + shown(text[begin:], whole)
}

// told is what was found.
func (s *searching) told() string {
	if s.matches == 0 {
		s.b.WriteString("[Nothing was found.]\n")
	}
	fmt.Fprintf(&s.b, "[%d files were searched", s.files)
	if s.skipped > 0 {
		fmt.Fprintf(&s.b, ", %d of them passed over: binary or large", s.skipped)
	}
	for _, o := range []struct {
		n    int
		what string
	}{
		{s.unread, "%d files or folders can't be read"},
		{s.partly, fmt.Sprintf("of %%d folders only %d entries were looked at", entriesMost)},
		{s.deep, "%d folders are too deep below the others to be looked into"},
	} {
		if o.n > 0 {
			fmt.Fprintf(&s.b, "; "+o.what, o.n)
		}
	}
	if s.stopped != "" {
		fmt.Fprintf(&s.b, "; the search ended early, as %s. Search in a folder, or for less", s.stopped)
	}
	s.b.WriteString(".]\n")
	return s.b.String()
}
