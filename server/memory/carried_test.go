package memory

import (
	"reflect"
	"slices"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/lexicon"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func (f *fixture) export(owner db.AccountID) (list []Carried) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error {
		for c, err := range f.Export(tx, owner) {
			if err != nil {
				return err
			}
			list = append(list, *c)
		}
		return nil
	})
	return list
}

// What goes out comes in the same: rows, uses, versions, audit, chart.
func TestExportInsert(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b, c := f.add("one", importance(2)), f.add("two"), f.add("three")
		f.clock.Advance(day)
		f.patch(a.ID, api.MemoryPatch{Body: api.Ptr("one, again"), Reviewed: api.Ptr(true), Subject: api.Ptr("Jan"), Confidence: api.Ptr(0.25), CategoryID: api.Null[int64]()})
		f.patch(a.ID, api.MemoryPatch{Importance: api.Ptr(8)})
		f.recall(a.ID, b.ID)
		f.recall(a.ID)
		f.clock.Advance(day)
		if _, err := f.Reinforce(ctx, f.ann, me, b.ID, 9, ""); err != nil {
			t.Fatal(err)
		}
		f.trash(c.ID)
		f.clock.Advance(day)
		out := f.export(f.ann)
		if len(out) != 3 || len(out[0].Uses) != 2 || len(out[0].Versions) != 1 || len(out[0].Events) != 3 || out[1].Uses[1].Kind != useReinforced {
			t.Fatalf("exported %+v", out)
		}
		in := slices.Clone(out)
		for i := range in {
			in[i].CategoryID = 0 // ids are another account's there
		}
		var ids []int64
		f.update(func(tx *db.Tx) (err error) {
			ids, err = f.Insert(tx, f.bob, audit.Actor{Name: audit.ActorImport}, "", in)
			return err
		})
		back := f.export(f.bob)
		for i := range back {
			if back[i].ID != ids[i] || back[i].ID == out[i].ID {
				t.Errorf("id %d", back[i].ID)
			}
			back[i].ID, back[i].CategoryID = out[i].ID, out[i].CategoryID
			if !reflect.DeepEqual(back[i], out[i]) {
				t.Errorf("came back as\n%+v\nof\n%+v", back[i], out[i])
			}
			old, new := f.get(out[i].ID), api.Memory{}
			new, err := f.Get(ctx, f.bob, ids[i])
			if err != nil || new.Vitality != old.Vitality || !reflect.DeepEqual(new.EvictableAt, old.EvictableAt) {
				t.Errorf("vitality %v of %v, %v", new.Vitality, old.Vitality, err)
			}
			was, err := f.History(ctx, f.ann, out[i].ID, 30)
			if err != nil {
				t.Fatal(err)
			}
			is, err := f.History(ctx, f.bob, ids[i], 30)
			if err != nil || !reflect.DeepEqual(is, was) {
				t.Errorf("chart %+v of %+v, %v", is, was, err)
			}
		}
		if m, err := f.Patch(ctx, f.bob, me, ids[0], 0, api.MemoryPatch{Version: api.Ptr(int64(1))}); err != nil || m.Body != "one" {
			t.Errorf("an earlier text put back: %+v %v", m, err)
		}
		before := f.indexOf(f.bob)
		if _, err := f.Reindex(ctx, f.bob); err != nil || f.indexOf(f.bob) != before {
			t.Errorf("the index made anew is another: %v", err)
		}
	})
}

func TestInsertDefaults(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var ids []int64
		f.update(func(tx *db.Tx) (err error) {
			ids, err = f.Insert(tx, f.ann, audit.Actor{Name: audit.ActorImport}, "from a file", []Carried{
				{Body: " plain "},
				{Body: "used", UseCount: 3, LastUsedAt: dbtest.Start - day, CreatedAt: dbtest.Start - 5*day, Importance: 4, Confidence: 1},
				{Body: "in the trash", Status: api.StatusDeleted, DeletedWhy: "old"},
			})
			return err
		})
		m := f.get(ids[0])
		if m.Body != "plain" || m.Kind != "fact" || m.Importance != 5 || m.Confidence != 0 || m.Source != api.SourceImport || m.CategoryID != nil || m.CreatedAt != dbtest.Start || m.Revision != 1 {
			t.Errorf("%+v", m)
		}
		ev := f.events(ids[0])
		if len(ev) != 1 || ev[0].Action != "add" || ev[0].Actor != "import" || ev[0].Reason != "from a file" || ev[0].Foreign {
			t.Errorf("event %+v", ev)
		}
		h, err := f.History(ctx, f.ann, ids[1], 30)
		if err != nil || h.HistoryFrom != dbtest.Start-day {
			t.Errorf("the chart of one with counters only begins at its last use, not at %v: %v", h.HistoryFrom, err)
		}
		if m := f.get(ids[2]); m.Status != api.StatusDeleted || m.DeletedWhy != "old" || m.DeletedAt == nil {
			t.Errorf("%+v", m)
		}
	})
}

func TestInsertRefused(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for name, c := range map[string]Carried{
			"no body":         {Body: " "},
			"NUL":             {Body: "a\x00"},
			"importance":      {Body: "x", Importance: 11},
			"confidence":      {Body: "x", Confidence: 1.5},
			"kind":            {Body: "x", Kind: "a\nb"},
			"status":          {Body: "x", Status: "lost"},
			"source":          {Body: "x", Source: "rumour"},
			"use count":       {Body: "x", UseCount: -1},
			"versions":        {Body: "x", Versions: []api.LineVersion{{Revision: 2, Body: "b"}, {Revision: 2, Body: "a"}}},
			"version's NUL":   {Body: "x", Versions: []api.LineVersion{{Revision: 1, Body: "\x00"}}},
			"use":             {Body: "x", Uses: []api.Use{{Kind: "glance"}}},
			"event not UTF-8": {Body: "x", Events: []api.LineEvent{{Reason: "\xff"}}},
		} {
			err := f.d.Update(ctx, func(tx *db.Tx) error {
				_, err := f.Insert(tx, f.ann, me, "", []Carried{{Body: "good"}, c})
				return err
			})
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		err := f.d.Update(ctx, func(tx *db.Tx) error {
			_, err := f.Insert(tx, f.ann, me, "", []Carried{{Body: "good", CategoryID: 4242}})
			return err
		})
		refused(t, err, fault.NotFound)
		if n := f.count("memory"); n != 0 {
			t.Errorf("%d rows of refused imports", n)
		}
	})
}

func TestEraseAccount(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x")
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("y")})
		f.recall(m.ID)
		his, err := f.Add(ctx, f.bob, me, api.SourceUser, api.MemoryAdd{Body: "his"})
		if err != nil {
			t.Fatal(err)
		}
		f.update(func(tx *db.Tx) error {
			if err := account.MarkErasing(tx, f.ann); err != nil {
				return err
			}
			for _, step := range []func(*db.Tx, db.AccountID) error{EraseAccount, lexicon.EraseAccount, audit.EraseAccount, category.EraseAccount, (*db.Tx).EraseAccountLog} {
				if err := step(tx, f.ann); err != nil {
					return err
				}
			}
			return account.Delete(tx, f.ann)
		})
		for table, want := range map[string]int{"memory": 1, "memory_event": 1, "memory_version": 0, "usage_event": 0, "posting": 1, "word_stat": 1} {
			if n := f.count(table); n != want {
				t.Errorf("%d rows in %s, want %d", n, table, want)
			}
		}
		if m, err := f.Get(ctx, f.bob, his.ID); err != nil || m.Body != "his" {
			t.Errorf("the other account: %+v %v", m, err)
		}
	})
}
