package turn

import (
	"context"
	"errors"
	"runtime/debug"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/project"
	"elowen/server/settings"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// turn is one that runs. Its methods are called by its own goroutine.
type turn struct {
	s     *Store
	ss    *session
	owner db.AccountID
	id    int64

	row      row // as the turn began
	set      set
	project  int64
	slug     string // of the project; empty: none
	first    int64  // the message that began the turn
	message  string // its text
	recalled bool   // what was recalled for it came in already
	live     live
	model    Model
	rounds   int

	relayed *relayed // what another program asks; nil: the turn is our own
}

// set is what a turn goes by.
type set struct {
	limits    api.Limits
	switches  api.MeMemory
	compactAt int // percent
}

// begin runs the turns of a conversation that this program holds, one after the other,
// unless that goes on already.
func (s *Store) begin(owner db.AccountID, id int64) {
	s.beginWith(owner, id, usual)
}

// work is what a turn does.
type work struct {
	do    func(*turn, context.Context) error
	ended func(error) // told of its end, when the turn is over; nil: nobody is
}

// usual is the work of a turn that a message begins.
var usual = work{do: (*turn).run}

// end tells of the end of the work.
func (w work) end(err error) {
	if w.ended != nil {
		w.ended(err)
	}
}

// beginWith is begin with other work as the first turn.
func (s *Store) beginWith(owner db.AccountID, id int64, w work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		w.end(errClosing)
		return // it counts as interrupted once the lease is over, or at the next start
	}
	ss := s.session(owner, id)
	if ss.end != nil {
		// Its row is this program's again, or still: it is gone on with when the turn that is
		// about to end has.
		ss.next = &w
		return
	}
	ctx, end := context.WithCancelCause(s.ctx)
	ss.end = end
	s.work.Go(func() { s.run(ctx, end, ss, w) })
}

// run runs turns until none is to be run.
func (s *Store) run(ctx context.Context, end context.CancelCauseFunc, ss *session, w work) {
	over := make(chan struct{})
	s.work.Go(func() { s.hold(ss, over) })
	for {
		err := s.one(ctx, ss, w.do)
		again := s.finish(ctx, ss, err)
		w.end(err)
		if err == nil {
			s.title(ss.owner, ss.id)
		}
		end(nil)
		s.mu.Lock()
		ss.now = nil
		w = usual
		if ss.next != nil {
			w, ss.next, again = *ss.next, nil, true
		}
		if again && s.closed {
			w.end(errClosing)
		}
		if again && !s.closed {
			ctx, end = context.WithCancelCause(s.ctx)
			ss.end = end
			s.mu.Unlock()
			continue
		}
		ss.end = nil
		s.dispose(ss)
		s.mu.Unlock()
		break
	}
	close(over)
	s.tell(ss, true)
}

// one runs one turn. A panic ends it, and nothing else.
func (s *Store) one(ctx context.Context, ss *session, work func(*turn, context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Log.Error("a turn panicked", "conversation", ss.id, "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "")
		}
	}()
	t := &turn{s: s, ss: ss, owner: ss.owner, id: ss.id}
	defer t.abandon()
	t.phase(api.PhaseWaiting, "")
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	held, err := t.load(ctx)
	switch {
	case err != nil:
		return err // whose it is was not found out: its end is noted where it is this program's
	case !held:
		return errLost
	}
	return work(t, ctx)
}

// hold renews the lease of a session's turns until over, and ends the turn whose lease
// is lost, or that somebody stopped in another program.
func (s *Store) hold(ss *session, over <-chan struct{}) {
	for {
		select {
		case <-over:
			return
		case <-s.ctx.Done():
			return
		case <-s.o.Wake(s.db.Now() + leaseMillis()/3):
		}
		var held, stopped bool
		err := s.db.Update(s.ctx, func(tx *db.Tx) (err error) {
			held, stopped, err = s.renew(tx, ss.owner, ss.id)
			return err
		})
		if err != nil {
			s.o.Log.Warn("a turn's lease could not be renewed", "conversation", ss.id, "error", err)
			continue
		}
		s.mu.Lock()
		if ss.end != nil && stopped {
			ss.end(errStopped)
		} else if ss.end != nil && !held {
			select {
			case <-over:
			default:
				ss.end(errLost)
			}
		}
		s.mu.Unlock()
	}
}

