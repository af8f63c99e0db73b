package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/transfer"
	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type importCommand struct {
	File   string            `arg:"" help:"File, folder or zip to read; - is standard input."`
	From   string            `enum:"auto,jsonl,elowen,mem0,mcp-memory,mcp-memory-service,basic-memory,chatgpt,claude,markdown,text" default:"auto" help:"What it is: jsonl is an export of elowen, elowen the older system's database, mcp-memory the graph of the MCP reference server; auto finds out, but for the database (${default})."`
	User   string            `placeholder:"NAME" help:"Bring everything into this account. Without, each line's own account, or the only one there is; from elowen, only this one."`
	Map    map[string]string `placeholder:"OLD=NEW" mapsep:"," help:"From elowen: accounts that have another name here. The others are matched by name."`
	Policy string            `enum:"keep,replace" default:"keep" help:"From elowen: replace takes its retention policy even where ours was changed; keep takes it only where ours is the default (${default})."`
	DryRun bool              `help:"Say what would become of each line, and write nothing."`

	SkipRefused bool `help:"Leave out what cannot be taken. Without, another system's memories come in all at once or not at all; of lines of our own only what is refused stays out anyway."`
}

// Run implements the command.
func (c *importCommand) Run(r *run) error {
	tell, done := r.progress("import", c.From != api.FormatElowen)
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
		if report.Refused > 0 && (report.Held > 0 || report.Broken || !c.SkipRefused) {
			return exitError(exitFailed)
		}
		return nil
	})
}

func (c *importCommand) read(r *run, st *stores, tell func(done, total int64)) (api.ImportReport, error) {
	if c.From == api.FormatElowen {
		if _, err := os.Stat(r.path(c.File)); errors.Is(err, fs.ErrNotExist) {
			return api.ImportReport{}, fault.Wrap(fault.NotFound, err, "There is no file "+r.path(c.File)+".")
		}
		return st.transfer.ImportElowen(r.ctx, r.path(c.File), transfer.ElowenOptions{
			Map: c.Map, Only: c.User, ReplacePolicy: c.Policy == "replace", DryRun: c.DryRun, Progress: tell,
		})
	}
	b, err := c.bundle(r)
	if err != nil {
		return api.ImportReport{}, err
	}
	defer b.Close()
	o := transfer.Options{By: audit.Actor{Name: audit.ActorImport}, From: c.From, Skip: c.SkipRefused, DryRun: c.DryRun, Projects: true, TempDir: r.data, Progress: tell}
	if o.From == "auto" {
		o.From = ""
	}
	if c.User == "" {
		return st.transfer.BringAll(r.ctx, b, o)
	}
	p, err := st.accounts.Person(r.ctx, c.User)
	if err != nil {
		return api.ImportReport{}, err
	}
	return st.transfer.Bring(r.ctx, db.AccountID(p.ID), b, o)
}

// bundle is what is to be read.
func (c *importCommand) bundle(r *run) (*foreign.Bundle, error) {
	if c.File != "-" {
		return foreign.Open(r.path(c.File))
	}
	b := &foreign.Bundle{}
	if err := transfer.Stage(b, "", r.Stdin, r.data); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// fatesShown is how many lines that were not added a person is shown.
const fatesShown = 20

func showImport(w io.Writer, report api.ImportReport) {
	if report.Detected && report.Format != api.FormatJSONL {
		fmt.Fprintf(w, "This is %s, as it seems; --from names another format.\n", foreign.Title(report.Format))
	}
	switch {
	case report.Held > 0 && !report.DryRun:
		fmt.Fprint(w, "Nothing was written: ")
	case report.DryRun:
		fmt.Fprint(w, "Nothing was written. It would be: ")
	}
	fmt.Fprintf(w, "%d added, %d there already, %d kept as edited since, %d refused", report.Added, report.Existing, report.Kept, report.Refused)
	if report.Held > 0 {
		fmt.Fprintf(w, ", %d held back for that", report.Held)
	}
	fmt.Fprintln(w, ".")
	if n := len(report.Categories); n > 0 {
		fmt.Fprintf(w, "New categories: %s.\n", visible(strings.Join(report.Categories, ", ")))
	}
	shown := 0
	for _, f := range report.Fates {
		if f.Fate != api.FateRefused {
			continue
		}
		if shown++; shown > fatesShown {
			fmt.Fprintln(w, "  … --json lists more")
			break
		}
		fmt.Fprintf(w, "  %s: %s\n", visible(where(f)), visible(f.Message))
		if f.Text != "" {
			fmt.Fprintf(w, "    %s\n", visible(f.Text))
		}
	}
	for _, note := range report.Notes {
		fmt.Fprintln(w, visible(note))
	}
	if report.DueNow > 0 {
		fmt.Fprintf(w, "%d memories are eligible for the sweep at once. `elowen admin retention set --no-enabled` pauses it.\n", report.DueNow)
	}
}

// where is the place of a line.
func where(f api.LineFate) string {
	switch {
	case f.File == "":
		return fmt.Sprintf("line %d", f.Line)
	case f.Line == 0:
		return f.File
	}
	return fmt.Sprintf("%s, line %d", f.File, f.Line)
}
