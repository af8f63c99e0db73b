package sync

import (
	"context"
	"encoding/json"
	"strconv"
	gosync "sync"
	"time"

	"elowen/shared/fault"
	"elowen/shared/live"
)

// Conn is an open websocket.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, b []byte) error
	Close()
}

// Clock is time as the client uses it.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Phase is where the connection is.
type Phase uint8

// The phases.
const (
	Connecting Phase = iota
	Online
	Offline   // tried and failed; tries again at Status.Retry
	SignedOut // the server no longer knows us; nothing is tried any more
)

// Status is the state of the connection.
type Status struct {
	Phase Phase
	Since time.Time // of the last moment online, or of the start
}

// Options make a Client.
type Options struct {
	Dial      func(ctx context.Context) (Conn, error)
	Check     func(ctx context.Context) error // asks whether we are still signed in; nil skips it
	Clock     Clock
	Random    func() float64 // in [0, 1)
	OnStatus  func(Status)
	Guard     func(where string, f func()) // runs f and survives its panic
	Heartbeat time.Duration

	// Keep is told of each new state of a window, which snapshot makes a frame of. Nil
	// keeps nothing.
	Keep func(r live.Request, snapshot func() live.Frame)
	// Recall asks for what was kept of a window, and offers it, or a frame of type
	// error that says that there is nothing. Called only between Client.Recall and the
	// next connection. Nil recalls nothing.
	Recall func(r live.Request, offer func(live.Frame))
}

// The waits of a connection.
const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 20 * time.Second
	dialTime     = 15 * time.Second
	pongTime     = 10 * time.Second
	wakeTime     = 3 * time.Second // a device that woke finds out quickly whether its socket is dead
)

// Client is the connection to /api/live.
type Client struct {
	opt    Options
	wake   chan struct{}
	cancel context.CancelFunc
	ctx    context.Context

	mu      gosync.Mutex
	conn    Conn
	next    int
	watches map[string]watch
	status  Status
	closed  bool
	recalls bool // windows that are not here yet are asked of what was kept
}

// watch is a window as the client sees it, whatever its rows are.
type watch interface {
	request(resume bool) live.Request
	frame(live.Frame) (again bool)
	offer(live.Frame)
	loaded() bool
}

