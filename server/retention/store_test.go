package retention

import (
	"context"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestSaveThroughTheStrictDoor(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		ctx := context.Background()
		anna, bela := h.person("anna"), h.person("bela")
		was, err := h.Settings(ctx)
		if err != nil || was.Revision != 1 || !was.Retention.Enabled || len(was.Fields) != 14+6+8 { // of retention, of limits, of runtime
			t.Fatalf("fresh: %+v %v", was, err)
		}
		before := [2]int64{h.seq(anna), h.seq(bela)}
		saved, err := h.Save(ctx, api.PolicyChange{Revision: 1, VitalityFloor: api.Ptr(20.0), GraceDays: api.Ptr(1000.0)})
		if err != nil || saved.Revision != 2 || saved.Retention.VitalityFloor != 20 || saved.Retention.GraceDays != 365 {
			t.Fatalf("saved: %+v %v", saved, err)
		}
		if h.seq(anna) != before[0]+1 || h.seq(bela) != before[1]+1 {
			t.Error("not everybody was told, or told twice")
		}
		_, err = h.Save(ctx, api.PolicyChange{Revision: 1, VitalityFloor: api.Ptr(30.0)})
		var f *fault.Error
		if !fault.Is(err, fault.Stale) {
			t.Fatalf("an older revision: %v", err)
		}
		f, _ = err.(*fault.Error)
		if now, ok := f.Current.(api.Settings); !ok || now.Revision != 2 {
			t.Errorf("current: %+v", f.Current)
		}
		for _, bad := range []api.PolicyChange{
			{}, {Revision: 2, VitalityFloor: api.Ptr(0.5)}, {Revision: 2, VitalityFloor: api.Ptr(91.0)},
			{Revision: 2, DailyDeletionLimit: api.Ptr(2.5)}, {Revision: 2, DailyDeletionLimit: api.Ptr(0.0)},
			{Revision: 2, HalfLifeDays: []float64{1, 2}}, {Revision: 2, HalfLifeDays: []float64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		} {
			if _, err := h.Save(ctx, bad); !fault.Is(err, fault.Invalid) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		if now, err := h.Settings(ctx); err != nil || now.Revision != 2 || now.Retention.VitalityFloor != 20 {
			t.Errorf("after refusals: %+v %v", now, err)
		}
	})
}

func TestStoredPolicyIsSettled(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	ctx := context.Background()
	for text, want := range map[string]func(vitality.Policy) bool{
		`{"vitalityFloor": 500, "graceDays": -3, "dailyDeletionLimit": 7.6}`: func(p vitality.Policy) bool { return p.Floor == 90 && p.GraceDays == 0 && p.DailyLimit == 8 },
		`{"vitalityFloor": 0, "halfLifeDays": [0, -1, 400]}`: func(p vitality.Policy) bool {
			return p.Floor == 10 && p.HalfLifeDays[0] == 1 && p.HalfLifeDays[1] == 3 && p.HalfLifeDays[2] == 365
		},
		`{"enabled": false, "somethingNewer": true}`: func(p vitality.Policy) bool { return !p.Enabled && p.Floor == 10 },
	} {
		err := h.d.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO policy (name, value, revision) VALUES ('retention', ?, 4) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := h.Current(ctx); err != nil || !want(s.Policy) || s.Revision != 4 {
			t.Errorf("%s: %+v %v", text, s, err)
		}
	}
}

// A change of policy moves every stored forecast with it: what the sweep finds
// agrees with the arithmetic, before and after.
func TestPolicyMovesTheForecasts(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		ctx := context.Background()
		anna := h.person("anna")
		for days := int64(1); days < 120; days += 7 {
			h.old(anna, 1, days, int(days%10)+1)
		}
		check := func(when string) {
			t.Helper()
			var due, want int
			err := h.d.View(ctx, func(tx *db.Tx) error {
				terms, err := h.settings.Terms(tx)
				if err != nil {
					return err
				}
				if due, err = h.memories.CountDue(tx, anna, terms, tx.Now); err != nil {
					return err
				}
				for b, err := range h.memories.Briefs(tx, anna, nil) {
					if err != nil {
						return err
					}
					if ok, err := vitality.Evictable(b.Vital(), terms.Policy, tx.Now); err != nil {
						return err
					} else if ok {
						want++
					}
				}
				return nil
			})
			if err != nil || due != want || want == 0 {
				t.Errorf("%s: %d due, want %d (%v)", when, due, want, err)
			}
		}
		check("default")
		h.save(api.PolicyChange{VitalityFloor: api.Ptr(45.0)})
		check("higher floor")
		h.save(api.PolicyChange{HalfLifeDays: []float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, GraceDays: api.Ptr(0.0)})
		check("other half-lives")
	})
}

