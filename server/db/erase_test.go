package db_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// A decision that erases waits for readers; nobody else waits for it.
func TestErasingHoldsUpNobody(t *testing.T) {
	d := dbtest.Open(t, nil)
	if err := d.Update(ctx, setMeta("secret", "x")); err != nil {
		t.Fatal(err)
	}
	reading, release, read := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		read <- d.View(ctx, func(tx *db.Tx) error {
			if _, err := tx.Meta("secret"); err != nil { // takes the snapshot
				return err
			}
			close(reading)
			<-release
			return nil
		})
	}()
	<-reading
	erasing := make(chan error, 1)
	go func() {
		erasing <- d.Update(ctx, func(tx *db.Tx) error { tx.Erase(); return tx.SetMeta("secret", "") })
	}()
	// Others' writes go through while it waits. Each is one that would come after it.
	c, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for range 50 {
		if err := d.Update(c, setMeta("other", "1")); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-erasing:
		t.Fatalf("answered while a reader held the log: %v", err)
	default:
	}
	close(release)
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	if err := <-erasing; err != nil {
		t.Fatal(err)
	}
}

func TestNoMigrate(t *testing.T) {
	dir := t.TempDir()
	if d, err := db.Open(ctx, db.Config{Dir: dir, NoMigrate: true}); err == nil {
		d.Close()
		t.Error("an empty directory was taken for a database")
	}
	d, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	d, err = db.Open(ctx, db.Config{Dir: dir, NoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// A program that was killed between a purge's commit and the emptying of the log
// leaves the text in the log; the next one to open the store removes it.
func TestOpeningEmptiesALeftLog(t *testing.T) {
	dir := t.TempDir()
	d, err := db.Open(ctx, db.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "KEEP-NO-TRACE-OF-THIS"
	for _, v := range []string{secret, "x"} {
		if err := d.Update(ctx, setMeta("secret", v)); err != nil {
			t.Fatal(err)
		}
	}
	// What a kill leaves: the files as they are now, copied while the store is open.
	left := t.TempDir()
	for _, name := range []string{db.FileName, db.FileName + "-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(left, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.Close()
	holds := func() bool {
		for _, name := range []string{db.FileName, db.FileName + "-wal"} {
			if b, _ := os.ReadFile(filepath.Join(left, name)); bytes.Contains(b, []byte(secret)) {
				return true
			}
		}
		return false
	}
	if !holds() {
		t.Fatal("the log doesn't hold the text: this tests nothing")
	}
	d, err = db.Open(ctx, db.Config{Dir: left})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for deadline := time.Now().Add(20 * time.Second); holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the text is still there")
		}
	}
	if meta(t, d, "secret") != "x" {
		t.Error("the row is lost")
	}
}
