package memory

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestMarkRecalled(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b, gone := f.add("a"), f.add("b"), f.add("c")
		f.trash(gone.ID)
		his, err := f.Add(ctx, f.bob, me, api.SourceUser, api.MemoryAdd{Body: "his"})
		if err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(20 * day)
		before := f.get(a.ID)
		seq := f.seq(f.ann)
		counted, err := f.MarkRecalled(ctx, f.ann, []int64{b.ID, a.ID, gone.ID, his.ID, 4242, a.ID})
		if err != nil || !slices.Equal(counted, []int64{b.ID, a.ID}) {
			t.Fatalf("counted %v %v", counted, err)
		}
		got := f.get(a.ID)
		if got.UseCount != 1 || *got.LastUsedAt != dbtest.Start+20*day || got.Revision != 1 || got.UpdatedAt != before.UpdatedAt {
			t.Errorf("recalled %+v", got)
		}
		if want := 100 * (0.5 + 0.5/6); math.Abs(got.Vitality-want) > 1e-9 || *got.EvictableAt <= *before.EvictableAt {
			t.Errorf("vitality %v, want %v", got.Vitality, want)
		}
		var changes []db.Change
		f.view(func(tx *db.Tx) (err error) {
			changes, _, err = tx.Changes(f.ann, seq, 100)
			return err
		})
		nouns := map[db.Noun]int{}
		for _, c := range changes {
			nouns[c.Noun]++
		}
		if nouns[db.NounUsage] != 2 || len(changes) != 2 {
			t.Errorf("change log %+v", changes)
		}
		if m, err := f.Get(ctx, f.bob, his.ID); err != nil || m.UseCount != 0 {
			t.Errorf("another's memory was counted: %+v %v", m, err)
		}
		if counted, err := f.MarkRecalled(ctx, f.ann, nil); err != nil || counted == nil || len(counted) != 0 {
			t.Errorf("of nothing: %v %v", counted, err)
		}
		f.recall(a.ID) // at the same instant
		f.view(func(tx *db.Tx) error {
			uses, err := usesOf(tx, f.ann, a.ID)
			if len(uses) != 2 || uses[0] != uses[1] {
				t.Errorf("uses %+v", uses)
			}
			return err
		})
		f.clock.Advance(-5 * day) // the clock is put back
		f.recall(a.ID)
		if got := f.get(a.ID); *got.LastUsedAt != dbtest.Start+20*day || got.UseCount != 3 {
			t.Errorf("the last use went back: %+v", got)
		}
	})
}

func TestReinforce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("heard twice", importance(4))
		f.clock.Advance(day)
		got, err := f.Reinforce(ctx, f.ann, audit.Actor{Name: audit.ActorAgent, Model: "small"}, m.ID, 6, "said again")
		if err != nil || got.Importance != 6 || got.UseCount != 0 || *got.LastUsedAt != dbtest.Start+day || got.Revision != 2 {
			t.Fatalf("%+v %v", got, err)
		}
		f.clock.Advance(day)
		if got, err = f.Reinforce(ctx, f.ann, audit.Actor{Name: audit.ActorAgent}, m.ID, 2, ""); err != nil || got.Importance != 6 || got.Revision != 3 {
			t.Fatalf("%+v %v", got, err)
		}
		ev := f.events(m.ID)
		if e := ev[1]; e.Action != "update" || e.Model != "small" || e.Who != "Your assistant" || len(e.Changes) != 2 || e.Changes[1].Field != "lastUsedAt" || e.Changes[1].After != api.Time(dbtest.Start+day).String() {
			t.Errorf("event %+v", e)
		}
		f.trash(m.ID)
		_, err = f.Reinforce(ctx, f.ann, me, m.ID, 2, "")
		refused(t, err, fault.Invalid)
		_, err = f.Reinforce(ctx, f.ann, me, m.ID, 11, "")
		refused(t, err, fault.Invalid)
		_, err = f.Reinforce(ctx, f.ann, me, 4242, 2, "")
		refused(t, err, fault.NotFound)
	})
}

