package command

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db/dbtest"
)

// doorOf is an agent's door to a data directory with one account, and what moves its
// clock.
func doorOf(t *testing.T, dir string) (d *agentDoor, wake chan time.Time, clock *dbtest.Clock) {
	t.Helper()
	s := sit(dir)
	wake, clock = make(chan time.Time), dbtest.NewClock(dbtest.Start)
	s.Clock, s.Wake = clock.Now, func(int64) <-chan time.Time { return wake }
	s.Hash = account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}
	d = &agentDoor{r: &run{System: s.System, ctx: t.Context(), data: dir}, idle: time.Millisecond}
	t.Cleanup(d.close)
	return d, wake, clock
}

func (d *agentDoor) ping(t *testing.T) {
	t.Helper()
	status, answer, err := d.exchange(t.Context(), http.Header{"Content-Type": {"application/json"}}, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil || status != http.StatusOK || !strings.Contains(string(answer), "MemorySearch") {
		t.Fatalf("%d %s %v", status, answer, err)
	}
}

// eventually waits until something holds of the door.
func (d *agentDoor) eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		ok := holds()
		d.mu.Unlock()
		if ok {
			return
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("not so: " + what)
		}
	}
}

// sweepAt is the stored instant of the next sweep.
func sweepAt(t *testing.T, dir string) int64 {
	t.Helper()
	at := int64(0)
	r := &run{System: sit(dir).System, ctx: context.Background(), data: dir}
	if err := r.with(func(st *stores) (err error) { at, _, err = st.retention.NextSweep(r.ctx); return err }); err != nil {
		t.Fatal(err)
	}
	return at
}

// A door closes where an agent says nothing, is opened for work that is due, and begins
// the day's work once, however often it is opened.
func TestClosedDoorKeepsItsDays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if s := sit(dir); s.Run(context.Background(), []string{"admin", "user", "add", "anna", "--locked", "--data", dir}) != exitDone {
		t.Fatal(s.err.String())
	}
	d, wake, clock := doorOf(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	watching := make(chan struct{})
	go func() { defer close(watching); d.watch(ctx) }()
	defer func() { stop(); <-watching }()

	const day = int64(24 * time.Hour / time.Millisecond)
	d.ping(t)
	d.eventually(t, "it closes", func() bool { return d.own == nil })
	first := clock.Now() + day
	if at := sweepAt(t, dir); at != first || d.due != first {
		t.Fatalf("the next sweep is at %d, known is %d, want %d", at, d.due, first)
	}
	clock.Advance(day / 2)
	d.ping(t)
	d.eventually(t, "it closes again", func() bool { return d.own == nil })
	if at := sweepAt(t, dir); at != first {
		t.Errorf("opened again it moved the day's work to %d from %d", at, first)
	}
	select { // half a day is not a day
	case wake <- time.Time{}:
	case <-time.After(time.Second):
	}
	clock.Advance(day)
	d.mu.Lock()
	d.idle = time.Hour // so that the work that is opened for is seen
	d.mu.Unlock()
	select {
	case wake <- time.Time{}:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody watches")
	}
	d.eventually(t, "it opens for work that is due", func() bool { return d.own != nil && d.own.tends != nil })
	for began := time.Now(); sweepAt(t, dir) != first+day; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("the sweep did not happen: the next is at %d, not %d", sweepAt(t, dir), first+day)
		}
	}
}

// Of two agents without a server one does a server's work, and the other takes it over.
func TestOneOfTwoAgentsAttends(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if s := sit(dir); s.Run(context.Background(), []string{"admin", "user", "add", "anna", "--locked", "--data", dir}) != exitDone {
		t.Fatal(s.err.String())
	}
	one, _, _ := doorOf(t, dir)
	two, _, _ := doorOf(t, dir)
	one.idle, two.idle = time.Hour, time.Hour
	one.ping(t)
	two.ping(t)
	two.ping(t)
	if one.own.tends == nil || two.own.tends != nil {
		t.Fatalf("who does the work: %v %v", one.own.tends != nil, two.own.tends != nil)
	}
	one.close()
	two.ping(t)
	if two.own.tends == nil {
		t.Error("nobody does the work any more")
	}
}
