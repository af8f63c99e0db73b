// Package servertest runs the whole program inside a test: the command line, the
// server on a free port with its real store on temporary files, and a clock that
// the test moves.
//
// Concepts. A Server is one `elowen serve` on a data directory; it can be stopped
// and started again on the same one. A Client is somebody who speaks to it over
// HTTP: nobody yet, a person with a session, or a program with a token. Command
// runs any other subcommand as a person at a terminal would, on the same data.
//
// Invariants. The server's clock is the test's: days pass when Advance says so,
// and the sweep's schedule wakes by it. Everything else is the real thing: the
// sockets, the files, the locks.
//
// What it doesn't do: kill processes (package command's own tests do), drive a
// browser (package servertest/browser does).
package servertest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/command"
	"elowen/server/model"
)

// Options say how to start. The zero value is a fresh server.
type Options struct {
	Data  string   // data directory; empty takes a temporary one
	Args  []string // more arguments of serve
	Clock *Clock   // nil takes one that stands at Start
	Log   io.Writer
	Local model.Local // the built-in models; nil has none, so that no test waits for one
	Whole bool        // with the program's own built-in models, as people run it; Local is nil then
}

// Server is a running server.
type Server struct {
	URL   string // with the base path, without a slash at its end
	Code  string // of the setup; empty where there are accounts
	Data  string
	Clock *Clock

	t    testing.TB
	o    Options
	stop func() int
	log  *buffer
}

// patience bounds how long a start or stop may take.
const patience = 60 * time.Second

// cheap is a password's cost in tests.
var cheap = account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}

// Start starts a server. It is stopped with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Data == "" {
		o.Data = t.TempDir()
	}
	if o.Clock == nil {
		o.Clock = NewClock(DefaultStart)
	}
	s := &Server{Data: o.Data, Clock: o.Clock, t: t, o: o, log: &buffer{}}
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			t.Logf("the server said:\n%s", s.log)
		}
	})
	s.start()
	return s
}

func (s *Server) system(stdin io.Reader, stdout, stderr io.Writer) *command.System {
	return &command.System{
		Stdin: stdin, Stdout: stdout, Stderr: stderr, Dir: s.Data, Env: func(string) (string, bool) { return "", false },
		Ask:   func(string) (string, error) { return "", io.EOF },
		Clock: s.Clock.Now, Wake: s.Clock.Wake, Hash: cheap, Local: s.local(),
	}
}

func (s *Server) local() model.Local {
	switch {
	case s.o.Whole:
		return nil
	case s.o.Local == nil:
		return model.None{}
	}
	return s.o.Local
}

func (s *Server) start() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan command.Running, 1)
	ended := make(chan int, 1)
	sys := s.system(strings.NewReader(""), s.log, s.log)
	sys.Started = func(r command.Running) { started <- r }
	args := append([]string{"serve", "--addr", "127.0.0.1:0", "--data", s.Data}, s.o.Args...)
	go func() { ended <- sys.Run(ctx, args) }()
	s.stop = sync.OnceValue(func() int {
		cancel()
		select {
		case code := <-ended:
			return code
		case <-time.After(patience):
			s.t.Errorf("the server doesn't stop:\n%s", s.log)
			return -1
		}
	})
	select {
	case r := <-started:
		s.URL, s.Code = r.URL, r.Code
	case code := <-ended:
		ended <- code
		s.t.Fatalf("the server ended with %d:\n%s", code, s.log)
	case <-time.After(patience):
		s.t.Fatalf("the server doesn't start:\n%s", s.log)
	}
}

// Stop stops the server as SIGTERM would, and answers its exit code.
func (s *Server) Stop() int { return s.stop() }

// Restart stops the server and starts it again on the same data, at another port.
func (s *Server) Restart() {
	s.t.Helper()
	if code := s.Stop(); code != 0 {
		s.t.Errorf("the server ended with %d:\n%s", code, s.log)
	}
	s.start()
}

// Log is what the server said so far.
func (s *Server) Log() string { return s.log.String() }

// Command runs a subcommand on the server's data directory, with input on its
// standard input.
func (s *Server) Command(input string, args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = s.system(strings.NewReader(input), &out, &err).Run(context.Background(), append(args, "--data", s.Data))
	return out.String(), err.String(), code
}

// Program is a program of a person's own, with streams of its own, that the test runs
// on the server's data directory.
func (s *Server) Program(stdin io.Reader, stdout, stderr io.Writer) *command.System {
	return s.system(stdin, stdout, stderr)
}

// Admin runs a subcommand that must do what it says, and answers what it printed.
func (s *Server) Admin(args ...string) string {
	s.t.Helper()
	out, errs, code := s.Command("", append([]string{"admin"}, args...)...)
	if code != 0 {
		s.t.Fatalf("admin %s ended with %d: %s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
