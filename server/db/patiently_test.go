package db

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"elowen/shared/fault"
)

func TestPatiently(t *testing.T) {
	busy := fmt.Errorf("invalid _pragma: %w", sqlite3.BUSY)
	recovery := fmt.Errorf("deeper: %w", sqlite3.BUSY_RECOVERY)
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		answers []error // the last one stands for all that follow
		most    time.Duration
		want    error
		tries   int // 0: several
	}{
		"at once":          {[]error{nil}, busyWait, nil, 1},
		"after a while":    {[]error{busy, recovery, busy, nil}, busyWait, nil, 4},
		"another error":    {[]error{busy, boom}, busyWait, boom, 2},
		"never":            {[]error{busy}, 3 * busyPause, sqlite3.BUSY, 0},
		"no time to wait":  {[]error{busy, nil}, 0, sqlite3.BUSY, 1},
		"what isn't there": {[]error{sqlite3.CANTOPEN}, busyWait, sqlite3.CANTOPEN, 1},
	} {
		tries := 0
		err := patiently(context.Background(), c.most, func() error {
			tries++
			return c.answers[min(tries, len(c.answers))-1]
		})
		if !errors.Is(err, c.want) || c.tries != 0 && tries != c.tries || c.tries == 0 && tries < 2 {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	tries := 0
	err := patiently(ctx, busyWait, func() error {
		if tries++; tries == 2 {
			cancel()
		}
		return busy
	})
	if !fault.Is(err, fault.Cancelled) || tries != 2 {
		t.Errorf("cancelled: %v after %d tries", err, tries)
	}
}
