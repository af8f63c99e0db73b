package backup

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"elowen/server/retention"
	"elowen/shared/fault"
)

func (h *house) keeper(dir string) *Keeper {
	settings := retention.NewSettings()
	return NewKeeper(h.d, retention.New(h.d, settings, h.memories, nil), dir, 2)
}

// The folder shows what was written by the day and by hand, newest first, and what
// isn't ours is neither shown nor touched.
func TestKeeper(t *testing.T) {
	h := fresh(t)
	h.add("One.")
	dir := filepath.Join(t.TempDir(), "backups")
	k := h.keeper(dir)
	ctx := context.Background()
	if list, err := k.List(ctx); err != nil || len(list.Items) != 0 || list.NextAt != nil || list.Kept != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	asked, err := k.Now(ctx)
	if err != nil || asked.Daily || asked.WrittenAt != asked.CheckedAt {
		t.Fatalf("%+v %v", asked, err)
	}
	second, err := k.Now(ctx)
	if err != nil || second.Name == asked.Name {
		t.Fatalf("in the same second: %+v %v", second, err)
	}
	for range 4 { // the daily ones go round, the others stay
		h.clock.Advance(24 * 3_600_000)
		if err := k.Daily(ctx); err != nil {
			t.Fatal(err)
		}
	}
	stranger := filepath.Join(dir, "elowen-notes.sqlite")
	if err := os.WriteFile(stranger, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := k.List(ctx)
	if err != nil || list.Total != 4 || !list.Items[0].Daily || !list.Items[1].Daily || list.Items[2].Daily {
		t.Fatalf("%+v %v", list, err)
	}

	// One that went bad since is found out, and one that was replaced is looked at anew.
	bad := list.Items[0].Name
	if b, err := k.Check(ctx, bad); err != nil || len(b.Faults) != 0 {
		t.Fatalf("%+v %v", b, err)
	}
	if err := os.Truncate(filepath.Join(dir, bad), 5000); err != nil {
		t.Fatal(err)
	}
	if b, err := k.Check(ctx, bad); err != nil || len(b.Faults) == 0 {
		t.Errorf("%+v %v", b, err)
	}
	list, _ = k.List(ctx)
	for _, b := range list.Items {
		if (b.Name == bad) != (len(b.Faults) > 0) {
			t.Errorf("forgotten: %+v", b)
		}
	}
	if err := k.Remove(bad); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{bad, "elowen-notes.sqlite", "../elowen.sqlite", "", "elowen-2026-13-40.sqlite", "elowen-2026-11-30-000000-x.sqlite"} {
		if err := k.Remove(name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", name, err)
		}
		if _, _, err := k.Open(name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := k.Check(ctx, name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Error(err)
	}

	// Two at a time would be one too many.
	k.writing.Lock()
	if _, err := k.Now(ctx); !fault.Is(err, fault.Taken) {
		t.Errorf("while one is written: %v", err)
	}
	k.writing.Unlock()
}
