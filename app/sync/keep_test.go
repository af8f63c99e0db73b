package sync

import (
	"slices"
	gosync "sync"
	"testing"

	"elowen/shared/live"
)

// shelf keeps what a client wants kept, and gives it back.
type shelf struct {
	mu     gosync.Mutex
	frames map[string]live.Frame
	asked  int
}

func (s *shelf) keep(r live.Request, snapshot func() live.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frames[r.Query.Kind] = snapshot()
}

func (s *shelf) recall(r live.Request, offer func(live.Frame)) {
	s.mu.Lock()
	f, ok := s.frames[r.Query.Kind]
	s.asked++
	s.mu.Unlock()
	if !ok {
		f = live.Frame{Type: live.TypeError, Error: &live.Problem{Code: "none"}}
	}
	offer(f)
}

func TestWhatWasKeptIsShownUntilTheServerAnswers(t *testing.T) {
	s := &shelf{frames: map[string]live.Frame{}}
	f := start(t)
	f.client.opt.Keep, f.client.opt.Recall = s.keep, s.recall
	p := f.peer()
	first := f.subscribe()
	r := p.next()
	p.send(live.Frame{Type: live.TypeSnapshot, ID: r.ID, Epoch: "one", Seq: 7, AsOf: 70, Total: 2, Rows: raw(row{1, "a"}, row{2, "b"})})
	if e := f.event(); e.After.Kept {
		t.Fatal("the server's answer counts as kept")
	}
	f.until(Online)
	first.Close()
	p.next()
	// Connected, nothing is asked for.
	f.client.Recall()
	other := f.subscribe()
	r = p.next()
	if s.asked != 0 {
		t.Fatalf("asked %d times while connected", s.asked)
	}
	other.Close()
	p.next()

	f.mu.Lock()
	f.refuse = true
	f.mu.Unlock()
	p.conn.CloseNow()
	f.until(Offline)
	f.client.Recall()
	w := f.subscribe()
	defer w.Close()
	if e := f.event(); !e.After.Kept || !slices.Equal(e.After.IDs(), []int64{1, 2}) || e.After.AsOf != 70 {
		t.Fatalf("recalled %+v", e)
	}
	// A second offer, and one after an answer, change nothing.
	f.client.Recall()
	if s.asked != 1 {
		t.Errorf("asked %d times for one window", s.asked)
	}

	f.mu.Lock()
	f.refuse = false
	f.mu.Unlock()
	f.client.Wake()
	p = f.peer()
	again := p.next()
	if again.Since != 0 || again.Have != nil {
		t.Errorf("what was kept was passed off as an answer: %+v", again)
	}
	p.send(live.Frame{Type: live.TypeSnapshot, ID: again.ID, Epoch: "two", Seq: 9, AsOf: 90, Total: 1, Rows: raw(row{9, "z"})})
	if e := f.event(); e.After.Kept || !slices.Equal(e.After.IDs(), []int64{9}) {
		t.Fatalf("the answer: %+v", e)
	}
	w.offer(s.frames["fact"])
	select {
	case e := <-f.events:
		t.Errorf("something older came over the answer: %+v", e)
	default:
	}
}
