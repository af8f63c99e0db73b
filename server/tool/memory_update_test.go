package tool

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
)

type terms struct{}

func (terms) Terms(*db.Tx) (memory.Terms, error) {
	return memory.Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: dbtest.Start}, nil
}

// What somebody changes while a correction is under way is not overwritten.
func TestUpdateOfWhatChangedInBetween(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		me := audit.Actor{Name: "user:1"}
		var memories *memory.Store
		var between func()
		// Categories are looked up after the memory: whoever counts what is in them can act
		// in between.
		categories := category.New(d, func(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]int, error) {
			if act := between; act != nil {
				between = nil
				act()
			}
			return memory.CountByCategory(tx, owner, ids)
		})
		memories = memory.New(d, categories, terms{})
		var ann db.AccountID
		if err := d.Update(ctx, func(tx *db.Tx) (err error) {
			if ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0); err != nil {
				return err
			}
			return categories.Seed(tx, ann)
		}); err != nil {
			t.Fatal(err)
		}
		list, err := categories.List(ctx, ann)
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		m, err := memories.Add(ctx, ann, me, api.SourceUser, api.MemoryAdd{Body: "She drinks tea."})
		if err != nil {
			t.Fatal(err)
		}
		set := New(Options{Memories: memories, Categories: categories})
		call := as(api.ScopeRead, api.ScopeWrite)
		identify := call.Identify
		call.Identify = func(c context.Context) (account.Identity, error) {
			who, err := identify(c)
			who.Owner = ann
			return who, err
		}
		args := []byte(fmt.Sprintf(`{"id":%d,"body":"She drinks coffee.","category":%q}`, m.ID, list[0].Name))
		acted := false
		between = func() {
			acted = true
			if _, err := memories.Patch(ctx, ann, me, m.ID, 0, api.MemoryPatch{Body: api.Ptr("She drinks mate.")}); err != nil {
				t.Error(err)
			}
		}
		r := set.Run(ctx, set.Get("MemoryUpdate"), call, args)
		if !acted || !r.Failed || !strings.Contains(r.Text, "Look at it as it is now") {
			t.Errorf("acted %v: %+v", acted, r)
		}
		if now, err := memories.Get(ctx, ann, m.ID); err != nil || now.Body != "She drinks mate." {
			t.Errorf("it is %q, %v", now.Body, err)
		}
		if r := set.Run(ctx, set.Get("MemoryUpdate"), call, args); r.Failed {
			t.Errorf("again: %s", r.Text)
		}
		if now, err := memories.Get(ctx, ann, m.ID); err != nil || now.Body != "She drinks coffee." {
			t.Errorf("it is %q, %v", now.Body, err)
		}
	})
}