// New makes a client; Start connects it.
func New(opt Options) *Client {
	if opt.Guard == nil {
		opt.Guard = func(_ string, f func()) { f() }
	}
	if opt.OnStatus == nil {
		opt.OnStatus = func(Status) {}
	}
	c := &Client{opt: opt, wake: make(chan struct{}, 1), watches: map[string]watch{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.status = Status{Phase: Connecting, Since: opt.Clock.Now()}
	return c
}

// Start connects, and stays connected until Close.
func (c *Client) Start() {
	go c.opt.Guard("connection", c.run)
}

// Restart connects again after SignedOut, with the windows as they are.
func (c *Client) Restart() {
	if c.Status().Phase == SignedOut {
		c.setPhase(Connecting)
		c.Start()
	}
}

// Close ends the connection and all windows.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.watches = map[string]watch{}
	conn := c.conn
	c.mu.Unlock()
	c.cancel()
	if conn != nil {
		go c.opt.Guard("closing", conn.Close)
	}
}

// Wake makes an offline client try at once, and an online one make sure that its
// socket still lives. Called when the page becomes visible or the network returns.
func (c *Client) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Status is the state of the connection now.
func (c *Client) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

func (c *Client) setPhase(p Phase) {
	c.mu.Lock()
	changed := c.status.Phase != p && !c.closed
	if p == Online || c.status.Phase == Online {
		c.status.Since = c.opt.Clock.Now()
	}
	c.status.Phase = p
	c.recalls = c.recalls && p != Online
	s := c.status
	c.mu.Unlock()
	if changed {
		c.opt.OnStatus(s)
	}
}

func (c *Client) run() {
	for failures := 0; c.ctx.Err() == nil; {
		if failures > 0 {
			if !c.pause(failures) {
				return
			}
		}
		c.setPhase(c.trying(failures))
		conn, err := c.open(failures)
		switch {
		case c.ctx.Err() != nil:
			if conn != nil {
				conn.Close()
			}
			return
		case fault.Is(err, fault.Unauthenticated):
			c.setPhase(SignedOut)
			return
		case err != nil:
			failures++
			c.setPhase(Offline)
			continue
		}
		if c.serve(conn) {
			failures = 0
		}
		failures++
	}
}

// trying keeps the banner of an offline client up while it tries again.
func (c *Client) trying(failures int) Phase {
	if failures > 1 {
		return Offline
	}
	return Connecting
}

func (c *Client) open(failures int) (Conn, error) {
	ctx, cancel := context.WithTimeout(c.ctx, dialTime)
	defer cancel()
	if failures > 0 && c.opt.Check != nil {
		// A refused websocket tells a browser nothing about why.
		if err := c.opt.Check(ctx); err != nil {
			return nil, err
		}
	}
	return c.opt.Dial(ctx)
}

// pause waits before another try; false means that the client was closed.
func (c *Client) pause(failures int) bool {
	d := firstBackoff << min(failures-1, 8)
	d = min(d, maxBackoff)
	if failures == 1 {
		// The first try after a loss comes at once, spread a little: a restarted
		// server is not met by everyone in the same instant.
		d = firstBackoff
	}
	d = time.Duration(float64(d) * (0.5 + c.opt.Random()))
	select {
	case <-c.ctx.Done():
		return false
	case <-c.wake:
	case <-c.opt.Clock.After(d):
	}
	return true
}

// serve runs one connection until it ends, and tells whether it was good.
func (c *Client) serve(conn Conn) (good bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	defer func() { go c.opt.Guard("closing", conn.Close) }()

	c.mu.Lock()
	c.conn = conn
	for id := range c.watches {
		c.sendLocked(id, true)
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.conn = nil
		c.mu.Unlock()
	}()

	frames := make(chan []byte)
	lost := make(chan struct{})
	go c.opt.Guard("reading", func() {
		defer close(lost)
		for {
			b, err := conn.Read(ctx)
			if err != nil {
				return
			}
			select {
			case frames <- b:
			case <-ctx.Done():
				return
			}
		}
	})

	c.setPhase(Online)
	beat := c.opt.Clock.After(c.opt.Heartbeat)
	var deadline <-chan time.Time
	ping := func(patience time.Duration) {
		c.write(live.Request{Type: live.TypePing})
		deadline = c.opt.Clock.After(patience)
	}
	for {
		select {
		case <-ctx.Done():
			return good
		case <-lost:
			return good
		case <-deadline:
			return good
		case <-c.wake:
			ping(wakeTime)
		case <-beat:
			ping(pongTime)
			beat = c.opt.Clock.After(c.opt.Heartbeat)
		case b := <-frames:
			good, deadline = true, nil
			c.opt.Guard("frame", func() { c.receive(b) })
		}
	}
}

func (c *Client) receive(b []byte) {
	var f live.Frame
	if json.Unmarshal(b, &f) != nil {
		return
	}
	c.mu.Lock()
	w := c.watches[f.ID]
	c.mu.Unlock()
	if w == nil || !w.frame(f) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, still := c.watches[f.ID]; still {
		c.sendLocked(f.ID, false)
	}
}

// Recall shows what was kept in all windows that have no answer, and in those that
// are subscribed to until the next connection. The server's own answers replace it.
func (c *Client) Recall() {
	c.mu.Lock()
	c.recalls = c.status.Phase != Online && c.opt.Recall != nil
	var ids []string
	if c.recalls {
		for id := range c.watches {
			ids = append(ids, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.recall(id)
	}
}

func (c *Client) recall(id string) {
	c.mu.Lock()
	w := c.watches[id]
	wanted := w != nil && c.recalls && c.opt.Recall != nil
	c.mu.Unlock()
	if !wanted || w.loaded() {
		return
	}
	c.opt.Recall(w.request(false), func(f live.Frame) {
		c.mu.Lock()
		still := c.watches[id] == w
		c.mu.Unlock()
		if still {
			c.opt.Guard("kept", func() { w.offer(f) })
		}
	})
}

func (c *Client) add(w watch) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id := "w" + strconv.Itoa(c.next)
	c.watches[id] = w
	c.sendLocked(id, false)
	return id
}

func (c *Client) remove(id string) {
	c.mu.Lock()
	_, there := c.watches[id]
	delete(c.watches, id)
	c.mu.Unlock()
	if there {
		c.write(live.Request{Type: live.TypeUnsubscribe, ID: id})
	}
}

func (c *Client) sendLocked(id string, resume bool) {
	if c.conn == nil {
		return
	}
	r := c.watches[id].request(resume)
	r.Type, r.ID = live.TypeSubscribe, id
	c.put(c.conn, r)
}

func (c *Client) write(r live.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		c.put(c.conn, r)
	}
}

// put sends a frame; in a browser that never waits. A failure needs no handling: the reader of the same
// connection sees it end.
func (c *Client) put(conn Conn, r live.Request) {
	b, err := json.Marshal(r)
	if err != nil {
		return
	}
	_ = conn.Write(c.ctx, b)
}
