package db_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"elowen/server/db"
	"elowen/shared/fault"
)

// hold keeps everybody else out of the database of a directory, as a program does that
// makes the file ready for a log, until the function it answers is called.
func hold(t *testing.T, dir string, how ...string) (release func()) {
	t.Helper()
	other, err := driver.Open("file:" + filepath.Join(dir, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	c, err := other.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range how {
		if _, err := c.ExecContext(ctx, s); err != nil {
			t.Fatal(s, err)
		}
	}
	return func() {
		if _, err := c.ExecContext(ctx, "ROLLBACK"); err != nil {
			t.Error(err)
		}
		c.Close()
		other.Close()
	}
}

var writing = []string{"BEGIN EXCLUSIVE", "CREATE TABLE passing (a)"}

// Whoever opens a file that another program has to itself for a moment waits for it.
func TestOpenWaitsForAnotherProgram(t *testing.T) {
	for name, how := range map[string][]string{
		"fresh, being written": append([]string{"PRAGMA journal_mode = delete"}, writing...),
		"fresh, reserved":      {"PRAGMA application_id = 0x656c776e", "BEGIN IMMEDIATE"},
		"fresh, being read":    {"PRAGMA application_id = 0x656c776e", "BEGIN", "SELECT * FROM sqlite_schema"},
		"with a log":           append([]string{"PRAGMA locking_mode = exclusive"}, writing...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if name == "with a log" {
				d, err := db.Open(ctx, db.Config{Dir: dir})
				if err != nil {
					t.Fatal(err)
				}
				d.Close()
			}
			release := hold(t, dir, how...)
			begun := time.Now()
			time.AfterFunc(400*time.Millisecond, release)
			d, err := db.Open(ctx, db.Config{Dir: dir})
			if err != nil {
				t.Fatalf("after %v: %v", time.Since(begun), err)
			}
			defer d.Close()
			if waited := time.Since(begun); waited < 400*time.Millisecond {
				t.Errorf("it was open after %v", waited)
			}
		})
	}
}

// A wait ends with its context, and says so.
func TestOpenThatIsCancelledWhileItWaits(t *testing.T) {
	dir := t.TempDir()
	release := hold(t, dir, writing...)
	defer release()
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	d, err := db.Open(short, db.Config{Dir: dir})
	if err == nil {
		d.Close()
	}
	if waited := time.Since(begun); !fault.Is(err, fault.Cancelled) || waited > 5*time.Second {
		t.Errorf("after %v: %v", waited, err)
	}
}
