package projection

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"elowen/server/db"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// Config is what a Projector reads from.
type Config struct {
	DB       *db.DB
	Feed     *feed.Feed
	Memories *memory.Store
	Rules    memory.Rules // those that Memories was made with

	// Meaning finds memories by meaning; nil: lists are searched by words alone.
	Meaning Meaning

	// Views are what else windows show, by their names on the wire, beside the
	// projector's own: memories, trash, memory and stats.
	Views map[string]Make

	// Budget is how many bytes the catalogues may take together; 0 takes DefaultBudget.
	Budget int64
	// Tick says when the numbers that move with the clock are computed again; nil
	// takes a ticker of live.reprojectSeconds.
	Tick <-chan time.Time
	Log  *slog.Logger // nil is silent
}

// Meaning finds memories for lists that are searched by meaning.
type Meaning interface {
	// Ask makes a question ready, outside of any transaction. Errors: Unavailable where
	// there is no model to ask.
	Ask(ctx context.Context, text string) error
	// Find finds an owner's memories by ascending id, with their relevance as the score.
	// Of the filters it looks at status and category. ready is false where the question
	// has to be asked first.
	Find(tx *db.Tx, owner db.AccountID, q api.MemoryQuery) (hits []words.Hit, parsed words.Query, ready bool, err error)
}

// DefaultBudget is room for the catalogues of about a million memories, in bytes.
const DefaultBudget = 192 << 20

// patience is an hour: who comes back after so long waits for the reading again.
const patience = 3_600_000

// Projector projects the memories of all accounts. It is safe for concurrent use.
type Projector struct {
	c        Config
	views    map[string]opener
	started  time.Time
	pace     pace
	patience int64 // after how many milliseconds an account that nobody asks for is forgotten
	ctx      context.Context
	stop     context.CancelFunc
	done     sync.WaitGroup

	asking atomic.Bool // questions are being asked again

	mu        sync.Mutex
	closed    bool
	residents map[db.AccountID]*resident
	bytes     int64
	uses      int64 // counts uses, to tell which was longest ago
}

// New makes a Projector; Close ends it.
func New(c Config) *Projector {
	if c.Budget <= 0 {
		c.Budget = DefaultBudget
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Projector{
		c: c, started: time.Now(), pace: calm, patience: patience,
		residents: map[db.AccountID]*resident{},
	}
	p.views = p.openers()
	p.ctx, p.stop = context.WithCancel(context.Background())
	stopTicker := func() {}
	if p.c.Tick == nil {
		t := time.NewTicker(time.Duration(setting.Int("live.reprojectSeconds")) * time.Second)
		p.c.Tick, stopTicker = t.C, t.Stop
	}
	p.done.Add(1)
	go func() {
		defer p.done.Done()
		defer stopTicker()
		p.tick()
	}()
	return p
}

// Close ends all following. Open viewers receive nothing more.
func (p *Projector) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	p.done.Wait()
}

// Held tells how many bytes the catalogues take, and of how many accounts they are.
func (p *Projector) Held() (bytes int64, accounts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.residents {
		if r.size > 0 {
			accounts++
		}
	}
	return p.bytes, accounts
}

// millis is the projector's own time, for pacing: it only ever goes forward.
func (p *Projector) millis() int64 { return time.Since(p.started).Milliseconds() }

// tick looks at the clock for one account after the other: all at once they would
// keep the store from those who wait for a change.
func (p *Projector) tick() {
	for {
		select {
		case <-p.c.Tick:
		case <-p.ctx.Done():
			return
		}
		p.mu.Lock()
		var watched, idle []*resident
		for _, r := range p.residents {
			if len(r.viewers) > 0 {
				watched = append(watched, r)
			} else {
				idle = append(idle, r)
			}
		}
		p.mu.Unlock()
		for _, r := range idle {
			r.rest()
		}
		if err := p.part(idle); err != nil && p.ctx.Err() == nil {
			p.c.Log.Warn("it could not be looked up which accounts are gone", "error", err)
		}
		for _, r := range watched {
			if _, err := r.refresh(p.ctx, true); err != nil && p.ctx.Err() == nil {
				p.c.Log.Warn("live windows could not be brought to the present instant", "error", err)
			}
		}
	}
}

// part forgets those among the accounts that nobody watches which hold nothing,
// are no more, or were not asked for in a long time.
func (p *Projector) part(idle []*resident) error {
	if len(idle) == 0 {
		return nil
	}
	owners := make([]db.AccountID, len(idle))
	for i, r := range idle {
		owners[i] = r.owner
	}
	var heads map[db.AccountID]db.Head
	err := p.c.DB.View(p.ctx, func(tx *db.Tx) (err error) {
		heads, err = tx.Heads(owners)
		return err
	})
	if err != nil {
		return err
	}
	now := p.millis()
	for _, r := range idle {
		p.mu.Lock()
		idleFor := now-r.asked > p.patience
		p.mu.Unlock()
		if idleFor || r.emptied(heads[r.owner]) {
			r.forget()
		}
	}
	return nil
}

// resident is the account's place, made where there is none, until release.
func (p *Projector) resident(owner db.AccountID) *resident {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.place(owner)
	r.held++
	return r
}

// release ends a call's use of a place.
func (p *Projector) release(r *resident) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.held--
}

// place is the account's place, made where there is none. p.mu is held.
func (p *Projector) place(owner db.AccountID) *resident {
	r := p.residents[owner]
	if r == nil {
		r = &resident{
			p: p, owner: owner, gate: newGate(), nudge: make(chan struct{}, 1),
			selections: map[string]*selection{}, windows: map[string]*window{}, viewers: map[*Viewer]struct{}{},
		}
		p.residents[owner] = r
	}
	p.uses++
	r.usedAt, r.asked = p.uses, p.millis()
	return r
}

// settle drops what the resident no longer needs, notes how much it takes and
// makes room where all together take too much. The resident's gate is held.
func (p *Projector) settle(r *resident) {
	r.prune(restMillis)
	size := r.bytes()
	p.mu.Lock()
	p.bytes += size - r.size
	r.size = size
	var over []*resident
	for need := p.bytes - p.c.Budget; need > 0; {
		var oldest *resident
		for _, o := range p.residents {
			if o != r && o.size > 0 && len(o.viewers) == 0 && !o.leaving && (oldest == nil || o.usedAt < oldest.usedAt) {
				oldest = o
			}
		}
		if oldest == nil {
			break
		}
		oldest.leaving = true
		need -= oldest.size
		over = append(over, oldest)
	}
	p.mu.Unlock()
	for _, o := range over {
		o.forget()
	}
}
