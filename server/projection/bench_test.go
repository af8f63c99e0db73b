package projection_test

import (
	"context"
	"fmt"
	"testing"

	"elowen/server/account"
	"elowen/server/db/dbtest"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/live"
)

const many = 100_000

var words = []string{"boiler", "valve", "garden", "window", "letter", "harbour", "pepper", "candle", "bridge", "marble", "copper", "violin", "winter", "summer", "ticket"}

func text(i int) string {
	w := func(n int) string { return words[(i/n)%len(words)] }
	return fmt.Sprintf("The %s and the %s of number %d belong to the %s near the %s.", w(1), w(7), i, w(31), w(103))
}

func large(b *testing.B) (*projectiontest.World, account.Identity, *dbtest.Clock) {
	b.Helper()
	clock := dbtest.NewClock(dbtest.Start)
	w := projectiontest.Open(b, clock)
	who := w.Account("ann")
	w.Fill(who, many, text)
	return w, who, clock
}

// The first list of an account that is not in memory yet.
func BenchmarkLoad100k(b *testing.B) {
	w, who, _ := large(b)
	for b.Loop() {
		p := w.Another()
		if _, err := p.List(context.Background(), who.Owner, api.MemoryQuery{}, "", 50); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		bytes, _ := p.Held()
		b.ReportMetric(float64(bytes)/many, "bytes/memory")
		p.Close()
		b.StartTimer()
	}
}

// A page from the middle of a list that is in memory.
func BenchmarkListPage100k(b *testing.B) {
	w, who, _ := large(b)
	ctx := context.Background()
	for _, sort := range []string{api.SortUpdated, api.SortVitality} {
		b.Run(sort, func(b *testing.B) {
			q := api.MemoryQuery{Sort: sort}
			page, err := w.Projector.List(ctx, who.Owner, q, "", 500)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := w.Projector.List(ctx, who.Owner, q, page.NextCursor, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Another order or filter than before: everything is selected and sorted anew.
func BenchmarkNewSelection100k(b *testing.B) {
	w, who, _ := large(b)
	ctx := context.Background()
	for _, sort := range []string{api.SortUpdated, api.SortVitality, api.SortImportance} {
		b.Run(sort, func(b *testing.B) {
			at := int64(0)
			for b.Loop() {
				at++ // an instant that excludes nothing makes another query
				after := api.Time(at)
				if _, err := w.Projector.List(ctx, who.Owner, api.MemoryQuery{Sort: sort, After: &after}, "", 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A key press in the search field: another prefix each time, a window of 60 rows.
func BenchmarkSearchKeyPress100k(b *testing.B) {
	w, who, _ := large(b)
	for name, q := range map[string]string{"rare": "number 4711", "common": "the boiler"} {
		b.Run(name, func(b *testing.B) {
			c := connect(b, w.Projector, who)
			defer c.viewer.Close()
			i := 0
			for b.Loop() {
				i++
				if err := c.viewer.Subscribe(context.Background(), list("w", api.MemoryQuery{Q: q + fmt.Sprint(" ", i)}, 0, 60)); err != nil {
					b.Fatal(err)
				}
				if _, ok := c.viewer.Next(nil); !ok {
					b.Fatal("no frame")
				}
			}
		})
	}
}

// From a committed use to the delta of a window, with everything in memory.
func BenchmarkAdvance100k(b *testing.B) {
	w, who, clock := large(b)
	w.Projector.Hurry()
	ctx := context.Background()
	for name, q := range map[string]api.MemoryQuery{"updated": {}, "vitality": {Sort: api.SortVitality}, "used": {Sort: api.SortUsed}} {
		b.Run(name, func(b *testing.B) {
			c := connect(b, w.Projector, who)
			defer c.viewer.Close()
			if err := c.subscribe(list("w", q, 0, 60)); err != nil {
				b.Fatal(err)
			}
			c.drain()
			ids := c.windows["w"].IDs()
			i := 0
			for b.Loop() {
				b.StopTimer()
				i++
				clock.Advance(1000)
				if _, err := w.Memories.MarkRecalled(ctx, who.Owner, []int64{ids[i%len(ids)]}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := w.Projector.Settle(ctx, who.Owner, false); err != nil {
					b.Fatal(err)
				}
				if _, ok := c.viewer.Next(nil); !ok {
					b.Fatal("no frame")
				}
			}
		})
	}
}

// The clock's look at a full set of windows.
func BenchmarkTick100k(b *testing.B) {
	w, who, clock := large(b)
	w.Projector.Hurry()
	c := connect(b, w.Projector, who)
	defer c.viewer.Close()
	for i := range 16 {
		q := api.MemoryQuery{Sort: api.Sorts()[i%6]}
		if err := c.subscribe(live.Request{ID: fmt.Sprint(i), View: live.ViewMemories, Query: q, From: i * 1000, Limit: 200}); err != nil {
			b.Fatal(err)
		}
	}
	c.drain()
	for b.Loop() {
		clock.Advance(15_000)
		if err := w.Projector.Settle(context.Background(), who.Owner, true); err != nil {
			b.Fatal(err)
		}
		c.drain()
	}
}
