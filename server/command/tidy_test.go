package command

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What killed programs left behind goes when a server starts, and nothing else:
// not what looks alike, and nothing while somebody else has the store open.
func TestServeRemovesWhatWasLeftBehind(t *testing.T) {
	dir := t.TempDir()
	backups := filepath.Join(dir, backupsDir)
	work := filepath.Join(dir, ".elowen-restore-17")
	for _, d := range []string{backups, work} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	left := []string{
		filepath.Join(dir, ".elowen-import-1.part"), filepath.Join(dir, ".elowen-export-2.part"), filepath.Join(dir, ".elowen-backup-3.part"),
		filepath.Join(dir, ".elowen-doctor-4"), filepath.Join(backups, ".elowen-backup-5.part"), filepath.Join(work, "elowen.sqlite"),
	}
	kept := []string{
		filepath.Join(dir, ".elowen-notes"), filepath.Join(dir, "elowen-import-1.part"), filepath.Join(dir, "export.jsonl"),
		filepath.Join(backups, "elowen-2026-01-01.sqlite"), filepath.Join(dir, ".elowen-import-1.partial"),
	}
	for _, file := range slices.Concat(left, kept) {
		if err := os.WriteFile(file, []byte("somebody's memories"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	use, err := acquire(dir, useLock, false) // another program works here
	if err != nil {
		t.Fatal(err)
	}
	_, stop := serve(t, dir)
	for _, file := range left {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("while somebody else may need it: %v", err)
		}
	}
	stop()
	use.release()
	_, stop = serve(t, dir)
	stop()
	for _, file := range append(left, work) {
		if _, err := os.Lstat(file); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", file, err)
		}
	}
	for _, file := range kept {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
