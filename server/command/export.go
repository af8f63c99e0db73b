package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"elowen/server/db"
	"elowen/shared/fault"
)

type exportCommand struct {
	File  string `arg:"" help:"File to write; - is standard output. One that is there already is refused."`
	User  string `placeholder:"NAME" help:"Only this account; without, every one, each line with its account."`
	Force bool   `help:"Replace a file that is there already, once the new one is whole. A database is never replaced."`
}

// exported is what an export did.
type exported struct {
	File  string `json:"file"`
	Lines int    `json:"lines"`
}

// Run implements the command.
func (c *exportCommand) Run(r *run) error {
	return r.withExisting(func(st *stores) error {
		write := func(w io.Writer) error { return st.transfer.ExportAll(r.ctx, w) }
		if c.User != "" {
			p, err := st.accounts.Person(r.ctx, c.User)
			if err != nil {
				return err
			}
			write = func(w io.Writer) error { return st.transfer.Export(r.ctx, db.AccountID(p.ID), w) }
		}
		if c.File == "-" {
			w := bufio.NewWriterSize(r.Stdout, 256<<10)
			if err := write(w); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return fault.Wrap(fault.Unavailable, err, "Standard output was closed before all was written.")
			}
			return nil
		}
		file := r.path(c.File)
		if err := c.mayWrite(r, file); err != nil {
			return err
		}
		done := r.busy("export")
		n, err := writeFile(file, c.Force, write)
		done()
		if err != nil {
			return err
		}
		return r.show(exported{file, n}, func(w io.Writer) {
			fmt.Fprintf(w, "Wrote %s: %d lines.\n", visible(file), n)
		})
	})
}

// lineCounter counts the lines that go through.
type lineCounter struct {
	w io.Writer
	n int
}

// Write implements io.Writer.
func (c *lineCounter) Write(p []byte) (int, error) {
	c.n += bytes.Count(p, []byte{'\n'})
	return c.w.Write(p)
}

// exportName is the pattern of an export's name until it is whole.
const exportName = ".elowen-export-*.part"

// mayWrite refuses a place where something is that an export must not replace.
func (c *exportCommand) mayWrite(r *run, file string) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.Wrap(fault.Unavailable, err, "The file cannot be written: "+err.Error())
	case !c.Force:
		return isThere(file)
	case !info.Mode().IsRegular():
		return fault.Newf(fault.Taken, "%s is no ordinary file. An export doesn't replace it.", file)
	}
	if ours, err := os.Stat(r.data); err == nil && strings.HasPrefix(info.Name(), db.FileName) {
		if in, err := os.Stat(filepath.Dir(file)); err == nil && os.SameFile(ours, in) {
			return fault.Newf(fault.Taken, "%s belongs to the store. An export doesn't replace it.", file)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "The file cannot be read: "+err.Error())
	}
	defer f.Close()
	var start [16]byte
	if _, err := io.ReadFull(f, start[:]); err == nil && string(start[:]) == "SQLite format 3\x00" {
		return fault.Newf(fault.Taken, "%s is a SQLite database. An export doesn't replace it.", file)
	}
	return nil
}

func isThere(file string) error {
	return fault.Newf(fault.Taken, "%s is there already. Name another file, or replace it with --force.", file)
}

// writeFile writes a file under another name and gives it its own once it is
// whole; replace says that it may take the place of one that is there. It answers
// the number of lines.
func writeFile(file string, replace bool, write func(io.Writer) error) (lines int, err error) {
	f, err := os.CreateTemp(filepath.Dir(file), exportName)
	if err != nil {
		return 0, fault.Wrap(fault.Unavailable, err, "The file cannot be written: "+err.Error())
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 256<<10)
	counted := &lineCounter{w: w}
	err = write(counted)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = rename(f.Name(), file, replace)
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		err = fault.Wrap(fault.Unavailable, err, "The file cannot be written: "+err.Error())
	}
	return counted.n, err
}

// rename gives a file its name. A link, unlike a rename, refuses to take the place
// of a file that was made meanwhile.
func rename(from, to string, replace bool) error {
	if !replace {
		err := os.Link(from, to)
		switch {
		case err == nil:
			return nil // whoever made from takes that name away
		case errors.Is(err, fs.ErrExist):
			return isThere(to)
		}
		if _, err := os.Lstat(to); err == nil { // a file system without links
			return isThere(to)
		}
	}
	return os.Rename(from, to)
}
