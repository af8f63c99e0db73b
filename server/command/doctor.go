package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"elowen/assets"
	"elowen/server/backup"
	"elowen/server/db"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

type doctorCommand struct{}

// local: it looks at the directory as a stranger would, server or no server.
func (c *doctorCommand) local() {}

// finding is one check's result.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, warning, failed
	Text  string `json:"text"`
	Mend  string `json:"mend"` // what to do; empty where nothing is to be done
}

// The states of a finding.
const (
	stateOK      = "ok"
	stateWarning = "warning"
	stateFailed  = "failed"
)

func fine(text string, args ...any) finding {
	return finding{State: stateOK, Text: fmt.Sprintf(text, args...)}
}

func warn(text, mend string) finding { return finding{State: stateWarning, Text: text, Mend: mend} }

func failed(text, mend string) finding { return finding{State: stateFailed, Text: text, Mend: mend} }

// examined is what the checks look at: the directory, and its store, opened once
// and as it is. A sharer of the store's lock keeps a restore from replacing it
// between two checks.
type examined struct {
	*run
	use *lock
	d   *db.DB
	err error // why the store isn't open; fault.NotFound where there is none
}

// examine opens the store without making or migrating one: whatever the file
// is, it stays that.
func (r *run) examine() *examined {
	x := &examined{run: r}
	if _, err := os.Lstat(filepath.Join(r.data, db.FileName)); errors.Is(err, fs.ErrNotExist) {
		x.err = fault.New(fault.NotFound, "There is no database yet.")
		return x
	}
	if x.use, x.err = share(r.ctx, r.data); x.err == nil {
		x.err = emptied(r.data)
	}
	if x.err == nil {
		x.d, x.err = db.Open(r.ctx, db.Config{Dir: r.data, Clock: r.Clock, NoCreate: true, NoMigrate: true})
	}
	return x
}

func (x *examined) close() {
	if x.d != nil {
		x.d.Close()
	}
	x.use.release()
}

// unseen is the finding on a part of a store that isn't open, and whether it isn't.
func (x *examined) unseen(none string) (finding, bool) {
	switch {
	case x.err == nil:
		return finding{}, false
	case fault.Is(x.err, fault.NotFound):
		return fine("%s", none), true
	}
	return warn("not looked at", "See what is said of the database."), true
}

// Run implements the command.
func (c *doctorCommand) Run(r *run) error {
	x := r.examine()
	defer x.close()
	var list []finding
	bad := 0
	for _, check := range []struct {
		name string
		run  func(*examined) finding
	}{
		{"program", checkProgram}, {"data directory", checkDirectory}, {"file system", checkFileSystem}, {"room", checkRoom},
		{"server", checkServer}, {"database", checkDatabase}, {"accounts", checkAccounts}, {"retention", checkRetention}, {"backups", checkBackups},
	} {
		f := check.run(x)
		f.Check = check.name
		if f.State == stateFailed {
			bad++
		}
		list = append(list, f)
	}
	err := r.show(map[string]any{"checks": list, "ok": bad == 0}, func(w io.Writer) {
		for _, f := range list {
			fmt.Fprintf(w, "%-8s %s: %s\n", f.State, f.Check, visible(f.Text))
			if f.Mend != "" {
				fmt.Fprintf(w, "         %s\n", visible(f.Mend))
			}
		}
	})
	if err == nil && bad > 0 {
		return exitError(exitFailed)
	}
	return err
}

