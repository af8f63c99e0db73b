package sync

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"

	"github.com/coder/websocket"
)

type row struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
}

func (r row) Key() int64 { return r.ID }

func raw(rows ...row) []json.RawMessage {
	out := make([]json.RawMessage, len(rows))
	for i, r := range rows {
		out[i], _ = json.Marshal(r)
	}
	return out
}

// peer is the server's end of one connection.
type peer struct {
	t    *testing.T
	conn *websocket.Conn
}

// next is the next frame that isn't a ping, which it answers.
func (p *peer) next() live.Request {
	p.t.Helper()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, b, err := p.conn.Read(ctx)
		cancel()
		if err != nil {
			p.t.Fatalf("the client sent nothing: %v", err)
		}
		var r live.Request
		if err := json.Unmarshal(b, &r); err != nil {
			p.t.Fatalf("%s: %v", b, err)
		}
		if r.Type != live.TypePing {
			return r
		}
		p.send(live.Frame{Type: live.TypePong})
	}
}

func (p *peer) send(f live.Frame) {
	b, _ := json.Marshal(f)
	_ = p.conn.Write(context.Background(), websocket.MessageText, b)
}

// fixture is a server that hands its connections to the test one by one, and a
// client of it.
type fixture struct {
	t      *testing.T
	client *Client
	peers  chan *peer
	refuse bool
	mu     gosync.Mutex
	check  error
	phases []Phase
	events chan Event[row]
}

