package projection

import (
	"context"
	"iter"
	"math"
	"strconv"
	"unsafe"

	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// catalogue is the memories of an account, without their texts, as they were at
// one entry of its change log. Each has a slot, which it keeps.
type catalogue struct {
	head  db.Head
	terms memory.Terms
	where memory.Places // beside the account's own rows
	rows  []brief
	slots map[int64]int32 // by id
	free  []int32         // slots without a memory
	tally tally
}

// get is a memory, or nil.
func (c *catalogue) get(id int64) *brief {
	slot, ok := c.slots[id]
	if !ok {
		return nil
	}
	return &c.rows[slot]
}

// put stores a memory as it is now and gives its slot.
func (c *catalogue) put(m *brief) int32 {
	slot, ok := c.slots[m.ID]
	switch {
	case ok:
		c.tally.add(&c.rows[slot], -1)
	case len(c.free) > 0:
		slot = c.free[len(c.free)-1]
		c.free = c.free[:len(c.free)-1]
		c.slots[m.ID] = slot
	default:
		slot = int32(len(c.rows))
		c.rows = append(c.rows, brief{})
		c.slots[m.ID] = slot
	}
	c.rows[slot] = *m
	c.tally.add(m, 1)
	return slot
}

// drop takes a memory out that is no more.
func (c *catalogue) drop(id int64) {
	slot, ok := c.slots[id]
	if !ok {
		return
	}
	c.tally.add(&c.rows[slot], -1)
	c.rows[slot] = brief{}
	delete(c.slots, id)
	c.free = append(c.free, slot)
}

// slotBytes is what one memory takes beside its row: its place in the map.
const slotBytes = 24

func (c *catalogue) bytes() int64 {
	return int64(cap(c.rows))*int64(unsafe.Sizeof(brief{})) + int64(len(c.slots))*slotBytes
}

// load reads everything in the transaction's snapshot: about as many as expected.
func load(tx *db.Tx, store *memory.Store, owner db.AccountID, terms memory.Terms, expected int) (*catalogue, error) {
	head, err := tx.Head(owner)
	if err != nil {
		return nil, err
	}
	where, err := store.Places(tx, owner)
	if err != nil {
		return nil, err
	}
	c := &catalogue{
		head: head, terms: terms, where: where, tally: newTally(),
		rows: make([]brief, 0, expected), slots: make(map[int64]int32, expected),
	}
	for m, err := range briefs(tx, store, owner, where, nil) {
		if err != nil {
			return nil, err
		}
		c.put(m)
	}
	return c, nil
}

// briefs are the account's memories and those of the pools that it may read, all of
// them or those of ids.
func briefs(tx *db.Tx, store *memory.Store, owner db.AccountID, where memory.Places, ids []int64) iter.Seq2[*brief, error] {
	return func(yield func(*brief, error) bool) {
		for m, err := range store.Briefs(tx, owner, ids) {
			if !yield(m, err) {
				return
			}
		}
		for _, pool := range where.Pools() {
			for m, err := range store.Briefs(tx, pool.Owner, ids) {
				if err == nil {
					m.Pool = memory.PoolOf(pool.Owner)
				}
				if !yield(m, err) {
					return
				}
			}
		}
	}
}

// keysMoved tells whether a change of terms moved the stored keys of the rows.
func keysMoved(was, now memory.Terms) bool {
	a, b := was.Policy, now.Policy
	return a.HalfLifeDays != b.HalfLifeDays || a.Floor != b.Floor || a.GraceDays != b.GraceDays
}

// tally is the counts of an account's own memories, kept as they change; of those of
// pools only how many are in each category.
type tally struct {
	status        [3]int
	gone          [3]int // of those in the trash
	uncategorized int    // of the active ones, as all below
	notIndexed    int
	kinds         map[string]int
	categories    map[int64]int
	shared        map[int64]int // by category of a pool
	importance    [11]int

	// The active memories past their FadesAt at an instant, and the first instant
	// after it at which there may be more.
	due     int
	dueAt   int64
	dueNext int64
}

func newTally() tally {
	return tally{kinds: map[string]int{}, categories: map[int64]int{}, shared: map[int64]int{}, dueAt: math.MinInt64, dueNext: vitality.Never}
}

func (t *tally) add(m *brief, by int) {
	if m.Pool != 0 {
		if m.Status == memory.Active {
			t.shared[m.CategoryID] += by
		}
		return
	}
	if int(m.Status) < len(t.status) {
		t.status[m.Status] += by
	}
	if m.Status == memory.Deleted && int(m.Gone) < len(t.gone) {
		t.gone[m.Gone] += by
	}
	if m.Status != memory.Active {
		return
	}
	if t.kinds[m.Kind] += by; t.kinds[m.Kind] == 0 {
		delete(t.kinds, m.Kind)
	}
	if m.CategoryID == 0 {
		t.uncategorized += by
	} else if t.categories[m.CategoryID] += by; t.categories[m.CategoryID] == 0 {
		delete(t.categories, m.CategoryID)
	}
	if !m.Indexed {
		t.notIndexed += by
	}
	t.importance[levelOf(m)] += by
	if m.FadesAt <= t.dueAt {
		t.due += by
	} else {
		t.dueNext = min(t.dueNext, m.FadesAt)
	}
}

// stats is the counts as served.
func (c *catalogue) stats(now int64) api.MemoryStats {
	t := &c.tally
	s := api.MemoryStats{
		Active: t.status[memory.Active], Deleted: t.status[memory.Deleted], Consolidated: t.status[memory.Consolidated],
		Faded: t.gone[memory.GoneFaded], Merged: t.gone[memory.GoneMerged],
		Uncategorized: t.uncategorized, NotIndexed: t.notIndexed, DueNow: c.due(now),
		Kinds: map[string]int{}, Categories: map[string]int{}, Importance: map[string]int{}, AsOf: api.Time(now),
	}
	for k, n := range t.kinds {
		s.Kinds[k] = n
	}
	for id, n := range t.categories {
		s.Categories[strconv.FormatInt(id, 10)] = n
	}
	for level, n := range t.importance {
		if n > 0 {
			s.Importance[strconv.Itoa(level)] = n
		}
	}
	return s
}

// due is how many memories a sweep at now would find eligible. They are counted
// anew only when the clock has reached another one.
func (c *catalogue) due(now int64) int {
	if !c.terms.Policy.Enabled {
		return 0
	}
	t := &c.tally
	if now < t.dueAt || now >= t.dueNext {
		t.due, t.dueAt, t.dueNext = 0, now, vitality.Never
		for i := range c.rows {
			switch m := &c.rows[i]; {
			case m.ID == 0 || m.Pool != 0 || m.Status != memory.Active:
			case m.FadesAt <= now:
				t.due++
			default:
				t.dueNext = min(t.dueNext, m.FadesAt)
			}
		}
	}
	return t.due
}

// gate is a mutex that one may stop waiting for.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.Cancelled, context.Cause(ctx), "The request was cancelled before it was done.")
	}
}

func (g gate) tryEnter() bool {
	select {
	case g <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g gate) leave() { <-g }
