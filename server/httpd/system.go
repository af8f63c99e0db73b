package httpd

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// Health answers /healthz and /readyz.
type Health struct {
	Status  string `json:"status"` // "ok"
	Version string `json:"version"`
}

// system are the routes about the server itself.
func (s *server) system() []*Route {
	health := Health{Status: "ok", Version: s.Version}
	doc := get(api.PathOpenAPI, open, "This document", func(c *call) (none, error) {
		data, err := s.openAPI()
		if err != nil {
			return none{}, fault.Wrap(fault.Internal, err, "")
		}
		c.w.Header().Set("Content-Type", "application/json")
		c.w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = c.w.Write(data)
		return none{}, nil
	})
	doc.Gives, doc.Stream = nil, "application/json"
	figures := get(api.PathMetrics, api.ScopeAdmin, "Figures for Prometheus", func(c *call) (none, error) {
		s.metrics.handler.ServeHTTP(c.w, c.r)
		return none{}, nil
	})
	figures.Gives, figures.Stream = nil, "text/plain"
	return []*Route{
		get(api.PathHealth, open, "Whether the process runs", func(*call) (Health, error) { return health, nil }),
		get(api.PathReady, open, "Whether it can do its work", func(c *call) (Health, error) {
			if s.Ready != nil {
				if err := s.Ready(c.ctx); err != nil {
					return Health{}, err
				}
			}
			return health, nil
		}),
		figures, doc,
	}
}

// metrics are the package's own figures. Their labels come from the table of
// routes, never from a request: they tell nothing of anyone, and can't multiply.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	handler  http.Handler
}

func newMetrics(r *prometheus.Registry) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "elowen_http_requests_total", Help: "Requests answered, by route and status."}, []string{"method", "route", "status"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "elowen_http_request_seconds", Help: "Time to the end of an answer, by route.", Buckets: prometheus.ExponentialBuckets(0.0005, 3, 10)}, []string{"method", "route"}),
		handler:  promhttp.HandlerFor(r, promhttp.HandlerOpts{}),
	}
	r.MustRegister(m.requests, m.seconds)
	return m
}

func (m *metrics) done(r *Route, status int, took time.Duration) {
	m.requests.WithLabelValues(r.Method, r.Path, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(r.Method, r.Path).Observe(took.Seconds())
}
