package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"elowen/server/db"
	"elowen/server/late"
	"elowen/server/transcript"
	"elowen/shared/fault"
)

// Write makes a verified backup of the store in a new file. A file of that name
// is refused as fault.Taken.
func Write(ctx context.Context, d *db.DB, file string) (Report, error) {
	if _, err := os.Lstat(file); err == nil {
		return Report{}, fault.Newf(fault.Taken, "%s is there already. Name another file, or move it away.", file)
	}
	temp, r, err := verifiedCopy(ctx, d, filepath.Dir(file))
	if err != nil {
		return r, err
	}
	defer os.Remove(temp)
	// Link, unlike rename, refuses to take the place of a file made meanwhile.
	err = os.Link(temp, file)
	if errors.Is(err, fs.ErrExist) {
		return r, fault.Newf(fault.Taken, "%s is there already. Name another file, or move it away.", file)
	}
	if err != nil { // a file system without links
		err = os.Rename(temp, file)
	}
	if err == nil {
		err = syncDir(filepath.Dir(file))
	}
	r.File = file
	return r, written(err)
}

// The patterns of what is made ready before it gets its name.
const (
	partName = ".elowen-backup-*.part"
	workName = ".elowen-restore-*"
)

// WorkNames are patterns of the names of what a backup or a restore that was
// killed left behind, for whoever tidies up: whole copies of the store.
func WorkNames() []string { return []string{partName, workName} }

// verifiedCopy leaves a synced and verified copy of the store under a temporary
// name in dir.
func verifiedCopy(ctx context.Context, d *db.DB, dir string) (temp string, r Report, err error) {
	f, err := os.CreateTemp(dir, partName)
	if err != nil {
		return "", r, written(err)
	}
	temp = f.Name()
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // by then temp says nothing any more
		}
	}()
	f.Close() // it stays empty and ours alone (0600); the copy is written into it
	if err = d.CopyTo(ctx, temp, slices.Concat(late.Tables(), transcript.Derived())...); err != nil {
		return "", r, err
	}
	if err = syncFile(temp); err != nil {
		return "", r, written(err)
	}
	if r, err = Verify(ctx, temp, d.Now); err != nil {
		return "", r, err
	}
	if len(r.Faults) > 0 {
		err = fault.Newf(fault.Corrupt, "The copy did not pass its check, so it was not kept: %s. Check the store with `elowen admin verify`.", r.Faults[0])
		return "", r, err
	}
	return temp, r, nil
}

// The names of daily backups.
const (
	dailyPrefix = "elowen-"
	dailySuffix = ".sqlite"
	dailyLayout = "2006-01-02"
)

// dailyAge is how old the newest daily backup must be before the next: less than
// a day, since a server may start a little earlier each day.
const dailyAge = 20 * time.Hour

// Daily writes the day's backup into dir, unless the last one is hardly older than
// a restart, and drops all but the newest keep of them.
func Daily(ctx context.Context, d *db.DB, dir string, keep int) error {
	now := time.UnixMilli(d.Now()).UTC()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return written(err)
	}
	have, err := List(dir)
	if err != nil {
		return err
	}
	if n := len(have); n > 0 {
		if age := now.Sub(have[n-1].Time); age >= 0 && age < dailyAge {
			return nil
		}
	}
	temp, _, err := verifiedCopy(ctx, d, dir)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, dailyPrefix+now.Format(dailyLayout)+dailySuffix)
	if err := os.Chtimes(temp, now, now); err != nil {
		os.Remove(temp)
		return written(err)
	}
	if err := os.Rename(temp, file); err != nil {
		os.Remove(temp)
		return written(err)
	}
	if have, err = List(dir); err != nil {
		return err
	}
	for len(have) > max(keep, 1) {
		if err := os.Remove(have[0].File); err != nil {
			return written(err)
		}
		have = have[1:]
	}
	return written(syncDir(dir))
}

// Kept is a daily backup.
type Kept struct {
	File string
	Time time.Time // when it was written
	Size int64
}

// List lists the daily backups in dir by day, oldest first. A dir that isn't
// there holds none.
func List(dir string) ([]Kept, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(fault.Unavailable, err, "The folder of backups cannot be read: "+err.Error())
	}
	list := []Kept{}
	for _, e := range entries {
		day, ok := strings.CutPrefix(e.Name(), dailyPrefix)
		day, ok2 := strings.CutSuffix(day, dailySuffix)
		if _, err := time.Parse(dailyLayout, day); !ok || !ok2 || err != nil {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		list = append(list, Kept{filepath.Join(dir, e.Name()), info.ModTime(), info.Size()})
	}
	slices.SortFunc(list, func(a, b Kept) int { return strings.Compare(a.File, b.File) })
	return list, nil
}

func syncFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func written(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, fmt.Sprintf("The backup cannot be written: %v", err))
}
