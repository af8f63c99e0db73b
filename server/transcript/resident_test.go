package transcript

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// However many of an account's searches wait for its index, they keep no reader from
// others.
func TestWaitingTakesNoReader(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	h.use(&sense{name: "m"})
	h.add(h.ann, lines(10)...)
	h.add(h.bob, "Bob: mine alone")
	h.drain()
	x, err := h.s.indexes.enter(ctx, h.ann) // as one does who loads it
	if err != nil {
		t.Fatal(err)
	}
	const many = 64 // more than there are readers
	var wait sync.WaitGroup
	var began atomic.Int64
	errs := make(chan error, many)
	for range many {
		wait.Go(func() {
			began.Add(1)
			_, err := h.s.Search(ctx, h.ann, api.TranscriptSearch{Query: "number 7 of many"})
			errs <- err
		})
	}
	for began.Load() < many {
		runtime.Gosched()
	}
	for range 50 { // all of them get as far as they can
		if got := h.first(h.bob, "mine alone"); got != "mine alone" {
			t.Fatalf("bob finds %q", got)
		}
		time.Sleep(time.Millisecond)
	}
	if len(errs) > 0 {
		t.Error("a search didn't wait")
	}
	x.close()
	x.close()
	wait.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	short, cancel := context.WithCancelCause(ctx)
	x, err = h.s.indexes.enter(ctx, h.ann)
	if err != nil {
		t.Fatal(err)
	}
	cancel(errors.New("enough"))
	_, err = h.s.indexes.enter(short, h.ann)
	h.refused("one who went away", err, fault.Cancelled)
	x.close()
}

// Without a transcript that is deleted the rest is not read anew, and its rows are used
// again; of an account that was erased nothing stays resident.
func TestDeletedLeavesResident(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.use(&sense{name: "m"})
		q := api.TranscriptSearch{Query: "the harbour at night"}
		first := h.add(h.ann, lines(30)...)
		h.add(h.ann, "Ann: the harbour at night", "Bo: nobody was there")
		h.drain()
		h.search(h.ann, q)
		read := 0 // statements that read vectors for the index
		h.d.Trace(func(s db.Statement) {
			if strings.Contains(s.Query, "FROM turn_vector WHERE owner_id = ? AND space_id = ? AND entry_id >= ?") {
				read++
			}
		})
		defer h.d.Trace(nil)
		if err := h.s.Delete(ctx, h.ann, first); err != nil {
			t.Fatal(err)
		}
		warm := h.search(h.ann, q)
		r := h.s.indexes.of[h.ann]
		if read != 0 || len(r.slots) != 2 || len(r.at) != 2 || r.dead < 30 {
			t.Errorf("%d reads, %d slots, %d places, %d dead rows", read, len(r.slots), len(r.at), r.dead)
		}
		before := r.rows
		r.pack()
		if r.dead != 0 || r.rows >= before {
			t.Errorf("packed: %d rows of %d, %d dead", r.rows, before, r.dead)
		}
		packed := h.search(h.ann, q)
		h.start()
		if anew := h.search(h.ann, q); !reflect.DeepEqual(warm, anew) || !reflect.DeepEqual(packed, anew) {
			t.Errorf("%+v, packed %+v, anew %+v", warm, packed, anew)
		}
		if read == 0 {
			t.Error("the test sees no vectors being read")
		}
		h.s.Drop(h.bob) // who has none
		h.s.Drop(h.ann)
		if n := len(h.s.indexes.of); n != 0 || h.s.indexes.bytes != 0 {
			t.Errorf("%d indexes of %d bytes are left", n, h.s.indexes.bytes)
		}
	})
}
