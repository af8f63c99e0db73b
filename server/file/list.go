package file

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"elowen/server/tool"
	"elowen/shared/setting"
)

type listArguments struct {
	Path  string `json:"path,omitempty" validate:"text=file.path"`
	Depth *int   `json:"depth,omitempty" validate:"omitempty,setting=file.depth"`
}

// listing is a list as it is written.
type listing struct {
	b     strings.Builder
	n     int
	depth int
}

// full tells whether no more fits in.
func (l *listing) full() bool { return l.n >= setting.Int("file.entries") }

func list(ctx context.Context, r roots, args []byte) (string, error) {
	in, err := tool.Arguments[listArguments](listInput, args)
	if err != nil {
		return "", err
	}
	l := &listing{depth: setting.Int("file.depth")}
	if in.Depth != nil {
		l.depth = *in.Depth
	}
	at, all, err := r.find(in.Path)
	if err != nil {
		return "", err
	}
	if all {
		for _, one := range r {
			fmt.Fprintf(&l.b, "%s/\n", one.name)
		}
		return l.b.String(), nil
	}
	opened, err := at.open()
	if err != nil {
		return "", err
	}
	defer opened.Close()
	if err := l.folder(ctx, opened, at, 1); err != nil {
		return "", wrong(err, in.Path)
	}
	switch {
	case l.full():
		fmt.Fprintf(&l.b, "[Only the first %d are listed. List a folder of them.]\n", setting.Int("file.entries"))
	case l.n == 0:
		l.b.WriteString("[The folder is empty.]\n")
	}
	return l.b.String(), nil
}

// folder lists a folder and, as deep as is wanted, those in it. Links are named and not
// followed.
func (l *listing) folder(ctx context.Context, in *os.Root, at place, depth int) error {
	entries, more, err := entriesOf(in, at.inside)
	if err != nil {
		return err
	}
	if more {
		fmt.Fprintf(&l.b, "[%s has more than %d entries. Some of them:]\n", line(at.told()), entriesMost)
	}
	for _, e := range entries {
		if l.full() || ctx.Err() != nil {
			return ctx.Err()
		}
		l.n++
		one := place{at.root, path.Join(at.inside, e.Name())}
		name := line(one.told())
		switch {
		case e.IsDir():
			fmt.Fprintf(&l.b, "%s/\n", name)
			if depth < l.depth && e.Name() != ".git" {
				// What may not be listed is named, and no more.
				_ = l.folder(ctx, in, one, depth+1)
			}
		case e.Type()&fs.ModeSymlink != 0:
			fmt.Fprintf(&l.b, "%s (a link)\n", name)
		case !e.Type().IsRegular():
			fmt.Fprintf(&l.b, "%s (no file)\n", name)
		default:
			size := "?"
			if info, err := e.Info(); err == nil {
				size = sized(info.Size())
			}
			fmt.Fprintf(&l.b, "%s (%s)\n", name, size)
		}
	}
	return nil
}

// entriesMost bounds what is read of one folder, however many files it has.
const entriesMost = 10_000

// entriesOf are a folder's entries by name; of a huge one, some, and more tells so.
func entriesOf(in *os.Root, name string) (entries []fs.DirEntry, more bool, err error) {
	f, err := in.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err = f.ReadDir(entriesMost + 1)
	if len(entries) > 0 || isEnd(err) {
		err = nil
	}
	if more = len(entries) > entriesMost; more {
		entries = entries[:entriesMost]
	}
	sortByName(entries)
	return entries, more, err
}
