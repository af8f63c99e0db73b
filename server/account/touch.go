package account

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"elowen/server/db"
)

// touchWait is how long a read waits for the writer with what it wants noted.
const touchWait = time.Second

// touches are the writes that reads bring along: a token's last use, a session's
// new secret. They are worth little beside the read, which neither fails with
// them nor stands behind a writer that is busy or cannot write: it waits a moment
// at most, and for each token or session only one read does.
type touches struct {
	db   *db.DB
	wait time.Duration
	log  *slog.Logger

	mu      sync.Mutex
	running map[touch]bool
}

// touch names what is written: "token" or "session", and which.
type touch struct {
	what string
	id   int64
}

func newTouches(d *db.DB, wait time.Duration, log *slog.Logger) *touches {
	if wait <= 0 {
		wait = touchWait
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &touches{db: d, wait: wait, log: log, running: map[touch]bool{}}
}

// try runs a write for a read and tells whether it is known to stand. It doesn't
// end with the request: one that hangs up has used its token all the same.
func (t *touches) try(ctx context.Context, key touch, write func(*db.Tx) error) bool {
	t.mu.Lock()
	if t.running[key] {
		t.mu.Unlock()
		return false
	}
	t.running[key] = true
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.wait)
	done := make(chan error, 1)
	go func() {
		defer cancel()
		err := t.db.Update(ctx, write) // answers only once the writer has come to it
		t.mu.Lock()
		delete(t.running, key)
		t.mu.Unlock()
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		default:
			err = ctx.Err()
		}
	}
	if err != nil {
		t.log.Warn("the use of a "+key.what+" could not be noted", key.what, key.id, "error", err)
	}
	return err == nil
}
