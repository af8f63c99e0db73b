package foreign

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Bundle is what somebody brings: one file or several, out of a folder or zip.
type Bundle struct {
	files   []*File
	refused []Item // links and the like, which nothing is read of
	notes   []string
	ignored int // files that no format reads
	size    int64
	indexed int64 // bytes of zips' directories
	closers []io.Closer
	only    Content // what there is, if it is one file and no zip
}

// File is one file of a bundle.
type File struct {
	Name     string // with slashes, below the folder or zip
	Size     int64
	Modified int64 // milliseconds; 0: not known
	open     func() (io.ReadCloser, error)
}

// Content is what a file of ours, that may be read at any place, is: a scratch file
// of package transfer, or one on disk.
type Content interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

// Close ends the files that the bundle holds open.
func (b *Bundle) Close() error {
	var list []error
	for _, c := range b.closers {
		list = append(list, c.Close())
	}
	return errors.Join(list...)
}

// Size is how many bytes the files have together.
func (b *Bundle) Size() int64 { return b.size }

// Parts is how many were added, whatever is in them.
func (b *Bundle) Parts() int { return len(b.closers) }

// Only is the content of a bundle that is one file, and no zip or folder.
func (b *Bundle) Only() (Content, bool) { return b.only, b.only != nil }

// Add adds a file, or what is in it if it is a zip. The bundle closes the content.
func (b *Bundle) Add(name string, content Content, size, modified int64) error {
	b.closers = append(b.closers, content)
	start := make([]byte, 4)
	if n, _ := content.ReadAt(start, 0); string(start[:n]) == "PK\x03\x04" || string(start[:n]) == "PK\x05\x06" {
		b.only = nil
		return b.unzip(name, content, size)
	}
	if b.only = nil; len(b.closers) == 1 {
		b.only = content
	}
	return b.add(&File{Name: clean(name), Size: size, Modified: modified, open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(content, 0, size)), nil
	}})
}

// clean is a name as a report shows it: the last part of what may be a path of
// another machine.
func clean(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == "/" {
		name = "file"
	}
	return printable(name)
}

// printable replaces what is no text in a name.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(name, "\ufffd"))
}

func (b *Bundle) add(f *File) error {
	if most := setting.Int("import.files"); len(b.files) >= most {
		return fault.Newf(fault.TooLarge, "There are more than %d files in it. Split it; nothing was changed.", most)
	}
	if b.size += f.Size; b.size > int64(setting.Int("import.file")) {
		return fault.Newf(fault.TooLarge, "The files have more than %d MiB together. Split them; nothing was changed.", setting.Int("import.file")>>20)
	}
	b.files = append(b.files, f)
	return nil
}

// refuse notes something of a folder or zip that nothing is read of.
func (b *Bundle) refuse(name, message string) error {
	if most := setting.Int("import.files"); len(b.refused) >= most {
		return fault.Newf(fault.TooLarge, "There are more than %d files in it that cannot be read. Nothing was changed.", most)
	}
	b.refused = append(b.refused, Item{File: printable(name), Err: fault.New(fault.Invalid, message)})
	return nil
}

// extensions are the endings of files that some format reads.
var extensions = []string{".md", ".markdown", ".txt", ".json", ".jsonl", ".ndjson"}

func readable(name string) bool { return slices.Contains(extensions, ending(name)) }

func ending(name string) string { return strings.ToLower(path.Ext(name)) }

// hidden tells whether a part of the path begins with a dot, as what belongs to
// programs does (.obsidian, .git), or is what macOS puts into its zips.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(p string) bool { return strings.HasPrefix(p, ".") && p != "." || p == "__MACOSX" })
}

