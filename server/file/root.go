package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"elowen/server/project"
	"elowen/server/render"
	"elowen/shared/fault"
)

// root is a folder of a project.
type root struct {
	name string // with which paths begin; empty where it is the only one
	dir  string // absolute
}

type roots []root

// named gives each folder a name, where there are several.
func named(dirs []string) roots {
	if len(dirs) == 1 {
		return roots{{dir: dirs[0]}}
	}
	var list roots
	seen := map[string]bool{}
	for _, dir := range dirs {
		base := path.Base(filepath.ToSlash(dir))
		name := base
		for n := 2; seen[name]; n++ {
			name = base + "-" + strconv.Itoa(n)
		}
		seen[name] = true
		list = append(list, root{name, dir})
	}
	return list
}

// place is something below a root.
type place struct {
	root
	inside string // relative to the root, slashes between; "." is the root itself
}

// told is the place as a model knows it.
func (p place) told() string { return path.Join(p.name, p.inside) }

// find is what a path names. all is set where it names all of several roots. Errors:
// NotFound, with the names of the roots.
func (r roots) find(told string) (p place, all bool, err error) {
	told = strings.TrimSpace(strings.ReplaceAll(told, `\`, "/"))
	if path.IsAbs(told) {
		for _, one := range r {
			if project.Contains(one.dir, path.Clean(told)) {
				inside, err := filepath.Rel(one.dir, path.Clean(told))
				if err == nil {
					return place{one, filepath.ToSlash(inside)}, false, nil
				}
			}
		}
		return place{}, false, fault.New(fault.NotFound, "That is not in the project. Give a path relative to its root.")
	}
	inside := path.Clean(told)
	if told == "" {
		inside = "."
	}
	if len(r) == 1 && r[0].name == "" {
		return place{r[0], inside}, false, nil
	}
	if inside == "." {
		return place{}, true, nil
	}
	first, rest, _ := strings.Cut(inside, "/")
	var names []string
	for _, one := range r {
		if one.name == first {
			return place{one, path.Clean("./" + rest)}, false, nil
		}
		names = append(names, one.name)
	}
	return place{}, false, fault.New(fault.NotFound, "The project has several folders; a path begins with one of: "+strings.Join(names, ", ")+".")
}

// open opens a root, beyond which nothing leads.
func (r root) open() (*os.Root, error) {
	opened, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The project's folder is not there on this machine.")
	}
	return opened, nil
}

// wrong is why something below a root can't be used.
func wrong(err error, told string) error {
	shown := render.Cut(told, 200)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.NotFound, err, "There is no “"+shown+"” in the project. ListFiles shows what there is.")
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(fault.Forbidden, err, "The server may not read “"+shown+"”.")
	}
	return fault.Wrap(fault.Invalid, err, "“"+shown+"” can't be read: it leads out of the project, or is no file.")
}

// regular opens a file that is one, and never waits for it.
func regular(in *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := in.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

var errNoFile = errors.New("not a regular file")

// binary tells whether a file's beginning is that of something that is no text.
func binary(beginning []byte) bool {
	for _, c := range beginning {
		if c == 0 {
			return true
		}
	}
	return false
}

// sniffed reads a file's beginning and goes back to it.
func sniffed(f io.ReadSeeker) (isBinary bool, err error) {
	var beginning [8 << 10]byte
	n, err := io.ReadFull(f, beginning[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return binary(beginning[:n]), err
}

// sized is a length in words.
func sized(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}
