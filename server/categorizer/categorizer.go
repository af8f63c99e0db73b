package categorizer

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Categorizer is made of.
type Options struct {
	DB       *db.DB
	Memories *memory.Store
	Models   *model.Store       // whose utility model is asked
	Service  *embedding.Service // whose built-in model decides without one; nil: nobody does
	Feed     *feed.Feed         // nil: Run does nothing
	Wake     func(at int64) <-chan time.Time
	Log      *slog.Logger // nil is silent
}

// Categorizer sorts memories. It is safe for concurrent use.
type Categorizer struct {
	o       Options
	nearest *nearest

	// Of Run alone.
	heads map[db.AccountID]db.Head
	fails map[int64]int // tries of a memory that went wrong
	pause pause
}

// New makes a categorizer, which does nothing before Run or Sort.
func New(o Options) *Categorizer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Categorizer{o: o, nearest: &nearest{}, heads: map[db.AccountID]db.Head{}, fails: map[int64]int{}}
}

// pause is how long nobody is asked after a provider has failed.
type pause struct {
	fails int
	until int64
}

// The pause after a failure: from firstPause, doubling, or as long as the provider
// says.
const (
	firstPause   = 2 * time.Second
	longestPause = 5 * time.Minute
)

func (p *pause) failed(now, wants int64) {
	p.fails++
	wait := longestPause
	if p.fails < 10 {
		wait = min(firstPause<<(p.fails-1), longestPause)
	}
	p.until = now + max(wait.Milliseconds(), wants)
}

// triesMost is how often a new memory is tried that no answer comes for.
const triesMost = 3

// Run sorts new memories until ctx ends.
func (c *Categorizer) Run(ctx context.Context) {
	if c.o.Feed == nil {
		return
	}
	wake, cancel := c.o.Feed.Any()
	defer cancel()
	for ctx.Err() == nil {
		at := c.Pass(ctx)
		var later <-chan time.Time
		if at > 0 {
			later = c.o.Wake(at)
		}
		select {
		case <-wake:
		case <-later:
		case <-ctx.Done():
		}
	}
}

// Pass sorts what is new. It answers when there is more to do (Unix milliseconds; 0:
// when something changes). Only one may run at a time.
func (c *Categorizer) Pass(ctx context.Context) (at int64) {
	defer func() {
		if p := recover(); p != nil { // one stored text must not end the server for all
			c.o.Log.Error("sorting panicked", "panic", p, "stack", string(debug.Stack()))
			at = c.o.DB.Now() + longestPause.Milliseconds()
		}
	}()
	if now := c.o.DB.Now(); now < c.pause.until {
		return c.pause.until
	}
	err := c.pass(ctx)
	switch {
	case err == nil:
		c.pause = pause{}
		return 0
	case ctx.Err() != nil:
		return 0
	}
	c.pause.failed(c.o.DB.Now(), wants(err))
	if c.pause.fails == 1 {
		c.o.Log.Warn("new memories cannot be sorted now; they will be", "error", err)
	}
	return c.pause.until
}

// wants is how long the one who failed wants to be left alone, in milliseconds.
func wants(err error) int64 {
	if f, ok := fault.As(err); ok {
		return f.RetryAfterMillis
	}
	return 0
}

// page is how many memories are read at a time.
const page = 20

func (c *Categorizer) pass(ctx context.Context) error {
	var owners []db.AccountID
	heads := map[db.AccountID]db.Head{}
	by := nobody
	err := c.o.DB.View(ctx, func(tx *db.Tx) (err error) {
		if by, err = c.sorter(tx); err != nil || by == nobody {
			return err
		}
		if owners, err = account.Owners(tx); err != nil {
			return err
		}
		heads, err = tx.Heads(owners)
		return err
	})
	if err != nil || by == nobody {
		return err
	}
	for _, owner := range owners {
		if c.heads[owner] == heads[owner] {
			continue
		}
		if err := c.recent(ctx, owner); err != nil {
			return err
		}
		c.heads[owner] = heads[owner]
	}
	return nil
}

