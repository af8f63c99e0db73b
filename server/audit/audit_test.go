package audit

import (
	"context"
	"slices"
	"testing"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

// fixture is a store with two accounts.
type fixture struct {
	t        *testing.T
	d        *db.DB
	ann, bob db.AccountID
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		f := &fixture{t: t, d: d}
		f.update(func(tx *db.Tx) (err error) {
			if f.ann, err = account.InsertLocked(tx, "ann", "Ann", api.RoleMember, 0); err == nil {
				f.bob, err = account.InsertLocked(tx, "bob", "Bob", api.RoleMember, 0)
			}
			return err
		})
		test(t, f)
	})
}

func (f *fixture) update(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.Update(ctx, fn); err != nil {
		f.t.Fatalf("%+v", err)
	}
}

func (f *fixture) view(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.View(ctx, fn); err != nil {
		f.t.Fatalf("%+v", err)
	}
}

func (f *fixture) write(owner db.AccountID, list ...Entry) {
	f.t.Helper()
	f.update(func(tx *db.Tx) error { return Write(tx, owner, list...) })
}

// An entry is read as it was written, all of it.
func TestEntriesAreReadAsWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		want := []Entry{
			{Memory: 7, Revision: 1, At: 5, Action: ActionAdd, By: Actor{Name: "user:1"}, After: `{"importance":5}`},
			{Memory: 7, Revision: 2, At: 6, Action: ActionUpdate, By: Actor{Name: ActorDaemon, Model: "small"}, Reason: "why", Before: `{"importance":5}`, After: `{"importance":7}`, Group: 99},
			{Memory: 8, Revision: 3, At: 4, Action: "odd", By: Actor{Name: "elsewhere"}, Carried: true, Writer: f.bob},
		}
		f.write(f.ann, want...)
		f.view(func(tx *db.Tx) error {
			got, err := Of(tx, f.ann, 8, 7)
			last := int64(0)
			for i := range got {
				if got[i].ID <= last {
					t.Errorf("entry %d after %d", got[i].ID, last)
				}
				last, got[i].ID = got[i].ID, 0
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%+v %v", got, err)
			}
			return err
		})
	})
}

// Every reader is held to the owner that it is given.
func TestNobodyReadsAnothersAudit(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.write(f.ann,
			Entry{Memory: 7, Revision: 2, At: dbtest.Start, Action: ActionUpdate, By: Actor{Name: "user:1"}, Before: `{"importance":1}`, After: `{"importance":9}`},
			Entry{Memory: 7, At: dbtest.Start, Action: ActionMerge, Group: 40},
			Entry{Memory: 7, At: dbtest.Start, Action: ActionTrash, Group: 40},
			Entry{Memory: 7, At: dbtest.Start, Action: ActionEvict})
		readers := map[string]func(tx *db.Tx, owner db.AccountID) (bool, error){
			"Read": func(tx *db.Tx, o db.AccountID) (bool, error) {
				p, err := Read(tx, o, 0, "", 0)
				return p.Total+len(p.Entries) > 0, err
			},
			"Read one": func(tx *db.Tx, o db.AccountID) (bool, error) {
				p, err := Read(tx, o, 7, "", 0)
				return p.Total+len(p.Entries) > 0, err
			},
			"Count":    func(tx *db.Tx, o db.AccountID) (bool, error) { n, err := Count(tx, o); return n > 0, err },
			"Knows":    func(tx *db.Tx, o db.AccountID) (bool, error) { return Knows(tx, o, 7) },
			"Of":       func(tx *db.Tx, o db.AccountID) (bool, error) { l, err := Of(tx, o, 7); return len(l) > 0, err },
			"Memories": func(tx *db.Tx, o db.AccountID) (bool, error) { l, err := Memories(tx, o, 0, 9); return len(l) > 0, err },
			"Newest": func(tx *db.Tx, o db.AccountID) (bool, error) {
				m, err := Newest(tx, o, []int64{7})
				return len(m) > 0, err
			},
			"Grouped": func(tx *db.Tx, o db.AccountID) (bool, error) {
				l, err := Grouped(tx, o, 40, 0, 9)
				return len(l) > 0, err
			},
			"WentToTrash": func(tx *db.Tx, o db.AccountID) (bool, error) {
				_, ok, err := WentToTrash(tx, o, 7, 1<<40)
				return ok, err
			},
			"MergedInto": func(tx *db.Tx, o db.AccountID) (bool, error) {
				m, err := MergedInto(tx, o, []int64{40})
				return len(m) > 0, err
			},
			"Evicted": func(tx *db.Tx, o db.AccountID) (bool, error) { n, err := Evicted(tx, o, tx.Now); return n > 0, err },
			"ImportanceChanges": func(tx *db.Tx, o db.AccountID) (bool, error) {
				l, err := ImportanceChanges(tx, o, 7, 9)
				return len(l) > 0, err
			},
		}
		f.view(func(tx *db.Tx) error {
			for name, reads := range readers {
				if hers, err := reads(tx, f.ann); err != nil || !hers {
					t.Errorf("%s finds nothing of the owner's own: %v", name, err)
				}
				if his, err := reads(tx, f.bob); err != nil || his {
					t.Errorf("%s finds what is another's: %v", name, err)
				}
			}
			return nil
		})
	})
}

