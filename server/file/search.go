package file

import (
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

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
	entries, err := entriesOf(in, p.inside)
	if err != nil {
		return
	}
	for _, e := range entries {
		if s.over(ctx) {
			return
		}
		one := place{p.root, path.Join(p.inside, e.Name())}
		switch {
		case e.IsDir() && e.Name() != ".git" && depth < deepest:
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
		return
	}
	defer f.Close()
	s.files++
	if isBinary, err := sniffed(f); err != nil || isBinary || info.Size() > int64(setting.Int("file.large")) {
		s.skipped++
		return
	}
	s.bytes += info.Size()
	_ = eachLine(ctx, f, func(number int, text string) bool {
		if s.pattern.MatchString(text) {
			s.matches++
			fmt.Fprintf(&s.b, "%s:%d: %s\n", line(p.told()), number, text)
		}
		return s.matches < setting.Int("file.matches")
	})
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
	if s.stopped != "" {
		fmt.Fprintf(&s.b, "; the search ended early, as %s. Search in a folder, or for less", s.stopped)
	}
	s.b.WriteString(".]\n")
	return s.b.String()
}
