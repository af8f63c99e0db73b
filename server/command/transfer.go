package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/transfer"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type importCommand struct {
	File   string            `arg:"" help:"File to read; - is standard input (JSONL only)."`
	From   string            `enum:"jsonl,elowen" default:"jsonl" help:"What kind of file: jsonl is an export, elowen the older system's database (${default})."`
	User   string            `placeholder:"NAME" help:"Bring everything into this account. Without, each line's own account, or the only one there is; from elowen, only this one."`
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
	if c.File != "-" {
		if _, err := os.Stat(r.path(c.File)); errors.Is(err, fs.ErrNotExist) {
			return api.ImportReport{}, fault.Wrap(fault.NotFound, err, "There is no file "+r.path(c.File)+".")
		}
	}
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
	o := transfer.Options{By: audit.Actor{Name: audit.ActorImport}, DryRun: c.DryRun, Projects: true, TempDir: r.data, Progress: tell}
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
		fmt.Fprintf(w, "  line %d: %s\n", f.Line, visible(f.Message))
	}
	for _, note := range report.Notes {
		fmt.Fprintln(w, visible(note))
	}
	if report.DueNow > 0 {
		fmt.Fprintf(w, "%d memories are eligible for the sweep at once. `elowen admin retention set --no-enabled` pauses it.\n", report.DueNow)
	}
}
