package db_test

import (
	"sync"
	"testing"

	"elowen/server/db"
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
