//go:build !js

package sync

import (
	"context"

	"github.com/coder/websocket"
)

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

// Close doesn't wait for the other side: the one that it is called for has gone.
func (s socket) Close() { _ = s.c.CloseNow() }