func checkProgram(*examined) finding {
	what := fmt.Sprintf("elowen %s, %s/%s, %s", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if _, err := assets.Program(); err != nil {
		return warn(what+"; built without the browser program, so the app shows its frame only", "Build with ./build.sh server.")
	}
	return fine("%s", what)
}

// doctorName is the pattern of the file by which doctor tries to write.
const doctorName = ".elowen-doctor-*"

func checkDirectory(x *examined) finding {
	info, err := os.Stat(x.data)
	switch {
	case os.IsNotExist(err):
		return fine("%s is not there yet; the first command makes it", x.data)
	case err != nil:
		return failed(fmt.Sprintf("%s cannot be looked at: %v", x.data, err), "Name another one with --data, or mend its permissions.")
	case !info.IsDir():
		return failed(x.data+" is not a directory", "Name another one with --data.")
	}
	f, err := os.CreateTemp(x.data, doctorName)
	if err != nil {
		return failed(fmt.Sprintf("%s cannot be written: %v", x.data, err), "Run as the user who owns it, or mend its permissions.")
	}
	f.Close()
	os.Remove(f.Name())
	if info.Mode().Perm()&0o077 != 0 {
		return warn(fmt.Sprintf("%s can be entered by others (%v)", x.data, info.Mode().Perm()), "chmod 700 "+x.data)
	}
	if file, err := os.Stat(filepath.Join(x.data, db.FileName)); err == nil && file.Mode().Perm()&0o077 != 0 {
		return warn(fmt.Sprintf("the database can be read by others (%v)", file.Mode().Perm()), "chmod 600 "+filepath.Join(x.data, db.FileName))
	}
	return fine("%s", x.data)
}

func checkFileSystem(x *examined) finding {
	if name, remote := networkFileSystem(x.data); remote {
		return warn("the data directory is on "+name+", a network file system: locks and the write-ahead log may fail there", "Move the data directory to a local disk.")
	}
	return fine("local")
}

// roomLeast is how little free room is worth a word.
const roomLeast = 512 << 20

func checkRoom(x *examined) finding {
	free, ok := freeBytes(x.data)
	if !ok {
		return fine("not known here")
	}
	if free < roomLeast {
		return warn(size(free)+" free", "Make room: the daily backups need it too.")
	}
	return fine("%s free", size(free))
}

func checkServer(x *examined) finding {
	runs, err := serverRuns(x.data)
	if err != nil {
		return failed(fault.ProblemOf(err).Detail, "")
	}
	if !runs {
		return fine("not running; admin commands open the data directory themselves")
	}
	conn, still, err := x.dial()
	if err == nil && !still {
		return fine("it ends at this moment")
	}
	if err != nil {
		return failed("it runs"+holder(x.data, serverLock)+", but its socket doesn't answer", "Restart it.")
	}
	conn.Close()
	return fine("running%s", holder(x.data, serverLock))
}

func checkDatabase(x *examined) finding {
	if f, unseen := x.unseen("none yet"); unseen {
		switch {
		case fault.Is(x.err, fault.NotFound):
			return f
		case errors.Is(x.err, db.ErrOldSchema):
			return warn(fault.ProblemOf(x.err).Detail, "")
		}
		return failed(fault.ProblemOf(x.err).Detail, "")
	}
	var found []string
	schema := 0
	err := x.d.View(x.ctx, func(tx *db.Tx) (err error) {
		if schema, err = tx.Schema(); err != nil {
			return err
		}
		found, err = tx.Integrity(true)
		return err
	})
	if err != nil {
		return failed(fault.ProblemOf(err).Detail, "")
	}
	if len(found) > 0 {
		return failed("damaged: "+found[0], "Stop the server and bring a backup back: elowen admin restore FILE.")
	}
	return fine("whole, schema %d; `elowen admin verify` looks at every row", schema)
}

func checkAccounts(x *examined) finding {
	if f, unseen := x.unseen("none yet"); unseen {
		return f
	}
	people, err := put(x.d, x.System, discard).accounts.People(x.ctx)
	if err != nil {
		return failed(fault.ProblemOf(err).Detail, "")
	}
	admins, locked := 0, ""
	for _, p := range people {
		switch {
		case p.Disabled:
		case p.Locked:
			locked = p.Name
		case p.Role == "admin":
			admins++
		}
	}
	switch {
	case len(people) == 0:
		return fine("none yet; `elowen serve` prints the link that makes the first")
	case admins == 0 && locked != "":
		return warn("no administrator can sign in", "Set a password: elowen admin user passwd "+locked)
	case admins == 0:
		return warn("no administrator can sign in", "Make one: elowen admin user add NAME --admin")
	}
	return fine("%d, of them %d administrators who can sign in", len(people), admins)
}

func checkRetention(x *examined) finding {
	if f, unseen := x.unseen("nothing to sweep yet"); unseen {
		return f
	}
	st := put(x.d, x.System, discard)
	stored, err := st.retention.Current(x.ctx)
	if err != nil {
		return failed(fault.ProblemOf(err).Detail, "")
	}
	if !stored.Policy.Enabled {
		return warn("automatic removal is paused", "Resume it with `elowen admin retention set --enabled`, if that is not what you want.")
	}
	at, ok, err := st.retention.NextSweep(x.ctx)
	if err != nil {
		return failed(fault.ProblemOf(err).Detail, "")
	}
	next := time.UnixMilli(at).UTC().Format("2006-01-02 15:04 UTC")
	switch late := x.Clock() - at; {
	case !ok:
		return fine("on; the first server sets the next sweep")
	case late > time.Hour.Milliseconds():
		return warn("the sweep of "+next+" is overdue", "It runs when the server does: elowen serve.")
	}
	return fine("on; next sweep %s", next)
}

// backupsOld is how old the newest daily backup may be while a server runs.
const backupsOld = 48 * time.Hour

func checkBackups(x *examined) finding {
	dir := filepath.Join(x.data, backupsDir)
	list, err := backup.List(dir)
	if err != nil {
		return failed(fault.ProblemOf(err).Detail, "")
	}
	if len(list) == 0 {
		if _, err := os.Stat(filepath.Join(x.data, db.FileName)); err != nil {
			return fine("nothing to back up yet")
		}
		return warn("there is none yet", "The server writes one a day; or now: elowen admin backup FILE.")
	}
	last := list[len(list)-1]
	age := time.UnixMilli(x.Clock()).Sub(last.Time)
	if _, err := backup.Verify(x.ctx, last.File, x.Clock); err != nil {
		return failed("the newest, "+last.File+", cannot be used: "+fault.ProblemOf(err).Detail, "Write one now: elowen admin backup FILE.")
	}
	if age > backupsOld {
		return warn(fmt.Sprintf("the newest of %d is %d hours old", len(list), int(age.Hours())), "The server writes one a day while it runs.")
	}
	return fine("%d of %d, the newest verified", len(list), setting.Int("backup.kept"))
}
