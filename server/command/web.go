package command

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"elowen/server/account"
	"elowen/server/backup"
	"elowen/server/categorizer"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/doctor"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/httpd"
	"elowen/server/layout"
	"elowen/server/live"
	"elowen/server/mcpd"
	"elowen/server/openaid"
	"elowen/server/projection"
	"elowen/server/projection/view"
	"elowen/server/site"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// web is the adapters of a server, put together.
type web struct {
	handler   http.Handler
	ready     atomic.Bool
	feed      *feed.Feed
	projector *projection.Projector
	live      *live.Handler
	queue     *queue.Queue
	sorter    *categorizer.Categorizer
}

func newWeb(c *serveCommand, r *run, st *stores, keeper *backup.Keeper, log *slog.Logger) (*web, error) {
	gate, err := httpd.NewGate(st.accounts, httpd.GateOptions{Addr: c.Addr, PublicURL: c.PublicURL, BasePath: c.BasePath})
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	st.figures = mcpd.NewFigures(registry) // before whoever counts with them is made
	w := &web{feed: feed.New(st.db)}
	w.queue = st.queue(r.System, w.feed)
	w.sorter = st.sorter(r.System, w.feed)
	st.jobs = st.maintenance(w.queue, w.sorter)
	st.turns = st.conversations(r.System)
	w.projector = projection.New(projection.Config{
		DB: st.db, Feed: w.feed, Memories: st.memories, Rules: st.settings, Meaning: st.recall, Log: log,
		Views: view.All(view.Sources{Accounts: st.accounts, Categories: category.New(st.db, nil), Retention: st.retention, Projects: st.projects, Jobs: st.jobs, Turns: st.turns, Index: w.queue.StateIn}),
	})
	st.turns.OnChange(func(owner db.AccountID, conversation int64) {
		w.projector.Touch(owner, projection.NounTurn, conversation)
	})
	w.live = live.New(live.Options{
		Projector: w.projector, Identify: gate.Identify, Check: st.accounts.Check, Problem: httpd.Problem,
		Origins: c.origins(), Log: log,
	})
	w.measure(registry, st)
	maps := layout.New(st.db, layout.Options{Memories: st.memories, Rules: st.settings, Indexes: st.indexes, Service: st.embedding})
	rest := httpd.New(httpd.Services{
		Gate: gate, Accounts: st.accounts, Categories: st.categories, Memories: st.memories,
		Retention: st.retention, Transfer: st.transfer, Models: st.models, Recall: st.recall, Transcripts: st.transcripts, Turns: st.turns, Servers: st.servers, Projects: st.projects, Projector: w.projector, Jobs: st.jobs, Calibration: st.measure,
		Erase: func(ctx context.Context, _ account.Identity, name string) error {
			_, err := st.erase(ctx, name)
			return err
		},
		Index: func(ctx context.Context, who account.Identity) (api.IndexState, error) {
			return w.queue.State(ctx, who.Owner)
		},
		Map:     func(ctx context.Context, who account.Identity) (api.Map, error) { return maps.Map(ctx, who.Owner) },
		Backups: keeper,
		Examine: func(ctx context.Context) api.Doctor { return doctor.Examine(ctx, r.patient(st)) },
		Storage: func(ctx context.Context) (api.Storage, error) { return doctor.Storage(ctx, r.patient(st)) },
		Ready: func(context.Context) error {
			if !w.ready.Load() {
				return fault.New(fault.Unavailable, "The server is starting, or going down.")
			}
			return nil
		},
		Clock: r.Clock, Metrics: registry, Version: version, BasePath: c.BasePath, TempDir: r.data, Log: log,
	})
	pages := site.New(site.Options{BasePath: c.BasePath, Version: version, PublicURL: c.PublicURL})
	mux := http.NewServeMux()
	mux.Handle(api.PathLive, w.live)
	mux.Handle(api.PathMCP, released(site.Release(version), st.agents(gate.Program, "")))
	mux.Handle(api.PathV1, released(site.Release(version), openaid.New(openaid.Options{
		Turns: st.turns, Models: st.models, Embedding: st.embedding, Identify: gate.Program, Clock: r.Clock, Log: log,
	})))
	for _, p := range []string{"/api/", api.PathHealth, api.PathReady, api.PathMetrics} {
		mux.Handle(p, released(site.Release(version), rest))
	}
	mux.Handle("/", pages)
	w.handler = patient(gate.Hosts(under(c.BasePath, mux)))
	return w, nil
}

// released names the release of the server in every answer, so that a page of another
// one learns of it.
func released(release string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(api.HeaderVersion, release)
		next.ServeHTTP(w, r)
	})
}

// under serves everything below the base path, and nothing beside it.
func under(base string, next http.Handler) http.Handler {
	prefix := base[:len(base)-1]
	if prefix == "" {
		return next
	}
	mux := http.NewServeMux()
	mux.Handle(base, http.StripPrefix(prefix, next))
	mux.Handle("/{$}", http.RedirectHandler(base, http.StatusTemporaryRedirect))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Everything stands below "+base, http.StatusNotFound)
	})
	return mux
}

// origins are those whose pages may connect beside the one asked for.
func (c *serveCommand) origins() []string {
	u, err := url.Parse(c.PublicURL)
	if c.PublicURL == "" || err != nil {
		return nil
	}
	return []string{u.Scheme + "://" + u.Host}
}

// restart tells the live connections to come back later.
func (w *web) restart(ctx context.Context) error { return w.live.Shutdown(ctx) }

func (w *web) close() {
	w.projector.Close()
	w.feed.Close()
}

// measure shows what the parts count themselves.
func (w *web) measure(registry *prometheus.Registry, st *stores) {
	add := func(counter bool, name, help string, value func() int64) {
		f := func() float64 { return float64(value()) }
		if counter {
			registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, f))
			return
		}
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f))
	}
	add(false, "elowen_live_sockets", "Live connections that are open.", func() int64 { return w.live.Counts().Sockets })
	add(true, "elowen_live_frames_total", "Frames sent over live connections.", func() int64 { return w.live.Counts().Frames })
	add(true, "elowen_live_bytes_total", "Bytes sent over live connections.", func() int64 { return w.live.Counts().Bytes })
	add(true, "elowen_live_slow_total", "Live connections closed because nobody read.", func() int64 { return w.live.Counts().Slow })
	add(true, "elowen_store_decisions_total", "Decisions that the store took.", func() int64 { n, _ := st.db.Counts(); return n })
	add(true, "elowen_store_commits_total", "Commits that held them.", func() int64 { _, n := st.db.Counts(); return n })
}
