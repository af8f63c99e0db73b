package live

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"

	"elowen/server/account"
	"elowen/server/projection"
	"elowen/server/validation"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

// session is one socket.
type session struct {
	h    *Handler
	conn *websocket.Conn
	who  account.Identity

	viewer *projection.Viewer
	signal chan struct{} // there may be something to write
	late   *time.Timer   // a write takes too long

	cut    context.CancelFunc // ends everything at once, also a write that hangs
	hard   context.Context
	ending context.Context // done once end was called, or the client is gone
	stop   context.CancelFunc

	mu      sync.Mutex
	code    websocket.StatusCode // to close with; 0: the client is gone
	reason  string
	answers [][]byte // to the client's own frames
	pong    bool     // a ping is to be answered
}

func newSession(h *Handler, conn *websocket.Conn, who account.Identity) *session {
	s := &session{h: h, conn: conn, who: who, signal: make(chan struct{}, 1)}
	s.hard, s.cut = context.WithCancel(context.Background())
	s.ending, s.stop = context.WithCancel(s.hard)
	s.late = time.AfterFunc(time.Hour, func() {
		s.slow()
		s.cut()
		_ = conn.CloseNow() // the write that hangs ends with the socket
	})
	s.late.Stop()
	conn.SetReadLimit(int64(setting.Int("live.frame")))
	return s
}

// end closes the session with a code; the first one counts.
func (s *session) end(code websocket.StatusCode, reason string) {
	s.mu.Lock()
	if s.code == 0 && s.ending.Err() == nil {
		s.code, s.reason = code, reason
	}
	s.mu.Unlock()
	s.stop()
}

func (s *session) wake() {
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// run serves the socket until it ends.
func (s *session) run() {
	defer s.cut()
	s.viewer = s.h.o.Projector.Open(s.who, s.wake)
	defer s.viewer.Close()
	var others sync.WaitGroup
	others.Add(2)
	go func() {
		defer others.Done()
		s.guard(s.read)
	}()
	go func() {
		defer others.Done()
		s.guard(s.beat)
	}()
	s.guard(s.write)
	s.stop()
	s.mu.Lock()
	code, reason := s.code, s.reason
	s.mu.Unlock()
	if code != 0 && s.hard.Err() == nil {
		closed := context.AfterFunc(s.hard, func() { _ = s.conn.CloseNow() })
		_ = s.conn.Close(code, reason) // the client may be gone
		closed()
	}
	_ = s.conn.CloseNow()
	others.Wait()
}

// guard runs a part of the session. A panic ends the session, never the server.
func (s *session) guard(part func()) {
	defer func() {
		if p := recover(); p != nil {
			s.h.o.Log.Error("a live session panicked", "panic", p, "stack", string(debug.Stack()))
			s.end(websocket.StatusInternalError, "internal error")
		}
	}()
	part()
}

// read takes what the client sends.
func (s *session) read() {
	defer s.stop()
	for {
		kind, b, err := s.conn.Read(s.hard)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			s.refuse("", fault.New(fault.Invalid, "Frames are text."))
			continue
		}
		s.receive(b)
	}
}

// receive does what one frame asks for.
func (s *session) receive(b []byte) {
	var req wire.Request
	if err := validation.DecodeBytes(b, &req); err != nil {
		s.refuse(known(req.ID), err)
		return
	}
	switch req.Type {
	case wire.TypePing:
		s.mu.Lock()
		s.pong = true
		s.mu.Unlock()
		s.wake()
	case wire.TypeUnsubscribe:
		s.viewer.Unsubscribe(req.ID)
	case wire.TypeSubscribe:
		switch {
		case req.ID == "":
			s.refuse("", fault.BadField("id", "required", "", "A window needs an id."))
		case req.View == "":
			s.refuse(req.ID, fault.BadField("view", "required", "", "Name the view that the window shows."))
		default:
			if err := s.viewer.Subscribe(s.ending, req); err != nil {
				s.refuse(req.ID, err)
			}
		}
	}
}

// known is an id that can be repeated to the client: one of a frame that was
// refused may be anything.
func known(id string) string {
	if len(id) > 64 {
		return ""
	}
	return id
}

// refuse answers a frame with an error.
func (s *session) refuse(id string, err error) {
	if s.ending.Err() != nil {
		return
	}
	s.h.counts.refused.Add(1)
	if fault.KindOf(err).Ours() {
		s.h.o.Log.Error("a live window failed", "error", err)
	}
	s.mu.Lock()
	s.answers = append(s.answers, projection.ErrorFrame(id, err))
	many := len(s.answers) > setting.Int("live.queue")
	s.mu.Unlock()
	if many {
		s.slow()
		return
	}
	s.wake()
}

func (s *session) slow() {
	s.h.counts.slow.Add(1)
	s.end(wire.CloseSlow, "too slow")
}

// write sends what there is whenever there is something.
func (s *session) write() {
	var buf []byte
	for {
		select {
		case <-s.signal:
		case <-s.ending.Done():
			return
		}
		if s.viewer.AccountChanged() && !s.check() {
			return
		}
		for s.ending.Err() == nil {
			frame := s.next(buf[:0])
			if frame == nil {
				break
			}
			if !s.send(frame) {
				return
			}
			if buf = frame; cap(buf) > bufferMost {
				buf = nil // a large snapshot is no reason to keep its room
			}
		}
	}
}

// bufferMost is how large a frame's room may be to be used again.
const bufferMost = 16 << 10

// next is the next frame to send; nil where there is none.
func (s *session) next(buf []byte) []byte {
	s.mu.Lock()
	pong := s.pong
	s.pong = false
	var answer []byte
	if !pong && len(s.answers) > 0 {
		answer = s.answers[0]
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	switch {
	case pong:
		return s.h.o.Projector.PongFrame()
	case answer != nil:
		return answer
	}
	if frame, ok := s.viewer.Next(buf); ok {
		return frame
	}
	return nil
}

// send writes one frame; false where the client is gone or too slow for it.
func (s *session) send(frame []byte) bool {
	// A timer of the session's own: a context for each frame costs a tenth of it.
	s.late.Reset(s.h.o.Patience)
	err := s.conn.Write(context.Background(), websocket.MessageText, frame)
	s.late.Stop()
	if err != nil {
		s.stop()
		return false
	}
	s.h.counts.frames.Add(1)
	s.h.counts.bytes.Add(int64(len(frame)))
	return true
}

// beat makes sure from time to time that the client is there and still allowed to be.
func (s *session) beat() {
	ticker := time.NewTicker(s.h.o.Heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.ending.Done():
			return
		}
		if !s.check() {
			return
		}
		// Not ending: a ping that is cut off in the middle takes the socket with it,
		// and with that the code that tells the client why.
		ctx, cancel := context.WithTimeout(s.hard, s.h.o.Patience)
		err := s.conn.Ping(ctx)
		cancel()
		if err != nil {
			s.stop() // nobody is there to be told why
			return
		}
	}
}

// check looks whether the sign-in still holds, and ends the session where not. A
// store that cannot tell at the moment is asked again at the next heartbeat.
func (s *session) check() bool {
	err := s.h.o.Check(s.ending, s.who)
	if fault.Is(err, fault.Unauthenticated) {
		s.end(wire.CloseSignedOut, "signed out")
		return false
	}
	return true
}
