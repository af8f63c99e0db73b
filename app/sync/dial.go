package sync

import (
	"context"
	"time"
)

// maxFrame bounds a frame from the server: a window of 200 rows of the longest
// bodies is far below it. In the browser it bounds all that wait.
const maxFrame = 64 << 20

// System is the clock of the machine.
type System struct{}

// Now is the present.
func (System) Now() time.Time { return time.Now() }

// After is time.After.
func (System) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Sleep waits for d or the end of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
