package sync

import (
	"context"
	"time"

	"github.com/coder/websocket"
)

// maxFrame bounds a frame from the server: a window of 200 rows of the longest
// bodies is far below it.
const maxFrame = 64 << 20

// Dial opens a websocket to url (ws or wss).
func Dial(url string) func(ctx context.Context) (Conn, error) {
	return func(ctx context.Context) (Conn, error) {
		conn, _, err := websocket.Dial(ctx, url, nil)
		if err != nil {
			return nil, err
		}
		conn.SetReadLimit(maxFrame)
		return socket{conn}, nil
	}
}

type socket struct{ c *websocket.Conn }

func (s socket) Read(ctx context.Context) ([]byte, error) {
	_, b, err := s.c.Read(ctx)
	return b, err
}

func (s socket) Write(ctx context.Context, b []byte) error {
	return s.c.Write(ctx, websocket.MessageText, b)
}

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
