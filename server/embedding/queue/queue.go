package queue

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Queue is made of.
type Options struct {
	DB       *db.DB
	Memories *memory.Store
	Feed     *feed.Feed
	Service  *embedding.Service // whose questions go first
	Kinds    []Kind             // in the order in which they are worked off
	// Refresh is called where the store uses another model than this program knows:
	// another program has changed the settings. nil: nobody can.
	Refresh func(ctx context.Context) error
	Wake    func(at int64) <-chan time.Time // fires when the clock shows an instant, in Unix milliseconds
	Log     *slog.Logger                    // nil is silent
}

// Queue works off what is missing. Run does it; State may be asked meanwhile.
type Queue struct {
	o Options

	mu        sync.Mutex // held while a step of a pass reads or changes positions
	positions []*position
	refreshed int64
}

// New makes a queue, which does nothing before Run.
func New(o Options) *Queue {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{o: o}
	for _, k := range o.Kinds {
		p := &position{kind: k, bodies: memories{o.Memories}}
		if e, ok := k.(Elsewhere); ok {
			p.bodies, p.after = e.Bodies(), true
		}
		q.positions = append(q.positions, p)
	}
	return q
}

// quietMost bounds how long a request waits for questions.
const quietMost = 2 * time.Second

// pause is how long a kind waits where nobody answers.
type pause struct {
	fails   int
	until   int64
	problem string
}

// The pause after a failure that the model's own state says nothing of.
const (
	firstPause   = time.Second
	longestPause = 5 * time.Minute
)

func (p *pause) failed(now int64, state embedding.State, problem string) {
	p.fails++
	wait := longestPause
	if p.fails < 12 {
		wait = min(firstPause<<(p.fails-1), longestPause)
	}
	p.until, p.problem = max(now+wait.Milliseconds(), state.RetryAt), problem
}

// Run works until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	wake, cancel := q.o.Feed.Any()
	defer cancel()
	news := make(chan struct{}, 1)
	for _, p := range q.positions {
		go forward(ctx, p.kind.News(), news)
	}
	for ctx.Err() == nil {
		more, at := q.Pass(ctx)
		if more {
			continue
		}
		growth := wake
		if !q.on() {
			growth = nil // what is off looks at nothing
		}
		var later <-chan time.Time
		if at > 0 {
			later = q.o.Wake(at)
		}
		select {
		case <-growth:
		case <-news:
		case <-later:
		case <-ctx.Done():
		}
	}
}

func forward(ctx context.Context, from <-chan struct{}, to chan<- struct{}) {
	for {
		select {
		case <-from:
			select {
			case to <- struct{}{}:
			default: // it is told already
			}
		case <-ctx.Done():
			return
		}
	}
}

// on tells whether any kind is.
func (q *Queue) on() bool {
	for _, p := range q.positions {
		if _, ok := p.kind.Run(); ok {
			return true
		}
	}
	return false
}

// Pass looks what is missing and makes at most embedding.requests requests. more
// tells whether there is more to do at once; at is when there will be (Unix
// milliseconds; 0: when something changes). Only one may run at a time.
func (q *Queue) Pass(ctx context.Context) (more bool, at int64) {
	defer func() {
		// One stored text that trips the code over must not end the server for all.
		if p := recover(); p != nil {
			q.o.Log.Error("the index queue panicked", "panic", p, "stack", string(debug.Stack()))
			more, at = false, q.o.DB.Now()+longestPause.Milliseconds()
		}
	}()
	sooner := func(t int64) {
		if t > 0 && (at == 0 || t < at) {
			at = t
		}
	}
	left := setting.Int("embedding.requests")
	for _, p := range q.positions {
		on, err := q.follow(ctx, p)
		if err != nil {
			if ctx.Err() == nil {
				q.o.Log.Warn("the index queue cannot read the store", "error", err)
			}
			return false, q.o.DB.Now() + firstPause.Milliseconds()
		}
		now := q.o.DB.Now()
		if !on {
			if p.run != nil { // the store uses another model; this one waits for news
				sooner(now + firstPause.Milliseconds())
			}
			continue
		}
		if err := q.tidy(ctx, p); err != nil {
			return false, now + firstPause.Milliseconds()
		}
		if p.pause.until > now {
			sooner(p.pause.until)
			continue
		}
		for left > 0 && ctx.Err() == nil {
			worked, err := q.request(ctx, p)
			if fault.Is(err, fault.Stale) {
				return true, 0
			}
			if err != nil {
				q.stumbled(ctx, p, err)
				sooner(p.pause.until)
				break
			}
			if !worked {
				break
			}
			left--
			q.mu.Lock()
			p.pause = pause{}
			q.mu.Unlock()
			if p.after {
				return true, 0 // a memory that came meanwhile goes first
			}
		}
		if left == 0 {
			return true, 0
		}
		q.mu.Lock()
		for _, b := range p.owners {
			sooner(b.due(q.o.DB.Now()))
		}
		q.mu.Unlock()
	}
	return false, at
}