// The ledger counts 24 hours back, whatever is later, and nothing carried; what was
// written into a pool counts for its writer.
func TestLedger(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		now := int64(dbtest.Start)
		evicted := func(at int64, writer db.AccountID, carried bool) Entry {
			return Entry{Memory: 7, At: at, Action: ActionEvict, By: Actor{Name: ActorDaemon}, Writer: writer, Carried: carried}
		}
		f.write(f.ann, evicted(now-vitality.DayMillis, 0, false), evicted(now-vitality.DayMillis+1, 0, false), evicted(now+5, 0, false), evicted(now, 0, true),
			evicted(now, f.bob, false), Entry{Memory: 7, At: now, Action: ActionTrash})
		f.view(func(tx *db.Tx) error {
			for owner, want := range map[db.AccountID]int{f.ann: 2, f.bob: 1} {
				if n, err := Evicted(tx, owner, now); n != want || err != nil {
					t.Errorf("account %d lost %d, not %d: %v", owner, n, want, err)
				}
			}
			return nil
		})
	})
}

// What taking a change back wrote is not how a memory came into the trash.
func TestWentToTrash(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.write(f.ann, Entry{Memory: 7, At: 1, Action: ActionEvict, Reason: "faded"}, Entry{Memory: 7, At: 2, Action: ActionRestore},
			Entry{Memory: 7, At: 3, Action: ActionTrash, Reason: ReasonUndone, Group: 5}, Entry{Memory: 7, At: 4, Action: ActionUpdate})
		f.view(func(tx *db.Tx) error {
			e, ok, err := WentToTrash(tx, f.ann, 7, 1<<40)
			if err != nil || !ok || e.Reason != "faded" {
				t.Errorf("%+v %v %v", e, ok, err)
			}
			if _, ok, err := WentToTrash(tx, f.ann, 7, e.ID); ok || err != nil {
				t.Errorf("before it was anything: %v %v", ok, err)
			}
			return nil
		})
	})
}

// An account's erasure takes its audit, and nobody else's; without the mark the store
// refuses it.
func TestErasure(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.write(f.ann, Entry{Memory: 7, Action: ActionAdd})
		f.write(f.bob, Entry{Memory: 8, Action: ActionAdd})
		if err := f.d.Update(ctx, func(tx *db.Tx) error { return EraseAccount(tx, f.ann) }); err == nil {
			t.Error("the audit of an account that stays was erased")
		}
		f.update(func(tx *db.Tx) error {
			if _, err := tx.Exec(`UPDATE account SET erasing = 1 WHERE id = ?`, int64(f.ann)); err != nil {
				return err
			}
			return EraseAccount(tx, f.ann)
		})
		f.view(func(tx *db.Tx) error {
			hers, err := Count(tx, f.ann)
			his, err2 := Count(tx, f.bob)
			if hers != 0 || his != 1 || err != nil || err2 != nil {
				t.Errorf("%d and %d entries are left: %v %v", hers, his, err, err2)
			}
			return nil
		})
	})
}

