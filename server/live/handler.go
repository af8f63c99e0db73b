package live

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"elowen/server/account"
	"elowen/server/projection"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

// Options are what a Handler is put together from.
type Options struct {
	Projector *projection.Projector

	// Identify tells who a request comes from, by cookie or bearer token. Errors
	// are answered through Problem.
	Identify func(http.ResponseWriter, *http.Request) (account.Identity, error)
	// Check answers fault.Unauthenticated where an identity no longer holds.
	Check func(context.Context, account.Identity) error
	// Problem answers a request with an error.
	Problem func(http.ResponseWriter, error)

	// Origins are the origins ("https://memory.example.org") whose pages may
	// connect, beside the one that the request itself is addressed to.
	Origins []string

	Heartbeat time.Duration // 0 takes live.heartbeatSeconds
	Patience  time.Duration // how long one write or an answer to a ping may take; 0 takes defaultPatience
	Log       *slog.Logger  // nil is silent
}

// defaultPatience is how long a client may take for one frame before it counts
// as gone.
const defaultPatience = 20 * time.Second

// Handler serves /api/live. It is safe for concurrent use.
type Handler struct {
	o       Options
	origins map[string]bool
	counts  counters

	mu       sync.Mutex
	closing  bool
	sessions map[*session]struct{}
	done     sync.WaitGroup
}

type counters struct{ sockets, opened, frames, bytes, slow, refused atomic.Int64 }

// Counts are the figures of a Handler since it was made.
type Counts struct {
	Sockets int64 // open now
	Opened  int64
	Frames  int64 // sent
	Bytes   int64 // of them
	Slow    int64 // sockets closed because the client did not read
	Refused int64 // frames of clients that made no sense or were not allowed
}

// New makes the handler. Shutdown ends its sessions.
func New(o Options) *Handler {
	if o.Heartbeat <= 0 {
		o.Heartbeat = time.Duration(setting.Int("live.heartbeatSeconds")) * time.Second
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Handler{o: o, origins: map[string]bool{}, sessions: map[*session]struct{}{}}
	for _, origin := range o.Origins {
		h.origins[strings.ToLower(strings.TrimSuffix(origin, "/"))] = true
	}
	return h
}

// Counts reads the figures.
func (h *Handler) Counts() Counts {
	c := &h.counts
	return Counts{
		Sockets: c.sockets.Load(), Opened: c.opened.Load(), Frames: c.frames.Load(),
		Bytes: c.bytes.Load(), Slow: c.slow.Load(), Refused: c.refused.Load(),
	}
}

var (
	errOrigin   = fault.New(fault.Forbidden, "This page's origin may not connect here.")
	errPlain    = fault.New(fault.Invalid, "This address speaks websocket.")
	errScope    = fault.New(fault.Forbidden, "This token may not read.")
	errShutting = fault.New(fault.Unavailable, "The server is shutting down.")
)

// ServeHTTP takes one client for as long as it stays.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.sameOrigin(r) {
		h.o.Problem(w, errOrigin)
		return
	}
	who, err := h.o.Identify(w, r)
	if err == nil && !who.Can(api.ScopeRead) {
		err = errScope
	}
	if err != nil {
		h.o.Problem(w, err)
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		h.o.Problem(w, errPlain)
		return
	}
	if !h.enter() {
		h.o.Problem(w, errShutting)
		return
	}
	defer h.done.Done()
	// The origin was looked at above; compression would cost more than it saves on
	// small deltas, and memory for each socket.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // answered already
	}
	s := newSession(h, conn, who)
	if !h.add(s) {
		_ = conn.Close(wire.CloseRestart, "restart")
		return
	}
	defer h.remove(s)
	s.run()
}

// sameOrigin tells whether the page that a browser connects from may do so.
// Programs name no origin.
func (h *Handler) sameOrigin(r *http.Request) bool {
	list := r.Header.Values("Origin")
	if len(list) == 0 {
		return true
	}
	origin := strings.ToLower(list[0])
	if len(list) > 1 {
		return false
	}
	if h.origins[origin] {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// enter counts a request in; false while shutting down.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.done.Add(1)
	return true
}

func (h *Handler) add(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.sessions[s] = struct{}{}
	h.counts.sockets.Add(1)
	h.counts.opened.Add(1)
	return true
}

func (h *Handler) remove(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s)
	h.counts.sockets.Add(-1)
}

// Shutdown closes every session with live.CloseRestart and takes no new ones. It
// waits for them until ctx ends, then cuts them off and answers its error.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closing = true
	for s := range h.sessions {
		s.end(wire.CloseRestart, "restart")
	}
	h.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		h.done.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	for s := range h.sessions {
		s.cut()
	}
	h.mu.Unlock()
	<-gone
	return ctx.Err()
}
