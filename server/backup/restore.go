package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Restored is what Restore did.
type Restored struct {
	Report
	Aside string // where the store that stood there is now; empty where there was none
}

// Restore makes a backup the store of the data directory dir. Nobody may have
// that store open. A backup that doesn't pass its check changes nothing. The
// store that stands there is kept beside it under a name with the time.
//
// At no instant is there no store at all where there was one: the old file keeps
// its name until the new one takes it in one step.
func Restore(ctx context.Context, dir, file string, clock db.Clock) (Restored, error) {
	var out Restored
	r, err := Verify(ctx, file, clock)
	if err != nil {
		return out, unfit(file, err)
	}
	if out.Report = r; len(r.Faults) > 0 {
		return out, fault.Newf(fault.Corrupt, "%s did not pass its check, so nothing was changed: %s.", file, r.Faults[0])
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return out, restoring(err)
	}
	// Made ready in a folder of its own: migrated, with its new epoch, its log empty.
	work, err := os.MkdirTemp(dir, workName)
	if err != nil {
		return out, restoring(err)
	}
	defer os.RemoveAll(work)
	fresh := filepath.Join(work, db.FileName)
	for _, part := range []string{"", "-wal"} { // a copy made by hand may have its log beside it
		if part != "" && !exists(file+part) {
			continue
		}
		if err := copyFile(file+part, fresh+part); err != nil {
			return out, restoring(err)
		}
	}
	d, err := db.Open(ctx, db.Config{Dir: work, NoCreate: true, Clock: clock})
	if err != nil {
		return out, unfit(file, err)
	}
	err = d.Update(ctx, func(tx *db.Tx) error { return tx.NewEpoch() })
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return out, unfit(file, err)
	}
	if _, err := os.Stat(fresh + "-wal"); err == nil {
		return out, fault.New(fault.Internal, "") // it would be left behind
	}
	if err := syncFile(fresh); err != nil {
		return out, restoring(err)
	}
	store := filepath.Join(dir, db.FileName)
	if out.Aside, err = setAside(store, clock); err != nil {
		return out, restoring(err)
	}
	if err := os.Rename(fresh, store); err != nil {
		return out, restoring(err)
	}
	return out, restoring(syncDir(dir))
}

// unfit says of a damaged backup that it is one. The store's own words advise to do what
// is being done.
func unfit(file string, err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Corrupt || f.Detail != db.Damaged {
		return err
	}
	return fault.Wrap(fault.Corrupt, err, file+" is damaged, so nothing was changed. Take an older backup.")
}

// setAside gives the store and its log a second name, and then takes the log
// away from beside the first: the log of one file must never meet another.
func setAside(store string, clock db.Clock) (string, error) {
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		// A log alone holds nothing that could be read, but is not ours to mix in.
		if _, err := os.Stat(store + "-wal"); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
	}
	stamp := time.UnixMilli(clock()).UTC().Format("20060102-150405")
	aside := store + ".before-restore-" + stamp
	for n := 2; exists(aside); n++ {
		aside = fmt.Sprintf("%s.before-restore-%s-%d", store, stamp, n)
	}
	for _, part := range []string{"", "-wal"} {
		if !exists(store + part) {
			continue
		}
		if err := os.Link(store+part, aside+part); err != nil {
			if err := copyFile(store+part, aside+part); err != nil {
				return "", err
			}
		}
	}
	for _, part := range []string{"-wal", "-shm"} {
		if err := os.Remove(store + part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, syncDir(filepath.Dir(store))
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// copyFile copies into a new file that only its owner may read, and syncs it.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

func restoring(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, fmt.Sprintf("The backup cannot be brought back: %v", err))
}
