package endpoint

import (
	"sync"
	"time"

	"elowen/server/embedding"
)

// The breaker opens after breakAfter calls failed one after the other, or at once
// where the endpoint says when it wants to be asked again or the problem stays; for
// firstBreak, then twice as long each time, at most longestBreak.
const (
	breakAfter   = 3
	firstBreak   = 2 * time.Second
	longestBreak = 5 * time.Minute
)

// breaker keeps from asking an endpoint that fails. Libraries for that have a fixed
// time and a clock of their own; here the endpoint has a say in the one, and tests
// in the other.
type breaker struct {
	mu      sync.Mutex
	fails   int   // calls in a row
	until   int64 // Unix milliseconds; nobody is asked before
	probing bool  // one call tries whether it works again
	problem string
}

// enter asks for leave to make a call. Who got it ends it by success, failure or leave.
func (b *breaker) enter(now int64) (problem string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until == 0 {
		return "", true
	}
	if now < b.until || b.probing {
		return b.problem, false
	}
	b.probing = true
	return "", true
}

func (b *breaker) success() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails, b.until, b.probing, b.problem = 0, 0, false, ""
}

func (b *breaker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// failure notes a call that failed. share, from 0 to 1, spreads those who wait for
// one endpoint.
func (b *breaker) failure(now int64, p *problem, share float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails++
	b.problem, b.probing = p.text, false
	if b.fails < breakAfter && p.after == 0 && !p.settled {
		return
	}
	pause := longestBreak
	if n := max(b.fails-breakAfter, 0); n < 10 {
		pause = min(firstBreak<<n, longestBreak)
	}
	pause += time.Duration(share * float64(pause) / 4)
	b.until = now + max(pause, p.after).Milliseconds()
}

func (b *breaker) state() embedding.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return embedding.State{Problem: b.problem, RetryAt: b.until}
}
