package account

import (
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
type attempts struct {
	most int

	mu   sync.Mutex
	byID map[string][]int64 // when each attempt began, oldest first; never more than most
}

func newAttempts(most int) *attempts {
	return &attempts{most: most, byID: map[string][]int64{}}
}

// begin notes an attempt under each key at now (Unix milliseconds), or refuses
// it with fault.TooMany if one of them has too many, and then notes nothing.
func (a *attempts) begin(now int64, keys ...string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var wait int64
	for _, k := range keys {
		if list := a.recent(k, now); len(list) >= a.most {
			wait = max(wait, list[0]+attemptWindow-now)
		}
	}
	if wait > 0 {
		err := fault.New(fault.TooMany, "There were too many failed attempts. Wait a while, then try again.")
		err.RetryAfterMillis = wait
		return err
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

// forget drops all that is known of a key.
func (a *attempts) forget(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.byID, key)
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