// unzip adds what a zip has in it. Nothing is unpacked to disk: entries are read as
// they are asked for, and never beyond the size that the zip names for them.
func (b *Bundle) unzip(name string, content io.ReaderAt, size int64) error {
	counted := &directory{ReaderAt: content, b: b}
	z, err := zip.NewReader(counted, size)
	counted.b = nil
	if fault.Is(err, fault.TooLarge) {
		return err
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, err, clean(name)+" is no whole zip: "+err.Error()+".")
	}
	seen := map[string]bool{}
	entries := z.File
	z.File = nil // an entry that is kept keeps z
	for _, e := range entries {
		in := strings.TrimSuffix(e.Name, "/")
		switch {
		case !filepath.IsLocal(filepath.FromSlash(in)) || strings.ContainsAny(in, `\:`) || in != path.Clean(in):
			err = b.refuse(e.Name, "The name leads out of the zip or is none. It is not read.")
		case e.FileInfo().IsDir() || hidden(in):
		case e.Mode()&fs.ModeType != 0:
			err = b.refuse(e.Name, "This is a link, not a file. It is not followed.")
		case !readable(in):
			b.ignored++
		case seen[in]:
			err = b.refuse(e.Name, "The name stands in the zip twice. The second is not read.")
		case e.Flags&1 != 0:
			err = b.refuse(e.Name, "The entry is encrypted.")
		case e.UncompressedSize64 > uint64(setting.Int("import.file")):
			err = fault.Newf(fault.TooLarge, "%s has more than %d MiB. Nothing was changed.", printable(in), setting.Int("import.file")>>20)
		default:
			seen[in] = true
			f := &File{Name: printable(in), Size: int64(e.UncompressedSize64), open: func() (io.ReadCloser, error) {
				r, err := e.Open()
				if err != nil {
					return nil, err
				}
				return struct {
					io.Reader
					io.Closer
				}{&atMost{r, int64(e.UncompressedSize64)}, r}, nil
			}}
			if !e.Modified.IsZero() && e.Modified.Year() >= 1990 { // a zip's empty date is in 1980
				f.Modified = e.Modified.UnixMilli()
			}
			err = b.add(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// directory is a zip whose directory is being read, up to import.directory for all of a
// bundle. What is read is counted, and not what the zip's end says of itself: the
// library goes on for as long as there are entries, however many it was told of.
type directory struct {
	io.ReaderAt
	b *Bundle // nil: the directory is read
}

// ReadAt implements io.ReaderAt.
func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if d.b == nil {
		return d.ReaderAt.ReadAt(p, at)
	}
	if most := int64(setting.Int("import.directory")); d.b.indexed > most {
		return 0, fault.Newf(fault.TooLarge, "There are too many files in it: a zip's directory has more than %d MiB. Split it; nothing was changed.", most>>20)
	}
	n, err := d.ReaderAt.ReadAt(p, at)
	d.b.indexed += int64(n)
	return n, err
}

// atMost reads no more than was announced.
type atMost struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return 0, fault.New(fault.Invalid, "An entry of the zip has more in it than the zip says. Nothing was changed.")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault.Wrap(fault.Invalid, err, "An entry of the zip is broken: "+err.Error()+". Nothing was changed.")
	}
	return n, err
}

// Open makes a bundle of a file, zip or folder of this machine. Nothing outside of a
// folder is read: links in it are refused, as are the ways out that it might have.
func Open(name string) (*Bundle, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(fault.NotFound, err, "There is no file "+name+".")
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "The file cannot be read: "+err.Error())
	}
	b := &Bundle{}
	switch {
	case info.IsDir():
		err = b.folder(name)
	case !info.Mode().IsRegular():
		err = fault.Newf(fault.Invalid, "%s is neither a file nor a folder.", name)
	default:
		var f *os.File
		if f, err = os.Open(name); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "The file cannot be read: "+err.Error())
		}
		err = b.Add(filepath.Base(name), f, info.Size(), info.ModTime().UnixMilli())
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// deepest is how far down folders are read: whoever has more levels has a loop.
const deepest = 32

func (b *Bundle) folder(name string) error {
	root, err := os.OpenRoot(name)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "The folder cannot be read: "+err.Error())
	}
	b.closers = append(b.closers, root)
	hid := 0
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.Wrap(fault.Unavailable, err, "The folder cannot be read: "+err.Error())
		case p == ".":
			return nil
		case hidden(p):
			hid++
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			return b.refuse(p, "This is a symbolic link. It is not followed.")
		case d.IsDir():
			if strings.Count(p, "/") >= deepest {
				return fault.Newf(fault.TooLarge, "The folder is more than %d levels deep. Nothing was changed.", deepest)
			}
			return nil
		case !readable(p):
			b.ignored++
			return nil
		case !d.Type().IsRegular():
			return b.refuse(p, "This is neither a file nor a folder.")
		}
		info, err := d.Info()
		if err != nil {
			return fault.Wrap(fault.Unavailable, err, "The folder cannot be read: "+err.Error())
		}
		return b.add(&File{Name: printable(p), Size: info.Size(), Modified: info.ModTime().UnixMilli(), open: func() (io.ReadCloser, error) {
			f, err := root.Open(p)
			if err != nil {
				return nil, err
			}
			return struct {
				io.Reader
				io.Closer
			}{io.LimitReader(f, info.Size()), f}, nil // it may grow meanwhile
		}})
	})
	if hid > 0 {
		b.notes = append(b.notes, fmt.Sprintf("Left out %s whose names begin with a dot.", count(hid, "file or folder", "files and folders")))
	}
	return err
}

// raw opens the file as it is.
func (f *File) raw() (io.ReadCloser, error) {
	r, err := f.open()
	if err != nil {
		return nil, unreadable(f, err)
	}
	return r, nil
}

// text opens the file without a byte order mark.
func (f *File) text() (*bufio.Reader, io.Closer, error) {
	r, err := f.raw()
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(r, 64<<10)
	if start, _ := in.Peek(3); bytes.Equal(start, []byte("\ufeff")) {
		_, _ = in.Discard(3)
	}
	return in, r, nil
}

// lines goes through the lines of a file, without their ends. One that is longer than
// import.line is a fault of its file.
func (f *File) lines(each func(number int, line string) error) error {
	in, c, err := f.text()
	if err != nil {
		return err
	}
	defer c.Close()
	most := setting.Int("import.line")
	var long []byte
	for number := 1; ; {
		part, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return unreadable(f, err)
		}
		if len(long)+len(part) > most+2 {
			return &Fault{f.Name, number, fmt.Sprintf("The line is longer than %d bytes.", most)}
		}
		long = append(long, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil || len(long) > 0 {
			if err := each(number, strings.TrimRight(string(long), "\r\n")); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		number, long = number+1, long[:0]
	}
}
