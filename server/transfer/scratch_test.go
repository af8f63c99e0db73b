package transfer_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/db/dbtest"
	"elowen/server/transfer"
)

func TestScratchHasNoName(t *testing.T) {
	dir := t.TempDir()
	for what, make := range map[string]func(string) (*transfer.Scratch, error){"import": transfer.ImportScratch, "export": transfer.ExportScratch} {
		s, err := make(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(s, "somebody's memories"); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v %v", what, left, err)
		}
		// A system that keeps the name has one that can be found again.
		found := false
		for _, pattern := range transfer.ScratchNames() {
			ok, err := filepath.Match(pattern, filepath.Base(s.Name()))
			found = found || ok && err == nil
		}
		if !found {
			t.Errorf("nobody would find %s", s.Name())
		}
		if _, err := s.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(s); err != nil || string(text) != "somebody's memories" {
			t.Errorf("%s: %q %v", what, text, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := transfer.ImportScratch(filepath.Join(dir, "absent")); err == nil {
		t.Error("a file in a folder that isn't there")
	}
}

// What was staged by the caller is read where it is.
func TestScratchIsNotStagedAgain(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	s, err := transfer.ImportScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.Copy(s, strings.NewReader(`{"type":"memory","body":"Once."}`)); err != nil {
		t.Fatal(err)
	}
	o := byImport
	o.TempDir = filepath.Join(t.TempDir(), "absent")
	for range 2 { // it stays open, and where it stood doesn't count
		r, err := h.Import(context.Background(), anna, s, o)
		if err != nil || r.Lines != 1 {
			t.Fatalf("%+v %v", r, err)
		}
	}
}
