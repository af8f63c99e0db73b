package recall

import (
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
)

// While an account's index is loaded, however slowly, those who ask of that account wait
// without a reader: another account is answered meanwhile, and they are when it is there.
func TestALoadKeepsNobodyElseWaiting(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		w := newWorld(t, d, clock)
		w.on("m")
		ids := []int64{w.addTo(w.ann, "The ferry to the island leaves at six."), w.addTo(w.ann, "The ferry has a dog.")}
		w.index(w.ann, ids...)
		his := w.addTo(w.bob, "The lighthouse is green.")
		w.index(w.bob, his)

		loading, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		d.Trace(func(s db.Statement) {
			if !strings.Contains(s.Query, "embedding_vector") || len(s.Args) == 0 || s.Args[0] != int64(w.ann) {
				return
			}
			once.Do(func() { close(loading); <-release })
		})
		defer d.Trace(nil)
		ask := func(q string) (api.Retrieved, error) {
			return w.Retrieve(ctx, w.ann, api.RetrieveRequest{Query: q})
		}
		const many = 40 // more than there are readers
		var wait sync.WaitGroup
		errs, found := make([]error, many), make([]api.Retrieved, many)
		for i := range many {
			wait.Go(func() {
				switch i % 4 {
				case 3:
					_, errs[i] = w.memories.Similar(ctx, w.ann, ids[0], 3)
				default:
					found[i], errs[i] = ask("When does the ferry to the island leave?")
				}
			})
			if i == 0 {
				<-loading
			}
		}
		for range 20 { // all of them get as far as they can
			time.Sleep(2 * time.Millisecond)
			answered := make(chan error, 1)
			go func() {
				out, err := w.Retrieve(ctx, w.bob, api.RetrieveRequest{Query: "What colour is the lighthouse?"})
				if err == nil && len(out.Memories) != 1 {
					t.Errorf("bob finds %+v", out)
				}
				answered <- err
			}()
			select {
			case err := <-answered:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(20 * time.Second):
				close(release)
				t.Fatal("another account waits for it")
			}
		}
		close(release)
		wait.Wait()
		for i := range many {
			if errs[i] != nil || i%4 != 3 && (len(found[i].Memories) == 0 || found[i].Path != api.PathSemantic) {
				t.Errorf("%d: %v %+v", i, errs[i], found[i])
			}
		}
	})
}
