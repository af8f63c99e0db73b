package openaid

import (
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"elowen/server/account"
	"elowen/server/embedding"
	"elowen/server/model"
	"elowen/server/turn"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Handler is made of.
type Options struct {
	Turns     *turn.Store
	Models    *model.Store
	Embedding *embedding.Service
	// Identify tells who sent a request, and refuses who may not.
	Identify func(w http.ResponseWriter, r *http.Request) (account.Identity, error)
	Clock    func() int64 // Unix milliseconds
	// Beat is how often a sign of life is sent while a model says nothing; 0: a while, which
	// is shorter than what proxies wait for.
	Beat time.Duration
	Log  *slog.Logger // nil is silent
}

// beat is the usual one: proxies give up after a minute, as a rule. It paces signs of life
// and decides nothing, so it is by the machine's clock.
const beat = 25 * time.Second

// Handler answers everything under /v1. It is safe for concurrent use.
type Handler struct {
	o   Options
	mux *http.ServeMux
}

// New makes a handler.
func New(o Options) *Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Beat <= 0 {
		o.Beat = beat
	}
	h := &Handler{o: o, mux: http.NewServeMux()}
	for _, r := range []struct {
		method, path, scope string
		serve               func(c *call) error
	}{
		{http.MethodPost, "/v1/chat/completions", api.ScopeWrite, h.complete}, // it stores a conversation
		{http.MethodPost, "/v1/embeddings", api.ScopeRead, h.embed},
		{http.MethodGet, "/v1/models", api.ScopeRead, h.models},
		{http.MethodGet, "/v1/models/{model...}", api.ScopeRead, h.model},
	} {
		h.mux.HandleFunc(r.path, func(w http.ResponseWriter, req *http.Request) {
			c := &call{h: h, w: w, r: req}
			c.run(r.method, r.scope, r.serve)
		})
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, errNothing) })
	return h
}

var errNothing = fault.New(fault.NotFound, "There is nothing here. Chat completions, embeddings and models are there, under /v1.")

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// call is one request.
type call struct {
	h     *Handler
	w     http.ResponseWriter
	r     *http.Request
	who   account.Identity
	begun bool // the answer has, and can't be an error any more
}

// run answers a request.
func (c *call) run(method, scope string, serve func(*call) error) {
	var err error
	if panicked := fault.Guarded(func() { err = c.serve(method, scope, serve) }); panicked != nil {
		err = panicked
	}
	if err == nil {
		return
	}
	if fault.KindOf(err).Ours() && c.r.Context().Err() == nil {
		c.h.o.Log.Error("a request of a program failed", "path", c.r.Pattern, "error", err)
	}
	if c.begun {
		panic(http.ErrAbortHandler) // the answer must not look whole
	}
	refuse(c.w, err)
}

func (c *call) serve(method, scope string, serve func(*call) error) (err error) {
	if c.r.Method != method {
		c.w.Header().Set("Allow", method)
		return fault.Newf(fault.MethodNotAllowed, "This takes %s alone.", method)
	}
	if c.who, err = c.h.o.Identify(c.w, c.r); err != nil {
		return err
	}
	if !c.who.Can(scope) {
		return fault.Newf(fault.Forbidden, "This needs a token with the scope %q.", scope)
	}
	return serve(c)
}

// body reads the request's body.
func (c *call) body() ([]byte, error) {
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if charset := params["charset"]; err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") || c.r.Header.Get("Content-Encoding") != "" {
		return nil, fault.New(fault.Unsupported, "The body must have the Content-Type application/json, in UTF-8, without a Content-Encoding.")
	}
	most := int64(setting.Get("v1.body").Max)
	if c.r.ContentLength > most {
		return nil, fault.Newf(fault.TooLarge, "The request is larger than %d bytes. Nothing of it was taken.", most)
	}
	return validation.Read(c.r.Body, most)
}