// load reads what the turn goes by. held is false where it is not this program's.
func (t *turn) load(ctx context.Context) (held bool, err error) {
	err = t.s.db.View(ctx, func(tx *db.Tx) error {
		if t.row, err = get(tx, t.owner, t.id); err != nil {
			return err
		}
		if held = t.row.running() && t.row.holder == t.s.o.Holder; !held {
			return nil
		}
		me, err := account.MeIn(tx, account.Identity{Owner: t.owner})
		if err != nil {
			return err
		}
		t.set.switches = me.Memory
		if t.set.limits, err = settings.ReadLimits(tx); err != nil {
			return err
		}
		if t.set.compactAt, err = compactAt(tx, t.owner, t.row.pick); err != nil {
			return err
		}
		t.project = recallProject(t.row.Conversation, t.row.project)
		if t.project != 0 {
			if t.project, err = project.Choose(tx, t.owner, t.project, ""); fault.Is(err, fault.NotFound) {
				t.project, err = 0, nil // it is no more, or not theirs any more
			}
			if err != nil {
				return err
			}
			slugs, err := project.Slugs(tx)
			if err != nil {
				return err
			}
			t.slug = slugs[t.project]
		}
		b, err := t.s.o.Snapshots.At(tx, t.owner, t.id, t.row.Leaf)
		if err != nil {
			return err
		}
		t.begunBy(b)
		return nil
	})
	return held, err
}

// begunBy finds the message that the turn is about: the last one of a person.
func (t *turn) begunBy(b *journal.Snapshot) {
	for i := len(b.Branch) - 1; i >= 0; i-- {
		switch p := b.Branch[i].Payload.(type) {
		case *journal.TurnContext:
			t.recalled = t.recalled || p.Via == journal.ViaStart
		case *journal.Message:
			if p.Role == journal.RoleUser {
				t.first, t.message = b.Branch[i].ID, p.Content
				return
			}
			t.recalled = true // it was answered before, at least in part
		}
	}
}

// run is the turn.
func (t *turn) run(ctx context.Context) error {
	if err := t.thaw(ctx); err != nil {
		return err
	}
	found := t.recall()
	t.wait(ctx, found)
	var err error
	if ctx.Err() == nil {
		t.model, err = t.s.o.Models.Preflight(ctx, t.owner, t.row.model())
	}
	if err != nil || ctx.Err() != nil {
		if found != nil {
			found.stop()
		}
		return errors.Join(err, context.Cause(ctx))
	}
	if found != nil {
		t.ss.late = append(t.ss.late, found)
	}
	for t.rounds = 0; t.rounds < setting.Int("turn.rounds"); t.rounds++ {
		if err := t.steer(ctx); err != nil {
			return err
		}
		if err := t.takeIn(ctx); err != nil {
			return err
		}
		if t.rounds > 0 {
			if err := t.pass(ctx); err != nil {
				return err
			}
		}
		if err := t.compactIfFull(ctx); err != nil {
			return err
		}
		calls, err := t.ask(ctx)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			more, err := t.steering(ctx)
			if err != nil {
				return err
			}
			if !more {
				return nil
			}
			continue
		}
		if err := t.work(ctx, calls); err != nil {
			return err
		}
	}
	return fault.Newf(fault.Unavailable, "The model has asked for tools %d times in one turn, and was stopped there. Try again to have it go on.", t.rounds)
}

