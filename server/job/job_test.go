package job

import (
	"context"
	"sync"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

// script is a Work whose steps a test lets go on.
type script struct {
	mu     sync.Mutex
	begun  int
	places []int64
	gate   chan struct{} // each step takes one; closed: none waits
	fail   error
	refuse error
}

func (s *script) Begin(*db.Tx, db.AccountID, string) (Progress, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return Progress{}, s.refuse
	}
	s.begun++
	return Progress{Total: 5, Place: 100}, nil
}

func (s *script) Step(ctx context.Context, _ db.AccountID, _ string, at Progress) (Progress, bool, error) {
	select {
	case <-s.gate:
	case <-ctx.Done():
		return at, false, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return at, false, s.fail
	}
	s.places = append(s.places, at.Place)
	at.Place--
	at.Succeeded++
	return at, at.Succeeded == at.Total, nil
}

type house struct {
	*Store
	t        *testing.T
	d        *db.DB
	clock    *dbtest.Clock
	work     *script
	ann, bob db.AccountID
}

func each(t *testing.T, test func(t *testing.T, h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		h := &house{t: t, d: d, clock: clock, work: &script{gate: make(chan struct{}, 100)}}
		h.Store = h.open()
		if err := d.Update(ctx, func(tx *db.Tx) (err error) {
			if h.ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0); err != nil {
				return err
			}
			h.bob, err = account.InsertLocked(tx, "bob", "", api.RoleMember, 0)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		test(t, h)
	})
}

func (h *house) open() *Store {
	return New(h.d, Options{Works: map[string]Work{api.OperationReindex: h.work, api.OperationRecategorize: h.work}})
}

// running runs the store until the function that it gives is called.
func (h *house) running() (stop func()) {
	mine, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	s := h.Store
	go func() { defer close(done); s.Run(mine) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	h.t.Cleanup(stop)
	return stop
}

func (h *house) start(owner db.AccountID, in api.MaintenanceStart) api.Maintenance {
	h.t.Helper()
	m, err := h.Start(ctx, owner, in, true)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

// until waits for a job to be as wanted.
func (h *house) until(id int64, what string, is func(api.Maintenance) bool) api.Maintenance {
	h.t.Helper()
	var m api.Maintenance
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(2 * time.Millisecond) {
		var err error
		if m, err = h.Get(ctx, h.ann, id); err != nil {
			h.t.Fatal(err)
		}
		if is(m) {
			return m
		}
	}
	h.t.Fatalf("never %s: %+v", what, m)
	return m
}

var reindex = api.MaintenanceStart{Operation: api.OperationReindex}

func TestTwoStartsGiveOneJob(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		other := h.open() // another program on the same store
		var wait sync.WaitGroup
		ids := make([]int64, 8)
		for i := range ids {
			wait.Go(func() {
				s := h.Store
				if i%2 == 1 {
					s = other
				}
				m, err := s.Start(ctx, h.ann, reindex, false)
				if err != nil {
					t.Error(err)
				}
				ids[i] = m.ID
			})
		}
		wait.Wait()
		for _, id := range ids {
			if id != ids[0] || id == 0 {
				t.Fatalf("jobs %v", ids)
			}
		}
		if h.work.begun != 1 {
			t.Errorf("begun %d times", h.work.begun)
		}
		// Another account, and another operation, have their own.
		if m := h.start(h.bob, reindex); m.ID == ids[0] {
			t.Error("bob was given ann's job")
		}
		m := h.start(h.ann, api.MaintenanceStart{Operation: api.OperationRecategorize, Mode: api.RecategorizeAll})
		if m.ID == ids[0] || !m.UIInitiated {
			t.Errorf("%+v", m)
		}
		if n := h.start(h.ann, api.MaintenanceStart{Operation: api.OperationRecategorize}); n.ID != m.ID {
			t.Error("two recategorize jobs of two modes")
		}
		for _, id := range []int64{ids[0], m.ID, 1 << 40} {
			_, get := h.Get(ctx, h.bob, id)
			_, stop := h.Stop(ctx, h.bob, id)
			_, ack := h.Acknowledge(ctx, h.bob, id)
			if !fault.Is(get, fault.NotFound) || !fault.Is(stop, fault.NotFound) || !fault.Is(ack, fault.NotFound) {
				t.Errorf("another's job: %v, %v, %v", get, stop, ack)
			}
		}
		if list, err := h.List(ctx, h.bob); err != nil || len(list) != 1 {
			t.Errorf("%v %v", list, err)
		}
	})
}

