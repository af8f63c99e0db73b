package connect

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"elowen/shared/fault"
)

// BackupSuffix is added to a config's name for what it was before its last change.
const BackupSuffix = ".before-elowen"

// File is a client's config on this machine.
type File struct {
	Path string // as it was named
	Text []byte // nil: there is none yet
	real string // where it is, behind symbolic links
}

// Open reads a config. One that isn't there is an empty one. Errors: Invalid for what is
// no regular file, TooLarge.
func Open(path string) (*File, error) {
	f := &File{Path: path, real: path}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, fault.New(fault.Invalid, path+" leads to a file that isn't there. Nothing was changed.")
		}
		return f, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	f.real = real
	f.Text, err = f.read()
	return f, err
}

func (f *File) read() ([]byte, error) {
	info, err := os.Stat(f.real)
	if err != nil {
		return nil, unreadable(f.Path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, f.Path+" is no file. Nothing was changed.")
	}
	in, err := os.Open(f.real)
	if err != nil {
		return nil, unreadable(f.Path, err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, configMost+1))
	if err != nil {
		return nil, unreadable(f.Path, err)
	}
	if len(text) > configMost {
		return nil, fault.Newf(fault.TooLarge, "%s is larger than %d MiB. Nothing was changed.", f.Path, configMost>>20)
	}
	return text, nil
}

// Write puts a change of the file in its place and answers where what was there before
// is kept, empty if nothing was. The file is its owner's alone then. Errors: Stale where
// it isn't what was read any more.
func (f *File) Write(c Change) (backup string, err error) {
	folder := filepath.Dir(f.real)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", unwritable(f.Path, err)
	}
	if f.Text != nil {
		backup = f.real + BackupSuffix
		if err := put(backup, f.Text); err != nil {
			return "", unwritable(backup, err)
		}
	}
	now, err := os.ReadFile(f.real)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Text == nil:
	case err != nil:
		return "", unreadable(f.Path, err)
	case f.Text == nil || !bytes.Equal(now, f.Text):
		return "", fault.New(fault.Stale, f.Path+" was changed by another program meanwhile. Nothing was written; try again, best while "+c.Client.Name+" is closed.")
	}
	if err := put(f.real, c.After); err != nil {
		return "", unwritable(f.Path, err)
	}
	return backup, nil
}

// put replaces a file as a whole, by one that is its owner's alone.
func put(path string, text []byte) error {
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // once renamed, there is nothing to remove
	if _, err = out.Write(text); err == nil {
		err = out.Sync()
	}
	if again := out.Close(); err == nil {
		err = again
	}
	if err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}

func unreadable(path string, err error) error {
	return fault.Wrap(fault.Invalid, err, path+" can't be read: "+reason(err)+". Nothing was changed.")
}

func unwritable(path string, err error) error {
	return fault.Wrap(fault.Invalid, err, path+" can't be written: "+reason(err)+". What was there stands.")
}

// reason is an error without the path that it begins with.
func reason(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}
