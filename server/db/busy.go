package db

import (
	"context"
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// busyWait is how long a program waits for another one that has the file to itself.
// SQLite waits that long within a statement, where it waits: a lock that cannot be had
// without a danger of waiting for each other is refused at once, and so are some while
// a file is made ready for its log.
const busyWait = 10 * time.Second

// busyPause is the time between two tries.
const busyPause = 20 * time.Millisecond

// patiently tries again while the file is another program's, until most has passed, or
// ctx ended: that is fault.Cancelled. Other errors come as they are.
func patiently(ctx context.Context, most time.Duration, try func() error) error {
	for end := time.Now().Add(most); ; {
		err := try()
		if err == nil || !errors.Is(err, sqlite3.BUSY) {
			return err
		}
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		if !time.Now().Before(end) {
			return err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return cancelled(ctx)
		}
	}
}
