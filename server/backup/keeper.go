package backup

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"elowen/server/db"
	"elowen/server/retention"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Keeper looks after a server's folder of backups: the daily ones, and those that
// somebody asked for. It is safe for concurrent use.
type Keeper struct {
	db        *db.DB
	retention *retention.Store
	dir       string
	keep      int

	writing sync.Mutex // held while one is written
	mu      sync.Mutex
	running bool
	checked map[string]checked // what was found since, by name
}

// checked is what a later check of a backup found.
type checked struct {
	at      int64
	written int64 // when the file was written that was looked at
	faults  []string
}

// NewKeeper makes the keeper of the folder dir, which keeps that many daily
// backups. The day's comes with the sweep of r's schedule.
func NewKeeper(d *db.DB, r *retention.Store, dir string, keep int) *Keeper {
	return &Keeper{db: d, retention: r, dir: dir, keep: keep, checked: map[string]checked{}}
}

// Daily writes the day's backup, as the function of that name does.
func (k *Keeper) Daily(ctx context.Context) error {
	return k.alone(func() error { return Daily(ctx, k.db, k.dir, k.keep) })
}

// alone does the work that writes a backup while no other one does.
func (k *Keeper) alone(work func() error) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	k.set(true)
	defer k.set(false)
	return work()
}

func (k *Keeper) set(running bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = running
}

// askedLayout is in the name of a backup that somebody asked for: the second in
// which it was made. It is no day, so Daily leaves it alone.
const askedLayout = "2006-01-02-150405"

// Now writes a backup that stays until somebody removes it. While another one is
// being written it is fault.Taken.
func (k *Keeper) Now(ctx context.Context) (api.Backup, error) {
	if !k.writing.TryLock() {
		return api.Backup{}, fault.New(fault.Taken, "A backup is being written at this moment. Look again in a while.")
	}
	defer k.writing.Unlock()
	k.set(true)
	defer k.set(false)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return api.Backup{}, written(err)
	}
	now := time.UnixMilli(k.db.Now()).UTC()
	stem := dailyPrefix + now.Format(askedLayout)
	name := stem + dailySuffix
	for n := 2; exists(filepath.Join(k.dir, name)); n++ { // a second one of the same second
		name = stem + "-" + strconv.Itoa(n) + dailySuffix
	}
	file := filepath.Join(k.dir, name)
	if _, err := Write(ctx, k.db, file); err != nil {
		return api.Backup{}, err
	}
	if err := os.Chtimes(file, now, now); err != nil { // the store's clock is the one that people see
		return api.Backup{}, written(err)
	}
	return k.one(name)
}

// List lists the backups, newest first.
func (k *Keeper) List(ctx context.Context) (api.Backups, error) {
	out := api.Backups{Items: []api.Backup{}, AsOf: api.Time(k.db.Now()), Directory: k.dir, Kept: k.keep}
	at, ok, err := k.retention.NextSweep(ctx)
	if err != nil {
		return out, err
	}
	if ok {
		out.NextAt = api.Ptr(api.Time(at))
	}
	k.mu.Lock()
	out.Running = k.running
	k.mu.Unlock()
	entries, err := os.ReadDir(k.dir)
	if err != nil && !os.IsNotExist(err) {
		return out, fault.Wrap(fault.Unavailable, err, "The folder of backups cannot be read: "+err.Error())
	}
	for _, e := range entries {
		if b, err := k.one(e.Name()); err == nil {
			out.Items = append(out.Items, b)
		}
	}
	slices.SortFunc(out.Items, func(a, b api.Backup) int {
		if a.WrittenAt != b.WrittenAt {
			return int(min(max(b.WrittenAt-a.WrittenAt, -1), 1))
		}
		return strings.Compare(b.Name, a.Name)
	})
	out.Total = len(out.Items)
	return out, nil
}

var errNoBackup = fault.New(fault.NotFound, "There is no such backup.")

// kindOf tells whether a name is one that a backup has, and which kind.
func kindOf(name string) (daily, ok bool) {
	stem, ok1 := strings.CutPrefix(name, dailyPrefix)
	stem, ok2 := strings.CutSuffix(stem, dailySuffix)
	if !ok1 || !ok2 {
		return false, false
	}
	if _, err := time.Parse(dailyLayout, stem); err == nil {
		return true, true
	}
	if len(stem) > len(askedLayout) {
		n, err := strconv.Atoi(strings.TrimPrefix(stem[len(askedLayout):], "-"))
		if err != nil || n < 2 || stem[len(askedLayout):] != "-"+strconv.Itoa(n) {
			return false, false
		}
		stem = stem[:len(askedLayout)]
	}
	_, err := time.Parse(askedLayout, stem)
	return false, err == nil
}

// one is the backup of a name; what is none of ours is fault.NotFound.
func (k *Keeper) one(name string) (api.Backup, error) {
	daily, ok := kindOf(name)
	if !ok {
		return api.Backup{}, errNoBackup
	}
	info, err := os.Lstat(filepath.Join(k.dir, name))
	if err != nil || !info.Mode().IsRegular() {
		return api.Backup{}, errNoBackup
	}
	at := info.ModTime().UnixMilli()
	b := api.Backup{Name: name, Size: info.Size(), Daily: daily, WrittenAt: api.Time(at), CheckedAt: api.Time(at), Faults: []string{}}
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok := k.checked[name]; ok && c.written == at {
		b.CheckedAt, b.Faults = api.Time(c.at), c.faults
	}
	return b, nil
}

// Check reads a backup back and answers it with what was found. Errors: NotFound.
func (k *Keeper) Check(ctx context.Context, name string) (api.Backup, error) {
	b, err := k.one(name)
	if err != nil {
		return b, err
	}
	r, err := Verify(ctx, filepath.Join(k.dir, name), k.db.Now)
	switch {
	case ctx.Err() != nil:
		return b, fault.Wrap(fault.Cancelled, ctx.Err(), "The check was cancelled.")
	case err != nil: // it can't even be opened, which is what was to be found out
		r.Faults = []string{fault.ProblemOf(err).Detail}
	}
	k.mu.Lock()
	k.checked[name] = checked{k.db.Now(), int64(b.WrittenAt), r.Faults}
	k.mu.Unlock()
	return k.one(name)
}

// Open opens a backup to be read. Errors: NotFound, Unavailable.
func (k *Keeper) Open(name string) (*os.File, api.Backup, error) {
	b, err := k.one(name)
	if err != nil {
		return nil, b, err
	}
	f, err := os.Open(filepath.Join(k.dir, name))
	if err != nil {
		return nil, b, fault.Wrap(fault.Unavailable, err, "The backup cannot be read.")
	}
	return f, b, nil
}

// Remove removes a backup for good. Errors: NotFound, Unavailable.
func (k *Keeper) Remove(name string) error {
	if _, err := k.one(name); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(k.dir, name)); err != nil {
		return fault.Wrap(fault.Unavailable, err, "The backup cannot be removed: "+err.Error())
	}
	k.mu.Lock()
	delete(k.checked, name)
	k.mu.Unlock()
	return nil
}
