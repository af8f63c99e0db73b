package recall

import (
	"context"
	"sync"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/setting"
)

func (w *world) adds(body string) api.MemoryAdded {
	w.Helper()
	out, err := w.memories.Add(ctx, w.ann, me, api.SourceUser, api.MemoryAdd{Body: body})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func TestAddTellsWhatMeansTheSame(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if out := w.adds("An umbrella stands in the hall."); out.SimilarPending || out.Indexed {
			t.Errorf("without a model: %+v", out)
		}
		w.on("m")
		first := w.adds("The hound wants a promenade by the dock.")
		if !first.Indexed || first.SimilarPending || len(first.Similar) != 0 {
			t.Errorf("the first: %+v", first)
		}
		next := w.adds("A dog, a walk, the harbour!")
		if len(next.Similar) != 1 || next.Similar[0].ID != first.ID || next.Similar[0].By != "meaning" || next.Similar[0].Similarity < 0.8 || next.Similar[0].Similarity >= 1 || !next.Indexed {
			t.Errorf("the next: %+v", next)
		}
		again := w.adds("The hound wants a promenade by the dock.")
		if !again.Existing || again.SimilarPending || again.ID != first.ID {
			t.Errorf("the same again: %+v", again)
		}
		list, err := w.memories.Similar(ctx, w.ann, first.ID, 5)
		if err != nil || len(list) != 1 || list[0].ID != next.ID || list[0].By != "meaning" {
			t.Errorf("of the first: %+v, %v", list, err)
		}
		w.view(func(tx *db.Tx) error {
			d, err := w.memories.Detail(tx, w.ann, first.ID, 0)
			if len(d.Similar) != 1 || d.Similar[0].By != "meaning" {
				t.Errorf("its page: %+v", d.Similar)
			}
			return err
		})
		if _, err := w.memories.Trash(ctx, w.ann, me, next.ID, 0, ""); err != nil {
			t.Fatal(err)
		}
		if list, err = w.memories.Similar(ctx, w.ann, first.ID, 5); err != nil || len(list) != 0 {
			t.Errorf("from the trash: %+v, %v", list, err)
		}
	})
}

// An add waits for the model as long as the setting says and no longer, and only a few
// do at a time.
func TestAddDoesNotWaitForASlowModel(t *testing.T) {
	w := open(t)
	w.on("m")
	stop := make(chan struct{})
	var mu sync.Mutex
	waiting := 0
	w.model.slow = func(context.Context) error { // it looks at no clock
		mu.Lock()
		waiting++
		mu.Unlock()
		<-stop
		return errSlow
	}
	most := setting.Int("similar.waiting")
	var all sync.WaitGroup
	for i := range 3 * most {
		all.Go(func() {
			out, err := w.memories.Add(ctx, w.ann, me, api.SourceUser, api.MemoryAdd{Body: []string{"dog", "coffee", "car"}[i%3] + time.Duration(i).String()})
			if err != nil || !out.SimilarPending || out.Indexed {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	all.Wait() // it ends although the model never answers
	mu.Lock()
	if waiting == 0 || waiting > 3*most {
		t.Errorf("%d waited", waiting)
	}
	mu.Unlock()
	close(stop)
}

// A model that panics is as one that does not answer.
func TestAddOutlivesAModelThatPanics(t *testing.T) {
	w := open(t)
	w.on("m")
	w.model.slow = func(context.Context) error { panic("a model broke") }
	out, err := w.memories.Add(ctx, w.ann, me, api.SourceUser, api.MemoryAdd{Body: "A dog barks."})
	if err != nil || !out.SimilarPending || out.Indexed {
		t.Errorf("%+v, %v", out, err)
	}
}

// A model that must be loaded first keeps no add waiting, and isn't asked by it.
func TestAddDoesNotWaitForAModelToLoad(t *testing.T) {
	w := open(t)
	w.on("m")
	w.model.cold.Store(true)
	out, err := w.memories.Add(ctx, w.ann, me, api.SourceUser, api.MemoryAdd{Body: "A dog barks."})
	if err != nil || !out.SimilarPending || out.Indexed || len(w.model.told) != 0 {
		t.Errorf("%+v, %v, told %q", out, err, w.model.told)
	}
	w.model.cold.Store(false)
	if out := w.adds("A cat sleeps."); out.SimilarPending || !out.Indexed {
		t.Errorf("loaded: %+v", out)
	}
}
