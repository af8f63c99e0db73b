package backup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/late"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// house is a store with a person and their memories.
type house struct {
	t        testing.TB
	dir      string
	d        *db.DB
	clock    *dbtest.Clock
	memories *memory.Store
	anna     db.AccountID
}

var by = audit.Actor{Name: "test"}

func open(t testing.TB, dir string, clock *dbtest.Clock) *house {
	t.Helper()
	d, err := db.Open(context.Background(), db.Config{Dir: dir, Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	h := &house{t: t, dir: dir, d: d, clock: clock}
	categories := category.New(d, memory.CountByCategory)
	h.memories = memory.New(d, categories, retention.NewSettings())
	accounts := account.New(d, account.Options{OnCreate: categories.Seed})
	p, err := accounts.Person(context.Background(), "anna")
	if fault.Is(err, fault.NotFound) {
		p, err = accounts.Add(context.Background(), api.PersonAdd{Name: "anna"})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.anna = db.AccountID(p.ID)
	return h
}

func fresh(t testing.TB) *house { return open(t, t.TempDir(), dbtest.NewClock(dbtest.Start)) }

func (h *house) add(body string) api.MemoryAdded {
	h.t.Helper()
	m, err := h.memories.Add(context.Background(), h.anna, by, api.SourceUser, api.MemoryAdd{Body: body})
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

// some lives a little: every kind of row is there.
func (h *house) some() {
	h.t.Helper()
	ctx := context.Background()
	var last api.MemoryAdded
	for i := range 20 {
		last = h.add(fmt.Sprintf("The lock keeper number %d leaves the gate open at %d.", i, i*7))
	}
	ids := []int64{last.ID - 1, last.ID - 2, last.ID - 3, last.ID - 4}
	_, err := h.memories.Patch(ctx, h.anna, by, ids[0], 0, api.MemoryPatch{Body: api.Ptr("The gate is closed now.")})
	if err == nil {
		_, err = h.memories.MarkRecalled(ctx, h.anna, ids[:2])
	}
	if err == nil {
		_, err = h.memories.Trash(ctx, h.anna, by, ids[2], 0, "")
	}
	if err == nil {
		_, err = h.memories.Purge(ctx, h.anna, by, ids[2:3])
	}
	if err == nil {
		_, err = h.memories.Merge(ctx, h.anna, by, api.MemoryMerge{IDs: []int64{ids[3], last.ID}, Body: "Both gates."})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) count() int {
	h.t.Helper()
	s, err := h.memories.Stats(context.Background(), h.anna)
	if err != nil {
		h.t.Fatal(err)
	}
	return s.Active
}

func (h *house) epoch() (e string) {
	h.t.Helper()
	err := h.d.View(context.Background(), func(tx *db.Tx) (err error) { e, err = tx.Meta("epoch"); return err })
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

func TestBackupAndRestore(t *testing.T) {
	ctx := context.Background()
	h := fresh(t)
	h.some()
	active, epoch := h.count(), h.epoch()
	file := filepath.Join(t.TempDir(), "copy.sqlite")
	r, err := Write(t.Context(), h.d, file)
	if err != nil || len(r.Faults) > 0 || r.Memories == 0 || r.File != file {
		t.Fatalf("backup: %+v %v", r, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := Write(t.Context(), h.d, file); !fault.Is(err, fault.Taken) {
		t.Errorf("over a file that is there: %v", err)
	}
	h.add("Made after the backup.")
	h.d.Close()

	done, err := Restore(ctx, h.dir, file, h.clock.Now)
	if err != nil || done.Aside == "" {
		t.Fatalf("restore: %+v %v", done, err)
	}
	h = open(t, h.dir, h.clock)
	if n := h.count(); n != active {
		t.Errorf("%d memories, had %d", n, active)
	}
	if h.epoch() == epoch {
		t.Error("the epoch is the old one")
	}
	if r, err := Check(ctx, h.d); err != nil || len(r.Faults) > 0 {
		t.Errorf("after the restore: %+v %v", r, err)
	}
	// What stood there is whole.
	if r, err := Verify(ctx, done.Aside, nil); err != nil || len(r.Faults) > 0 || r.Memories == 0 {
		t.Errorf("aside: %+v %v", r, err)
	}
	h.d.Close()
	if again, err := Restore(ctx, h.dir, done.Aside, h.clock.Now); err != nil || again.Aside == done.Aside {
		t.Fatalf("back again: %+v %v", again, err)
	}
	h = open(t, h.dir, h.clock)
	if n := h.count(); n != active+1 {
		t.Errorf("back again: %d memories", n)
	}
}

// A copy that somebody made by hand, while the server ran, has its log beside it.
func TestRestoreOfACopyWithItsLog(t *testing.T) {
	ctx := context.Background()
	h := fresh(t)
	for i := range 5 {
		h.add(fmt.Sprintf("Still in the log only, %d.", i))
	}
	dir := t.TempDir()
	for _, part := range []string{"", "-wal"} {
		data, err := os.ReadFile(h.d.File() + part)
		if err != nil || len(data) == 0 {
			t.Fatalf("%s: %d bytes, %v", part, len(data), err)
		}
		if err := os.WriteFile(filepath.Join(dir, "copy"+part), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	active := h.count()
	other := t.TempDir()
	if _, err := Restore(ctx, other, filepath.Join(dir, "copy"), h.clock.Now); err != nil {
		t.Fatal(err)
	}
	if n := open(t, other, h.clock).count(); n != active {
		t.Errorf("%d memories, want %d", n, active)
	}
}

func TestRestoreOverABrokenStoreKeepsIt(t *testing.T) {
	ctx := context.Background()
	h := fresh(t)
	h.some()
	active := h.count()
	file := filepath.Join(t.TempDir(), "copy.sqlite")
	if _, err := Write(t.Context(), h.d, file); err != nil {
		t.Fatal(err)
	}
	h.d.Close()
	broken := []byte("no database at all")
	if err := os.WriteFile(h.d.File(), broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.d.File()+"-wal", []byte("and its log"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(ctx, db.Config{Dir: h.dir}); !fault.Is(err, fault.Corrupt) {
		t.Fatalf("opened: %v", err)
	}
	done, err := Restore(ctx, h.dir, file, h.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(done.Aside); err != nil || !bytes.Equal(kept, broken) {
		t.Errorf("aside: %q %v", kept, err)
	}
	if kept, err := os.ReadFile(done.Aside + "-wal"); err != nil || string(kept) != "and its log" {
		t.Errorf("aside log: %q %v", kept, err)
	}
	h = open(t, h.dir, h.clock)
	if n := h.count(); n != active {
		t.Errorf("%d memories", n)
	}
}

func TestRestoreRefusesABadBackup(t *testing.T) {
	ctx := context.Background()
	h := fresh(t)
	h.some()
	good := filepath.Join(t.TempDir(), "good.sqlite")
	if _, err := Write(t.Context(), h.d, good); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	h.d.Close()
	before, err := os.ReadFile(h.d.File())
	if err != nil {
		t.Fatal(err)
	}
	cut := whole[:len(whole)/2]
	foreign := bytes.Clone(whole)
	copy(foreign[68:72], "none")
	damaged := map[string][]byte{"cut": cut, "foreign": foreign, "empty": nil, "text": []byte("hello")}
	const page = 4096
	step := page // each page has another part in it
	if testing.Short() {
		step = 8 * page
	}
	for at := 0; at+page <= len(whole); at += step {
		flipped := bytes.Clone(whole)
		for i := range page {
			flipped[at+i] ^= 0x5a
		}
		damaged[fmt.Sprint("flipped at ", at/page)] = flipped
	}
	for name, data := range damaged {
		bad := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(bad, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(ctx, h.dir, bad, h.clock.Now); !fault.Is(err, fault.Corrupt) || strings.Contains(fault.ProblemOf(err).Detail, "restore FILE") {
			t.Errorf("%s: %v", name, err) // nor is one told to do what one is doing
		}
		if after, err := os.ReadFile(bad); err != nil || !bytes.Equal(after, data) {
			t.Errorf("%s was changed", name)
		}
	}
	if _, err := Restore(ctx, h.dir, filepath.Join(t.TempDir(), "absent"), h.clock.Now); !fault.Is(err, fault.NotFound) {
		t.Errorf("absent: %v", err)
	}
	after, err := os.ReadFile(h.d.File())
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the store was changed: %v", err)
	}
	if entries, _ := os.ReadDir(h.dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// Token vectors follow from the bodies: a backup is as small as one of a store without
// any, and the store keeps its own.
func TestTokenVectorsAreLeftOut(t *testing.T) {
	h := fresh(t)
	id := h.add("The harbour is closed on Mondays.").Memory.ID
	plain, err := Write(t.Context(), h.d, filepath.Join(h.dir, "plain.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.d.Update(t.Context(), func(tx *db.Tx) error {
		if _, err := late.Put(tx, h.anna, "source", []late.Item{{Memory: id, BodyHash: "h", Vectors: make([]byte, 4000*late.TokenBytes)}}); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO turn_late_vector (owner_id, entry_id, vectors) VALUES (?, 1, ?)`, int64(h.anna), make([]byte, 4000*late.TokenBytes))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	r, err := Write(t.Context(), h.d, filepath.Join(h.dir, "with.sqlite"))
	if err != nil || len(r.Faults) > 0 || r.Bytes != plain.Bytes {
		t.Errorf("%+v %v; without any %d bytes", r, err, plain.Bytes)
	}
	beside, _ := filepath.Glob(filepath.Join(h.dir, "with.sqlite-*"))
	if len(beside) > 0 {
		t.Errorf("beside it: %v", beside)
	}
	if err := h.d.View(t.Context(), func(tx *db.Tx) error {
		n, err := late.Size(tx)
		if n != 4000*late.TokenBytes {
			t.Errorf("%d bytes left in the store", n)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDailyKeepsTheNewest(t *testing.T) {
	ctx := context.Background()
	h := fresh(t)
	h.some()
	dir := filepath.Join(h.dir, "backups")
	stranger := filepath.Join(dir, "elowen-mine.sqlite")
	for i := range 10 {
		if err := Daily(ctx, h.d, dir, 7); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := os.WriteFile(stranger, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		h.clock.Advance(3 * time.Hour.Milliseconds())
		if err := Daily(ctx, h.d, dir, 7); err != nil { // a restart on the same day
			t.Fatal(err)
		}
		h.clock.Advance(21 * time.Hour.Milliseconds())
	}
	list, err := List(dir)
	if err != nil || len(list) != 7 {
		t.Fatalf("%d kept: %v %v", len(list), list, err)
	}
	if first, last := filepath.Base(list[0].File), filepath.Base(list[6].File); first != "elowen-2026-12-03.sqlite" || last != "elowen-2026-12-09.sqlite" {
		t.Errorf("from %s to %s", first, last)
	}
	for _, k := range list {
		if r, err := Verify(ctx, k.File, nil); err != nil || len(r.Faults) > 0 {
			t.Errorf("%s: %+v %v", k.File, r, err)
		}
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Error("somebody else's file was taken away")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 8 {
		t.Errorf("left behind: %v", entries)
	}
}

// A backup that is cut off, or doesn't pass its check, leaves nothing in the folder.
func TestAFailedBackupLeavesNothing(t *testing.T) {
	h := fresh(t)
	h.some()
	dir := filepath.Join(h.dir, "backups")
	left := func(what string, want int) {
		t.Helper()
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
			t.Errorf("%s: %v %v", what, entries, err)
		}
	}
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Daily(cut, h.d, dir, 7); err == nil {
		t.Error("a backup was made that was cut off")
	}
	left("cut off", 0)
	if err := h.d.Update(t.Context(), func(tx *db.Tx) error {
		return tx.Must(`UPDATE memory SET body = 'Another text.' WHERE id = 1`)
	}); err != nil {
		t.Fatal(err)
	}
	if err := Daily(t.Context(), h.d, dir, 7); !fault.Is(err, fault.Corrupt) {
		t.Errorf("of a damaged store: %v", err)
	}
	left("damaged", 0)
}

// A purged text is in no file: not in the store, not in its log, and not in the
// backups made after.
func TestPurgedTextIsInNoCopy(t *testing.T) {
	ctx := context.Background()
	h := fresh(t)
	const secret = "xylograph-quokka-7311"
	m := h.add("The word is " + secret + ".")
	h.some()
	if _, err := h.memories.Trash(ctx, h.anna, by, m.ID, 0, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := h.memories.Purge(ctx, h.anna, by, []int64{m.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), h.d, filepath.Join(h.dir, "after.sqlite")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(h.dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{secret, "xylograph", "quokka"} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s still has %q", e.Name(), word)
			}
		}
	}
}

// Each kind of damage to the rows is seen.
func TestCheckSees(t *testing.T) {
	for name, c := range map[string]struct{ damage, says string }{
		"clean":         {`UPDATE memory SET kind = 'other' WHERE id = 1`, ""},
		"body":          {`UPDATE memory SET body = 'Another text.' WHERE id = 1`, "its text is not what its hash says"},
		"order":         {`UPDATE memory SET order_key = order_key + 1 WHERE id = 1`, "its forecast is not what the policy gives"},
		"date":          {`UPDATE memory SET fades_at = fades_at + 1 WHERE id = 1`, "its forecast is not what the policy gives"},
		"words":         {`UPDATE memory SET words = words + 1 WHERE id = 1`, "its number of words"},
		"use":           {`INSERT INTO usage_event (owner_id, memory_id, at, kind) VALUES (1, 999, 5, 'recall')`, "belong to no memory"},
		"version":       {`INSERT INTO memory_version (owner_id, memory_id, revision, body, at) VALUES (1, 999, 1, 'x', 5)`, "belong to no memory"},
		"later version": {`INSERT INTO memory_version (owner_id, memory_id, revision, body, at) VALUES (1, 1, 1, 'x', 5)`, "belong to no memory"},
		"no event": {`INSERT INTO memory (owner_id, revision, subject, body, body_hash, lang, kind, importance, confidence, source, status, created_at, updated_at, order_key, fades_at)
			VALUES (1, 1, '', 'x', '', '', 'fact', 5, 0.8, 'user', 'active', 1, 1, 0, 0)`, "have no event"},
		"revision":        {`UPDATE memory SET revision = 0 WHERE id = 1`, "behind their events"},
		"posting lost":    {`DELETE FROM posting WHERE term = (SELECT MIN(term) FROM posting)`, "index of words"},
		"posting damaged": {`UPDATE posting SET body = x'ffffffffffffffffffff' WHERE term = (SELECT MIN(term) FROM posting)`, "index of words"},
		"count":           {`UPDATE word_stat SET docs = docs + 1`, "index of words"},
		"gap":             {`DELETE FROM change WHERE seq = 3`, "a change log has gaps"},
		"beyond":          {`UPDATE change_head SET seq = seq - 1`, "counter doesn't know"},
		"epoch":           {`DELETE FROM meta WHERE name = 'epoch'`, "no epoch"},
	} {
		t.Run(name, func(t *testing.T) {
			h := fresh(t)
			h.some()
			err := h.d.Update(context.Background(), func(tx *db.Tx) error {
				n, err := tx.Exec(c.damage)
				if err == nil && n == 0 {
					t.Error("nothing was damaged")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Check(context.Background(), h.d)
			if err != nil {
				t.Fatal(err)
			}
			if c.says == "" && len(r.Faults) > 0 || c.says != "" && !strings.Contains(strings.Join(r.Faults, "\n"), c.says) {
				t.Errorf("faults: %q", r.Faults)
			}
		})
	}
}

// What was not looked at is not told as nothing.
func TestReportOfAnOlderSchema(t *testing.T) {
	r := Report{Schema: db.SchemaVersion() - 1}
	if text := r.String(); strings.Contains(text, "0 memories") || !strings.Contains(text, "older") {
		t.Error(text)
	}
	r = Report{Schema: db.SchemaVersion(), Accounts: 1, Memories: 2, Events: 3}
	if text := r.String(); text != "1 account, 2 memories, 3 events" {
		t.Error(text)
	}
}
