// Package scripted is an endpoint of models for tests: OpenAI's chat completions and
// Anthropic's messages on one address, which keeps every request byte for byte and
// answers by script. Nothing in it sleeps: a script waits for a gate, or for the clock
// of a testing/synctest bubble.
//
//	s := scripted.New(t)
//	s.Next(scripted.Says(scripted.Text("Hel"), scripted.Gate(open), scripted.Text("lo")))
//	… make the server under test ask s.OpenAI() or s.Anthropic() …
//	r := s.Await(t)         // the request, as soon as it came
//	close(open)
//
// What a test doesn't script is answered with "ok".
package scripted

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Server is an endpoint.
type Server struct {
	URL string // without a path

	client *http.Client
	wait   time.Duration // how long Await does
	closed chan struct{}
	end    func()

	mu       sync.Mutex
	requests []*Request
	next     []Answer
	handle   func(*Request) Answer
	models   []Model
	arrived  chan *Request
}

// arrivals is how many requests may wait for Await. Later ones are kept all the same.
const arrivals = 10_000

func newServer(url string) *Server {
	return &Server{URL: url, closed: make(chan struct{}), arrived: make(chan *Request, arrivals)}
}

// New starts an endpoint on loopback.
func New(t testing.TB) *Server {
	s := newServer("")
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL, s.client, s.wait = h.URL, h.Client(), time.Minute
	s.end = sync.OnceFunc(func() {
		close(s.closed)
		h.CloseClientConnections()
		h.Close()
	})
	t.Cleanup(s.Close)
	return s
}

// NewPipe starts an endpoint within the process, which only its Client reaches. It uses
// no socket, so it works in a bubble of testing/synctest, which must then be where it
// is made.
func NewPipe(t testing.TB) *Server {
	s := newServer("http://scripted.test")
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	h := &http.Server{Handler: http.HandlerFunc(s.serve)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.Serve(l)
	}()
	transport := &http.Transport{DialContext: l.dial}
	s.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.wait = 365 * 24 * time.Hour // of a bubble, which takes as long as nothing else happens
	s.end = sync.OnceFunc(func() {
		close(s.closed)
		transport.CloseIdleConnections()
		_ = h.Close()
		<-ended
	})
	t.Cleanup(s.Close)
	return s
}

// Close ends the endpoint, as the end of the test does: nobody is there any more.
func (s *Server) Close() { s.end() }

// Client reaches the endpoint.
func (s *Server) Client() *http.Client { return s.client }

// OpenAI is the base address of OpenAI's API.
func (s *Server) OpenAI() string { return s.URL + "/v1" }

// Anthropic is the base address of Anthropic's API.
func (s *Server) Anthropic() string { return s.URL + "/v1" }

// Next scripts the answers to the next requests, one each, behind those that were
// scripted before.
func (s *Server) Next(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, answers...)
}

// Handle answers by the request what Next has nothing for. nil ends that.
func (s *Server) Handle(answer func(*Request) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = answer
}

// Requests are the requests of answers that came, the first one first; requests for the
// list of models are not among them.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request{}, s.requests...)
}

// Await is the next request that came or comes, each once.
func (s *Server) Await(t testing.TB) *Request {
	t.Helper()
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case r := <-s.arrived:
		return r
	case <-timer.C:
	case <-t.Context().Done():
	}
	t.Fatal("no request came")
	return nil
}

// answer keeps a request and says how it is answered.
func (s *Server) answer(r *Request) Answer {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	handle := s.handle
	out, scripted := Says(Text("ok")), len(s.next) > 0
	if scripted {
		out, s.next = s.next[0], s.next[1:]
	}
	select {
	case s.arrived <- r:
	default:
	}
	s.mu.Unlock()
	if !scripted && handle != nil {
		out = handle(r)
	}
	return out
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

var errClosed = errors.New("the endpoint is closed")

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, errClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "scripted.test" }
