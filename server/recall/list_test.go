package recall

import (
	"context"
	"strings"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/feed"
	"elowen/server/projection"
	"elowen/server/retention"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
)

func (w *world) projector() *projection.Projector {
	w.Helper()
	changes := feed.New(w.db)
	w.Cleanup(changes.Close)
	p := projection.New(projection.Config{DB: w.db, Feed: changes, Memories: w.memories, Rules: retention.NewSettings(), Meaning: w.Store})
	w.Cleanup(p.Close)
	return p
}

func TestListByMeaning(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.projector()
		q := api.MemoryQuery{Q: "walk the dog", Match: api.MatchMeaning, Status: "all"}
		if _, err := p.List(ctx, w.ann, q, "", 0); !fault.Is(err, fault.Unavailable) {
			t.Errorf("without a model: %v", err)
		}
		w.on("m")
		coffee := w.add("Espresso after lunch keeps me awake.")
		rex := w.add("Rex is a hound, he wants his promenade.", nowhere)
		pup := w.add("A puppy needs sleep.")
		gone := w.add("A stroll with the hound on Sunday.")
		if _, err := w.memories.Trash(ctx, w.ann, me, gone, 0, ""); err != nil {
			t.Fatal(err)
		}
		list := func(q api.MemoryQuery) []int64 {
			t.Helper()
			page, err := p.List(ctx, w.ann, q, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			ids := []int64{}
			for _, m := range page.Items {
				ids = append(ids, m.ID)
			}
			if page.Total != len(ids) {
				t.Errorf("%d of %d", len(ids), page.Total)
			}
			return ids
		}
		if got := list(q); len(got) != 3 || got[2] != pup {
			t.Errorf("all: %v, want %d and %d, then %d, and not %d", got, rex, gone, pup, coffee)
		}
		q.Status = ""
		same(t, "active", list(q), rex, pup)
		q.Status = api.StatusDeleted
		same(t, "in the trash", list(q), gone)
		q.Status, q.Uncategorized = "", true
		same(t, "in no category", list(q), rex)
		q.Uncategorized, q.CategoryID = false, w.shelf
		same(t, "in one", list(q), pup)
		if n := w.model.questions(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		w.model.hold = func(context.Context) error { return fault.New(fault.Unavailable, "It is down.") }
		if _, err := p.List(ctx, w.ann, api.MemoryQuery{Q: "something else", Match: api.MatchMeaning}, "", 0); !fault.Is(err, fault.Unavailable) {
			t.Error(err)
		}
	})
}

// A live list by meaning follows what is added, and the model when it is changed.
func TestLiveListByMeaning(t *testing.T) {
	w := open(t)
	w.on("a")
	p := w.projector()
	hints := make(chan struct{}, 1)
	v := p.Open(account.Identity{Owner: w.ann}, func() {
		select {
		case hints <- struct{}{}:
		default:
		}
	})
	defer v.Close()
	first := w.add("Rex is a hound, he wants his promenade.")
	if err := v.Subscribe(ctx, live.Request{ID: "x", View: live.ViewMemories, Query: api.MemoryQuery{Q: "walk the dog", Match: api.MatchMeaning}}); err != nil {
		t.Fatal(err)
	}
	var last []byte
	until := func(what string, ok func(frame string) bool) {
		t.Helper()
		end := time.After(20 * time.Second)
		for {
			if frame, there := v.Next(nil); there {
				if last = frame; ok(string(frame)) {
					return
				}
				continue
			}
			select {
			case <-hints:
			case <-end:
				t.Fatalf("%s: the last frame is %.400s", what, last)
			}
		}
	}
	until("the first", holds("hound"))
	w.add("A stroll with a puppy.")
	until("one more", holds("puppy"))
	// Another model: what it has indexed is found once it was asked.
	w.on("b")
	w.index(w.ann, first)
	until("under the other model", func(frame string) bool { return w.model.questions() == 1 && holds(`"total":1`)(frame) })
}

func holds(part string) func(string) bool {
	return func(frame string) bool { return strings.Contains(frame, part) }
}
