package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/transfer"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type exportCommand struct {
	File string `arg:"" help:"File to write; - is standard output. One that is there already is replaced once the new one is whole."`
	User string `placeholder:"NAME" help:"Only this account; without, every one, each line with its account."`
}

// exported is what an export did.
type exported struct {
	File  string `json:"file"`
	Lines int    `json:"lines"`
}

// Run implements the command.
func (c *exportCommand) Run(r *run) error {
	return r.with(func(st *stores) error {
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
		done := r.busy("export")
		n, err := replaceFile(file, write)
		done()
		if err != nil {
			return err
		}
		return r.show(exported{file, n}, func(w io.Writer) {
			fmt.Fprintf(w, "Wrote %s: %d lines.\n", file, n)
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

// replaceFile writes a file under another name and gives it its own once it is
// whole. It answers the number of lines.
func replaceFile(file string, write func(io.Writer) error) (lines int, err error) {
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
		err = os.Rename(f.Name(), file)
	}
	if err != nil && fault.KindOf(err) == fault.Internal {
		err = fault.Wrap(fault.Unavailable, err, "The file cannot be written: "+err.Error())
	}
	return counted.n, err
}

type importCommand struct {
	File   string            `arg:"" help:"File to read; - is standard input (JSONL only)."`
	From   string            `enum:"jsonl,elowen" default:"jsonl" help:"What kind of file: jsonl is an export, elowen the older system's database (${default})."`
	User   string            `placeholder:"NAME" help:"Bring everything into this account. Without, each line's own account; from elowen, only this one."`
	Map    map[string]string `placeholder:"OLD=NEW" mapsep:"," help:"From elowen: accounts that have another name here. The others are matched by name."`
	Policy string            `enum:"keep,replace" default:"keep" help:"From elowen: replace takes its retention policy even where ours was changed; keep takes it only where ours is the default (${default})."`
	DryRun bool              `help:"Say what would become of each line, and write nothing."`
}

// Run implements the command.
func (c *importCommand) Run(r *run) error {
	tell, done := r.progress("import", c.From == "jsonl")
	defer done()
	return r.with(func(st *stores) error {
		report, err := c.read(r, st, tell)
		done()
		if err != nil {
			return err
		}
		if err := r.show(report, func(w io.Writer) { showImport(w, report) }); err != nil {
			return err
		}
		if report.Refused > 0 {
			return exitError(exitFailed)
		}
		return nil
	})
}

func (c *importCommand) read(r *run, st *stores, tell func(done, total int64)) (api.ImportReport, error) {
	if c.From == "elowen" {
		return st.transfer.ImportElowen(r.ctx, r.path(c.File), transfer.ElowenOptions{
			Map: c.Map, Only: c.User, ReplacePolicy: c.Policy == "replace", DryRun: c.DryRun, Progress: tell,
		})
	}
	in := r.Stdin
	if c.File != "-" {
		f, err := os.Open(r.path(c.File))
		if err != nil {
			return api.ImportReport{}, fault.Wrap(fault.Unavailable, err, "The file cannot be read: "+err.Error())
		}
		defer f.Close()
		in = f
	}
	o := transfer.Options{By: memory.Actor{Name: memory.ActorImport}, DryRun: c.DryRun, TempDir: r.data, Progress: tell}
	if c.User == "" {
		return st.transfer.ImportAll(r.ctx, in, o)
	}
	p, err := st.accounts.Person(r.ctx, c.User)
	if err != nil {
		return api.ImportReport{}, err
	}
	return st.transfer.Import(r.ctx, db.AccountID(p.ID), in, o)
}

// fatesShown is how many lines that were not added a person is shown.
const fatesShown = 20

func showImport(w io.Writer, report api.ImportReport) {
	if report.DryRun {
		fmt.Fprint(w, "Nothing was written. It would be: ")
	}
	fmt.Fprintf(w, "%d added, %d there already, %d kept as edited since, %d refused.\n", report.Added, report.Existing, report.Kept, report.Refused)
	shown := 0
	for _, f := range report.Fates {
		if f.Fate != api.FateRefused {
			continue
		}
		if shown++; shown > fatesShown {
			fmt.Fprintln(w, "  … --json lists more")
			break
		}
		fmt.Fprintf(w, "  line %d: %s\n", f.Line, f.Message)
	}
	for _, note := range report.Notes {
		fmt.Fprintln(w, note)
	}
	if report.DueNow > 0 {
		fmt.Fprintf(w, "%d memories are eligible for the sweep at once. `elowen admin retention set --no-enabled` pauses it.\n", report.DueNow)
	}
}
