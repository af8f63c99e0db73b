package mcpd

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"elowen/server/tool"
)

// Figures count what agents do, for Prometheus. Their labels are the tools' names and
// the kinds of faults, never anything of a request: they tell nothing of anyone, and
// can't multiply. One serves all handlers of a program; nil counts nothing.
type Figures struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// NewFigures makes figures that a registry shows. Every tool is there from the start,
// so that a first call is seen as one.
func NewFigures(r prometheus.Registerer) *Figures {
	labels := []string{"tool", "outcome"}
	f := &Figures{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "elowen_tool_calls_total", Help: "Tools used by agents, by how it ended: ok, or the kind of the error."}, labels),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "elowen_tool_call_seconds", Help: "Time that tools of agents took, by how it ended.", Buckets: prometheus.ExponentialBuckets(0.0005, 3, 10),
		}, labels),
	}
	r.MustRegister(f.calls, f.seconds)
	for _, t := range tool.New(tool.Options{}).List() {
		f.calls.WithLabelValues(t.Name, tool.OutcomeOK)
	}
	return f
}

// Done counts one use of a tool.
func (f *Figures) Done(tool, outcome string, took time.Duration) {
	if f == nil {
		return
	}
	f.calls.WithLabelValues(tool, outcome).Inc()
	f.seconds.WithLabelValues(tool, outcome).Observe(took.Seconds())
}