// tidy forgets failures of what is not missing any more.
func (q *Queue) tidy(ctx context.Context, p *position) error {
	q.mu.Lock()
	stale := map[db.AccountID][]int64{}
	for owner, b := range p.owners {
		if len(b.stale) > 0 {
			stale[owner], b.stale = b.stale, nil
		}
	}
	q.mu.Unlock()
	for owner, ids := range stale {
		if err := q.o.DB.Update(ctx, func(tx *db.Tx) error { return dropFailures(tx, owner, p.kind.Name(), ids) }); err != nil {
			return err
		}
	}
	return nil
}

// stumbled notes that a call failed as a whole.
func (q *Queue) stumbled(ctx context.Context, p *position, err error) {
	if ctx.Err() != nil {
		return
	}
	problem := fault.ProblemOf(err).Detail
	q.mu.Lock()
	was := p.pause.problem
	p.pause.failed(q.o.DB.Now(), p.run.State(), problem)
	q.mu.Unlock()
	if was != problem { // once, not at every try
		q.o.Log.Warn("memories cannot be indexed now; they will be", "kind", p.kind.Name(), "error", err)
	}
}

// follow brings a position up to date; false while the kind is off.
func (q *Queue) follow(ctx context.Context, p *position) (bool, error) {
	run, on := p.kind.Run()
	q.mu.Lock()
	switch {
	case !on:
		p.run, p.source, p.owners, p.pause = nil, "", nil, pause{}
	case p.run == nil || p.source != run.Source():
		p.run, p.source, p.owners, p.pause = run, run.Source(), map[db.AccountID]*backlog{}, pause{}
	case p.run != run:
		p.run, p.pause = run, pause{} // the same model, asked in another way
	}
	q.mu.Unlock()
	if !on {
		return false, nil
	}
	inUse := false
	err := q.o.DB.View(ctx, func(tx *db.Tx) (err error) {
		if inUse, err = run.InUse(tx); err != nil || !inUse {
			return err
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, b := range p.owners {
			b.due(tx.Now)
		}
		return p.sync(tx)
	})
	if err != nil || inUse {
		return inUse, err
	}
	// Another program has changed the settings; its change of the log brought us here.
	if now := q.o.DB.Now(); q.o.Refresh != nil && now-q.refreshed > firstPause.Milliseconds() {
		q.refreshed = now
		return false, q.o.Refresh(ctx)
	}
	return false, nil
}

// request works off the newest of an account with one request; false where nothing
// is missing.
func (q *Queue) request(ctx context.Context, p *position) (bool, error) {
	limits := p.run.Limits()
	q.mu.Lock()
	owner, ids := p.next(max(limits.Texts, 1))
	q.mu.Unlock()
	if owner == 0 {
		return false, nil
	}
	var texts []memory.Text
	err := q.o.DB.View(ctx, func(tx *db.Tx) (err error) {
		texts, err = q.texts(tx, p, owner, ids)
		return err
	})
	if err != nil {
		return false, err
	}
	plain := make([]string, len(texts))
	for i := range texts {
		plain[i] = texts[i].Text
	}
	texts = texts[:limits.Take(plain, 0)]
	if len(texts) == 0 { // all are gone, or done by another
		q.mu.Lock()
		defer q.mu.Unlock()
		p.done(owner, ids)
		return true, nil
	}
	if q.o.Service != nil {
		q.o.Service.Quiet(ctx, quietMost)
	}
	batch, err := p.derive(embedding.For(ctx, owner), texts)
	if err != nil {
		return false, err
	}
	return true, q.store(ctx, p, owner, texts, batch)
}

// derive is the Run's, within its time.
func (p *position) derive(ctx context.Context, texts []memory.Text) (Batch, error) {
	ctx, cancel := context.WithTimeout(ctx, deriveMost)
	defer cancel()
	b, err := p.run.Derive(ctx, texts)
	if err == nil && len(b.Errs) != len(texts) {
		err = fault.Wrap(fault.Internal, fmt.Errorf("%s: %d results for %d texts", p.kind.Name(), len(b.Errs), len(texts)), "")
	}
	return b, err
}

// deriveMost is how long a request may take with all its retries. The built-in model
// on a slow machine takes longer than an endpoint.
const deriveMost = 5 * time.Minute

// texts reads those of ids that something is still missing of, the newest first.
func (q *Queue) texts(tx *db.Tx, p *position, owner db.AccountID, ids []int64) ([]memory.Text, error) {
	all, err := p.bodies.Texts(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	bodies := make([]embedding.Body, len(all))
	for i := range all {
		bodies[i] = all[i].Body
	}
	missing, err := p.run.MissingOf(tx, owner, bodies)
	if err != nil {
		return nil, err
	}
	lacks := make(map[int64]bool, len(missing))
	for _, id := range missing {
		lacks[id] = true
	}
	texts := all[:0]
	for _, t := range all {
		if lacks[t.Memory] {
			texts = append(texts, t)
		}
	}
	return texts, nil
}

// store writes what was derived, and what was not.
func (q *Queue) store(ctx context.Context, p *position, owner db.AccountID, texts []memory.Text, batch Batch) error {
	q.mu.Lock()
	was := map[int64]failure{}
	if b := p.owners[owner]; b != nil {
		for _, t := range texts {
			was[t.Memory] = b.waiting[t.Memory]
		}
	}
	q.mu.Unlock()
	ids := make([]int64, len(texts))
	for i := range texts {
		ids[i] = texts[i].Memory
	}
	stored, wanted := 0, 0
	failed := map[int64]failure{}
	err := q.o.DB.Update(ctx, func(tx *db.Tx) error {
		clear(failed)
		bodies, err := p.bodies.BodiesOf(tx, owner, ids)
		if err != nil {
			return err
		}
		hashes := make(map[int64]string, len(bodies))
		for _, b := range bodies {
			hashes[b.Memory] = b.Hash
		}
		still := make([]bool, len(texts))
		wanted = 0
		for i, t := range texts {
			still[i] = hashes[t.Memory] == t.Hash
			if still[i] && batch.Errs[i] == nil {
				wanted++
			}
		}
		if stored, err = batch.Put(tx, owner, still); err != nil {
			return err
		}
		var mended []int64
		for i, t := range texts {
			switch {
			case batch.Errs[i] == nil:
				if was[t.Memory].tries > 0 {
					mended = append(mended, t.Memory)
				}
			case still[i] && !fault.Is(batch.Errs[i], fault.Unavailable):
				if failed[t.Memory], err = saveFailure(tx, owner, p.kind.Name(), p.source, t, was[t.Memory], fault.ProblemOf(batch.Errs[i]).Detail); err != nil {
					return err
				}
			}
		}
		return dropFailures(tx, owner, p.kind.Name(), mended)
	})
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	b := p.owners[owner]
	if b == nil {
		return nil
	}
	if stored < wanted { // the model was changed meanwhile: everything is looked at again
		b.head = db.Head{}
		return fault.New(fault.Stale, "The model was changed meanwhile.")
	}
	var done []int64
	var unanswered error
	for i, t := range texts {
		if fault.Is(batch.Errs[i], fault.Unavailable) {
			unanswered = batch.Errs[i]
			continue
		}
		done = append(done, t.Memory)
		delete(b.waiting, t.Memory)
		if f, bad := failed[t.Memory]; bad {
			b.waiting[t.Memory] = f
		}
	}
	p.done(owner, done)
	return unanswered // the kind waits, and begins with those
}

// State is how far the account's memories are indexed for search by meaning.
func (q *Queue) State(ctx context.Context, owner db.AccountID) (out api.IndexState, err error) {
	err = q.o.DB.View(ctx, func(tx *db.Tx) error {
		if out, err = q.StateIn(tx, owner); err != nil {
			return err
		}
		out.Indexed, out.Total, err = q.o.Memories.CountIndexed(tx, owner)
		return err
	})
	return out, err
}

// StateIn is State without the counts, inside a transaction.
func (q *Queue) StateIn(tx *db.Tx, owner db.AccountID) (api.IndexState, error) {
	var out api.IndexState
	now, err := embedding.Current(tx)
	if err != nil {
		return out, err
	}
	if out.Model = now.Model; now.On() {
		failed, err := failures(tx, owner, VectorName, now.Identity())
		if err != nil {
			return out, err
		}
		out.Failed = len(failed)
	}
	if q.o.Service != nil {
		state := q.o.Service.State()
		out.Problem = state.Problem
		if state.RetryAt > 0 {
			out.RetryAt = api.Ptr(api.Time(state.RetryAt))
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.positions {
		if p.kind.Name() == VectorName && p.pause.problem != "" && out.Problem == "" {
			out.Problem = p.pause.problem
			out.RetryAt = api.Ptr(api.Time(p.pause.until))
		}
	}
	return out, nil
}
