package code

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Sandbox is made of.
type Options struct {
	// Program is started with Argument to run a script; empty: the running program,
	// which calls Child first of all.
	Program string
	Log     *slog.Logger // nil is silent
}

// Sandbox runs scripts. It is safe for concurrent use.
type Sandbox struct {
	o    Options
	free chan struct{} // as many scripts run at a time as fit in
}

// New makes a sandbox. Nothing is started before a script is run.
func New(o Options) *Sandbox {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Sandbox{o: o, free: make(chan struct{}, setting.Int("code.processes"))}
}

// program is what is started. On Linux it is the very file that runs, even where another
// version was put in its place meanwhile.
func (s *Sandbox) program() (string, error) {
	if s.o.Program != "" {
		return s.o.Program, nil
	}
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// Run runs a script. What goes wrong in it, and every bound that ends it, is in Ran.
// Errors: Invalid for what is no script, Unavailable where none can be run, Cancelled
// where ctx ended first; with what was printed until then.
func (s *Sandbox) Run(ctx context.Context, job Job) (Ran, error) {
	switch {
	case strings.TrimSpace(job.Script) == "":
		return Ran{}, fault.BadField("script", "required", "", "There is no script. Give JavaScript that prints what you want to know.")
	case len(job.Script) > mostScript:
		return Ran{}, fault.BadField("script", "max", "", "The script is too long.")
	}
	job.Script = strings.ToValidUTF8(job.Script, "\uFFFD")
	select {
	case s.free <- struct{}{}:
		defer func() { <-s.free }()
	case <-ctx.Done():
		return Ran{}, fault.Wrap(fault.Cancelled, ctx.Err(), "The script was broken off before it began.")
	}
	within, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	ran, end, err := s.start(within, job)
	if err != nil {
		return Ran{}, fault.Wrap(fault.Unavailable, err, "Scripts can't be run here at the moment.")
	}
	if ctx.Err() != nil {
		return ran, fault.Wrap(fault.Cancelled, ctx.Err(), "The script was broken off.")
	}
	if end.spoken != nil {
		ran.Error = end.why(within.Err() != nil)
		if ran.Error == broken {
			s.o.Log.Warn("a script's process ended badly", "error", end.spoken, "state", end.state, "said", end.said)
		}
	}
	return ran, nil
}

// end is how a child ended that didn't say so.
type end struct {
	spoken error            // of the session; nil: all was said
	state  *os.ProcessState // nil: it was never waited for
	said   string           // on its standard error
}

// start runs the child and sees it gone.
func (s *Sandbox) start(ctx context.Context, job Job) (ran Ran, how end, err error) {
	program, err := s.program()
	if err != nil {
		return ran, how, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, Argument)
	cmd.Args[0] = "elowen"
	cmd.Env = []string{} // nil would be this process's own
	cmd.Dir = "/"
	said := &beginningWriter{most: 8 << 10}
	cmd.Stderr = said
	cmd.WaitDelay = time.Second
	alone(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return ran, how, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return ran, how, err
	}
	if err := cmd.Start(); err != nil {
		return ran, how, err
	}
	// The pipe is read to its end here, or the child is killed, which ends it.
	stop := context.AfterFunc(ctx, func() { out.Close(); in.Close() })
	defer stop()
	ran, how.spoken = (&session{job: job, in: out, out: &lines{w: in}, quit: cancel}).run(ctx)
	_ = cmd.Wait()
	how.state, how.said = cmd.ProcessState, said.b.String()
	return ran, how, nil
}

// why is what ended a child, in words for the script's author. late: its time was over.
func (e end) why(late bool) string {
	switch {
	case errors.Is(e.spoken, errPrinted):
		return overPrinted
	case errors.Is(e.spoken, errCalls):
		return overCalls
	case late:
		return overTime
	case strings.Contains(e.said, "stack overflow") || strings.Contains(e.said, "stack exceeds"):
		return overDepth
	case strings.Contains(e.said, "out of memory") || strings.Contains(e.said, "cannot allocate memory") || strings.Contains(e.said, "out of address space"):
		return overMemory
	case !killed(e.state):
		return broken
	// The system killed it, for one of the two of which it takes no more.
	case e.state.UserTime()+e.state.SystemTime() < mostCPU/2:
		return overMemory
	}
	return overCPU
}

// beginningWriter keeps the beginning of what is written.
type beginningWriter struct {
	b    bytes.Buffer
	most int
}

func (w *beginningWriter) Write(p []byte) (int, error) {
	w.b.Write(p[:min(len(p), w.most-w.b.Len())])
	return len(p), nil
}
