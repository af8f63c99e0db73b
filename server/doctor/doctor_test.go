package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/backup"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func patient(t *testing.T) (Patient, *dbtest.Clock) {
	t.Helper()
	clock := dbtest.NewClock(dbtest.Start)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(context.Background(), db.Config{Dir: dir, Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	settings := retention.NewSettings()
	memories := memory.New(d, category.New(d, memory.CountByCategory), settings)
	return Patient{
		Dir: dir, Backups: filepath.Join(dir, "backups"), Version: "1.2.3", Clock: clock.Now, DB: d,
		Accounts: account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}}), Retention: retention.New(d, settings, memories, nil),
		Server: func() api.Finding { return Fine("running") },
	}, clock
}

func find(t *testing.T, p Patient, check string) api.Finding {
	t.Helper()
	found := Examine(context.Background(), p)
	failed := false
	var out api.Finding
	for _, f := range found.Checks {
		failed = failed || f.State == api.StateFailed
		if f.Check == check {
			out = f
		}
	}
	if found.OK == failed || out.Check == "" {
		t.Errorf("%+v", found)
	}
	return out
}

// What is wrong is found, with the way to mend it; what is well needs none.
func TestExamine(t *testing.T) {
	ctx := context.Background()
	p, clock := patient(t)
	want := func(check, state, part string) {
		t.Helper()
		f := find(t, p, check)
		if f.State != state || !strings.Contains(f.Text+" "+f.Mend, part) {
			t.Errorf("%s: %+v, want %s with %q", check, f, state, part)
		}
		if f.State == api.StateOK && f.Mend != "" {
			t.Errorf("%s is well, and yet: %s", check, f.Mend)
		}
	}
	want("data directory", api.StateOK, p.Dir)
	want("server", api.StateOK, "running")
	want("database", api.StateOK, "whole, schema")
	want("accounts", api.StateOK, "none yet")
	want("backups", api.StateWarning, "none yet")
	want("retention", api.StateOK, "the first server")
	if _, err := p.Accounts.Add(ctx, api.PersonAdd{Name: "ann", Role: api.RoleAdmin}); err != nil {
		t.Fatal(err)
	}
	want("accounts", api.StateWarning, "passwd ann")
	if _, err := p.Accounts.Patch(ctx, account.Identity{}, "ann", 0, api.PersonPatch{Password: api.Ptr("correct horse")}); err != nil {
		t.Fatal(err)
	}
	want("accounts", api.StateOK, "can sign in: 1")
	if err := backup.Daily(ctx, p.DB, p.Backups, 3); err != nil {
		t.Fatal(err)
	}
	want("backups", api.StateOK, "the newest verified")
	clock.Advance(49 * 3_600_000)
	want("backups", api.StateWarning, "49 hours old")
	list, err := backup.List(p.Backups)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(list[0].File, 5000); err != nil {
		t.Fatal(err)
	}
	want("backups", api.StateFailed, "admin backup")
	if err := os.Chmod(p.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	want("data directory", api.StateWarning, "chmod 700")
	p.Err = fault.New(fault.Corrupt, "It is cut off.")
	want("database", api.StateFailed, "cut off")
	want("accounts", api.StateWarning, "not looked at")
	p.Err = fault.New(fault.NotFound, "There is none.")
	want("database", api.StateOK, "none yet")
}

// What takes up room is measured, part by part.
func TestStorage(t *testing.T) {
	ctx := context.Background()
	p, _ := patient(t)
	if err := backup.Daily(ctx, p.DB, p.Backups, 3); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, db.FileName+".before-restore-20261130-000000"), make([]byte, 1234), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Storage(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := backup.List(p.Backups)
	if s.Database < 4096 || s.Words >= s.Database || s.Free > s.Database || s.Backups != list[0].Size || s.Aside != 1234 || s.Engine != "sqlite" || s.File == "" {
		t.Errorf("%+v", s)
	}
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 5 << 20: "5.0 MiB", 3 << 40: "3.0 TiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
