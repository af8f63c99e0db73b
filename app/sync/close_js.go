package sync

import "github.com/coder/websocket"

// Close tells the browser, which closes the socket when it can and waits for the
// other side by itself. The code is the only one of the protocol's that a page may
// give: with any other, as of CloseNow, the browser refuses, and the socket stays.
func (s socket) Close() { _ = s.c.Close(websocket.StatusNormalClosure, "") }
