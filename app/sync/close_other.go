//go:build !js

package sync

// Close doesn't wait for the other side: the one that it is called for has gone.
func (s socket) Close() { _ = s.c.CloseNow() }