func TestHistory(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x", importance(3))
		f.clock.Advance(2 * day)
		f.recall(m.ID)
		f.clock.Advance(day)
		f.patch(m.ID, api.MemoryPatch{Importance: api.Ptr(7)})
		f.clock.Advance(day)
		if _, err := f.Reinforce(ctx, f.ann, me, m.ID, 1, ""); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(day)
		h, err := f.History(ctx, f.ann, m.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		now := f.get(m.ID)
		if h.HistoryFrom != dbtest.Start || h.Now != now.AsOf || h.Points[0].Vitality != 50 || h.Points[len(h.Points)-1].Vitality != now.Vitality ||
			!slices.Equal(h.Recalls, []api.Time{dbtest.Start + 2*day}) || *h.EvictableAt != *now.EvictableAt || *h.Floor != 10 || h.HalfLifeDays != 45 || h.CrossesAt == nil {
			t.Errorf("history %+v", h)
		}
		// Each change is a jump: two points at one instant.
		jumps := map[api.Time]int{}
		for i := 1; i < len(h.Points); i++ {
			if h.Points[i].At == h.Points[i-1].At {
				jumps[h.Points[i].At]++
			}
		}
		for _, at := range []api.Time{dbtest.Start + 2*day, dbtest.Start + 3*day, dbtest.Start + 4*day} {
			if jumps[at] == 0 {
				t.Errorf("no jump at %v", at)
			}
		}
		_, err = f.History(ctx, f.ann, m.ID, 366)
		refused(t, err, fault.Invalid)
		_, err = f.History(ctx, f.ann, 4242, 30)
		refused(t, err, fault.NotFound)
	})
}

// After 90 days recalls are forgotten, what was audited is not, and the chart
// still begins where it can.
func TestTrimUsage(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x", importance(10))
		f.recall(m.ID)
		if _, err := f.Reinforce(ctx, f.ann, me, m.ID, 1, ""); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(60 * day)
		f.recall(m.ID)
		if n, err := f.TrimUsage(ctx, f.ann); err != nil || n != 0 {
			t.Errorf("after 60 days %d went: %v", n, err)
		}
		f.clock.Advance(30*day + 1)
		if n, err := f.TrimUsage(ctx, f.ann); err != nil || n != 1 {
			t.Errorf("after 90 days %d went: %v", n, err)
		}
		h, err := f.History(ctx, f.ann, m.ID, 365)
		if err != nil || h.HistoryFrom != dbtest.Start+60*day || len(h.Recalls) != 1 {
			t.Errorf("history from %v, recalls %v: %v", h.HistoryFrom, h.Recalls, err)
		}
	})
}

// Changes of importance that were recorded on another scale say nothing on ours.
func TestHistoryOfOtherScale(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		older := func(n int) string {
			return fmt.Sprintf(`{"id":1,"user_id":1,"body":"x","importance":%d,"use_count":0}`, n)
		}
		own := func(n int) string { return fmt.Sprintf(`{"importance":%d}`, n) }
		at := func(days int64) api.Time { return api.Time(dbtest.Start + days*day) }
		f.clock.Advance(20 * day)
		var ids []int64
		f.update(func(tx *db.Tx) (err error) {
			ids, err = f.Insert(tx, f.ann, audit.Actor{Name: audit.ActorImport}, "", []Carried{{
				Body: "x", Importance: 6, Confidence: 0.5, CreatedAt: dbtest.Start, Events: []api.LineEvent{
					{Action: "add", Actor: "user:1", At: at(0), After: older(2), Foreign: true},
					{Action: "update", Actor: "user:1", At: at(5), Before: older(2), After: older(3), Foreign: true},
					{Action: "update", Actor: audit.ActorMigration, At: at(8), Before: own(3), After: own(5)},
					{Action: "update", Actor: "user:1", At: at(10), Before: own(5), After: own(6)},
				},
			}})
			return err
		})
		h, err := f.History(ctx, f.ann, ids[0], 30)
		if err != nil || h.HistoryFrom != at(5) {
			t.Errorf("from %v, want %v: %v", h.HistoryFrom, at(5), err)
		}
		v, _ := vitality.Vitality(vitality.Memory{Importance: 5, CreatedAt: dbtest.Start}, vitality.DefaultPolicy(), int64(at(5)))
		if math.Abs(h.Points[0].Vitality-v) > 1e-9 {
			t.Errorf("begins at %v, want %v", h.Points[0].Vitality, v)
		}
		for _, e := range f.events(ids[0]) {
			if e.Action == "add" && (!e.Foreign || e.Who != "A person") {
				t.Errorf("event %+v", e)
			}
		}
	})
}