func TestSweepTakesTheMostUrgentWithinTheLimit(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna, bela := h.person("anna"), h.person("bela")
		young := h.old(anna, 4, 40, 5)
		oldest := h.old(anna, 7, 300, 5)
		h.old(anna, 20, 2, 5)
		h.old(bela, 3, 300, 5)
		if s, err := h.DryRun(ctx); err != nil || s.Total().Trashed != 8 || s.Total().Due != 10 {
			// Four of 40 days are at 13: not due.
			t.Errorf("dry run: %+v %v", s.Total(), err)
		}
		// What the dry run says is what the sweep does.
		dry, err := h.DryRun(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.sweep(); got.Trashed != 8 || got.Due != 10 || got.Refused != 2 {
			t.Errorf("first sweep: %+v", got)
		}
		for _, a := range dry.Accounts {
			for _, d := range a.Plan {
				m, err := h.memories.Get(ctx, a.Owner, d.ID)
				if err != nil || (m.Status == api.StatusDeleted) != (d.Verdict == Trash) || m.DeletedWhy != "" && m.DeletedWhy != d.Reason {
					t.Errorf("planned %s (%s), became %s (%s), %v", d.Verdict, d.Reason, m.Status, m.DeletedWhy, err)
				}
			}
		}
		if a, d := h.status(anna); a != 26 || d != 5 {
			t.Errorf("anna: %d active, %d deleted", a, d)
		}
		if a, d := h.status(bela); a != 0 || d != 3 {
			t.Errorf("bela: %d active, %d deleted", a, d)
		}
		// The lowest vitality goes first: those made last within their batch are the oldest.
		for i, id := range oldest {
			m, err := h.memories.Get(ctx, anna, id)
			if err != nil {
				t.Fatal(err)
			}
			if gone := m.Status == api.StatusDeleted; gone != (i >= 2) {
				t.Errorf("memory %d of %d: %s", i, len(oldest), m.Status)
			}
		}
		if m, err := h.memories.Get(ctx, anna, young[0]); err != nil || m.Status != api.StatusActive {
			t.Errorf("young: %+v %v", m, err)
		}
		page, err := h.memories.Events(ctx, anna, oldest[6], "", 1)
		if err != nil || page.Items[0].Action != "auto-evict" || page.Items[0].Actor != "daemon" || page.Items[0].Reason != "auto-evict: vitality 0.0 < 10" {
			t.Errorf("event: %+v %v", page.Items, err)
		}
		if got := h.sweep(); got.Trashed != 0 || got.Refused != 2 {
			t.Errorf("second sweep: %+v", got)
		}
		status, err := h.Status(ctx, anna)
		if err != nil || status.DueNow != 2 || status.LeftToday != 0 || status.LastSweep == nil || status.LastSweep.Refused != 2 {
			t.Errorf("status: %+v %v", status, err)
		}
		clock.Advance(day)
		if got := h.sweep(); got.Trashed != 2 {
			t.Errorf("a day later: %+v", got)
		}
	})
}

func TestSweepBesideItsPlan(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna := h.person("anna")
		ids := h.old(anna, 3, 300, 5)
		var terms memory.Terms
		if err := h.d.View(ctx, func(tx *db.Tx) (err error) { terms, err = h.settings.Terms(tx); return err }); err != nil {
			t.Fatal(err)
		}
		page, err := h.page(ctx, anna, terms, clock.Now(), nil)
		if err != nil || len(page) != 3 {
			t.Fatalf("page: %v %v", page, err)
		}
		plan, err := Plan(page, terms.Policy, clock.Now(), 5)
		if err != nil || plan[0].ID != ids[2] || plan[0].Verdict != Trash {
			t.Fatalf("plan: %+v %v", plan, err)
		}
		// Used between the plan and its turn, it stays.
		if _, err := h.memories.MarkRecalled(ctx, anna, []int64{plan[0].ID}); err != nil {
			t.Fatal(err)
		}
		if got, err := h.memories.AutoEvict(ctx, anna, plan[0].ID, clock.Now(), 5, terms); err != nil || got != memory.Kept {
			t.Errorf("used: %v %v", got, err)
		}
		// Paused in the middle of a sweep, the rest stays.
		h.save(api.PolicyChange{Enabled: api.Ptr(false)})
		if got, err := h.memories.AutoEvict(ctx, anna, plan[1].ID, clock.Now(), 5, terms); err != nil || got != memory.Kept {
			t.Errorf("paused: %v %v", got, err)
		}
		if got := h.sweep(); got.Trashed != 0 || got.Due != 0 {
			t.Errorf("paused sweep: %+v", got)
		}
	})
}

