package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"elowen/server/mcpd"
	"elowen/shared/fault"
)

// relayed is a message on its way between an `elowen mcp` and the server: one JSON
// object a line.
type relayed struct {
	N      int64           `json:"n"` // by which the answer is known
	Header http.Header     `json:"header,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	Cancel bool            `json:"cancel,omitempty"` // nobody waits for the answer any more
	Status int             `json:"status,omitempty"`
}

// relayCommand is the server's side.
type relayCommand struct {
	User  string
	Token string
}

// Run implements the command.
func (c *relayCommand) Run(r *run) error {
	if r.inside == nil {
		return fault.New(fault.Unavailable, "The server is gone.")
	}
	via := mcpd.Within(r.inside.ownAgents(c.User, c.Token))
	ctx, cancel := context.WithCancel(r.ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	messages := make(chan relayed)
	ended := make(chan error, 1)
	go func() { ended <- readRelayed(ctx, r.Stdin, messages) }()
	var out sync.Mutex
	var mu sync.Mutex
	waiting := map[int64]context.CancelFunc{}
	for {
		var m relayed
		select {
		case m = <-messages:
		case <-ended:
			return nil
		case <-ctx.Done():
			return nil
		}
		if m.Cancel {
			mu.Lock()
			if stop := waiting[m.N]; stop != nil {
				stop()
			}
			mu.Unlock()
			continue
		}
		mine, stop := context.WithCancel(ctx)
		mu.Lock()
		waiting[m.N] = stop
		mu.Unlock()
		working.Go(func() {
			defer stop()
			status, answer, err := via(mine, m.Header, m.Body)
			mu.Lock()
			delete(waiting, m.N)
			mu.Unlock()
			if err != nil {
				status, answer = http.StatusServiceUnavailable, nil
			}
			line, err := json.Marshal(relayed{N: m.N, Status: status, Body: answer})
			if err != nil {
				return
			}
			out.Lock()
			defer out.Unlock()
			_, _ = r.Stdout.Write(append(line, '\n')) // whoever asked may be gone
		})
	}
}

// readRelayed reads messages until the other side ends.
func readRelayed(ctx context.Context, r io.Reader, messages chan<- relayed) error {
	d := json.NewDecoder(bufio.NewReader(r))
	for {
		var m relayed
		if err := d.Decode(&m); err != nil {
			return err
		}
		select {
		case messages <- m:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// relay is the agent's side of a connection to the server.
type relay struct {
	conn net.Conn
	out  *frames

	mu      sync.Mutex
	n       int64
	waiting map[int64]chan relayed
	over    error // why the connection is over; nil: it isn't
	said    bytes.Buffer
}

// newRelay asks the server to answer messages.
func newRelay(r *run, conn net.Conn, user, token string) (*relay, error) {
	l := &relay{conn: conn, out: &frames{w: conn}, waiting: map[int64]chan relayed{}}
	v := invocation{Version: version, Relay: &relaying{Protocol: relayProtocol, User: user, Token: token}, Dir: r.Dir}
	if err := l.out.sendJSON(frameInvocation, v); err != nil {
		conn.Close()
		return nil, fault.Wrap(fault.Unavailable, err, "The server of this data directory doesn't answer. Try again.")
	}
	go l.listen()
	return l, nil
}

func (l *relay) alive() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over == nil
}

var errRelayLost = fault.New(fault.Unavailable, "The server went away before it answered. What was asked for may have been done or not: look before you ask again.")

// listen gives answers to who waits for them.
func (l *relay) listen() {
	answers, feed := io.Pipe()
	go func() {
		d := json.NewDecoder(answers)
		for {
			var m relayed
			if err := d.Decode(&m); err != nil {
				_ = answers.CloseWithError(err)
				return
			}
			l.mu.Lock()
			if c := l.waiting[m.N]; c != nil {
				c <- m
				delete(l.waiting, m.N)
			}
			l.mu.Unlock()
		}
	}()
	in := bufio.NewReader(l.conn)
	for {
		kind, payload, err := receive(in)
		if err == nil && kind == frameExit {
			err = io.EOF
		}
		if err != nil {
			feed.Close()
			l.end()
			return
		}
		switch kind {
		case frameOutput:
			_, _ = feed.Write(payload) // what can't be read ends with the connection
		case frameError:
			l.mu.Lock()
			if l.said.Len() < 10_000 {
				l.said.Write(payload)
			}
			l.mu.Unlock()
		}
	}
}

// end tells all who wait that nothing more comes.
func (l *relay) end() {
	l.conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = errRelayLost
	if said := strings.TrimSpace(strings.TrimPrefix(l.said.String(), "elowen: ")); said != "" {
		l.over = fault.New(fault.Unavailable, said)
	}
	for n, c := range l.waiting {
		close(c)
		delete(l.waiting, n)
	}
}

func (l *relay) close() { l.conn.Close() }

// exchange implements mcpd.Exchange.
func (l *relay) exchange(ctx context.Context, header http.Header, body []byte) (int, []byte, error) {
	answer := make(chan relayed, 1)
	l.mu.Lock()
	if err := l.over; err != nil {
		l.mu.Unlock()
		return 0, nil, err
	}
	l.n++
	n := l.n
	l.waiting[n] = answer
	l.mu.Unlock()
	if err := l.send(relayed{N: n, Header: header, Body: body}); err != nil {
		return 0, nil, fault.Wrap(fault.Unavailable, err, errRelayLost.Detail)
	}
	select {
	case m, ok := <-answer:
		if !ok {
			l.mu.Lock()
			defer l.mu.Unlock()
			return 0, nil, l.over
		}
		if m.Status == http.StatusServiceUnavailable && len(m.Body) == 0 {
			return 0, nil, errRelayLost
		}
		return m.Status, m.Body, nil
	case <-ctx.Done():
		l.mu.Lock()
		delete(l.waiting, n)
		l.mu.Unlock()
		if err := l.send(relayed{N: n, Cancel: true}); err != nil && !errors.Is(err, net.ErrClosed) {
			l.close()
		}
		return 0, nil, fault.Wrap(fault.Cancelled, ctx.Err(), "")
	}
}

func (l *relay) send(m relayed) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return l.out.send(frameInput, append(line, '\n'))
}
