package httpd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"

	"elowen/server/account"
	"elowen/server/backup"
	"elowen/server/calibration"
	"elowen/server/category"
	"elowen/server/job"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/project"
	"elowen/server/projection"
	"elowen/server/recall"
	"elowen/server/remote"
	"elowen/server/retention"
	"elowen/server/transcript"
	"elowen/server/transfer"
	"elowen/server/turn"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Services are the nouns behind the routes, and what the program lends.
type Services struct {
	Gate        *Gate
	Accounts    *account.Store
	Categories  *category.Store
	Memories    *memory.Store
	Retention   *retention.Store
	Transfer    *transfer.Store
	Models      *model.Store
	Projects    *project.Store
	Recall      *recall.Store
	Transcripts *transcript.Store
	Turns       *turn.Store
	Servers     *remote.Store
	Projector   *projection.Projector
	Jobs        *job.Store
	Calibration *calibration.Store

	// Erase removes an account with all that it owns. by is who asks.
	Erase func(ctx context.Context, by account.Identity, name string) error
	// Backups are the server's own; nil: it keeps none.
	Backups *backup.Keeper
	// Index tells how far an account's memories are indexed for search by meaning.
	Index func(ctx context.Context, who account.Identity) (api.IndexState, error)
	// Map tells where an account's memories are on its map.
	Map func(ctx context.Context, who account.Identity) (api.Map, error)
	// Examine runs the checks of the whole server.
	Examine func(ctx context.Context) api.Doctor
	// Storage measures what takes up room.
	Storage func(ctx context.Context) (api.Storage, error)
	// Ready answers nil once the server can do its work, else an error that says
	// what is missing.
	Ready func(ctx context.Context) error
	// Clock tells the time in Unix milliseconds.
	Clock func() int64
	// Metrics is what /metrics shows; the package adds its own to it.
	Metrics *prometheus.Registry

	Version  string
	BasePath string       // "/" or such as "/elowen/"; for Location headers and the document
	TempDir  string       // for streams that are staged; empty for the system's place
	Log      *slog.Logger // nil is silent
}

type server struct {
	Services
	base    string // the base path without its last slash
	mux     *http.ServeMux
	routes  []*Route
	metrics *metrics
	openAPI func() ([]byte, error)
}

// New makes the handler of everything under /api (but api.PathLive), and of
// /healthz, /readyz and /metrics. Paths arrive without the base path.
func New(s Services) http.Handler {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Metrics == nil {
		s.Metrics = prometheus.NewRegistry()
	}
	h := &server{Services: s, mux: http.NewServeMux(), base: strings.TrimRight("/"+strings.Trim(s.BasePath, "/"), "/")}
	h.metrics = newMetrics(s.Metrics)
	h.routes = h.table()
	h.openAPI = sync.OnceValues(func() ([]byte, error) { return document(h.routes, h.base, h.Version) })
	known := map[string][]string{} // methods by path
	for _, r := range h.routes {
		known[r.Path] = append(known[r.Path], r.Method)
		h.mux.Handle(r.Method+" "+r.Path, h.handler(r))
	}
	// A fixed path must not fall through to a pattern for another method.
	for p, methods := range known {
		for _, m := range usualMethods {
			if !slices.Contains(methods, m) {
				h.mux.Handle(m+" "+p, h.notAllowed(methods))
			}
		}
	}
	h.mux.HandleFunc("/", h.unknown)
	return h.guard(h.mux)
}

var usualMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// guard is around everything: it survives panics, and refuses paths that the
// multiplexer would redirect, since it doesn't know the base path.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := &sentinel{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			s.Log.Error("a request panicked", "method", r.Method, "route", r.Pattern, "panic", p, "stack", string(debug.Stack()))
			if sent.begun {
				panic(http.ErrAbortHandler) // the answer must not look whole
			}
			Problem(w, fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), ""))
		}()
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path && clean+"/" != r.URL.Path || !strings.HasPrefix(r.URL.Path, "/") {
			Problem(sent, errNotFound)
			return
		}
		next.ServeHTTP(sent, r)
	})
}

// sentinel notes whether an answer has begun.
type sentinel struct {
	http.ResponseWriter
	begun  bool
	status int
}