// A sweep that breaks off half way tells what it did until then, and doesn't keep
// the next account from its turn.
func TestSweepThatBreaksOffIsRecorded(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ann, bob := h.person("ann"), h.person("bob")
		h.old(ann, 4, 100, 1)
		h.old(bob, 1, 100, 1)
		err := h.d.Update(context.Background(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE UNIQUE INDEX one_eviction_at_a_time ON memory_event (owner_id, at) WHERE action = 'auto-evict'`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		swept, err := h.Sweep(context.Background())
		if err == nil {
			t.Error("nothing is said of the failure")
		}
		if total := swept.Total(); total.Trashed != 2 || total.Due != 5 || total.Refused != 0 {
			t.Errorf("%+v", total)
		}
		for owner, want := range map[db.AccountID]api.Sweep{
			ann: {At: api.Time(clock.Now()), Trashed: 1, Due: 4}, bob: {At: api.Time(clock.Now()), Trashed: 1, Due: 1},
		} {
			status, err := h.Status(context.Background(), owner)
			if err != nil {
				t.Fatal(err)
			}
			if status.LastSweep == nil || *status.LastSweep != want {
				t.Errorf("account %d: %+v, want %+v", owner, status.LastSweep, want)
			}
		}
	})
}

func TestSweepPagesPastWhatIsUsedMeanwhile(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	h.old(anna, 2*pageSize+10, 300, 5)
	h.save(api.PolicyChange{DailyDeletionLimit: api.Ptr(200.0)})
	if got := h.sweep(); got.Trashed != 200 || got.Due != 2*pageSize+10 || got.Refused != pageSize+10+(pageSize-200) {
		t.Errorf("%+v", got)
	}
	if _, d := h.status(anna); d != 200 {
		t.Errorf("%d deleted", d)
	}
}

func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna := h.person("anna")
		h.old(anna, 12, 300, 5)
		h.old(anna, 4, 40, 5) // below 10 after 48.8 days
		h.old(anna, 9, 1, 10) // not within 30 days under this policy, at 45 from day 28 on
		h.boot(t)
		v, err := h.Preview(ctx, anna, api.PreviewRequest{Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		if v.Due != 12 || v.NextSweep != 5 || v.Eligible30 != 16 || v.Within30 != 16 || int64(v.SweepAt) != clock.Now()+day {
			t.Errorf("%+v", v)
		}
		if len(v.First) != 3 || v.First[0].Reason != "vitality 0.0 < 10" || v.First[0].Body != "Memory 11 of 300 days." {
			t.Errorf("first: %+v", v.First)
		}
		before := h.seq(anna)
		v, err = h.Preview(ctx, anna, api.PreviewRequest{Policy: api.PolicyChange{DailyDeletionLimit: api.Ptr(1.0), VitalityFloor: api.Ptr(45.0)}})
		if err != nil || v.Due != 16 || v.NextSweep != 1 || v.Within30 != 20 || v.Eligible30 != 25 {
			t.Errorf("another policy: %+v %v", v, err)
		}
		v, err = h.Preview(ctx, anna, api.PreviewRequest{Policy: api.PolicyChange{Enabled: api.Ptr(false)}})
		if err != nil || v.Due != 0 || v.Within30 != 0 || len(v.First) != 0 || v.First == nil {
			t.Errorf("paused: %+v %v", v, err)
		}
		if _, err := h.Preview(ctx, anna, api.PreviewRequest{Policy: api.PolicyChange{VitalityFloor: api.Ptr(0.0)}}); !fault.Is(err, fault.Invalid) {
			t.Errorf("out of bounds: %v", err)
		}
		if h.seq(anna) != before {
			t.Error("a preview changed something")
		}
		// What the preview says is what happens.
		clock.Advance(day)
		if got := h.sweep(); got.Trashed != 5 {
			t.Errorf("sweep: %+v", got)
		}
	})
}
