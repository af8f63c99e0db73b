package sync

import (
	"context"
	"errors"
	gosync "sync"
	"syscall/js"
)

// Dial opens a websocket to url (ws or wss). It is the browser's own: a library around
// it would bring along what only servers need.
func Dial(url string) func(ctx context.Context) (Conn, error) {
	return func(ctx context.Context) (Conn, error) {
		s := &socket{ws: js.Global().Get("WebSocket").New(url), came: make(chan struct{}, 1), over: make(chan struct{})}
		opened := make(chan struct{})
		on := func(event string, f func(e js.Value)) {
			fn := js.FuncOf(func(_ js.Value, args []js.Value) any { f(first(args)); return nil })
			s.funcs = append(s.funcs, fn)
			s.ws.Call("addEventListener", event, fn)
		}
		on("open", func(js.Value) { close(opened) })
		on("close", func(js.Value) { s.end() })
		on("message", s.message)
		select {
		case <-opened:
			return s, nil
		case <-s.over:
			return nil, errClosed
		case <-ctx.Done():
			s.Close()
			return nil, ctx.Err()
		}
	}
}

var errClosed = errors.New("the websocket is closed")

// socket is an open websocket. Frames that nobody has read yet wait in order.
type socket struct {
	ws    js.Value
	funcs []js.Func
	came  chan struct{} // something waits
	over  chan struct{} // closed with the socket
	once  gosync.Once

	mu     gosync.Mutex
	frames [][]byte
	size   int
}

func (s *socket) message(e js.Value) {
	data := e.Get("data")
	if data.Type() != js.TypeString {
		return // the server speaks in text
	}
	b := []byte(data.String())
	s.mu.Lock()
	s.frames = append(s.frames, b)
	s.size += len(b)
	tooMuch := s.size > maxFrame
	s.mu.Unlock()
	if tooMuch {
		s.Close()
		return
	}
	select {
	case s.came <- struct{}{}:
	default:
	}
}

func (s *socket) Read(ctx context.Context) ([]byte, error) {
	for {
		s.mu.Lock()
		if len(s.frames) > 0 {
			b := s.frames[0]
			s.frames = s.frames[1:]
			s.size -= len(b)
			s.mu.Unlock()
			return b, nil
		}
		s.mu.Unlock()
		select {
		case <-s.came:
		case <-s.over:
			return nil, errClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Write hands a frame to the browser, which sends it when it can.
func (s *socket) Write(_ context.Context, b []byte) error {
	if s.ws.Get("readyState").Int() != 1 {
		return errClosed
	}
	s.ws.Call("send", string(b))
	return nil
}

// Close doesn't wait for the other side: the one that it is called for has gone.
func (s *socket) Close() {
	s.ws.Call("close")
	s.end()
}

// end lets go of what waits; the browser keeps the socket until the other side has
// answered or is given up.
func (s *socket) end() {
	s.once.Do(func() {
		for _, event := range []string{"open", "close", "message"} {
			fn := s.funcs[0]
			s.funcs = s.funcs[1:]
			s.ws.Call("removeEventListener", event, fn)
			fn.Release()
		}
		close(s.over)
	})
}
