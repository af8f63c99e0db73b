package db_test

import (
	"context"
	"sync"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/fault"
)

// Whoever asks while the store closes is answered, however the two meet: a request
// may come into the writer's queue when nobody looks there any more.
func TestCloseAnswersEverybody(t *testing.T) {
	for range 10 {
		d, err := db.Open(ctx, db.Config{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var asking sync.WaitGroup
		started := make(chan struct{}, 64)
		for range cap(started) {
			asking.Go(func() {
				started <- struct{}{}
				for {
					if err := d.Update(ctx, func(*db.Tx) error { return nil }); err != nil {
						if !fault.Is(err, fault.Unavailable) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		for range cap(started) {
			<-started
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		asking.Wait()
	}
}

// Reads that are cancelled, before they begin or half way, cost no reader.
func TestCancelledReadsCostNoReader(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		for i := range 40 { // more than there are readers
			c, cancel := context.WithCancel(ctx)
			if i%2 == 0 {
				cancel()
			}
			err := d.View(c, func(tx *db.Tx) error {
				cancel()
				var n int64
				return tx.Row(`WITH RECURSIVE long (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM long WHERE n < 1000) SELECT COUNT(*) FROM long`, nil, &n)
			})
			cancel()
			if !fault.Is(err, fault.Cancelled) {
				t.Fatalf("read %d: %v", i, err)
			}
		}
		for range 40 {
			err := d.View(ctx, func(tx *db.Tx) error {
				_, err := tx.Meta("epoch")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
