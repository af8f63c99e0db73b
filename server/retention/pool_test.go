package retention

import (
	"context"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/project"
	"elowen/shared/api"
)

// One limit a day for what somebody has and what they wrote into pools: the lowest
// vitality goes first, wherever it is, and a preview says so before.
func TestSweepOverPools(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		h := open(t, d)
		ctx := context.Background()
		ann, bob := h.person("ann"), h.person("bob")
		projects := project.New(d, project.Options{})
		boss := account.Identity{Scopes: []string{api.ScopeAdmin}}
		p, err := projects.Add(ctx, boss, api.ProjectAdd{Name: "Harbor", Sharing: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ann", "bob"} {
			if _, err := projects.SetMember(ctx, boss, p.ID, 0, api.ProjectMemberSet{Name: name}); err != nil {
				t.Fatal(err)
			}
		}
		var pool db.AccountID
		err = d.Update(ctx, func(tx *db.Tx) error {
			open, err := project.Open(tx, ann, p.ID)
			if err != nil {
				return err
			}
			pool = open.Owner
			old := func(body string, days int64, writer db.AccountID) memory.Carried {
				return memory.Carried{Body: body, Importance: 1, Confidence: 0.8, CreatedAt: tx.Now - days*day, Writer: writer}
			}
			_, err = h.memories.Insert(tx, pool, audit.Actor{Name: "test"}, "", []memory.Carried{
				old("ann's oldest", 300, ann), old("ann's older", 200, ann), old("bob's", 250, bob), old("nobody's", 260, pool),
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.old(ann, 3, 250, 1)
		h.save(api.PolicyChange{DailyDeletionLimit: api.Ptr(3.0)})
		preview, err := h.Preview(ctx, ann, api.PreviewRequest{})
		if err != nil || preview.Due != 5 || preview.NextSweep != 3 || len(preview.First) != 5 || preview.First[0].Body != "ann's oldest" {
			t.Errorf("%+v %v", preview, err)
		}
		swept, err := h.Sweep(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := map[db.AccountID]int{}
		for _, a := range swept.Accounts {
			got[a.Owner] = a.Trashed
		}
		if got[ann] != 3 || got[bob] != 1 || got[pool] != 1 {
			t.Errorf("trashed by whom: %v", got)
		}
		if active, _ := h.status(ann); active != 1 { // of her three, two went with the oldest in the pool
			t.Errorf("ann has %d left", active)
		}
		if active, deleted := h.status(pool); active != 1 || deleted != 3 {
			t.Errorf("the pool has %d, %d in its trash", active, deleted)
		}
		if again := h.sweep(); again.Trashed != 0 || again.Refused != 2 {
			t.Errorf("again: %+v", again)
		}
	})
}
