package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// table is what the program prints.
type table struct {
	Machine   Machine  `json:"machine"`
	LoadAfter string   `json:"loadAfter"`
	Scale     float64  `json:"scale"`
	Runs      int      `json:"runs"`
	Figures   []figure `json:"figures"`
}

// figure is one figure: the median of a sample.
type figure struct {
	Line  string  `json:"line"`
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Unit  string  `json:"unit"`
	Runs  int     `json:"runs"`

	// Others is the part of the machine that other programs took meanwhile, 0 to 1;
	// negative where that is unknown.
	Others float64 `json:"others"`

	Goal *goal `json:"goal,omitempty"`
	Met  *bool `json:"met,omitempty"`

	Baseline *baseline `json:"baseline,omitempty"`
	Note     string    `json:"note,omitempty"`
	Failed   bool      `json:"failed,omitempty"`
}

// goal is a bound, in the figure's unit.
type goal struct {
	Above bool    `json:"above"` // else the figure should be below
	Bound float64 `json:"bound"`
}

func above(v float64) *goal { return &goal{true, v} }
func below(v float64) *goal { return &goal{false, v} }

// baseline is a peer's figure for the same work.
type baseline struct {
	Of    string  `json:"of"`
	Value float64 `json:"value"` // in the figure's unit
	Ratio float64 `json:"ratio"` // of the figure to it
}

// of makes a figure of a sample.
func of(what, unit string, s sample) figure {
	return figure{What: what, Unit: unit, Value: s.median(), Low: s.at(0), High: s.at(1), Runs: len(s)}
}

func (f figure) to(g *goal) figure { f.Goal = g; return f }

func (f figure) noted(format string, args ...any) figure {
	f.Note = fmt.Sprintf(format, args...)
	return f
}

// against sets the peer's figure beside this one.
func (f figure) against(of string, s sample) figure {
	f.Baseline = &baseline{Of: of, Value: s.median()}
	return f
}

func (f figure) judged() figure {
	if f.Goal != nil && f.Runs > 0 {
		met := f.Value < f.Goal.Bound
		if f.Goal.Above {
			met = f.Value > f.Goal.Bound
		}
		f.Met = &met
	}
	if f.Baseline != nil && f.Baseline.Value != 0 {
		f.Baseline.Ratio = f.Value / f.Baseline.Value
	}
	return f
}

func (t *table) print(w io.Writer) error {
	m := t.Machine
	fmt.Fprintf(w, "elowen %s · %s · %s, %d cores, %s · sync of 4 kB %s ms · load %s before, %s after\n",
		m.Commit, m.Go, m.CPU, m.Cores, m.System, short(m.SyncMillis), m.Load, t.LoadAfter)
	fmt.Fprintf(w, "peer: %s · median of %d runs (lowest – highest); others: what other programs took of the machine meanwhile", m.Peer, t.Runs)
	if t.Scale != 1 {
		fmt.Fprintf(w, " · sizes × %s, so nothing here says anything of the goals", short(t.Scale))
	}
	fmt.Fprint(w, "\n\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "line\twhat\tfigure\trange\tgoal\tmet\tpeer\tratio\tothers\tnote")
	for _, f := range t.Figures {
		fmt.Fprintln(tw, strings.Join(f.cells(), "\t"))
	}
	return tw.Flush()
}

func (f figure) cells() []string {
	value, spread, bound, met, peer, ratio := "–", "", "", "", "", ""
	if f.Runs > 0 {
		value = short(f.Value) + " " + f.Unit
		if f.Low != f.High {
			spread = "(" + short(f.Low) + " – " + short(f.High) + ")"
		}
	}
	if f.Goal != nil {
		bound = "< " + short(f.Goal.Bound)
		if f.Goal.Above {
			bound = "> " + short(f.Goal.Bound)
		}
	}
	if f.Met != nil {
		met = "missed"
		if *f.Met {
			met = "met"
		}
	}
	if f.Baseline != nil {
		peer = short(f.Baseline.Value) + " " + f.Unit + " " + f.Baseline.Of
		if f.Baseline.Ratio != 0 {
			ratio = "× " + short(f.Baseline.Ratio)
		}
	}
	others := ""
	if f.Others >= 0 {
		others = fmt.Sprintf("%.0f%%", 100*f.Others)
	}
	return []string{f.Line, f.What, value, spread, bound, met, peer, ratio, others, f.Note}
}

// short writes a number with about three digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		s := strconv.FormatFloat(v, 'f', 0, 64)
		for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	case a >= 100 || a == math.Trunc(a):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
