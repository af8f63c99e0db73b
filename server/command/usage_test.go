package command

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/shared/fault"
)

// What was not understood ends with 2, wherever that is found out, here or in a
// running server; what could not be done ends with 1. With --json either is a
// problem in JSON.
func TestExitCodes(t *testing.T) {
	for _, served := range []bool{false, true} {
		dir := t.TempDir()
		if served {
			serve(t, dir)
		}
		if s := sit(dir); s.Run(context.Background(), []string{"admin", "user", "add", "anna", "--locked", "--data", dir}) != exitDone {
			t.Fatal(s.err.String())
		}
		for _, c := range []struct {
			code int
			kind fault.Kind
			args string
		}{
			{exitUsage, fault.Invalid, "dance"},
			{exitUsage, fault.Invalid, "admin stats --nonsense"},
			{exitUsage, fault.Invalid, "admin token create"},
			{exitUsage, fault.Invalid, "admin token create --user anna --scopes foo"},
			{exitUsage, fault.Invalid, "admin token create --user anna --days -1"},
			{exitUsage, fault.Invalid, "admin token revoke one"},
			{exitUsage, fault.Invalid, "admin retention set"},
			{exitUsage, fault.Invalid, "admin retention set --floor 0"},
			{exitUsage, fault.Invalid, "admin retention set --limit 2.5"},
			{exitUsage, fault.Invalid, "admin retention set --half-life-days 11=3"},
			{exitUsage, fault.Invalid, "admin retention preview --floor 91"},
			{exitUsage, fault.Invalid, "admin user erase anna"},
			{exitUsage, fault.Invalid, "admin user add a/b --locked"},
			{exitUsage, fault.Invalid, "serve --addr nonsense"},
			{exitUsage, fault.Invalid, "serve --addr 127.0.0.1:nonsense"},
			{exitUsage, fault.Invalid, "serve --base-path /a%b"},
			{exitUsage, fault.Invalid, "admin stats --config nofile"},
			{exitUsage, fault.Invalid, "admin stats --data="},
			{exitFailed, fault.NotFound, "admin import nofile"},
			{exitFailed, fault.NotFound, "admin import nofile --from elowen"},
			{exitFailed, fault.NotFound, "admin stats --user nobody"},
			{exitFailed, fault.Taken, "admin user add anna --locked"},
		} {
			for _, inJSON := range []bool{false, true} {
				args := strings.Fields(c.args)
				if !strings.Contains(c.args, "--data") {
					args = append(args, "--data", dir)
				}
				if inJSON {
					args = append(args, "--json")
				}
				s := sit(dir)
				code := s.Run(context.Background(), args)
				if code != c.code || s.out.Len() != 0 {
					t.Errorf("%q, served %v: %d, want %d: %s%s", args, served, code, c.code, s.out.String(), s.err.String())
				}
				var p fault.Problem
				if err := json.Unmarshal(s.err.Bytes(), &p); inJSON && (err != nil || p.Code != c.kind.Code()) || !inJSON && err == nil {
					t.Errorf("%q: %v: %s", args, err, s.err.String())
				}
			}
		}
	}
}

// A grace outside its bounds is moved into them, and the command says so.
func TestClampedGraceIsTold(t *testing.T) {
	dir := t.TempDir()
	for days, told := range map[string]bool{"400": true, "-1": true, "30": false} {
		s := sit(dir)
		if code := s.Run(context.Background(), []string{"admin", "retention", "set", "--grace-days=" + days, "--data", dir}); code != exitDone {
			t.Fatalf("%s: %d %s", days, code, s.err.String())
		}
		if got := strings.Contains(s.out.String(), days+" is not within"); got != told {
			t.Errorf("%s: %s", days, s.out.String())
		}
	}
}

// An empty database file where there are backups is a lost one, not a new one.
func TestEmptiedStore(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) (int, string) {
		s := sit(dir)
		code := s.Run(context.Background(), append(args, "--data", dir))
		return code, s.out.String() + s.err.String()
	}
	file := filepath.Join(dir, "elowen.sqlite")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, backupsDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, said := run("admin", "user", "add", "anna", "--locked"); code != exitDone { // no backup yet
		t.Fatal(said)
	}
	if code, said := run("admin", "backup", filepath.Join(dir, backupsDir, "mine.sqlite")); code != exitDone {
		t.Fatal(said)
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		_ = os.Remove(name)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"admin", "stats"}, {"admin", "user", "add", "bob", "--locked"}, {"admin", "verify"}, {"serve", "--addr", "127.0.0.1:0"}, {"doctor"}} {
		code, said := run(args...)
		if code != exitFailed || !strings.Contains(said, "is empty") || !strings.Contains(said, "elowen admin restore FILE") {
			t.Errorf("%q: %d %s", args, code, said)
		}
		if info, err := os.Stat(file); err != nil || info.Size() != 0 {
			t.Fatalf("%q wrote it: %v", args, err)
		}
	}
	if code, said := run("admin", "restore", filepath.Join(dir, backupsDir, "mine.sqlite")); code != exitDone {
		t.Fatal(said)
	}
	if code, said := run("admin", "user", "list"); code != exitDone || !strings.Contains(said, "anna") {
		t.Errorf("%d %s", code, said)
	}
}
