package command

import (
	"fmt"
	"io"

	"elowen/server/backup"
	"elowen/server/doctor"
)

type backupCommand struct {
	File string `arg:"" help:"File to write. One that is there already is refused."`
}

// Run implements the command.
func (c *backupCommand) Run(r *run) error {
	done := r.busy("backup")
	defer done()
	return r.withExisting(func(st *stores) error {
		report, err := backup.Write(r.ctx, st.db, r.path(c.File))
		done()
		if err != nil {
			return err
		}
		return r.show(report, func(w io.Writer) {
			fmt.Fprintf(w, "Wrote %s: %s. It was read back and is whole.\n", visible(report.File), report)
		})
	})
}

type restoreCommand struct {
	File string `arg:"" help:"Backup to bring back."`
}

// local: it needs the store for itself, so no server can run it.
func (c *restoreCommand) local() {}

// Run implements the command.
func (c *restoreCommand) Run(r *run) error {
	use, err := alone(r.data, "a restore")
	if err != nil {
		return err
	}
	defer use.release()
	idle := r.busy("restore")
	done, err := backup.Restore(r.ctx, r.data, r.path(c.File), r.Clock)
	idle()
	if err != nil {
		return err
	}
	return r.show(done, func(w io.Writer) {
		fmt.Fprintf(w, "Brought back %s: %s.\n", visible(done.File), done.Report)
		if done.Aside != "" {
			fmt.Fprintf(w, "What stood there is kept as %s.\n", visible(done.Aside))
		}
	})
}

type verifyCommand struct {
	File string `arg:"" optional:"" help:"Backup to check; without, the store of the data directory."`
}

// Run implements the command.
func (c *verifyCommand) Run(r *run) error {
	check := func() (report backup.Report, err error) {
		if c.File != "" {
			return backup.Verify(r.ctx, r.path(c.File), r.Clock)
		}
		err = r.withExisting(func(st *stores) error {
			report, err = backup.Check(r.ctx, st.db)
			return err
		})
		return report, err
	}
	done := r.busy("verify")
	report, err := check()
	done()
	if err != nil {
		return err
	}
	err = r.show(report, func(w io.Writer) {
		if len(report.Faults) == 0 {
			fmt.Fprintf(w, "%s is whole: %s.\n", visible(report.File), report)
			return
		}
		fmt.Fprintf(w, "%s is not whole:\n", visible(report.File))
		for _, f := range report.Faults {
			fmt.Fprintf(w, "  %s\n", visible(f))
		}
		fmt.Fprintln(w, "Bring a backup back with `elowen admin restore FILE`; the daily ones are in the data directory under backups.")
	})
	if err == nil && len(report.Faults) > 0 {
		return exitError(exitFailed)
	}
	return err
}

type vacuumCommand struct{}

// local: it needs the store for itself, so no server can run it.
func (c *vacuumCommand) local() {}

// Run implements the command.
func (c *vacuumCommand) Run(r *run) error {
	use, err := alone(r.data, "compacting")
	if err != nil {
		return err
	}
	defer use.release()
	done := r.busy("vacuum")
	before, after, err := backup.Vacuum(r.ctx, r.data, r.Clock)
	done()
	if err != nil {
		return err
	}
	return r.show(map[string]int64{"before": before, "after": after}, func(w io.Writer) {
		fmt.Fprintf(w, "%s before, %s after.\n", doctor.Size(before), doctor.Size(after))
	})
}
