package weight

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"elowen/shared/fault"
)

//go:embed all:built
var built embed.FS

// Files finds files of weights.
type Files struct {
	// Embedded is looked in first; nil is what the build embedded.
	Embedded fs.FS
	// Dir is a folder of the data directory, which needn't exist; "" is none.
	Dir string
}

// Folder is the name of Dir in a data directory.
const Folder = "weights"

// Embedded are the files that the build embedded.
func Embedded() fs.FS {
	sub, err := fs.Sub(built, "built")
	if err != nil {
		panic(err) // the folder is in the program
	}
	return sub
}

// Has tells whether the file of a pin is there, by its size alone.
func (f Files) Has(p Pin) bool {
	r, err := f.find(p)
	if err != nil {
		return false
	}
	return r.Close() == nil
}

// Open finds the file of a pin and checks its hash. Unavailable where there is none,
// Invalid where it isn't the right one. A reader may be used by many goroutines.
func (f Files) Open(p Pin) (*Reader, error) {
	r, err := f.find(p)
	if err != nil {
		return nil, err
	}
	if err := p.Check(io.NewSectionReader(r, 0, r.size)); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Reader is an open file of weights.
type Reader struct {
	io.ReaderAt
	io.Closer
	size int64
}

// Size is the length in bytes.
func (r *Reader) Size() int64 { return r.size }

func (f Files) find(p Pin) (*Reader, error) {
	embedded := f.Embedded
	if embedded == nil {
		embedded = Embedded()
	}
	places := []fs.FS{embedded}
	if f.Dir != "" {
		places = append(places, os.DirFS(f.Dir))
	}
	for _, place := range places {
		file, err := place.Open(p.Name)
		if err != nil {
			continue
		}
		info, err := file.Stat()
		at, ok := file.(io.ReaderAt)
		if err == nil && ok && info.Mode().IsRegular() && info.Size() == p.Bytes {
			return &Reader{at, file, info.Size()}, nil
		}
		_ = file.Close() // it was only looked at
	}
	return nil, fault.Newf(fault.Unavailable, "The weights %s, of %s, aren't here.", p.Name, p.Package.Name)
}

// write puts the content of a file into dir under the pin's name, once it has been
// checked; until then it has another name. What is there already stays.
func (p Pin) write(dir string, r io.Reader) error {
	own := Files{Embedded: noFiles{}, Dir: dir}
	if have, err := own.Open(p); err == nil {
		return have.Close()
	}
	// Weights are no secret, but the data directory is its owner's alone.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.Internal, err, "The folder for weights can't be made.")
	}
	part, err := os.CreateTemp(dir, p.Name+".*.part")
	if err != nil {
		return fault.Wrap(fault.Internal, err, "The weights can't be written.")
	}
	defer func() { _ = os.Remove(part.Name()) }() // it is gone where all went well
	err = p.Check(io.TeeReader(r, part))
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), filepath.Join(dir, p.Name)); err != nil {
		return fault.Wrap(fault.Internal, err, "The weights can't be written.")
	}
	return nil
}

// noFiles is a file system without any.
type noFiles struct{}

// Open implements fs.FS.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
