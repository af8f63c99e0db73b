package memory

import (
	"fmt"
	"strings"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestEventsPages(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("x")
		for i := range 9 {
			f.patch(m.ID, api.MemoryPatch{Importance: api.Ptr(1 + i), Body: api.Ptr(fmt.Sprint("text ", i))})
		}
		f.add("another")
		seen := map[int64]bool{}
		cursor, last := "", int64(1<<62)
		for page := 0; ; page++ {
			p, err := f.Events(ctx, f.ann, m.ID, cursor, 4)
			if err != nil || p.Total != 10 {
				t.Fatalf("page %d: %+v %v", page, p, err)
			}
			for _, e := range p.Items {
				if seen[e.ID] || e.ID >= last || e.MemoryID != m.ID {
					t.Errorf("event %d after %d", e.ID, last)
				}
				seen[e.ID], last = true, e.ID
			}
			if cursor = p.NextCursor; cursor == "" {
				break
			}
		}
		if len(seen) != 10 {
			t.Errorf("%d events in pages", len(seen))
		}
		all, err := f.Events(ctx, f.ann, 0, "", 0)
		if err != nil || all.Total != 11 || len(all.Items) != 11 || all.Items[0].Action != "add" {
			t.Errorf("of all memories: %+v %v", all, err)
		}
		for _, bad := range []string{"!", "AA", "LTU", strings.Repeat("z", 500), "MQ==", "MA"} {
			_, err := f.Events(ctx, f.ann, m.ID, bad, 4)
			refused(t, err, fault.Invalid)
		}
		_, err = f.Events(ctx, f.ann, 4242, "", 4)
		refused(t, err, fault.NotFound)
		_, err = f.Events(ctx, f.bob, m.ID, "", 4)
		refused(t, err, fault.NotFound)
		none, err := f.Events(ctx, f.bob, 0, "", 4)
		if err != nil || none.Total != 0 || none.Items == nil {
			t.Errorf("of an account without any: %+v %v", none, err)
		}
	})
}

// The audit holds no text of a body, and can't be changed.
func TestAuditHoldsHashes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("saffron")
		f.patch(m.ID, api.MemoryPatch{Body: api.Ptr("cardamom")})
		f.update(func(tx *db.Tx) error {
			_, err := f.Insert(tx, f.ann, audit.Actor{Name: audit.ActorImport}, "", []Carried{{Body: "turmeric", Importance: 5, Events: []api.LineEvent{
				{Action: "update", At: 1, Before: `{"id":1,"body":"cumin","user_id":3}`, After: `{"id":1,"body":"turmeric","user_id":3}`, Foreign: true},
				{Action: "odd", At: 2, Before: `not JSON but "body": "nutmeg"`},
				{Action: "twice", At: 3, Before: `{"body":"fennel","body":"` + audit.Hash("x") + `"}`, After: `{"\u0062ody":"sumac"}`},
				{Action: "deep", At: 4, Before: `{"rows":[{"body":"clove"}]}`, After: `{"body":"basil"} {}`},
			}}})
			return err
		})
		var all string
		f.view(func(tx *db.Tx) error {
			list, err := audit.Read(tx, f.ann, 0, "", 0)
			for _, e := range list.Entries {
				all += e.Before + e.After + e.Reason
			}
			return err
		})
		for _, word := range []string{"saffron", "cardamom", "turmeric", "cumin", "nutmeg", "fennel", "sumac", "clove", "basil"} {
			if strings.Contains(all, word) {
				t.Errorf("the audit holds %q: %s", word, all)
			}
		}
		for _, q := range []string{`UPDATE memory_event SET reason = 'x' WHERE owner_id = ?`, `DELETE FROM memory_event WHERE owner_id = ?`} {
			err := f.d.Update(ctx, func(tx *db.Tx) error { _, err := tx.Exec(q, int64(f.ann)); return err })
			if err == nil {
				t.Errorf("the store lets %q happen", q)
			}
		}
	})
}

func TestDetail(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		m := f.add("The guest wifi password at the office is swordfish42")
		twin := f.add("The guest wifi password at the office is mackerel77")
		for i := range detailEvents {
			f.patch(m.ID, api.MemoryPatch{Importance: api.Ptr(1 + (i+5)%10)})
		}
		detail := func(id int64) (d api.MemoryDetail, err error) {
			err = f.d.View(ctx, func(tx *db.Tx) (err error) { d, err = f.Detail(tx, f.ann, id, 0); return err })
			return d, err
		}
		d, err := detail(m.ID)
		if err != nil || d.Memory.ID != m.ID || len(d.Events) != detailEvents || !d.More || len(d.Similar) != 1 || d.Similar[0].ID != twin.ID ||
			d.History.Points[len(d.History.Points)-1].Vitality != d.Memory.Vitality {
			t.Errorf("%+v %v", d, err)
		}
		_, err = detail(4242)
		refused(t, err, fault.NotFound)
	})
}
