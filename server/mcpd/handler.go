package mcpd

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/account"
	"elowen/server/delivery"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Handler is made of.
type Options struct {
	Tools    *tool.Set
	Delivery *delivery.Store
	// Identify tells who sent a request, and refuses who may not.
	Identify func(w http.ResponseWriter, r *http.Request) (account.Identity, error)
	// Actor names the agent in the audit where no token does; empty: as the identity says.
	Actor   string
	Version string       // the program's
	Log     *slog.Logger // nil is silent
}

// Handler answers the Model Context Protocol. It is safe for concurrent use.
type Handler struct {
	o   Options
	sdk http.Handler
}

// New makes a handler.
func New(o Options) *Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Handler{o: o}
	server := h.server()
	h.sdk = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: bodyMost() + 1,
		DisableLocalhostProtection:   true, // the Gate's, which knows under which names the server may be called
		PropagateRequestCancellation: true,
	})
	return h
}

func bodyMost() int64 { return int64(setting.Get("http.body").Max) }

// caller is who sent a request, for what runs because of it.
type caller struct {
	who     account.Identity
	project string
	request context.Context // ends where nobody waits for the answer any more
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// identify is what tools ask.
func identify(ctx context.Context) (account.Identity, error) {
	c := callerOf(ctx)
	if c.who.Owner == 0 {
		return account.Identity{}, fault.New(fault.Unauthenticated, "Nobody is known to have sent this.")
	}
	return c.who, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	if err := fault.Guarded(func() { h.serve(w, r, &m) }); err != nil {
		h.o.Log.Error("a request of an agent panicked", "error", err)
		refuse(w, http.StatusOK, m.id, err)
	}
}

// serve answers a request, and leaves in m what it has read of it.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, m *message) {
	who, err := h.o.Identify(w, r)
	if err != nil {
		h.refused(w, err)
		return
	}
	*m, err = h.read(w, r)
	if err != nil {
		refuse(w, statusOf(err), m.id, err)
		return
	}
	if done := m.answer(w); done {
		return
	}
	c := caller{who: who, project: r.Header.Get(api.HeaderProject), request: r.Context()}
	out := &recorder{header: http.Header{}, status: http.StatusOK}
	h.sdk.ServeHTTP(out, m.request(r, context.WithValue(r.Context(), callerKey{}, c)))
	out.play(w, *m)
}

// refused answers who may not come in.
func (h *Handler) refused(w http.ResponseWriter, err error) {
	if k := fault.KindOf(err); k == fault.Internal || k == fault.Corrupt {
		h.o.Log.Error("who sent a request could not be found out", "error", err)
		err = fault.Wrap(fault.Unavailable, err, "The server cannot find out who sent this. Try again.")
	}
	refuse(w, fault.KindOf(err).Status(), nil, err)
}

// limited is the context of what a request starts: it ends with the time that a call
// may take, and where nobody waits for the answer any more.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, callTime())
	if request := callerOf(ctx).request; request != nil {
		stop := context.AfterFunc(request, cancel)
		return ctx, func() { stop(); cancel() }
	}
	return ctx, cancel
}