func TestLinesThatCannotBeStored(t *testing.T) {
	if err := CheckLines([]api.LineEvent{{Action: "add"}, {Reason: "a\x00b"}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a NUL character: %v", err)
	}
	if err := CheckLines([]api.LineEvent{{Before: "\xff"}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no UTF-8: %v", err)
	}
}

// Who did it, as its readers are told.
func TestWho(t *testing.T) {
	people := map[db.AccountID]account.Named{2: {DisplayName: "Bob"}}
	tokens := map[int64]account.NamedToken{4: {Owner: 1, Name: "Laptop"}, 5: {Owner: 2, Name: "Bob's phone"}, 6: {Owner: 3, Name: "Nobody's"}}
	own, shared := Who{Viewer: 1, Tokens: tokens}, Who{Viewer: 1, Shared: true, People: people, Tokens: tokens}
	for _, c := range []struct {
		who          Who
		name, action string
		carried      bool
		want         string
	}{
		{own, "user:1", ActionAdd, false, "You"},
		{own, "user:1", ActionAdd, true, "A person"},
		{own, "user:2", ActionAdd, false, "A person"},
		{own, "token:1", ActionAdd, false, "A program with your token"},
		{own, "token:4", ActionAdd, false, "Your token “Laptop”"},
		{own, "token:4", ActionAdd, true, "A program with your token"}, // another one there
		{own, "token:5", ActionAdd, false, "A program with your token"},
		{own, "token:-4", ActionAdd, false, "A program with your token"},
		{own, "user:4", ActionAdd, false, "A person"},
		{own, ActorAgent, ActionAdd, false, "Your assistant"},
		{own, ActorDaemon, ActionEvict, false, "Daily sweep"},
		{own, ActorDaemon, ActionCategory, false, "Elowen"},
		{own, "", ActionAdd, false, "Somebody"},
		{own, "robot", ActionAdd, false, "Robot"},
		{shared, "user:1", ActionAdd, false, "You"},
		{shared, "user:2", ActionAdd, false, "Bob"},
		{shared, "user:2", ActionAdd, true, "A person"},
		{shared, "user:3", ActionAdd, false, "A person"},
		{shared, "token:9", ActionAdd, false, "A program with a token"},
		{shared, "token:4", ActionAdd, false, "Your token “Laptop”"},
		{shared, "token:5", ActionAdd, false, "A program of Bob"},
		{shared, "token:6", ActionAdd, false, "A program with a token"},
		{shared, ActorAgent, ActionAdd, false, "An assistant"},
	} {
		if got := c.who.Words(c.name, c.action, c.carried); got != c.want {
			t.Errorf("%q did %s (carried %v, shared %v): %q, not %q", c.name, c.action, c.carried, c.who.Shared, got, c.want)
		}
	}
	for _, c := range []struct{ by, how, want string }{
		{"user:1", ActionTrash, api.DeletedByYou}, {"user:2", ActionTrash, api.DeletedByPerson}, {"token:4", ActionTrash, api.DeletedByAgent},
		{ActorDaemon, ActionEvict, api.DeletedBySweep}, {"user:1", ActionMerge, api.DeletedByMerge}, {ActorDaemon, ActionTrash, api.DeletedByElowen}, {"", "", ""},
	} {
		if got, _ := own.Deleter(c.by, c.how); got != c.want {
			t.Errorf("%q by %s: %q, not %q", c.by, c.how, got, c.want)
		}
	}
}