func TestAJobRunsAndLeavesAReceipt(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.running()
		m := h.start(h.ann, reindex)
		if m.Status != api.JobRunning || m.Total != 5 || m.FinishedAt != nil {
			t.Errorf("%+v", m)
		}
		if _, err := h.Acknowledge(ctx, h.ann, m.ID); !fault.Is(err, fault.Invalid) {
			t.Errorf("acknowledged while it runs: %v", err)
		}
		h.work.gate <- struct{}{}
		h.until(m.ID, "one step on", func(m api.Maintenance) bool { return m.Processed == 1 && m.Succeeded == 1 })
		for range 4 {
			h.work.gate <- struct{}{}
		}
		m = h.until(m.ID, "completed", func(m api.Maintenance) bool { return m.Status == api.JobCompleted })
		if m.Processed != 5 || m.FinishedAt == nil || m.Error != "" {
			t.Errorf("%+v", m)
		}
		h.clock.Advance(1000)
		seen, err := h.Acknowledge(ctx, h.ann, m.ID)
		h.clock.Advance(1000)
		again, _ := h.Acknowledge(ctx, h.ann, m.ID)
		if err != nil || seen.AcknowledgedAt == nil || *again.AcknowledgedAt != *seen.AcknowledgedAt {
			t.Errorf("%+v %+v %v", seen, again, err)
		}
		if stopped, err := h.Stop(ctx, h.ann, m.ID); err != nil || stopped.Status != api.JobCompleted {
			t.Errorf("%+v %v", stopped, err)
		}
		// Receipts go after a day, and are taken away by the next start.
		h.clock.Advance(24*time.Hour.Milliseconds() + 1)
		if list, err := h.List(ctx, h.ann); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
		next := h.start(h.ann, reindex)
		if _, err := h.Get(ctx, h.ann, m.ID); !fault.Is(err, fault.NotFound) || h.work.begun != 2 {
			t.Errorf("the old receipt: %v", err)
		}
		// Stop ends it between two steps, and a new one begins anew.
		if stopped, err := h.Stop(ctx, h.ann, next.ID); err != nil || stopped.Status != api.JobStopped || stopped.FinishedAt == nil {
			t.Errorf("%+v %v", stopped, err)
		}
		if h.start(h.ann, reindex); h.work.begun != 3 {
			t.Error("a stopped job went on")
		}
	})
}

func TestInterruptedJobsGoOn(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		// Killed: nothing is written any more, and the next program finds it.
		m := h.start(h.ann, reindex)
		stop := h.running()
		h.work.gate <- struct{}{}
		h.work.gate <- struct{}{}
		h.until(m.ID, "two steps on", func(m api.Maintenance) bool { return m.Processed == 2 })
		stop() // as a server that ends in order does
		m, err := h.Get(ctx, h.ann, m.ID)
		if err != nil || m.Status != api.JobInterrupted || m.FinishedAt == nil || m.Error == "" {
			t.Fatalf("%+v %v", m, err)
		}
		if n, err := h.Interrupt(ctx); n != 0 || err != nil {
			t.Error(n, err)
		}
		h.Store = h.open()
		next := h.start(h.ann, reindex)
		if next.ID == m.ID || next.Processed != 2 || h.work.begun != 1 {
			t.Errorf("%+v", next)
		}
		if n, err := h.Interrupt(ctx); n != 1 || err != nil { // killed once more, before it did anything
			t.Error(n, err)
		}
		next = h.start(h.ann, reindex)
		h.running()
		close(h.work.gate)
		h.until(next.ID, "completed", func(m api.Maintenance) bool { return m.Status == api.JobCompleted && m.Processed == 5 })
		for i, place := range h.work.places {
			if place != int64(100-i) {
				t.Errorf("places %v", h.work.places)
			}
		}
		if len(h.work.places) != 5 || h.work.begun != 1 {
			t.Errorf("%d steps, begun %d times", len(h.work.places), h.work.begun)
		}
	})
}

func TestFailures(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		h.work.refuse = fault.New(fault.Unavailable, "Nobody is there.")
		if _, err := h.Start(ctx, h.ann, reindex, false); !fault.Is(err, fault.Unavailable) {
			t.Error(err)
		}
		if list, err := h.List(ctx, h.ann); err != nil || len(list) != 0 {
			t.Errorf("a refused start left %v %v", list, err)
		}
		h.work.refuse = nil
		for _, in := range []api.MaintenanceStart{{}, {Operation: "vacuum"}, {Operation: api.OperationReindex, Mode: api.RecategorizeAll}, {Operation: api.OperationRecategorize, Mode: "some"}} {
			if _, err := h.Start(ctx, h.ann, in, false); !fault.Is(err, fault.Invalid) {
				t.Errorf("%+v: %v", in, err)
			}
		}
		h.running()
		m := h.start(h.ann, reindex)
		h.work.gate <- struct{}{}
		h.until(m.ID, "one step on", func(m api.Maintenance) bool { return m.Processed == 1 })
		h.work.mu.Lock()
		h.work.fail = fault.New(fault.Unavailable, "The endpoint is gone.")
		h.work.mu.Unlock()
		h.work.gate <- struct{}{}
		m = h.until(m.ID, "failed", func(m api.Maintenance) bool { return m.Status == api.JobFailed })
		if m.Error != "The endpoint is gone." || m.Processed != 1 {
			t.Errorf("%+v", m)
		}
		h.work.mu.Lock()
		h.work.fail = nil
		h.work.mu.Unlock()
		if next := h.start(h.ann, reindex); next.Processed != 1 {
			t.Errorf("a failed job does not go on: %+v", next)
		}
		// At most twenty are shown.
		for range 25 {
			m := h.start(h.bob, reindex)
			if _, err := h.Stop(ctx, h.bob, m.ID); err != nil {
				t.Fatal(err)
			}
		}
		if list, err := h.List(ctx, h.bob); err != nil || len(list) != 20 || list[0].ID < list[19].ID {
			t.Errorf("%d %v", len(list), err)
		}
		if err := h.d.Update(ctx, func(tx *db.Tx) error { return EraseAccount(tx, h.bob) }); err != nil {
			t.Error(err)
		}
		if list, _ := h.List(ctx, h.bob); len(list) != 0 {
			t.Error("something is left")
		}
	})
}
