package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"elowen/shared/fault"
)

// The lock files of a data directory. Locks belong to processes: what a killed
// one held is free at once.
const (
	serverLock = "elowen.lock"      // held by the server: there is one
	jobsLock   = "elowen-jobs.lock" // held by who runs maintenance jobs without a server
	useLock    = "elowen-use.lock"  // shared by whoever has the store open, alone by who replaces it
)

// errHeld says that another process holds the lock.
var errHeld = errors.New("held")

// lock is a held lock.
type lock struct{ f *os.File }

// acquire takes a lock of the directory at once or answers errHeld. Who holds it
// alone leaves its process id in the file, for people.
func acquire(dir, name string, alone bool) (*lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The data directory cannot be made: "+err.Error())
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The data directory cannot be written: "+err.Error())
	}
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	for {
		err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		f.Close()
		return nil, errHeld
	}
	if err != nil {
		f.Close()
		return nil, fault.Wrap(fault.Unavailable, err, "The data directory's file system cannot hold locks: "+err.Error()+". Move it to a local disk.")
	}
	if alone {
		if err := f.Truncate(0); err == nil {
			fmt.Fprintf(f, "%d\n", os.Getpid())
		}
	}
	return &lock{f}, nil
}

// release gives the lock back. The file stays: who removed it could take away
// one that somebody else has just locked.
func (l *lock) release() {
	if l != nil {
		l.f.Close()
	}
}

// holder is " (process N)" of who holds the lock alone, as far as it is known.
func holder(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// serverRuns tells whether a server owns the directory.
func serverRuns(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, serverLock)); err != nil {
		return false, nil
	}
	l, err := acquire(dir, serverLock, false)
	if errors.Is(err, errHeld) {
		return true, nil
	}
	l.release()
	return false, err
}

// alone takes the store for itself, for what replaces its file.
func alone(dir, what string) (*lock, error) {
	if runs, err := serverRuns(dir); err != nil || runs {
		if err != nil {
			return nil, err
		}
		return nil, fault.Newf(fault.Unavailable, "The server of %s runs%s. Stop it first: %s needs the store for itself. Nothing was changed.", dir, holder(dir, serverLock), what)
	}
	l, err := acquire(dir, useLock, true)
	if errors.Is(err, errHeld) {
		return nil, fault.Newf(fault.Unavailable, "Another elowen works on %s. Try again when it is done: %s needs the store for itself. Nothing was changed.", dir, what)
	}
	return l, err
}
