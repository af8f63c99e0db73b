package projection_test

import (
	"context"
	"testing"

	"elowen/server/db/dbtest"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// A memory's rank is its place in the pages of the same list.
func TestRankIsThePlaceInTheList(t *testing.T) {
	w := projectiontest.Open(t, dbtest.NewClock(dbtest.Start))
	who, other := w.Account("ann"), w.Account("bob")
	w.Fill(who, 300, bodyOf)
	w.Fill(other, 1, bodyOf)
	ctx := context.Background()
	for _, q := range []api.MemoryQuery{{}, {Sort: api.SortVitality}, {Sort: api.SortCreated, Order: "asc"}, {Q: "boiler number"}, {Importance: 5, Sort: api.SortImportance}} {
		page, err := w.Projector.List(ctx, who.Owner, q, "", 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{0, 1, len(page.Items) / 2, len(page.Items) - 1} {
			got, err := w.Projector.Rank(ctx, who.Owner, q, page.Items[i].ID)
			if err != nil || got != (api.Rank{Rank: i, Total: len(page.Items)}) {
				t.Errorf("%+v: %+v %v, want %d of %d", q, got, err, i, len(page.Items))
			}
		}
	}
	all, err := w.Projector.List(ctx, who.Owner, api.MemoryQuery{}, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	id := all.Items[0].ID
	if got, err := w.Projector.Rank(ctx, who.Owner, api.MemoryQuery{Status: api.StatusDeleted}, id); err != nil || got.Rank != -1 {
		t.Errorf("not in the list: %+v %v", got, err)
	}
	if _, err := w.Projector.Rank(ctx, other.Owner, api.MemoryQuery{}, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("another's: %v", err)
	}
}
