package account

import (
	"sync"

	"elowen/shared/setting"
)

// pairs are things that were seen together with an address: when they last were.
// There are never more than attemptKeys.
type pairs map[string]int64

// have tells whether something was seen with the address in the last knownLasts.
func (p pairs) have(what, client string, now int64) bool {
	at, ok := p[what+"\n"+client]
	return ok && now-at <= knownLasts && at <= now
}

// note writes down that it was, in the place of the oldest where there is no room.
func (p pairs) note(what, client string, now int64) {
	pair := what + "\n" + client
	if _, ok := p[pair]; !ok && len(p) >= attemptKeys {
		oldest := ""
		for k, at := range p {
			if oldest == "" || at < p[oldest] {
				oldest = k
			}
		}
		delete(p, oldest)
	}
	p[pair] = now
}

// guesses counts wrong tokens for the address that they come from. What it remembers
// is apart from what attempts do, and wrong tokens apart from right ones: whoever sends
// any number of wrong ones, from however many addresses, has nothing else forgotten.
type guesses struct {
	failed *attempts // by address

	mu    sync.Mutex
	right pairs // the hash of a token, and an address that it was used from
	wrong pairs // the same of one that was counted already
}

func newGuesses() *guesses {
	return &guesses{failed: newAttempts(setting.Int("account.tokenAttempts"), 0), right: pairs{}, wrong: pairs{}}
}

// seen tells whether a token came from the address before.
func (g *guesses) seen(hash, client string, now int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.right.have(hash, client, now) || g.wrong.have(hash, client, now)
}

// note writes down that it did.
func (g *guesses) note(hash, client string, right bool, now int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if right {
		g.right.note(hash, client, now)
	} else {
		g.wrong.note(hash, client, now)
	}
}