func start(t *testing.T) *fixture {
	f := &fixture{t: t, peers: make(chan *peer, 8), events: make(chan Event[row], 64)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		refuse := f.refuse
		f.mu.Unlock()
		if refuse {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		f.peers <- &peer{t, conn}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	f.client = New(Options{
		Dial: Dial("ws" + strings.TrimPrefix(server.URL, "http")),
		Check: func(context.Context) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.check
		},
		Clock: System{}, Random: func() float64 { return 0 }, Heartbeat: time.Hour,
		OnStatus: func(s Status) {
			f.mu.Lock()
			f.phases = append(f.phases, s.Phase)
			f.mu.Unlock()
		},
	})
	f.client.Start()
	t.Cleanup(f.client.Close)
	return f
}

func (f *fixture) peer() *peer {
	f.t.Helper()
	select {
	case p := <-f.peers:
		return p
	case <-time.After(10 * time.Second):
		f.t.Fatal("the client did not connect")
		return nil
	}
}

func (f *fixture) event() Event[row] {
	f.t.Helper()
	select {
	case e := <-f.events:
		return e
	case <-time.After(10 * time.Second):
		f.t.Fatal("no event")
		return Event[row]{}
	}
}

func (f *fixture) until(phase Phase) {
	f.t.Helper()
	for range 1000 {
		if f.client.Status().Phase == phase {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.t.Fatalf("phase is %d, not %d", f.client.Status().Phase, phase)
}

func (f *fixture) subscribe() *Watch[row] {
	return Subscribe(f.client, live.Request{View: live.ViewMemories, Query: api.MemoryQuery{Kind: "fact"}, Limit: 60}, func(e Event[row]) { f.events <- e })
}

func TestAWindowFollowsAndResumes(t *testing.T) {
	f := start(t)
	p := f.peer()
	w := f.subscribe()
	r := p.next()
	if r.Type != live.TypeSubscribe || r.View != live.ViewMemories || r.Query.Kind != "fact" || r.Limit != 60 || r.Since != 0 || r.Have != nil {
		t.Fatalf("first: %+v", r)
	}
	p.send(live.Frame{Type: live.TypeSnapshot, ID: r.ID, Epoch: "one", Seq: 7, AsOf: 70, Total: 2, Rows: raw(row{1, "a"}, row{2, "b"})})
	if e := f.event(); !slices.Equal(e.After.IDs(), []int64{1, 2}) {
		t.Fatalf("snapshot: %+v", e)
	}
	p.send(live.Frame{Type: live.TypeDelta, ID: r.ID, Seq: 8, AsOf: 80, Total: 3, Upsert: raw(row{3, "c"}), Order: []int64{3, 1, 2}})
	if e := f.event(); !slices.Equal(e.After.IDs(), []int64{3, 1, 2}) || len(e.Before.Rows) != 2 {
		t.Fatalf("delta: %+v", e)
	}

	// The connection breaks; the client comes back with what it has.
	p.conn.CloseNow()
	p = f.peer()
	again := p.next()
	if again.ID != r.ID || again.Since != 8 || again.Epoch != "one" || again.AsOf != 80 || !slices.Equal(again.Have, []int64{3, 1, 2}) {
		t.Fatalf("resumed with %+v", again)
	}
	p.send(live.Frame{Type: live.TypeDelta, ID: r.ID, Seq: 9, AsOf: 90, Total: 2, Remove: []int64{1}, Order: []int64{3, 2}})
	if e := f.event(); !slices.Equal(e.After.IDs(), []int64{3, 2}) {
		t.Fatalf("caught up: %+v", e)
	}

	// Where the log no longer reaches back, it takes a new snapshot.
	p.send(live.Frame{Type: live.TypeGap, ID: r.ID, Epoch: "two"})
	fresh := p.next()
	if fresh.ID != r.ID || fresh.Since != 0 || fresh.Epoch != "" || fresh.Have != nil {
		t.Fatalf("after a gap: %+v", fresh)
	}
	p.send(live.Frame{Type: live.TypeSnapshot, ID: r.ID, Epoch: "two", Seq: 1, Total: 1, Rows: raw(row{9, "z"})})
	if e := f.event(); !slices.Equal(e.After.IDs(), []int64{9}) || e.After.Epoch != "two" {
		t.Fatalf("new snapshot: %+v", e)
	}

	// A refusal comes with its words and keeps the rows.
	p.send(live.Frame{Type: live.TypeError, ID: r.ID, Error: &live.Problem{Code: "invalid", Detail: "No."}})
	if e := f.event(); e.Problem == nil || e.Problem.Detail != "No." || len(e.After.Rows) != 1 {
		t.Fatalf("refusal: %+v", e)
	}

	w.Close()
	if end := p.next(); end.Type != live.TypeUnsubscribe || end.ID != r.ID {
		t.Fatalf("end: %+v", end)
	}
	p.send(live.Frame{Type: live.TypeSnapshot, ID: r.ID, Total: 0})
	other := f.subscribe()
	defer other.Close()
	o := p.next()
	p.send(live.Frame{Type: live.TypeSnapshot, ID: o.ID, Total: 0})
	if e := f.event(); e.Outcome != 1 || o.ID == r.ID {
		t.Fatalf("a closed window was still told: %+v", e)
	}
}

func TestOfflineUntilTheServerIsBack(t *testing.T) {
	f := start(t)
	p := f.peer()
	f.until(Online)
	f.mu.Lock()
	f.refuse = true
	f.mu.Unlock()
	p.conn.CloseNow()
	f.until(Offline)
	f.mu.Lock()
	f.refuse = false
	f.mu.Unlock()
	f.client.Wake() // as when a phone is taken out of the pocket
	f.peer()
	f.until(Online)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.phases, Offline) || f.phases[len(f.phases)-1] != Online {
		t.Errorf("phases %v", f.phases)
	}
}

func TestSignedOutEndsIt(t *testing.T) {
	f := start(t)
	p := f.peer()
	f.until(Online)
	f.mu.Lock()
	f.check = fault.New(fault.Unauthenticated, "Sign in first.")
	f.mu.Unlock()
	p.conn.Close(live.CloseSignedOut, "signed out")
	f.until(SignedOut)
	select {
	case <-f.peers:
		t.Error("it connected again")
	case <-time.After(50 * time.Millisecond):
	}
}

// A socket that takes everything and answers nothing is dead: waking finds out.
func TestADeadSocketIsLeft(t *testing.T) {
	dials := make(chan struct{}, 4)
	clock := &hands{waits: make(chan time.Duration, 16), ring: make(chan time.Time)}
	c := New(Options{
		Dial: func(ctx context.Context) (Conn, error) {
			dials <- struct{}{}
			return silent{make(chan struct{})}, nil
		},
		Clock: clock, Random: func() float64 { return 0 }, Heartbeat: time.Hour,
	})
	c.Start()
	defer c.Close()
	<-dials
	c.Wake()
	for d := range clock.waits {
		if d == wakeTime {
			break
		}
	}
	clock.ring <- time.Now() // the patience of the ping is over
	clock.ring <- time.Now() // and the pause before connecting again
	select {
	case <-dials:
	case <-time.After(10 * time.Second):
		t.Fatal("it stayed with the dead socket")
	}
}

type silent struct{ closed chan struct{} }

func (s silent) Read(ctx context.Context) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (s silent) Write(context.Context, []byte) error { return nil }
func (s silent) Close()                              {}

// hands is a clock that a test moves: every wait but the heartbeat ends with ring.
type hands struct {
	waits chan time.Duration
	ring  chan time.Time
}

func (h *hands) Now() time.Time { return time.Unix(0, 0) }

func (h *hands) After(d time.Duration) <-chan time.Time {
	if d == time.Hour {
		return nil
	}
	h.waits <- d
	return h.ring
}

func TestBackoffGrowsToABound(t *testing.T) {
	clock := &hands{waits: make(chan time.Duration, 64), ring: make(chan time.Time)}
	c := New(Options{
		Dial:  func(context.Context) (Conn, error) { return nil, fault.New(fault.Unavailable, "down") },
		Clock: clock, Random: func() float64 { return 0.5 }, Heartbeat: time.Hour,
	})
	c.Start()
	defer c.Close()
	last := time.Duration(0)
	for range 12 {
		d := <-clock.waits
		if d < last || d > maxBackoff {
			t.Fatalf("waited %v after %v", d, last)
		}
		last = d
		clock.ring <- time.Now()
	}
	if last != maxBackoff {
		t.Errorf("settled at %v, not %v", last, maxBackoff)
	}
}
