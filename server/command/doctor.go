package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"elowen/server/db"
	"elowen/server/doctor"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type doctorCommand struct{}

// local: it looks at the directory as a stranger would, server or no server.
func (c *doctorCommand) local() {}

// examine opens the store without making or migrating one: whatever the file is, it
// stays that. A sharer of the store's lock keeps a restore from replacing it between
// two checks.
func (r *run) examine() (p doctor.Patient, done func()) {
	p = doctor.Patient{Dir: r.data, Backups: filepath.Join(r.data, backupsDir), Version: version, Clock: r.Clock, Server: r.checkServer, Recall: r.checkRecall}
	if _, err := os.Lstat(filepath.Join(r.data, db.FileName)); errors.Is(err, fs.ErrNotExist) {
		p.Err = fault.New(fault.NotFound, "There is no database yet.")
		return p, func() {}
	}
	var use *lock
	if use, p.Err = share(r.ctx, r.data); p.Err == nil {
		p.Err = emptied(r.data)
	}
	if p.Err == nil {
		p.DB, p.Err = db.Open(r.ctx, db.Config{Dir: r.data, Clock: r.Clock, NoCreate: true, NoMigrate: true})
	}
	if p.Err == nil {
		st := put(p.DB, r.System, r.data, discard)
		p.Accounts, p.Retention, p.Embedding = st.accounts, st.retention, st.checkEmbedding
	}
	return p, func() {
		if p.DB != nil {
			p.DB.Close()
		}
		use.release()
	}
}

// Run implements the command.
func (c *doctorCommand) Run(r *run) error {
	p, done := r.examine()
	defer done()
	found := doctor.Examine(r.ctx, p)
	err := r.show(found, func(w io.Writer) {
		for _, f := range found.Checks {
			fmt.Fprintf(w, "%-8s %s: %s\n", f.State, f.Check, visible(f.Text))
			if f.Mend != "" {
				fmt.Fprintf(w, "         %s\n", visible(f.Mend))
			}
		}
	})
	if err == nil && !found.OK {
		return exitError(exitFailed)
	}
	return err
}

func (r *run) checkServer() api.Finding {
	runs, err := serverRuns(r.data)
	if err != nil {
		return doctor.Failed(fault.ProblemOf(err).Detail, "")
	}
	if !runs {
		return doctor.Fine("not running; admin commands open the data directory themselves")
	}
	conn, still, err := r.dial()
	if err == nil && !still {
		return doctor.Fine("it ends at this moment")
	}
	if err != nil {
		return doctor.Failed("it runs"+holder(r.data, serverLock)+", but its socket doesn't answer", "Restart it.")
	}
	conn.Close()
	return doctor.Fine("running%s", holder(r.data, serverLock))
}

// patient is the server's own store, for those who look after it from the app.
func (r *run) patient(st *stores) doctor.Patient {
	return doctor.Patient{
		Dir: r.data, Backups: filepath.Join(r.data, backupsDir), Version: version, Clock: r.Clock, DB: st.db,
		Accounts: st.accounts, Retention: st.retention, Embedding: st.checkEmbedding, Recall: r.checkRecall,
		Server: func() api.Finding { return doctor.Fine("running%s; it answers this", holder(r.data, serverLock)) },
	}
}
