package browser

import (
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is a reverse proxy before a server, with a network that a test can break.
type proxy struct {
	t      *testing.T
	listen net.Listener
	target *url.URL

	// disguise lets the server believe that it is asked directly.
	disguise bool

	mu    sync.Mutex
	conns map[*wire]bool
	down  bool                         // new connections are closed at once
	lose  func(r *http.Request) bool   // the answer of such a request is lost after it was made
	alter func(r *http.Response) error // changes an answer on its way
	path  func(path string) string     // which path is asked for behind; "" is 404
	seen  []string                     // method and path of each request
}

// newProxy listens; begin connects it with a server.
func newProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &proxy{t: t, listen: l, conns: map[*wire]bool{}}
}

// address is where people reach the proxy.
func (p *proxy) address() string { return "http://" + p.listen.Addr().String() }

// begin serves what is behind.
func (p *proxy) begin(target string) {
	p.t.Helper()
	var err error
	if p.target, err = url.Parse(target); err != nil {
		p.t.Fatal(err)
	}
	errLost := errors.New("the answer is lost")
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = p.target.Scheme, p.target.Host
			r.Out.Host = r.In.Host
			r.Out.URL.Path = p.through(r.In.URL.Path)
			r.Out.Header.Del("Accept-Encoding") // so that a test can read and change it
			r.Out.Header.Del("If-None-Match")
			if p.disguise {
				r.Out.Host = p.target.Host
				if r.In.Header.Get("Origin") != "" {
					r.Out.Header.Set("Origin", p.target.Scheme+"://"+p.target.Host)
				}
				return
			}
			r.SetXForwarded()
		},
		ModifyResponse: func(r *http.Response) error {
			p.mu.Lock()
			lose, alter := p.lose, p.alter
			p.mu.Unlock()
			if lose != nil && lose(r.Request) {
				return errLost
			}
			if alter != nil {
				return alter(r)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, errLost) {
				panic(http.ErrAbortHandler) // the connection breaks off
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, r.Method+" "+r.URL.Path)
		p.mu.Unlock()
		if p.through(r.URL.Path) == "" {
			http.NotFound(w, r)
			return
		}
		forward.ServeHTTP(w, r)
	})}
	go server.Serve(wires{p.listen, p})
	p.t.Cleanup(func() { server.Close(); p.cut() })
}

func (p *proxy) through(path string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.path == nil {
		return path
	}
	return p.path(path)
}

// deaden lets every connection that is open hang for good, as when a phone has changed
// its network: nothing passes, nothing ends. New ones work.
func (p *proxy) deaden() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.dead.Store(true)
	}
}

// set changes how the network behaves.
func (p *proxy) set(f func(p *proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

// cut breaks every connection, and refuses others until mend.
func (p *proxy) cut() {
	p.mu.Lock()
	p.down = true
	open := make([]*wire, 0, len(p.conns))
	for c := range p.conns {
		open = append(open, c)
	}
	p.mu.Unlock()
	for _, c := range open {
		c.Close()
	}
}

func (p *proxy) mend() { p.set(func(p *proxy) { p.down = false }) }

// asked is how often a request came through.
func (p *proxy) asked(what string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seen {
		if s == what {
			n++
		}
	}
	return n
}

type wires struct {
	net.Listener
	p *proxy
}

func (l wires) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		w := &wire{Conn: c, p: l.p}
		l.p.mu.Lock()
		down := l.p.down
		l.p.conns[w] = !down
		l.p.mu.Unlock()
		if down {
			w.Close()
			continue
		}
		return w, nil
	}
}

// wire is a connection that can go dead.
type wire struct {
	net.Conn
	p    *proxy
	dead atomic.Bool
}

func (c *wire) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for err == nil && c.dead.Load() {
		n, err = c.Conn.Read(b) // what came is lost
	}
	return n, err
}

func (c *wire) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *wire) Close() error {
	c.p.mu.Lock()
	delete(c.p.conns, c)
	c.p.mu.Unlock()
	return c.Conn.Close()
}

