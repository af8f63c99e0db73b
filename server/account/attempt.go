package account

import (
	"strings"
	"sync"

	"elowen/shared/fault"
)

// attemptWindow is the time in which failures are counted: the unit of the
// setting account.loginAttempts.
const attemptWindow = 15 * 60_000

// attemptKeys bounds how many names and addresses are remembered.
const attemptKeys = 20_000

// attempts counts failures in the last attemptWindow, for each of some keys.
// An attempt counts as failed from its start, so that many at the same time
// can't all slip through; one that succeeds is taken back.
//
// A sign-in counts for the address that it comes from, whatever the name, and for
// the name, whatever the address: else many addresses together could guess at one
// password without end. That second count alone would let a stranger keep a person
// out. So an address from which the account was signed in to before is known to it:
// there the name's count neither bars nor grows, and only the address's own does.
type attempts struct {
	most  int // for an address, or a secret that is checked once
	named int // for a name, from all addresses that it doesn't know

	mu    sync.Mutex
	byID  map[string][]int64 // when each attempt began, oldest first; never more than mostOf the key
	known pairs              // a name, and an address that belongs to it
}

func newAttempts(most, named int) *attempts {
	return &attempts{most: most, named: named, byID: map[string][]int64{}, known: pairs{}}
}

// knownLasts is how long an address stays known to a name.
const knownLasts = 30 * day

// login are the keys under which a sign-in with a name from an address counts.
func (a *attempts) login(name, client string, now int64) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	keys := []string{"client:" + client}
	if !a.known.have(name, client, now) {
		keys = append(keys, nameAttempts+name)
	}
	return keys
}

// nameAttempts begins the keys of names.
const nameAttempts = "name:"

// knows notes that an address belongs to a name.
func (a *attempts) knows(name, client string, now int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known.note(name, client, now)
}

// full tells, as begin would, whether a key has too many failures, and notes nothing.
func (a *attempts) full(now int64, key string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.recent(key, now)
	if len(list) < a.mostOf(key) {
		return nil
	}
	return tooMany(list[0] + attemptWindow - now)
}

func tooMany(wait int64) error {
	err := fault.New(fault.TooMany, "There were too many failed attempts. Wait a while, then try again.")
	err.RetryAfterMillis = wait
	return err
}

// mostOf is how many failures a key may have.
func (a *attempts) mostOf(key string) int {
	if strings.HasPrefix(key, nameAttempts) {
		return a.named
	}
	return a.most
}

// begin notes an attempt under each key at now (Unix milliseconds), or refuses
// it with fault.TooMany if one of them has too many, and then notes nothing.
func (a *attempts) begin(now int64, keys ...string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var wait int64
	for _, k := range keys {
		if list := a.recent(k, now); len(list) >= a.mostOf(k) {
			wait = max(wait, list[0]+attemptWindow-now)
		}
	}
	if wait > 0 {
		return tooMany(wait)
	}
	for _, k := range keys {
		if _, known := a.byID[k]; !known && len(a.byID) >= attemptKeys {
			a.makeRoom(now)
		}
		a.byID[k] = append(a.byID[k], now)
	}
	return nil
}

// succeeded takes the attempt that began at the instant back.
func (a *attempts) succeeded(began int64, keys ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range keys {
		list := a.byID[k]
		for i := len(list) - 1; i >= 0; i-- {
			if list[i] == began {
				a.set(k, append(list[:i:i], list[i+1:]...))
				break
			}
		}
	}
}

// recent drops what is past the window. mu must be held.
func (a *attempts) recent(key string, now int64) []int64 {
	list := a.byID[key]
	for len(list) > 0 && (list[0] <= now-attemptWindow || list[0] > now) { // a clock set back must not lock anyone out
		list = list[1:]
	}
	a.set(key, list)
	return list
}

// set stores a key's list. mu must be held.
func (a *attempts) set(key string, list []int64) {
	if len(list) == 0 {
		delete(a.byID, key)
	} else {
		a.byID[key] = list
	}
}

// makeRoom drops what is past, and if nothing is, the key whose last attempt is
// oldest. mu must be held.
func (a *attempts) makeRoom(now int64) {
	oldest, at := "", int64(0)
	for k := range a.byID {
		list := a.recent(k, now)
		if len(list) == 0 {
			continue
		}
		if last := list[len(list)-1]; oldest == "" || last < at {
			oldest, at = k, last
		}
	}
	if len(a.byID) >= attemptKeys {
		delete(a.byID, oldest)
	}
}