// recent sorts an owner's new memories, the newest first.
func (c *Categorizer) recent(ctx context.Context, owner db.AccountID) error {
	since := c.o.DB.Now() - int64(setting.Int("sorting.hours"))*time.Hour.Milliseconds()
	for before := int64(0); ; {
		var list []memory.Filing
		err := c.o.DB.View(ctx, func(tx *db.Tx) (err error) {
			list, err = c.o.Memories.Unfiled(tx, owner, since, before, page)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, f := range list {
			before = f.ID
			if c.fails[f.ID] >= triesMost {
				continue
			}
			if _, err := c.Sort(ctx, owner, f, false); err != nil {
				if ctx.Err() == nil {
					c.fails[f.ID]++
				}
				if !fault.Is(err, fault.Invalid) {
					return err
				}
				c.o.Log.Warn("a memory cannot be sorted", "account", owner, "memory", f.ID, "error", err)
			}
		}
	}
}

// sorter is who decides.
type sorter uint8

const (
	nobody sorter = iota
	utility
	builtIn
)

// sorter is who decides now.
func (c *Categorizer) sorter(tx *db.Tx) (sorter, error) {
	_, ok, err := c.o.Models.Has(tx, api.RoleUtility)
	switch {
	case err != nil:
		return nobody, err
	case ok:
		return utility, nil
	case c.o.Service != nil && c.nearest.ready(c.o.Service.Snapshot()):
		return builtIn, nil
	}
	return nobody, nil
}

// Ready tells whether somebody decides: all, whether also of what somebody has filed,
// which only the utility model does. Errors: Unavailable, saying what is missing.
func (c *Categorizer) Ready(tx *db.Tx, all bool) error {
	by, err := c.sorter(tx)
	if err == nil && (by == nobody || all && by != utility) {
		err = fault.New(fault.Unavailable, "No utility model is set up. An administrator names one in the settings of models; until then memories are sorted by hand.")
	}
	return err
}

// Outcome is what became of a memory.
type Outcome uint8

// The outcomes.
const (
	Left   Outcome = iota // nothing fits, or nobody could say
	Moved                 // it is in another category now
	Passed                // it was changed meanwhile, or is not to be sorted: nothing was written
)

// question is what is to be decided of a memory, read in one transaction.
type question struct {
	owner    db.AccountID
	filing   memory.Filing
	choices  []category.Choice // without the one where memories go by themselves
	fallback category.Choice   // where it goes when nothing fits; ID 0: it stays
	pool     int64             // the project whose pool the owner is; 0: none
}

// Sort decides of a memory and files it. byHand, whether also where somebody has
// chosen its category. Errors: Unavailable where nobody answers, Invalid where a model
// refuses this body; Cancelled.
func (c *Categorizer) Sort(ctx context.Context, owner db.AccountID, f memory.Filing, byHand bool) (Outcome, error) {
	var q question
	var by sorter
	err := c.o.DB.View(ctx, func(tx *db.Tx) (err error) {
		if by, err = c.sorter(tx); err != nil {
			return err
		}
		q, err = ask(tx, owner, f)
		return err
	})
	switch {
	case err != nil:
		return Left, err
	case f.ByHand && f.CategoryID != 0 && !byHand:
		return Passed, nil
	}
	var d decision
	switch {
	case len(q.choices) == 0 || len(q.choices) == 1 && q.choices[0].ID == f.CategoryID:
		// There is nowhere to go, so there is nothing to ask.
	case by == utility:
		d, err = c.byUtility(ctx, q)
	case by == builtIn:
		d, err = c.byMeaning(ctx, q)
	default:
		return Passed, nil
	}
	if err != nil || d.later {
		return Passed, err
	}
	return c.write(ctx, q, d)
}

// ask reads what is to be decided.
func ask(tx *db.Tx, owner db.AccountID, f memory.Filing) (question, error) {
	q := question{owner: owner, filing: f}
	bound, err := category.Bound(tx, owner)
	if err != nil {
		return q, err
	}
	in := bound[f.CategoryID]
	pool, isPool, err := project.Of(tx, owner)
	if err != nil {
		return q, err
	}
	if isPool {
		in, q.pool = pool, pool
	}
	all, err := category.Choices(tx, owner, in)
	if err != nil {
		return q, err
	}
	general, _, err := account.DefaultCategory(tx, owner)
	if err != nil {
		return q, err
	}
	for _, one := range all {
		if one.ID != general {
			q.choices = append(q.choices, one)
		} else if f.CategoryID == 0 && !f.ByHand {
			q.fallback = one
		}
	}
	return q, nil
}

// decision is what somebody answered.
type decision struct {
	to    category.Choice // ID 0: nothing fits
	by    audit.Actor
	why   string
	later bool // nobody can say yet; it is looked at again when more is known
}

// write files the memory, if all that the question went by still holds.
func (c *Categorizer) write(ctx context.Context, q question, d decision) (Outcome, error) {
	to := d.to
	if to.ID == 0 {
		to = q.fallback
	}
	if d.by.Name == "" {
		d.by, d.why = audit.Actor{Name: audit.ActorDaemon}, "nothing else fits"
	}
	var out Outcome
	err := c.o.DB.Update(ctx, func(tx *db.Tx) error {
		out = Passed
		if q.pool != 0 {
			// Whoever wrote it must still have a part in what is shared.
			pool, ok, err := project.Readable(tx, q.filing.Writer, q.pool)
			if err != nil || !ok || pool.Owner != q.owner {
				return err
			}
		}
		if to.ID != 0 {
			if still, err := to.Still(tx, q.owner); err != nil || !still {
				return err
			}
		}
		now, err := c.o.Memories.Filing(tx, q.owner, q.filing.ID)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil || now != q.filing {
			return err
		}
		moved, err := c.o.Memories.File(tx, q.owner, d.by, q.filing, to.ID, d.why)
		if out = Left; moved {
			out = Moved
		}
		return err
	})
	return out, err
}