// behind is a server that people reach through a proxy under a base path.
func behind(t *testing.T, base string) (*Server, *proxy) {
	t.Helper()
	p := newProxy(t)
	s := Serve(t, "--base-path", base, "--public-url", p.address()+base)
	p.begin("http://" + s.address)
	s.front = p.address()
	return s, p
}

func TestBehindAReverseProxyUnderABasePath(t *testing.T) {
	s, p := behind(t, "/elowen/")
	w := Open(t).Person().Window("proxy")
	signUp(t, s, w)
	if at := w.Address(); !strings.HasPrefix(at, p.address()+"/elowen/memory/") {
		t.Fatalf("the address is %s", at)
	}
	// The websocket goes through the proxy: another's change arrives.
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("more.jsonl", `{"type":"memory","body":"Through the socket."}`+"\n"))
	w.SeeIn(".row", "Through the socket.")
	if p.asked("GET /elowen/api/live") == 0 {
		t.Error("the socket did not go through the proxy")
	}
	// The worker and the manifest stand inside the base path.
	installed(w)
	if scope := Promise[string](w, `navigator.serviceWorker.ready.then(r => r.scope + " " + r.active.scriptURL)`); scope != p.address()+"/elowen/ "+p.address()+"/elowen/worker.js" {
		t.Errorf("the worker: %s", scope)
	}
	manifest := Promise[map[string]any](w, `fetch(document.querySelector("link[rel=manifest]").href).then(r => r.json())`)
	if manifest["scope"] != "/elowen/" || manifest["id"] != "/elowen/" || manifest["start_url"] != "/elowen/memory" {
		t.Errorf("the manifest: %v", manifest)
	}
	for _, name := range Promise[[]string](w, `caches.keys()`) {
		if !strings.HasPrefix(name, "elowen /elowen/ ") {
			t.Errorf("a cache is called %q", name)
		}
	}
	// Nothing was asked for outside.
	p.set(func(p *proxy) {
		for _, r := range p.seen {
			if _, path, _ := strings.Cut(r, " "); !strings.HasPrefix(path, "/elowen/") && path != "/favicon.ico" {
				t.Errorf("asked outside of the base path: %s", r)
			}
		}
	})
	// And without a network it starts there too.
	kept(w, "memories", "Through the socket.")
	w.Tolerate(gone...)
	p.cut()
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", "Through the socket.")
	w.See("not connected")
	p.mend()
	w.tryNow()
	w.Gone("not connected")
}

// The network takes an answer away after the server has made the change.
func TestALostAnswerDoublesNothing(t *testing.T) {
	s, p := behind(t, "/")
	w := Open(t).Person().Window("lost")
	w.Tolerate(gone...)
	signUp(t, s, w)
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	writes := func(r *http.Request) bool {
		return r.Method != "GET" && strings.HasPrefix(r.URL.Path, "/api/memory")
	}
	p.set(func(p *proxy) { p.lose = writes })
	w.Press("New memory")
	w.Fill("Memory", "Once and only once.")
	w.Press("Save memory")
	w.See("Kept here. It is sent as soon as the server answers.")
	w.SeeIn(".row", "Once and only once.") // it was made, and the socket says so
	w.See("1 change waits")
	w.ClickText(".row .row-body", firstOne)
	w.Press("Edit")
	w.Fill("Memory", "Edited once.")
	w.Press("Save")
	w.See("2 changes wait")
	p.set(func(p *proxy) { p.lose = nil })
	w.Gone("wait")
	w.SeeIn(".detail-body", "Edited once.")
	out := exported(s)
	if n := strings.Count(out, `"body":"Once and only once."`); n != 1 {
		t.Errorf("added %d times:\n%s", n, out)
	}
	w.SeeIn("section .meta", "revision 2")
	if n := p.asked("POST /api/memory"); n < 3 { // sign-up's, and at least two tries of this one
		t.Errorf("only %d adds went through; no answer was lost", n)
	}
}