// steer has the messages that steer the turn said.
func (t *turn) steer(ctx context.Context) error {
	var list []api.Queued
	err := t.s.db.Update(ctx, func(tx *db.Tx) (err error) {
		if list, err = dequeue(tx, t.owner, t.id, true); err != nil || len(list) == 0 {
			return err
		}
		c, err := journal.Get(tx, t.owner, t.id)
		if err != nil {
			return err
		}
		drafts := make([]journal.Draft, len(list))
		for i, q := range list {
			drafts[i].Payload = &journal.Message{Role: journal.RoleUser, Content: q.Content}
		}
		_, err = journal.Append(tx, t.owner, t.id, c.Leaf, drafts...)
		return err
	})
	if err == nil && len(list) > 0 {
		t.live.reset(list[len(list)-1].Content)
	}
	return err
}

// steering tells whether a message waits that steers the turn.
func (t *turn) steering(ctx context.Context) (yes bool, err error) {
	err = t.s.db.View(ctx, func(tx *db.Tx) error {
		all, err := waiting(tx, t.owner, []int64{t.id})
		for _, q := range all[t.id] {
			yes = yes || q.Steer
		}
		return err
	})
	return yes, err
}

// finish notes how a turn ended, and takes the next message that waits. again tells
// that there is one, whose turn this program runs.
func (s *Store) finish(ctx context.Context, ss *session, failed error) (again bool) {
	state, problem, retryAt := api.ChatIdle, "", int64(0)
	cause := context.Cause(ctx)
	switch {
	case cause != nil && errors.Is(cause, errLost), errors.Is(failed, errLost):
		return false
	case failed == nil:
	case errors.Is(cause, errStopped):
		state = api.ChatStopped
	case cause != nil:
		state = api.ChatInterrupted
	default:
		p := fault.ProblemOf(failed)
		state, problem = api.ChatFailed, p.Detail
		if f, ok := fault.As(failed); ok && f.RetryAfterMillis > 0 {
			retryAt = s.db.Now() + f.RetryAfterMillis
		}
		if fault.KindOf(failed).Ours() {
			s.o.Log.Error("a turn failed", "conversation", ss.id, "error", failed)
		}
	}
	// Not the turn's context, which may have ended: its end is to be noted all the same.
	err := s.db.Update(context.Background(), func(tx *db.Tx) error {
		again = false
		r, err := get(tx, ss.owner, ss.id)
		if fault.Is(err, fault.NotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if r.holder != s.o.Holder {
			return nil
		}
		if state == api.ChatIdle || state == api.ChatStopped {
			queued, _, err := next(tx, ss.owner, r)
			if err != nil {
				return err
			}
			if again = queued != 0; again {
				return s.take(tx, ss.owner, ss.id)
			}
		}
		return s.release(tx, ss.owner, ss.id, state, problem, retryAt)
	})
	if err != nil {
		s.o.Log.Error("the end of a turn could not be noted; it counts as interrupted once its lease is over", "conversation", ss.id, "error", err)
		return false
	}
	return again
}

// thaw clears the blocks of a conversation that the provider has forgotten by now, where
// they hold more than half of what recall may bring: what of it matters is recalled
// anew. It happens before anything of the turn is in flight.
func (t *turn) thaw(ctx context.Context) error {
	cold := int64(setting.Int("turn.coldMinutes")) * 60_000
	if t.row.calledAt == 0 || t.s.db.Now()-t.row.calledAt < cold || len(t.ss.late) > 0 || t.recalled {
		return nil
	}
	return t.s.db.Update(ctx, func(tx *db.Tx) error {
		c, err := t.s.contexts.In(tx, t.owner, t.id)
		if err != nil {
			return err
		}
		ids := delivery.Cold(c.Snapshot, t.set.limits.RecallBytes)
		if len(ids) == 0 {
			return nil
		}
		_, err = journal.Append(tx, t.owner, t.id, c.Leaf, journal.Draft{Payload: &journal.ContextCleared{Cleared: ids}})
		return err
	})
}