func (w *sentinel) WriteHeader(status int) {
	if !w.begun {
		w.begun, w.status = true, status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *sentinel) Write(b []byte) (int, error) {
	if !w.begun {
		w.begun, w.status = true, http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *sentinel) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// handler is the one way through a route.
func (s *server) handler(route *Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		secure(w.Header())
		c := &call{s: s, route: route, w: w, r: r, ctx: r.Context(), header: http.Header{}}
		out, err := s.enter(c)
		if err == nil {
			out, err = route.run(c)
		}
		if err == nil {
			err = s.answer(c, out)
		}
		if err != nil {
			s.refuse(c, err)
		}
		status := http.StatusOK
		if sent, ok := w.(*sentinel); ok && sent.begun {
			status = sent.status
		}
		s.metrics.done(route, status, time.Since(began))
	})
}

// enter decides whether the call may be made.
func (s *server) enter(c *call) (any, error) {
	route := c.route
	if route.Scope == open {
		if err := s.Gate.SameOrigin(c.r); err != nil {
			return nil, err
		}
	} else {
		var err error
		if c.id, err = s.Gate.Identify(c.w, c.r); err != nil {
			return nil, err
		}
		if !c.id.Can(route.Scope) {
			return nil, fault.Newf(fault.Forbidden, "This needs the scope %q.", route.Scope)
		}
	}
	if err := c.preconditions(); err != nil {
		return nil, err
	}
	if err := c.noBody(); err != nil {
		return nil, err
	}
	if len(route.Query) == 0 {
		return nil, c.query()
	}
	return nil, nil
}

// answer writes a success.
func (s *server) answer(c *call, out any) error {
	if _, written := out.(streamed); written || c.route.Stream != "" && c.route.Gives == nil {
		return nil // the route has written it
	}
	h := c.w.Header()
	for name, values := range c.header {
		h[name] = values
	}
	if c.replayed != nil && c.replayed() {
		h.Set("Idempotency-Replayed", "true")
	}
	if c.route.Gives == nil {
		c.w.WriteHeader(c.route.Status)
		return nil
	}
	data, err := json.Marshal(out, json.Deterministic(true))
	if err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	if n := revisionOf(out); n > 0 {
		h.Set("ETag", `"`+strconv.FormatInt(n, 10)+`"`)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(data)))
	c.w.WriteHeader(statusOf(c.route, out))
	_, _ = c.w.Write(data) // whoever asked may be gone
	return nil
}

// refuse answers an error, and logs what only we should see.
func (s *server) refuse(c *call, err error) {
	switch kind := fault.KindOf(err); {
	case kind.Ours():
		if c.ctx.Err() == nil {
			s.Log.Error("a request failed", "method", c.route.Method, "route", c.route.Path, "error", err)
		}
	case kind == fault.Unavailable:
		s.Log.Warn("a request could not be served", "method", c.route.Method, "route", c.route.Path, "error", err)
	}
	if sent, ok := c.w.(*sentinel); ok && sent.begun {
		panic(http.ErrAbortHandler) // a stream broke: it must not look whole
	}
	Problem(c.w, err)
}

func (s *server) notAllowed(methods []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { refuseMethod(w, methods) })
}

func refuseMethod(w http.ResponseWriter, methods []string) {
	allow := slices.Clone(methods)
	if slices.Contains(allow, http.MethodGet) {
		allow = append(allow, http.MethodHead)
	}
	slices.Sort(allow)
	list := strings.Join(allow, ", ")
	w.Header().Set("Allow", list)
	Problem(w, fault.Newf(fault.MethodNotAllowed, "This takes %s.", list))
}

// unknown answers paths that are no route, and methods that nobody uses.
func (s *server) unknown(w http.ResponseWriter, r *http.Request) {
	as := *r
	as.Method = http.MethodGet // every known path answers it, if only to refuse it
	if _, pattern := s.mux.Handler(&as); pattern != "/" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		_, known, _ := strings.Cut(pattern, " ")
		refuseMethod(w, methodsOf(s.routes, known))
		return
	}
	Problem(w, errNotFound)
}

func methodsOf(routes []*Route, path string) []string {
	var list []string
	for _, r := range routes {
		if r.Path == path {
			list = append(list, r.Method)
		}
	}
	return list
}

// located names the address of what was made.
func (c *call) located(p string) { c.header.Set("Location", c.s.base+p) }

// table is all routes.
func (s *server) table() []*Route {
	return slices.Concat(s.system(), s.operation(), s.people(), s.sessions(), s.memories(), s.categories(), s.projects(), s.retention(), s.models(), s.recalls(), s.maintenance(), s.transcripts(), s.conversations(), s.servers(), s.transfers())
}

// Routes is the table of a handler that New made, for tests and documentation.
func Routes() []Route {
	s := &server{}
	var list []Route
	for _, r := range s.table() {
		list = append(list, *r)
	}
	return list
}
