package projection_test

import (
	"context"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/late"
	"elowen/shared/api"
	"elowen/shared/live"
)

// Token vectors come after the memory: the list and the detail that show it are told.
func TestTokenVectorsAreLive(t *testing.T) {
	w, _ := open(t)
	w.Memories.SetTokens("now")
	ann := w.Account("ann")
	m := w.Add(ann, "roses", 5)
	c := connect(t, w.Projector, ann)
	defer c.viewer.Close()
	for _, req := range []live.Request{list("all", api.MemoryQuery{}, 0, 5), {ID: "one", View: live.ViewMemory, Memory: m.ID, Days: 7}} {
		if err := c.subscribe(req); err != nil {
			t.Fatal(err)
		}
	}
	c.drain()
	is := func(want bool) {
		t.Helper()
		rows, details := shown[live.Row](t, c, "all"), shown[live.DetailRow](t, c, "one")
		if len(rows) != 1 || len(details) != 1 || rows[0].LateIndexed != want || details[0].Memory.LateIndexed != want {
			t.Errorf("want %v: %+v %+v", want, rows, details)
		}
	}
	is(false)
	if err := w.DB.Update(context.Background(), func(tx *db.Tx) error {
		_, err := late.Put(tx, ann.Owner, "now", []late.Item{{Memory: m.ID, BodyHash: audit.Hash("roses"), Vectors: make([]byte, late.TokenBytes)}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	c.settle(false)
	c.told("all", true)
	c.told("one", true)
	is(true)
}
