package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"
)

// line is one line of the table, or several that come out of the same work.
type line struct {
	name, about string
	measure     func(ctx context.Context, b *bench) ([]figure, error)
}

// lines are all lines, in the order of the table.
func lines() []line {
	return []line{
		{"add", "explicit adds by 32 callers, each durable", addLine},
		{"import", "an import of 100,000 memories", importLine},
		{"list", "a page and a jump to a rank in a list of 100,000", listLine},
		{"search", "keyword search over 100,000 with common words", searchLine},
		{"plan", "the sweep's plan over 1,000,000 memories", planLine},
		{"history", "the vitality of a memory with 5,000 recalls", historyLine},
		{"live", "from a commit to the frames of 1,000 websockets", liveLine},
		{"mcp", "a search and an add by agents, with 600 memories", mcpLine},
		{"start", "from the start of the program to ready, with 100,000 memories", startLine},
		{"resident", "memory of the idle server with 100,000 memories", residentLine},
		{"wasm", "the browser program over the wire", wasmLine},
		{"page", "first paint and usable, of a list of 100,000", pageLine},
		{"keys", "elements of the page and key presses in a list of 100,000", keysLine},
		{"map", "a frame of zooming and panning a map of 20,000", mapLine},
	}
}

// notMeasured is why a line has no figure on this machine.
type notMeasured string

func (n notMeasured) Error() string { return string(n) }

// bench is one run of the program.
type bench struct {
	scale    float64
	runs     int
	temp     string // where throwaway stores are made
	profiles string
	program  string // the server to run; built where it is empty
	log      io.Writer

	dir  string // throwaway, for everything
	made int
	data *dataset // see hundred
}

// size scales the size of some work, to at least least.
func (b *bench) size(full, least int) int { return max(least, int(float64(full)*b.scale)) }

// fresh is a new directory.
func (b *bench) fresh(name string) (string, error) {
	b.made++
	dir := filepath.Join(b.dir, fmt.Sprintf("%d-%s", b.made, name))
	return dir, os.MkdirAll(dir, 0o700)
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }

// measure measures the lines. A line that fails is told in the table, and the
// others go on.
func (b *bench) measure(ctx context.Context, chosen []line) (*table, error) {
	var err error
	if b.dir, err = os.MkdirTemp(b.temp, "elowen-bench-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.dir)
	if b.profiles != "" {
		if err := os.MkdirAll(b.profiles, 0o755); err != nil {
			return nil, err
		}
	}
	t := &table{Machine: machine(b.dir), Scale: b.scale, Runs: b.runs}
	for _, l := range chosen {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.say("%s: %s", l.name, l.about)
		began, others := time.Now(), watchOthers()
		figures, err := b.profiled(ctx, l)
		taken := others()
		var lacking notMeasured
		switch {
		case errors.As(err, &lacking):
			figures = append(measured(figures), figure{What: l.about, Note: "not measured: " + string(lacking)})
		case err != nil:
			figures = append(measured(figures), figure{What: l.about, Note: "failed: " + err.Error(), Failed: true})
		}
		for _, f := range figures {
			f.Line, f.Others = l.name, taken
			t.Figures = append(t.Figures, f.judged())
		}
		b.say("  %.1f s", time.Since(began).Seconds())
		runtime.GC()
	}
	t.LoadAfter = load()
	return t, nil
}

// measured are those figures that there are, of a line that was cut off.
func measured(list []figure) []figure {
	return slices.DeleteFunc(list, func(f figure) bool { return f.Runs == 0 })
}

func (b *bench) profiled(ctx context.Context, l line) ([]figure, error) {
	if b.profiles == "" {
		return l.measure(ctx, b)
	}
	f, err := os.Create(filepath.Join(b.profiles, l.name+".pprof"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	defer pprof.StopCPUProfile()
	return l.measure(ctx, b)
}

// sample is the values of several runs of the same work.
type sample []float64

// repeat does some work runs times and takes the value that each run gives.
func (b *bench) repeat(ctx context.Context, once func() (float64, error)) (sample, error) {
	var s sample
	for range b.runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := once()
		if err != nil {
			return nil, err
		}
		s = append(s, v)
	}
	return s, nil
}

// at is the value below which a part (0 to 1) of the sample lies.
func (s sample) at(part float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}

func (s sample) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// perCPU does a short work often enough to be measured and gives the CPU
// milliseconds that one takes, the collector's part included. It leaves Go one
// processor: on a second one that is idle the collector would run just because it
// is idle, and be counted.
func perCPU(least int, work func() error) (float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	// The first ones fill caches and are not what is asked for.
	for range 1 + least/20 {
		if err := work(); err != nil {
			return 0, err
		}
	}
	runtime.GC()
	began, n := cpu(), 0
	for n < least || cpu()-began < 100*time.Millisecond {
		if err := work(); err != nil {
			return 0, err
		}
		n++
		if n >= 100*least { // a machine that tells no CPU time
			break
		}
	}
	return millis(cpu()-began) / float64(n), nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
