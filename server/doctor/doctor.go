// Package doctor looks at a data directory and says what it finds: whether the
// program, the place, the store and its backups are as they should be, how to mend
// what isn't, and what takes up room.
//
// Concepts. A check looks at one thing and answers an api.Finding: well, worth a
// word, or failed, in words for a person and with the way to mend it. A Patient is
// what the checks look at. The command looks as a stranger would, with a store that
// it opened for that alone or could not open; a server lets those who look after it
// see the same from inside.
//
// Invariants. Nothing is mended, made or migrated by looking: the only thing that a
// check writes is an empty file that it takes away again. A finding tells nothing of
// what is in a memory.
//
// What it doesn't do: it has no tables, opens no store, and knows nothing of flags,
// locks or HTTP. Whether a server runs is for the caller to say.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"elowen/assets"
	"elowen/server/account"
	"elowen/server/backup"
	"elowen/server/db"
	"elowen/server/retention"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Patient is what the checks look at.
type Patient struct {
	Dir     string // the data directory
	Backups string // the folder of backups
	Version string // of the program
	Clock   db.Clock

	// DB is the open store; Err says why there is none: fault.NotFound where there is
	// no file, anything else where it could not be opened. The nouns are those over DB.
	DB        *db.DB
	Err       error
	Accounts  *account.Store
	Retention *retention.Store

	// Server is the finding about the server of the directory.
	Server func() api.Finding
	// Recall is the finding about what this build can recall by; nil leaves it out.
	Recall func() api.Finding
	// Embedding is the finding about the embedding model and its index; nil leaves it out.
	Embedding func(ctx context.Context) api.Finding
}

// Examine runs every check, in the order in which they are shown.
func Examine(ctx context.Context, p Patient) api.Doctor {
	out := api.Doctor{Checks: []api.Finding{}, OK: true}
	for _, check := range []struct {
		name string
		run  func(context.Context, *Patient) api.Finding
	}{
		{"program", program}, {"data directory", directory}, {"file system", fileSystem}, {"room", room},
		{"server", server}, {"database", database}, {"accounts", accounts}, {"retention", sweeps}, {"recall", recalls}, {"embedding", embedding}, {"backups", backups},
	} {
		f := check.run(ctx, &p)
		f.Check = check.name
		out.OK = out.OK && f.State != api.StateFailed
		out.Checks = append(out.Checks, f)
	}
	return out
}

func recalls(_ context.Context, p *Patient) api.Finding {
	if p.Recall == nil {
		return Fine("not looked at")
	}
	return p.Recall()
}

func embedding(ctx context.Context, p *Patient) api.Finding {
	if f, unseen := p.unseen("no database yet"); unseen {
		return f
	}
	if p.Embedding == nil {
		return Fine("not looked at")
	}
	return p.Embedding(ctx)
}

// Fine is a finding that all is well.
func Fine(text string, args ...any) api.Finding {
	return api.Finding{State: api.StateOK, Text: fmt.Sprintf(text, args...)}
}

// Warn is a finding that is worth a word.
func Warn(text, mend string) api.Finding {
	return api.Finding{State: api.StateWarning, Text: text, Mend: mend}
}

// Failed is a finding that something doesn't work.
func Failed(text, mend string) api.Finding {
	return api.Finding{State: api.StateFailed, Text: text, Mend: mend}
}

// unseen is the finding on a part of a store that isn't open, and whether it isn't.
func (p *Patient) unseen(none string) (api.Finding, bool) {
	switch {
	case p.Err == nil:
		return api.Finding{}, false
	case fault.Is(p.Err, fault.NotFound):
		return Fine("%s", none), true
	}
	return Warn("not looked at", "See what is said of the database."), true
}

