package account

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"elowen/shared/fault"
)

// In no quarter of an hour do more attempts of a key fail than are allowed, and
// one who fails less is never held up.
func TestAttemptsWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 3
		a := newAttempts(most, most)
		var failed []int64
		now := int64(1_000_000_000)
		for range rapid.IntRange(1, 60).Draw(t, "tries") {
			now += rapid.Int64Range(1, attemptWindow/2).Draw(t, "wait")
			recent := 0
			for _, at := range failed {
				if at > now-attemptWindow {
					recent++
				}
			}
			err := a.begin(now, "k")
			if (err == nil) != (recent < most) {
				t.Fatalf("%d failures in the window: %v", recent, err)
			}
			if err != nil {
				wait := err.(*fault.Error).RetryAfterMillis
				if wait < 1 || wait > attemptWindow {
					t.Fatalf("retry after %d", wait)
				}
				continue
			}
			if rapid.Bool().Draw(t, "right") {
				a.succeeded(now, "k")
			} else {
				failed = append(failed, now)
			}
		}
	})
}

// However many names are tried, what is remembered stays small, and a key that
// is being attacked is not the one to be forgotten.
func TestAttemptsAreBounded(t *testing.T) {
	a := newAttempts(2, 2)
	now := int64(1_000_000_000)
	for range 2 {
		if err := a.begin(now, "attacked"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range attemptKeys + 50 {
		if i == 10 {
			now++
		}
		if err := a.begin(now, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		if i == 5 {
			a.succeeded(now, "attacked")
			if err := a.begin(now+1, "attacked"); err != nil { // its last attempt is among the newest
				t.Fatal(err)
			}
		}
	}
	if len(a.byID) > attemptKeys {
		t.Errorf("%d keys", len(a.byID))
	}
	if err := a.begin(now, "attacked"); !fault.Is(err, fault.TooMany) {
		t.Errorf("forgotten: %v", err)
	}
	a.begin(now+attemptWindow+1, "later")
	a.begin(now-1, "clock set back")
}

// Addresses that belong to a name are remembered for a while, and no more of them
// than can be.
func TestKnownAddresses(t *testing.T) {
	a := newAttempts(2, 3)
	now := int64(1_000_000_000)
	named := func(client string, at int64) bool { return len(a.login("ann", client, at)) == 2 }
	if !named("home", now) {
		t.Error("known before anything happened")
	}
	a.knows("ann", "home", now)
	for what, c := range map[string]struct {
		client string
		at     int64
		want   bool
	}{
		"known": {"home", now + 1, false}, "another": {"bar", now + 1, true}, "long ago": {"home", now + knownLasts + 1, true},
		"a clock set back": {"home", now - 1, true}, "a name in an address": {"e\nhome", now + 1, true},
	} {
		if got := named(c.client, c.at); got != c.want {
			t.Errorf("%s: counts for the name: %v", what, got)
		}
	}
	for i := range attemptKeys + 50 {
		a.knows("bob", fmt.Sprint(i), now+1+int64(i))
	}
	if len(a.known) > attemptKeys || !named("home", now+1) {
		t.Errorf("%d pairs are known; the oldest is one of them: %v", len(a.known), !named("home", now+1))
	}
}

// At most two passwords are hashed at a time, and whoever goes away stops waiting.
func TestHashesTwoAtATime(t *testing.T) {
	h := newHasher(Cost{MemoryKiB: 64, Passes: 1, Threads: 1})
	for range 2 {
		if err := h.one(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var err error
	wg.Go(func() { _, _, err = h.check(ctx, "x", "") })
	cancel()
	wg.Wait()
	if !fault.Is(err, fault.Cancelled) {
		t.Errorf("a third one: %v", err)
	}
	h.slots.Release(2)
	hash, err := h.make(context.Background(), "passphrase")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$") {
		t.Fatal(hash, err)
	}
	for password, want := range map[string]bool{"passphrase": true, "Passphrase": false, "": false} {
		if ok, stale, err := h.check(context.Background(), password, hash); ok != want || stale || err != nil {
			t.Errorf("%q: %v, %v, %v", password, ok, stale, err)
		}
	}
	if ok, _, err := h.check(context.Background(), "x", "not a hash"); ok || !fault.Is(err, fault.Internal) || strings.Contains(err.Error(), "not a hash") {
		t.Errorf("a broken hash: %v, %v", ok, err)
	}
}

// An unknown name costs a whole hash: with the same cost as a known one's.
func TestUnknownNamesCostTheSame(t *testing.T) {
	h := newHasher(Cost{MemoryKiB: 8 << 10, Passes: 4, Threads: 1})
	hash, err := h.make(context.Background(), "passphrase")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := cost(hash), cost(h.decoy); a != b || a == "" {
		t.Errorf("%q and %q", a, b)
	}
	if ok, _, err := h.check(context.Background(), "passphrase", ""); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// cost is the part of a hash that says what it takes.
func cost(hash string) string {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return ""
	}
	return strings.Join(parts[:4], "$")
}
