package servertest

import (
	"sync"
	"time"
)

// DefaultStart is where clocks begin: 2026-11-30T00:00:00Z, in Unix milliseconds.
const DefaultStart = 1_795_996_800_000

// Clock is a clock that a test moves. It is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	now    int64
	timers []timer
}

type timer struct {
	at int64
	c  chan time.Time
}

// NewClock is a clock that stands at an instant, in Unix milliseconds.
func NewClock(ms int64) *Clock { return &Clock{now: ms} }

// Now is the clock's instant.
func (c *Clock) Now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wake fires when the clock shows an instant, at once if it does already.
func (c *Clock) Wake(at int64) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := timer{at, make(chan time.Time, 1)}
	c.timers = append(c.timers, t)
	c.fire()
	return t.c
}

// Advance moves the clock and fires what is due by then. Moved back, it fires
// everything: real timers measure time that passes, which a set clock doesn't change.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d < 0 {
		for i := range c.timers {
			c.timers[i].at = c.now + d.Milliseconds()
		}
	}
	c.now += d.Milliseconds()
	c.fire()
}

// fire is called with the lock held.
func (c *Clock) fire() {
	waiting := c.timers[:0]
	for _, t := range c.timers {
		if t.at <= c.now {
			t.c <- time.UnixMilli(c.now)
			continue
		}
		waiting = append(waiting, t)
	}
	c.timers = waiting
}