func program(_ context.Context, p *Patient) api.Finding {
	what := fmt.Sprintf("elowen %s, %s/%s, %s", p.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if _, err := assets.Program(); err != nil {
		return Warn(what+"; built without the browser program, so the app shows its frame only", "Build with ./build.sh server.")
	}
	return Fine("%s", what)
}

// WorkName is the pattern of the file by which directory tries to write, for whoever
// tidies up after a program that was killed.
const WorkName = ".elowen-doctor-*"

func directory(_ context.Context, p *Patient) api.Finding {
	info, err := os.Stat(p.Dir)
	switch {
	case os.IsNotExist(err):
		return Fine("%s is not there yet; the first command makes it", p.Dir)
	case err != nil:
		return Failed(fmt.Sprintf("%s cannot be looked at: %v", p.Dir, err), "Name another one with --data, or mend its permissions.")
	case !info.IsDir():
		return Failed(p.Dir+" is not a directory", "Name another one with --data.")
	}
	f, err := os.CreateTemp(p.Dir, WorkName)
	if err != nil {
		return Failed(fmt.Sprintf("%s cannot be written: %v", p.Dir, err), "Run as the user who owns it, or mend its permissions.")
	}
	f.Close()
	os.Remove(f.Name())
	if info.Mode().Perm()&0o077 != 0 {
		return Warn(fmt.Sprintf("%s can be entered by others (%v)", p.Dir, info.Mode().Perm()), "chmod 700 "+p.Dir)
	}
	if file, err := os.Stat(filepath.Join(p.Dir, db.FileName)); err == nil && file.Mode().Perm()&0o077 != 0 {
		return Warn(fmt.Sprintf("the database can be read by others (%v)", file.Mode().Perm()), "chmod 600 "+filepath.Join(p.Dir, db.FileName))
	}
	return Fine("%s", p.Dir)
}

func fileSystem(_ context.Context, p *Patient) api.Finding {
	if name, remote := NetworkFileSystem(p.Dir); remote {
		return Warn("the data directory is on "+name+", a network file system: locks and the write-ahead log may fail there", "Move the data directory to a local disk.")
	}
	return Fine("local")
}

// roomLeast is how little free room is worth a word.
const roomLeast = 512 << 20

func room(_ context.Context, p *Patient) api.Finding {
	free, ok := FreeBytes(p.Dir)
	if !ok {
		return Fine("not known here")
	}
	if free < roomLeast {
		return Warn(Size(free)+" free", "Make room: the daily backups need it too.")
	}
	return Fine("%s free", Size(free))
}

func server(_ context.Context, p *Patient) api.Finding { return p.Server() }

func database(ctx context.Context, p *Patient) api.Finding {
	if f, unseen := p.unseen("none yet"); unseen {
		switch {
		case fault.Is(p.Err, fault.NotFound):
			return f
		case errors.Is(p.Err, db.ErrOldSchema):
			return Warn(fault.ProblemOf(p.Err).Detail, "")
		}
		return Failed(fault.ProblemOf(p.Err).Detail, "")
	}
	var found []string
	schema := 0
	err := p.DB.View(ctx, func(tx *db.Tx) (err error) {
		if schema, err = tx.Schema(); err != nil {
			return err
		}
		found, err = tx.Integrity(true)
		return err
	})
	if err != nil {
		return Failed(fault.ProblemOf(err).Detail, "")
	}
	if len(found) > 0 {
		return Failed("damaged: "+found[0], "Stop the server and bring a backup back: elowen admin restore FILE.")
	}
	return Fine("whole, schema %d. To look at every row: elowen admin verify", schema)
}

func accounts(ctx context.Context, p *Patient) api.Finding {
	if f, unseen := p.unseen("none yet"); unseen {
		return f
	}
	people, err := p.Accounts.People(ctx)
	if err != nil {
		return Failed(fault.ProblemOf(err).Detail, "")
	}
	admins, locked := 0, ""
	for _, who := range people {
		switch {
		case who.Disabled:
		case who.Locked:
			locked = who.Name
		case who.Role == api.RoleAdmin:
			admins++
		}
	}
	switch {
	case len(people) == 0:
		return Fine("none yet; `elowen serve` prints the link that makes the first")
	case admins == 0 && locked != "":
		return Warn("no administrator can sign in", "Set a password: elowen admin user passwd "+locked)
	case admins == 0:
		return Warn("no administrator can sign in", "Make one: elowen admin user add NAME --admin")
	}
	return Fine("%d; administrators who can sign in: %d", len(people), admins)
}

func sweeps(ctx context.Context, p *Patient) api.Finding {
	if f, unseen := p.unseen("nothing to sweep yet"); unseen {
		return f
	}
	stored, err := p.Retention.Current(ctx)
	if err != nil {
		return Failed(fault.ProblemOf(err).Detail, "")
	}
	if !stored.Policy.Enabled {
		return Warn("automatic removal is paused", "Resume it with `elowen admin retention set --enabled`, if that is not what you want.")
	}
	at, ok, err := p.Retention.NextSweep(ctx)
	if err != nil {
		return Failed(fault.ProblemOf(err).Detail, "")
	}
	next := time.UnixMilli(at).UTC().Format("2006-01-02 15:04 UTC")
	switch late := p.Clock() - at; {
	case !ok:
		return Fine("on; the first server sets the next sweep")
	case late > time.Hour.Milliseconds():
		return Warn("the sweep of "+next+" is overdue", "It runs when the server does: elowen serve.")
	}
	return Fine("on; next sweep %s", next)
}

// backupsOld is how old the newest daily backup may be while a server runs.
const backupsOld = 48 * time.Hour

func backups(ctx context.Context, p *Patient) api.Finding {
	list, err := backup.List(p.Backups)
	if err != nil {
		return Failed(fault.ProblemOf(err).Detail, "")
	}
	if len(list) == 0 {
		if _, err := os.Stat(filepath.Join(p.Dir, db.FileName)); err != nil {
			return Fine("nothing to back up yet")
		}
		return Warn("there is none yet", "The server writes one a day; or now: elowen admin backup FILE.")
	}
	last := list[len(list)-1]
	age := time.UnixMilli(p.Clock()).Sub(last.Time)
	r, err := backup.Verify(ctx, last.File, p.Clock)
	switch {
	case err != nil:
		return Failed("the newest, "+last.File+", cannot be used: "+fault.ProblemOf(err).Detail, "Write one now: elowen admin backup FILE.")
	case len(r.Faults) > 0:
		return Failed("the newest, "+last.File+", is not whole: "+r.Faults[0], "Write one now: elowen admin backup FILE.")
	}
	if age > backupsOld {
		return Warn(fmt.Sprintf("the newest of %d is %d hours old", len(list), int(age.Hours())), "The server writes one a day while it runs.")
	}
	return Fine("%d of %d, the newest verified", len(list), setting.Int("backup.kept"))
}
